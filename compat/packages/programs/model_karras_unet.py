import torch
from training import of_file, train
torch.manual_seed(0)
KarrasUnet = of_file("denoising_diffusion_pytorch", "karras_unet.py").KarrasUnet
model = KarrasUnet(image_size=16, dim=16, dim_max=32, num_downsamples=2, num_blocks_per_stage=1, attn_res=(8,), attn_dim_head=8, fourier_dim=8, num_classes=10)
x, t, y = torch.randn(2, 4, 16, 16), torch.rand(2), torch.randint(10, (2,))
train(model, lambda model: (model(x, time=t, class_labels=y) - x.roll(1, -1)).pow(2).mean())
