import torch
from torch import nn
from torchdiffeq import odeint, odeint_adjoint, odeint_event
torch.manual_seed(0)
torch.set_default_dtype(torch.float64)  # in float32 PyTorch's own two ways to the gradients differ by more than a thousandth
A = torch.tensor([[-0.1, 2.0], [-2.0, -0.1]])
y0, t = torch.tensor([[2.0, 0.0]]), torch.linspace(0.0, 3.0, 8)


class Spiral(nn.Module):
    def forward(self, t, y):
        return (y ** 3) @ A


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 2))
        for m in self.net:
            if isinstance(m, nn.Linear):
                nn.init.normal_(m.weight, mean=0, std=0.1); nn.init.constant_(m.bias, val=0)

    def forward(self, t, y):
        return self.net(y ** 3)


with torch.no_grad():
    true = odeint(Spiral(), y0, t, method="dopri5", rtol=1e-6, atol=1e-7)
    print(true)
    for method in ("rk4", "euler", "midpoint", "explicit_adams", "bosh3", "adaptive_heun"):
        print(method, odeint(Spiral(), y0, t, method=method, rtol=1e-4, atol=1e-5)[-1])
for solve in (odeint, odeint_adjoint):
    torch.manual_seed(1)
    func = Net()
    opt = torch.optim.RMSprop(func.parameters(), lr=1e-3)
    for i in range(4):
        opt.zero_grad()
        loss = (solve(func, y0, t, rtol=1e-4, atol=1e-5) - true).abs().mean()
        loss.backward()
        opt.step()
        print(solve.__name__, i, loss, func.net[0].weight.grad.norm())


class Ball(nn.Module):
    def forward(self, t, state):
        return state[1], torch.full_like(state[1], -9.8)


at, state = odeint_event(Ball(), (torch.tensor([10.0]), torch.tensor([0.0])), torch.tensor(0.0), event_fn=lambda t, s: s[0][0],
                         reverse_time=False, atol=1e-8, rtol=1e-8)
print(at, state[1][-1])
