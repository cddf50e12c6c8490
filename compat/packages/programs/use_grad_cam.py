import numpy as np
import torch
from pytorch_grad_cam import AblationCAM, EigenCAM, EigenGradCAM, FullGrad, GradCAM, GradCAMPlusPlus, HiResCAM, LayerCAM, ScoreCAM, XGradCAM, GradCAMElementWise
from pytorch_grad_cam.utils.model_targets import ClassifierOutputTarget
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3, padding=1), torch.nn.BatchNorm2d(8), torch.nn.ReLU(), torch.nn.MaxPool2d(2), torch.nn.Conv2d(8, 8, 3, padding=1), torch.nn.ReLU(), torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(8, 4)).eval()
x = torch.rand(2, 3, 16, 16)
for kind in (GradCAM, GradCAMPlusPlus, HiResCAM, LayerCAM, XGradCAM, GradCAMElementWise, EigenCAM, EigenGradCAM, AblationCAM, ScoreCAM, FullGrad):
    with kind(model=model, target_layers=[model[4]]) as cam:
        if hasattr(cam, "batch_size"): cam.batch_size = 8
        out = cam(input_tensor=x, targets=[ClassifierOutputTarget(1), ClassifierOutputTarget(2)]); print(kind.__name__, out.shape, np.abs(out).mean(), out.std())
