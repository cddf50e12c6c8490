import torch
from ema_pytorch import EMA
torch.manual_seed(0)
net = torch.nn.Linear(4, 2); ema = EMA(net, beta=0.9, update_after_step=0, update_every=1)
for i in range(5):
    with torch.no_grad():
        net.weight.add_(torch.randn_like(net.weight) * 0.1)
    ema.update()
print(ema(torch.ones(1, 4)))
