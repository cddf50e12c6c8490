"""Containers against torch's: list and dict behaviour, `repr`, names in the state dict, errors."""

import pytest

from tests.nn import lines

START = """
s = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 2))
l = nn.ModuleList([nn.Linear(2, 2), nn.ReLU(), nn.ReLU(), nn.Tanh()])
d = nn.ModuleDict({'a': nn.Linear(2, 2), 'b': nn.ReLU()})
pl = nn.ParameterList([nn.Parameter(torch.ones(2)), torch.zeros(1, 2), 'text'])
pd = nn.ParameterDict({'w': nn.Parameter(torch.ones(2)), 'b': torch.zeros(1), 'n': 3})
"""

VALUES = [
    "s, l, d, pl, pd",
    "nn.Sequential(), nn.ModuleList(), nn.ModuleDict(), nn.ParameterList(), nn.ParameterDict()",
    "nn.ModuleList([nn.Sequential(nn.Linear(1, 1), nn.ReLU()) for _ in range(3)])",
    "nn.ModuleList([nn.ReLU(), nn.Tanh(), nn.Tanh()])",
    "nn.Sequential(nn.Sequential(nn.ReLU(), nn.Dropout()), nn.ModuleList([nn.Tanh()]))",
    "s[0], s[-1], s[1:], len(s), [type(m).__name__ for m in s]",
    "list(s.state_dict()), list((s + s).state_dict()), list((s * 2)._modules), 2 * s",
    "s.append(nn.Tanh()), s.insert(0, nn.Tanh()), s.insert(-1, nn.GELU()), s.extend([nn.ReLU()]), s",
    "s.pop(1), s, list(s._modules)",
    "s.pop(slice(0, 2)), s",
    "l[0], l[-1], l[1:3], len(l), l + [nn.GELU()], list(l.state_dict())",
    "l.append(nn.GELU()), l.extend([nn.SiLU()]), l.insert(1, nn.Mish()), l, l.pop(0), l",
    "nn.ModuleList(m for m in [nn.ReLU(), nn.Tanh()])",
    "d['a'], len(d), list(d), 'b' in d, list(d.keys()), [k for k, _ in d.items()], list(d.values())",
    "d.update({'c': nn.Tanh()}), d.update([('e', nn.Tanh())]), d.update(nn.ModuleDict({'f': nn.GELU()})), d",
    "d.pop('a'), d, d.clear(), len(d)",
    "pl[0], pl[-1], pl[1:], len(pl), list(pl.state_dict()), list(pl)",
    "pl.append(torch.ones(1)), pl.extend([torch.ones(2, 2)]), pl, [p.requires_grad for p in pl.parameters()]",
    "pd['w'], pd['b'], len(pd), list(pd), 'w' in pd, list(pd.items()), list(reversed(pd))",
    "pd.get('z'), pd.get('z', 1), pd.setdefault('q', torch.ones(1)), pd.pop('w'), pd.popitem(), pd",
    "pd.copy(), pd | nn.ParameterDict({'z': torch.ones(1)}), pd.fromkeys(['x', 'y'], 2), list(pd.values())",
    "pd.update({'z': torch.ones(1), 'y': torch.ones(1)}), pd.update([('x', 1)]), list(pd)",
    "pd.clear(), list(pd), dict(pd._parameters)",
]

STATEMENTS = [
    "s[1] = nn.Tanh()\ns[-1] = nn.GELU()\ns",
    "del s[0]\ns, list(s._modules)",
    "del s[::2]\ns",
    "s += nn.Sequential(nn.Tanh())\ns *= 2\ns",
    "l[1] = nn.Mish()\ndel l[0], l[1:]\nl, list(l._modules)",
    "l += [nn.ReLU()]\nl",
    "d['z'] = nn.Mish()\ndel d['a']\nd",
    "pl[0] = torch.zeros(3)\npl += [torch.ones(1)]\npl, list(pl._parameters)",
    "pd['w'] = torch.zeros(3)\ndel pd['b']\npd",
    "pd |= nn.ParameterDict({'z': torch.ones(1)})\nlist(pd)",
]

ERRORS = [
    "s[3]", "s['a']", "s + [nn.ReLU()]", "s * 0", "s * 'a'", "s.insert(9, nn.ReLU())", "s.insert(0, 3)",
    "s.append(3)", "nn.Sequential(3)", "nn.Sequential(nn.Linear)", "l[9]", "l.extend(3)", "l.append(3)",
    "l(1)",
    "d['q']", "d.update(3)", "d.update([3])", "d.update([(1, 2, 3)])", "d.pop('q')",
    "d.update({'training': nn.ReLU()})", "d.update({'x': 3})", "pl[7]", "pl.extend(torch.ones(2))",
    "pl.extend(3)", "pl(1)", "pd['q']", "pd[3]", "pd.update(3)", "pd.update([3])", "pd.update([(1, 2, 3)])",
    "pd(1)", "pd.pop('q')",
]


@pytest.mark.parametrize("value", VALUES + STATEMENTS)
def test_value(value):
    lines.works(START + value)


@pytest.mark.parametrize("value", ERRORS)
def test_error(value):
    lines.fails(START + value)
