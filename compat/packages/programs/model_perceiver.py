import torch
from training import classify, of_file
torch.manual_seed(0)
model = of_file("perceiver_pytorch", "perceiver_pytorch.py").Perceiver(
    input_channels=3, input_axis=2, num_freq_bands=4, max_freq=10.0, depth=2, num_latents=16, latent_dim=32, cross_heads=1, latent_heads=4,
    cross_dim_head=8, latent_dim_head=8, num_classes=10, self_per_cross_attn=1)
classify(model, 2, 16, 16, 3)
