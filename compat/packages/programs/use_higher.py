import higher
import torch
from torch import nn
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
outer = torch.optim.Adam(model.parameters(), lr=1e-2)
for kind, options in ((torch.optim.SGD, dict(lr=0.1, momentum=0.9)), (torch.optim.Adam, dict(lr=0.01)), (torch.optim.RMSprop, dict(lr=0.01)), (torch.optim.Adagrad, dict(lr=0.1))):
    for i in range(2):
        outer.zero_grad()
        for task in range(2):
            x = torch.randn(8, 4); y = x.sin().sum(1, keepdim=True) * (task + 1)
            with higher.innerloop_ctx(model, kind(model.parameters(), **options), copy_initial_weights=False) as (inner, optimizer):
                for _ in range(2):
                    optimizer.step(nn.functional.mse_loss(inner(x), y))
                loss = nn.functional.mse_loss(inner(x), y)
                loss.backward()
        outer.step()
        print(kind.__name__, i, loss, torch.stack([p.grad.norm() for p in model.parameters()]))
# a learning rate that is learnt
rate = torch.tensor(0.1, requires_grad=True)
inner, optimizer = higher.monkeypatch(model), higher.get_diff_optim(torch.optim.SGD(model.parameters(), lr=0.1), model.parameters(), override={"lr": [rate]})
x = torch.randn(8, 4)
for _ in range(3):
    parameters = optimizer.step(inner(x).pow(2).mean(), params=inner.parameters())
    inner.update_params(parameters)
print(torch.autograd.grad(inner(x).pow(2).mean(), rate), len(inner._fast_params))
