import pyro
import pyro.distributions as dist
import torch
from pyro.infer import MCMC, NUTS, SVI, Predictive, Trace_ELBO, TraceEnum_ELBO, config_enumerate
from pyro.infer.autoguide import AutoDiagonalNormal
from pyro.optim import Adam

pyro.set_rng_seed(0)
data = torch.cat([torch.ones(6), torch.zeros(4)])


def model(data):
    f = pyro.sample("fairness", dist.Beta(10.0, 10.0))
    with pyro.plate("data", len(data)):
        pyro.sample("obs", dist.Bernoulli(f), obs=data)


def guide(data):
    a = pyro.param("alpha", torch.tensor(15.0), constraint=dist.constraints.positive)
    b = pyro.param("beta", torch.tensor(15.0), constraint=dist.constraints.positive)
    pyro.sample("fairness", dist.Beta(a, b))


svi = SVI(model, guide, Adam({"lr": 0.01}), loss=Trace_ELBO())
for _ in range(5):
    print(svi.step(data), pyro.param("alpha"), pyro.param("beta"))


def regression(x, y=None):
    w = pyro.sample("w", dist.Normal(torch.zeros(2), 1.0).to_event(1))
    s = pyro.sample("s", dist.LogNormal(0.0, 1.0))
    with pyro.plate("n", x.shape[0]):
        return pyro.sample("y", dist.Normal(x @ w, s), obs=y)


x = torch.randn(20, 2)
y = x @ torch.tensor([1.0, -2.0]) + 0.1 * torch.randn(20)
pyro.clear_param_store()
auto = AutoDiagonalNormal(regression)
svi = SVI(regression, auto, Adam({"lr": 0.05}), Trace_ELBO())
for _ in range(5):
    print(svi.step(x, y))
print(auto.median(), Predictive(regression, guide=auto, num_samples=2)(x)["y"].shape)
pyro.set_rng_seed(1)
mcmc = MCMC(NUTS(regression, max_tree_depth=2), num_samples=3, warmup_steps=3, disable_progbar=True)
mcmc.run(x, y)
print(mcmc.get_samples()["w"])


@config_enumerate
def mixture(data):
    weights = pyro.sample("weights", dist.Dirichlet(torch.ones(2)))
    with pyro.plate("k", 2):
        locs = pyro.sample("locs", dist.Normal(0.0, 10.0))
    with pyro.plate("d", len(data)):
        k = pyro.sample("k_", dist.Categorical(weights))
        pyro.sample("o", dist.Normal(locs[k], 1.0), obs=data)


pyro.clear_param_store()
pyro.set_rng_seed(2)
auto = AutoDiagonalNormal(pyro.poutine.block(mixture, expose=["weights", "locs"]))
svi = SVI(mixture, auto, Adam({"lr": 0.05}), TraceEnum_ELBO(max_plate_nesting=1))
for _ in range(3):
    print(svi.step(torch.tensor([0.0, 1.0, 10.0, 11.0])))
