import torch
import zuko
import zuko.bayesian

torch.manual_seed(0)
x, c = torch.randn(16, 3), torch.randn(16, 5)
for flow in (zuko.flows.NSF(3, 5, transforms=2, hidden_features=[16]), zuko.flows.MAF(3, 5, transforms=2, hidden_features=[16]),
             zuko.flows.NICE(3, 5, transforms=2, hidden_features=[16]), zuko.flows.NAF(3, 5, transforms=1, hidden_features=[16]),
             zuko.flows.SOSPF(3, 5, transforms=1, hidden_features=[16]), zuko.flows.GMM(3, 5, components=4)):
    optimizer = torch.optim.Adam(flow.parameters(), lr=1e-2)
    for i in range(3):
        loss = -flow(c).log_prob(x).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(type(flow).__name__, i, loss)
flow = zuko.flows.NSF(3, transforms=2, hidden_features=[16])
print(flow().sample((2,)), flow().rsample_and_log_prob((2,))[1])
bayesian = zuko.bayesian.BayesianModel(torch.nn.Linear(3, 2), init_logvar=-6.0)
with bayesian.reparameterize() as model:
    print(model(x[:2]), bayesian.kl_divergence())
