"""`nn.utils.parametrize`, the norms made of it, and the fusion of batch norms, against torch's."""

import pytest

from tests.nn import lines

_START = """
P, Z = nn.utils.parametrize, nn.utils.parametrizations
class Sym(nn.Module):
    def forward(self, X): return X.triu() + X.triu(1).mT
    def right_inverse(self, A): return A.triu()
class Two(nn.Module):
    def forward(self, a, b): return a * b
    def right_inverse(self, A): return A, torch.ones_like(A)
class Shorter(nn.Module):
    def forward(self, X): return X[:1]
class Double(nn.Module):
    def forward(self, X): return X.double()
class Number(nn.Module):
    def forward(self, X): return X
    def right_inverse(self, X): return 3
class NoTensor(nn.Module):
    def forward(self, X): return 3
class OneWay(nn.Module):
    def forward(self, X): return X * 2
m = nn.Linear(3, 3)
"""

PROGRAMS = [
    "P.register_parametrization(m, 'weight', Sym())\n"
    "m, list(m.state_dict()), m.weight, m(x(2, 3)), P.is_parametrized(m), P.is_parametrized(m, 'bias')",
    "P.register_parametrization(m, 'weight', Sym())\nP.register_parametrization(m, 'weight', Sym())\nm.weight = torch.eye(3)\n"
    "m, m.weight, m.parametrizations.weight.original",
    "P.register_parametrization(m, 'weight', Sym())\nP.remove_parametrizations(m, 'weight')\n"
    "m, [n for n, _ in m.named_parameters()], m.weight, type(m).__name__",
    "P.register_parametrization(m, 'weight', Sym())\nP.remove_parametrizations(m, 'weight', leave_parametrized=False)\nm.weight",
    "P.register_parametrization(m, 'weight', Two())\na = list(m.state_dict()), m.weight\n"
    "P.remove_parametrizations(m, 'weight')\na, list(m.state_dict()), m.weight",
    "P.register_parametrization(m, 'weight', Two())\nP.remove_parametrizations(m, 'weight', leave_parametrized=False)",
    *(f"P.register_parametrization(m, 'weight', {name}())" for name in ("Shorter", "Double", "Number", "NoTensor")),
    "P.register_parametrization(m, 'weight', Sym())\nP.register_parametrization(m, 'weight', Shorter())",
    "P.register_parametrization(m, 'w', Sym())", "P.remove_parametrizations(m, 'weight')",
    "P.register_parametrization(m, 'weight', OneWay())\nm.weight = torch.eye(3)",
    "P.register_parametrization(m, 'weight', Double(), unsafe=True)\nm.weight.dtype",
    "P.register_parametrization(m, 'weight', Sym())\nwith P.cached():\n    a = m.weight is m.weight\na, m.weight is m.weight",
    "P.register_parametrization(m, 'weight', Sym())\nm(x(2, 3)).sum().backward()\nm.parametrizations.weight.original.grad",
    "P.register_parametrization(m, 'weight', Sym())\nc = copy.deepcopy(m)\nc.weight = torch.eye(3)\nc.weight, m.weight, c",
    "P.register_parametrization(m, 'weight', Sym())\npickle.dumps(m)",
    "P.register_parametrization(m, 'weight', Sym())\nt = P.transfer_parametrizations_and_params(m, nn.Linear(3, 3))\n"
    "t, t.weight, P.type_before_parametrizations(t).__name__, P.type_before_parametrizations(nn.ReLU()).__name__",
    *(f"n = Z.weight_norm(nn.Conv2d(2, 3, 2), dim={dim})\no = n(x(1, 2, 3, 3))\no.sum().backward()\n"
      "n, list(n.state_dict()), o, [p.grad for p in n.parameters()]" for dim in (0, 1, None)),
    "n = Z.weight_norm(nn.Linear(3, 2))\nn.load_state_dict({'bias': torch.ones(2), 'weight_g': torch.ones(2, 1), "
    "'weight_v': torch.eye(2, 3)})\nn.weight",
    "n = Z.spectral_norm(nn.Linear(3, 2), n_power_iterations=2)\no = [n(x(2, 3)), n(x(2, 3))]\no[1].sum().backward()\n"
    "n, n.state_dict(), o, [p.grad for p in n.parameters()], n.eval()(x(2, 3))",
    "n = Z.spectral_norm(nn.ConvTranspose2d(2, 3, 2))\nn(x(1, 2, 3, 3)), n.state_dict()",
    "n = Z.spectral_norm(nn.Linear(3, 2), 'bias')\nn.bias",
    "Z.spectral_norm(m, n_power_iterations=0)", "Z.spectral_norm(m, 'w')", "Z.spectral_norm(m, dim=2)", "Z.weight_norm(m, 'w')",
    "b = nn.BatchNorm2d(3)\nb(x(4, 3, 2, 2))\nc = nn.Conv2d(2, 3, 2, bias=False).eval()\nd = x(1, 2, 3, 3)\n"
    "f = nn.utils.fuse_conv_bn_eval(c, b.eval())\nf, f(d) - b(c(d)), f.bias",
    "b = nn.BatchNorm2d(3)\nb(x(4, 3, 2, 2))\nc = nn.ConvTranspose2d(2, 3, 2).eval()\nd = x(1, 2, 3, 3)\n"
    "f = nn.utils.fuse_conv_bn_eval(c, b.eval(), transpose=True)\nf, f(d), f.bias",
    "b = nn.BatchNorm1d(3)\nb(x(4, 3))\nf = nn.utils.fuse_linear_bn_eval(m.eval(), b.eval())\nf, f(x(2, 3))",
    "nn.utils.fuse_conv_bn_eval(nn.Conv2d(1, 1, 1), nn.BatchNorm2d(1))",
    "nn.utils.fuse_linear_bn_eval(m.eval(), nn.BatchNorm1d(2).eval())",
    "nn.utils.skip_init(nn.Linear, 2, 3), nn.utils.skip_init(nn.Linear, 2, 3).weight.shape, torch.rand(1)",
    "nn.utils.skip_init(nn.ReLU)", "nn.utils.skip_init(int)",
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_as_torch(program):
    lines.same(_START + program)
