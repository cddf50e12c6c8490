import torch
from adam_atan2_pytorch import AdamAtan2, MuonAdamAtan2
for make in (lambda m: AdamAtan2(m.parameters(), lr=1e-2, weight_decay=1e-2), lambda m: AdamAtan2(m.parameters(), lr=1e-2, cautious_factor=0.5),
             lambda m: MuonAdamAtan2([m[0].weight], [m[0].bias, *m[2].parameters()], lr=1e-2)):
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
    opt = make(model); x, y = torch.randn(16, 4), torch.randn(16, 1)
    for i in range(4):
        loss = ((model(x) - y) ** 2).mean(); opt.zero_grad(); loss.backward(); opt.step(); print(i, loss)
