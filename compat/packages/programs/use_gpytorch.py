import math
import torch
import gpytorch
torch.manual_seed(0)
train_x = torch.linspace(0, 1, 30)
train_y = torch.sin(train_x * (2 * math.pi)) + torch.randn(train_x.size()) * 0.2


class ExactGPModel(gpytorch.models.ExactGP):
    def __init__(self, train_x, train_y, likelihood):
        super().__init__(train_x, train_y, likelihood)
        self.mean_module = gpytorch.means.ConstantMean()
        self.covar_module = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel())

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))


likelihood = gpytorch.likelihoods.GaussianLikelihood()
model = ExactGPModel(train_x, train_y, likelihood)
model.train(); likelihood.train()
optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
mll = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
for i in range(10):
    optimizer.zero_grad()
    loss = -mll(model(train_x), train_y)
    loss.backward()
    print(i, loss, model.covar_module.base_kernel.lengthscale, model.likelihood.noise)
    optimizer.step()
model.eval(); likelihood.eval()
with torch.no_grad(), gpytorch.settings.fast_pred_var():
    observed = likelihood(model(torch.linspace(0, 1, 7)))
    lower, upper = observed.confidence_region()
    print(observed.mean, lower, upper)
x = torch.randn(6, 2)
for kernel in (gpytorch.kernels.MaternKernel(nu=2.5), gpytorch.kernels.PeriodicKernel(), gpytorch.kernels.LinearKernel(),
               gpytorch.kernels.RQKernel(), gpytorch.kernels.CosineKernel(), gpytorch.kernels.RBFKernel(ard_num_dims=2)):
    print(type(kernel).__name__, kernel(x).to_dense()[0])


class ApproximateGPModel(gpytorch.models.ApproximateGP):
    def __init__(self, points):
        distribution = gpytorch.variational.CholeskyVariationalDistribution(points.size(0))
        strategy = gpytorch.variational.VariationalStrategy(self, points, distribution, learn_inducing_locations=True)
        super().__init__(strategy)
        self.mean_module = gpytorch.means.ConstantMean()
        self.covar_module = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel())

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))


model, likelihood = ApproximateGPModel(train_x[::3, None].clone()), gpytorch.likelihoods.BernoulliLikelihood()
labels = (train_y > 0).to(train_y.dtype)
mll = gpytorch.mlls.VariationalELBO(likelihood, model, labels.numel())
optimizer = torch.optim.Adam([*model.parameters(), *likelihood.parameters()], lr=0.05)
for i in range(5):
    optimizer.zero_grad()
    loss = -mll(model(train_x[:, None]), labels)
    loss.backward()
    optimizer.step()
    print(i, loss)
