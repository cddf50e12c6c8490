import torch
import torchsde

torch.manual_seed(0)


class SDE(torch.nn.Module):
    noise_type, sde_type = "diagonal", "ito"

    def __init__(self):
        super().__init__()
        self.mu, self.sigma = torch.nn.Linear(3, 3), torch.nn.Linear(3, 3)

    def f(self, t, y):
        return self.mu(y)

    def g(self, t, y):
        return torch.sigmoid(self.sigma(y))


sde, y0, ts = SDE(), torch.full((4, 3), 0.1, requires_grad=True), torch.linspace(0, 1, 5)
for method in ("euler", "milstein", "srk"):
    noise = torchsde.BrownianInterval(t0=0.0, t1=1.0, size=(4, 3), entropy=7, levy_area_approximation="space-time")
    ys = torchsde.sdeint(sde, y0, ts, bm=noise, method=method, dt=0.1)
    y0.grad = None
    ys[-1].square().mean().backward()
    print(method, ys[-1], y0.grad.norm())
sde.sde_type = "stratonovich"
noise = torchsde.BrownianInterval(t0=0.0, t1=1.0, size=(4, 3), entropy=8, levy_area_approximation="none")
ys = torchsde.sdeint_adjoint(sde, y0, ts, bm=noise, method="midpoint", dt=0.1)
y0.grad = None
ys[-1].square().mean().backward()
print(ys[-1], y0.grad.norm(), sde.mu.weight.grad.norm())
