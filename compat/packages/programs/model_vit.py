import torch
from training import classify, of_file
torch.manual_seed(0)
model = of_file("vit_pytorch", "vit.py").ViT(image_size=32, patch_size=8, num_classes=10, dim=32, depth=2, heads=4, dim_head=8,
                                             mlp_dim=64, dropout=0.1, emb_dropout=0.1)
classify(model, 4, 3, 32, 32)
