import torch
from training import classify, of_file
torch.set_default_dtype(torch.float64)  # batch norms of 4 values: in float32 the last digits decide
torch.manual_seed(0)
model = of_file("efficientnet_pytorch", "model.py").EfficientNet.from_name("efficientnet-b0", num_classes=10, image_size=32, depth_coefficient=0.3,
                                                                           width_coefficient=0.5)
classify(model, 4, 3, 32, 32)
