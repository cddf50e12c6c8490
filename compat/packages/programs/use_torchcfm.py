import torch
from torchcfm import ConditionalFlowMatcher, ExactOptimalTransportConditionalFlowMatcher, SchrodingerBridgeConditionalFlowMatcher, TargetConditionalFlowMatcher, VariancePreservingConditionalFlowMatcher
from torchcfm.models import MLP
from torchcfm.models.unet import UNetModel
import numpy as np
torch.manual_seed(0); np.random.seed(0)
x0, x1 = torch.randn(16, 2), torch.randn(16, 2) * 0.3 + 2
for matcher in (ConditionalFlowMatcher(0.1), TargetConditionalFlowMatcher(0.1), VariancePreservingConditionalFlowMatcher(0.1), ExactOptimalTransportConditionalFlowMatcher(0.0), SchrodingerBridgeConditionalFlowMatcher(0.5)):
    torch.manual_seed(1); np.random.seed(1)
    model = MLP(dim=2, w=16, time_varying=True)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for i in range(3):
        t, xt, ut = matcher.sample_location_and_conditional_flow(x0, x1)
        loss = (model(torch.cat([xt, t[:, None]], 1)) - ut).pow(2).mean(); optimizer.zero_grad(); loss.backward(); optimizer.step()
        print(type(matcher).__name__, i, t[:3], loss)
unet = UNetModel(dim=(1, 8, 8), num_channels=32, num_res_blocks=1, channel_mult=(1, 2), num_heads=2, attention_resolutions="4")
images, times = torch.randn(2, 1, 8, 8), torch.rand(2)
optimizer = torch.optim.Adam(unet.parameters(), lr=1e-2)
for i in range(2):
    loss = (unet(times, images) - images).pow(2).mean(); optimizer.zero_grad(); loss.backward(); optimizer.step(); print(i, loss)
