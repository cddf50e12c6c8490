import torch
from training import classify, of_file
torch.manual_seed(0)
model = of_file("vit_pytorch", "mobile_vit.py").MobileViT(image_size=(64, 64), dims=[24, 32, 40], num_classes=10, depths=(1, 1, 1),
                                                          channels=[8, 16, 24, 24, 32, 32, 48, 48, 64, 64, 96])
classify(model, 4, 3, 64, 64)
