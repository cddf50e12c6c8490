import numpy as np
import torch
from captum.attr import (DeepLift, FeatureAblation, GradientShap, GuidedBackprop, InputXGradient, IntegratedGradients,
                         LayerConductance, LayerGradCam, NoiseTunnel, NeuronConductance, Occlusion, Saliency, ShapleyValueSampling)

np.random.seed(0)
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 3)).eval()
x, baseline = torch.randn(2, 4), torch.zeros(2, 4)
print(IntegratedGradients(model).attribute(x, baseline, target=1, return_convergence_delta=True))
for kind in (Saliency, InputXGradient, DeepLift, FeatureAblation, GuidedBackprop):
    print(kind.__name__, kind(model).attribute(x.clone(), target=1))
print(GradientShap(model).attribute(x, baselines=torch.randn(5, 4), target=0, n_samples=4))
print(NoiseTunnel(Saliency(model)).attribute(x, nt_type="smoothgrad", nt_samples=3, target=0))
print(LayerConductance(model, model[1]).attribute(x, target=1), NeuronConductance(model, model[1]).attribute(x, neuron_selector=2, target=1))
print(ShapleyValueSampling(model).attribute(x, target=0, n_samples=5))
image = torch.nn.Sequential(torch.nn.Conv2d(1, 4, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(4 * 36, 2)).eval()
picture = torch.randn(1, 1, 8, 8)
print(Occlusion(image).attribute(picture, target=0, sliding_window_shapes=(1, 4, 4), strides=(1, 4, 4)))
print(LayerGradCam(image, image[0]).attribute(picture, target=1))
