import torch
from training import of_file, train
torch.manual_seed(0)
siren = of_file("siren_pytorch", "siren_pytorch.py")
net = siren.SirenNet(dim_in=2, dim_hidden=32, dim_out=3, num_layers=3, w0_initial=30.0)
wrapper = siren.SirenWrapper(net, latent_dim=16, image_width=16, image_height=16)
latent, image = torch.randn(16), torch.randn(1, 3, 16, 16)
train(wrapper, lambda model: model(image, latent=latent))
print(wrapper(latent=latent)[0, :, 0, :4])
