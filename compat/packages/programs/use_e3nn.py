import torch
from e3nn import nn, o3

torch.manual_seed(0)
irreps = o3.Irreps("4x0e + 2x1o + 1x2e")
x, y = irreps.randn(5, -1), irreps.randn(5, -1)
rotation = o3.rand_matrix()
linear = o3.Linear(irreps, irreps)
print(linear(x)[0], (linear(x @ irreps.D_from_matrix(rotation).T) - linear(x) @ irreps.D_from_matrix(rotation).T).abs().max() < 1e-4)
product = o3.FullyConnectedTensorProduct(irreps, irreps, "3x0e + 2x1o")
out = product(x, y)
out.square().mean().backward()
print(out[0], product.weight.grad.norm())
print(o3.spherical_harmonics([0, 1, 2, 3], torch.randn(3, 3), True, normalization="component"))
print(o3.wigner_3j(1, 1, 2), o3.angles_to_matrix(torch.tensor(0.1), torch.tensor(0.2), torch.tensor(0.3)))
gate = nn.Gate("2x0e", [torch.tanh], "2x0e", [torch.sigmoid], "2x1o")
print(gate(torch.randn(2, gate.irreps_in.dim)), nn.FullyConnectedNet([4, 8, 2], torch.relu)(torch.randn(2, 4)))
