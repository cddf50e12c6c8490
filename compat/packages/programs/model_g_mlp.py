import torch
from training import classify, of_file
torch.manual_seed(0)
model = of_file("g_mlp_pytorch", "g_mlp_pytorch.py").gMLPVision(image_size=32, patch_size=8, num_classes=10, dim=32, depth=2)
classify(model, 4, 3, 32, 32)
