import torch
from training import classify, of_file
torch.manual_seed(0)
model = of_file("mlp_mixer_pytorch", "mlp_mixer_pytorch.py").MLPMixer(image_size=32, channels=3, patch_size=8, dim=32, depth=2, num_classes=10)
classify(model, 4, 3, 32, 32)
