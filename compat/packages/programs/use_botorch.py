import torch
from botorch.acquisition import ExpectedImprovement, LogExpectedImprovement, UpperConfidenceBound, qExpectedImprovement
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.models.transforms import Normalize, Standardize
from botorch.optim import optimize_acqf
from botorch.sampling import SobolQMCNormalSampler
from gpytorch.mlls import ExactMarginalLogLikelihood

torch.manual_seed(0)
x = torch.rand(10, 2, dtype=torch.float64)
y = 1 - (x - 0.5).norm(dim=-1, keepdim=True) + 0.1 * torch.rand(10, 1, dtype=torch.float64)
model = SingleTaskGP(x, y, input_transform=Normalize(d=2), outcome_transform=Standardize(m=1))
fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
posterior = model.posterior(torch.tensor([[0.2, 0.3], [0.7, 0.1]], dtype=torch.float64))
print(posterior.mean, posterior.variance)
bounds = torch.tensor([[0.0, 0.0], [1.0, 1.0]], dtype=torch.float64)
points = torch.rand(3, 1, 2, dtype=torch.float64)
for acquisition in (ExpectedImprovement(model, best_f=y.max()), LogExpectedImprovement(model, best_f=y.max()),
                    UpperConfidenceBound(model, beta=0.1)):
    print(type(acquisition).__name__, acquisition(points))
    candidate, value = optimize_acqf(acquisition, bounds=bounds, q=1, num_restarts=2, raw_samples=8)
    print((100 * candidate).round() / 100, value)
sampler = SobolQMCNormalSampler(torch.Size([16]), seed=1)
print(qExpectedImprovement(model, best_f=y.max(), sampler=sampler)(torch.rand(2, 2, 2, dtype=torch.float64)))
