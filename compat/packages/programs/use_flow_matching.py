import torch
from torch import nn
from flow_matching.loss import MixturePathGeneralizedKL
from flow_matching.path import AffineProbPath, CondOTProbPath, GeodesicProbPath, MixtureDiscreteProbPath
from flow_matching.path.scheduler import CondOTScheduler, CosineScheduler, PolynomialConvexScheduler
from flow_matching.solver import MixtureDiscreteEulerSolver, ODESolver
from flow_matching.utils import ModelWrapper
from flow_matching.utils.manifolds import FlatTorus, Sphere
torch.manual_seed(0)

class Field(ModelWrapper):
    def __init__(self): super().__init__(nn.Sequential(nn.Linear(3, 32), nn.SiLU(), nn.Linear(32, 2)))
    def forward(self, x, t, **extras): return self.model(torch.cat([x, t.expand(len(x))[:, None]], 1))

x0, x1 = torch.randn(32, 2), torch.randn(32, 2) * 0.2 + 1
for path in (CondOTProbPath(), AffineProbPath(CosineScheduler())):
    field = Field(); optimizer = torch.optim.Adam(field.parameters(), lr=1e-2)
    for i in range(3):
        sample = path.sample(t=torch.rand(32), x_0=x0, x_1=x1)
        loss = (field(sample.x_t, sample.t) - sample.dx_t).pow(2).mean(); optimizer.zero_grad(); loss.backward(); optimizer.step(); print(i, loss)
    solver = ODESolver(field)
    for method in ("euler", "midpoint"):
        print(method, solver.sample(x_init=x0[:4], step_size=0.1, method=method))
    noise, density = solver.compute_likelihood(x_1=x1[:4], log_p0=torch.distributions.MultivariateNormal(torch.zeros(2), torch.eye(2)).log_prob, step_size=0.25, method="midpoint", exact_divergence=True); print(noise, density)
for manifold, points in ((Sphere(), nn.functional.normalize(torch.randn(8, 3), dim=1)), (FlatTorus(), torch.rand(8, 2) * 6)):
    path = GeodesicProbPath(scheduler=CondOTScheduler(), manifold=manifold)
    sample = path.sample(t=torch.rand(8), x_0=points, x_1=points.flip(0)); print(sample.x_t, sample.dx_t)
path = MixtureDiscreteProbPath(scheduler=PolynomialConvexScheduler(n=2.0))
model = nn.Embedding(5, 5)
optimizer = torch.optim.Adam(model.parameters(), lr=0.1); loss_of = MixturePathGeneralizedKL(path)
for i in range(3):
    tokens = torch.randint(5, (16, 3)); sample = path.sample(t=torch.rand(16) * 0.9, x_0=torch.randint(5, (16, 3)), x_1=tokens)
    loss = loss_of(logits=model(sample.x_t), x_1=tokens, x_t=sample.x_t, t=sample.t); optimizer.zero_grad(); loss.backward(); optimizer.step(); print(i, sample.x_t[:2], loss)
class Wrapped(ModelWrapper):
    def forward(self, x, t, **extras): return self.model(x).softmax(-1)
print(MixtureDiscreteEulerSolver(Wrapped(model), path, 5).sample(x_init=torch.randint(5, (4, 3)), step_size=0.2))
