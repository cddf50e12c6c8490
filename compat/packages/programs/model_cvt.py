import torch
from training import classify, of_file
torch.manual_seed(0)
model = of_file("vit_pytorch", "cvt.py").CvT(num_classes=10, s1_emb_dim=16, s1_heads=1, s1_depth=1, s2_emb_dim=24, s2_heads=2,
                                             s2_depth=1, s3_emb_dim=32, s3_heads=2, s3_depth=2)
classify(model, 4, 3, 64, 64)
