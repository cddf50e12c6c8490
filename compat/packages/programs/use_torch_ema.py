import torch
from torch_ema import ExponentialMovingAverage
torch.manual_seed(0)
net = torch.nn.Linear(4, 2); e2 = ExponentialMovingAverage(net.parameters(), decay=0.9)
for i in range(5):
    with torch.no_grad():
        net.weight.add_(torch.randn_like(net.weight) * 0.1)
    e2.update()
print(list(e2.shadow_params)[0])
with e2.average_parameters():
    print(net.weight.sum())
