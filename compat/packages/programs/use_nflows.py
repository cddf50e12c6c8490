import torch
from nflows import distributions, flows, transforms
from nflows.nn.nets import ResidualNet
torch.manual_seed(0)
layers = [transforms.BatchNorm(4)]  # first: a bias before it would have a gradient of rounding errors, which Adam makes large
for _ in range(2):
    layers += [transforms.MaskedAffineAutoregressiveTransform(features=4, hidden_features=8), transforms.RandomPermutation(features=4)]
layers += [transforms.PiecewiseRationalQuadraticCouplingTransform(
    mask=[1, 0, 1, 0], transform_net_create_fn=lambda i, o: ResidualNet(i, o, hidden_features=8), tails="linear", tail_bound=3.0),
    transforms.LULinear(4)]
flow = flows.Flow(transforms.CompositeTransform(layers), distributions.StandardNormal([4]))
optimizer = torch.optim.Adam(flow.parameters(), lr=1e-2)
x = torch.randn(64, 4) * 0.5 + 1
for i in range(5):
    optimizer.zero_grad()
    loss = -flow.log_prob(inputs=x).mean()
    loss.backward()
    optimizer.step()
    print(i, loss)
flow.eval()
with torch.no_grad():
    noise = flow.transform_to_noise(x)
    print(noise[:2], flow._transform.inverse(noise)[0][:2], x[:2])
    print(flow.sample(3), flow.sample_and_log_prob(2)[1])
