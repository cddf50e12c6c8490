"""The Module machinery against torch's: registration, attributes, iterators, state, conversion, copies."""

import pytest

import torchlike
from tests.nn import lines

NET = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 4)
        self.norm = nn.BatchNorm1d(4)
        self.blocks = nn.ModuleList([nn.Linear(4, 4), nn.ReLU()])
        self.tied = self.fc
        self.scale = nn.Parameter(torch.ones(4))
        self.register_parameter('none', None)
        self.register_buffer('kept', torch.arange(3.))
        self.register_buffer('lost', torch.zeros(2), persistent=False)
        self.register_buffer('empty', None)
    def forward(self, x):
        for block in self.blocks: x = block(x) if x.shape[-1] == 4 else self.fc(x)
        return self.norm(x) * self.scale
m = Net()
"""

VALUES = [
    "repr(m)",
    "[n for n, _ in m.named_parameters()]",
    "[n for n, _ in m.named_parameters(remove_duplicate=False)]",
    "[n for n, _ in m.named_parameters('top', recurse=False)]",
    "[n for n, _ in m.named_buffers()]",
    "[n for n, _ in m.named_modules()], [n for n, _ in m.named_modules(remove_duplicate=False)]",
    "[n for n, _ in m.named_modules(prefix='p')], [n for n, _ in m.named_children()]",
    "len(list(m.parameters())), len(list(m.buffers())), len(list(m.modules())), len(list(m.children()))",
    "list(m.state_dict()), list(m.state_dict(prefix='a.'))",
    "m.state_dict()._metadata",
    "[v.requires_grad for v in m.state_dict(keep_vars=True).values()]",
    "[v.requires_grad for v in m.state_dict().values()]",
    "m.load_state_dict(m.state_dict())",
    "m(torch.arange(6.).reshape(2, 3))",
    "[p.dtype for p in m.double().parameters()], [b.dtype for b in m.buffers()]",
    "[p.dtype for p in m.half().parameters()], [b.dtype for b in m.bfloat16().buffers()]",
    "[p.dtype for p in m.to(torch.float64).parameters()], [b.dtype for b in m.float().buffers()]",
    "[p.dtype for p in m.to('cpu', torch.float16).buffers()], m.to(torch.ones(1).double()).scale.dtype",
    "m.type(torch.float64).norm.num_batches_tracked.dtype, m.cpu().scale.device.type",
    "m.eval().training, m.norm.training, m.train().blocks[1].training",
    "[p.requires_grad for p in m.requires_grad_(False).parameters()]",
    "m.get_submodule('blocks.0'), m.get_submodule(''), m.get_parameter('fc.weight'), m.get_buffer('kept')",
    "'fc' in dir(m), 'scale' in dir(m), '0' in dir(m.blocks), 'kept' in dir(m), 'training' in dir(m)",
    "repr(copy.deepcopy(m)), copy.deepcopy(m).state_dict(), copy.deepcopy(m).tied is m.tied",
    "(lambda c: c.fc is c.tied and c.scale is not m.scale)(copy.deepcopy(m))",
    "[m._get_name(), m.extra_repr(), m._version, m.norm._version]",
    "nn.Linear(3, 4).compile()",
    "hasattr(m, 'nothing'), getattr(m, 'none'), m.empty, m.lost",
    "m.to_empty(device='cpu').scale.shape",
]

STATEMENTS = [
    # assigning over what is there
    "m.scale = None\nm.scale, list(m._parameters)",
    "m.fc = None\nlist(m._modules), m.fc",
    "m.kept = torch.ones(1)\nlist(m._buffers), m.kept",
    "m.lost = torch.ones(1)\nlist(m.state_dict()), m.lost",
    "m.kept = nn.Parameter(torch.ones(1))\nlist(m._buffers), list(m._parameters)",
    "m.scale2 = nn.Buffer(torch.ones(1), persistent=False)\nlist(m._buffers), list(m.state_dict())",
    "m.b = nn.Buffer(torch.ones(1))\nlist(m._buffers), list(m.state_dict()), isinstance(m.b, nn.Buffer)",
    "m.plain = 3\nm.plain = nn.ReLU()\n'plain' in m.__dict__, list(m._modules)",
    "m.fc = nn.ReLU()\nlist(m._modules), m.tied",
    "del m.scale, m.kept, m.fc, m.lost\nlist(m._parameters), list(m._buffers), list(m._modules)",
    "m.x = 1\ndel m.x\nhasattr(m, 'x')",
    # gradients
    "m(torch.ones(2, 3)).sum().backward()\nm.zero_grad()\n[p.grad is None for p in m.parameters()]",
    "m(torch.ones(2, 3)).sum().backward()\nm.zero_grad(set_to_none=False)\n[p.grad for p in m.parameters()]",
    "m(torch.arange(6.).reshape(2, 3)).sum().backward()\nm.double()\n"
    "[p.grad.dtype for p in m.parameters() if p.grad is not None]",
    "w = m.fc.weight\nm.double()\nw is m.fc.weight, w.dtype",
    # apply
    "seen = []\nm.apply(lambda c: seen.append(type(c).__name__)) is m\nseen",
    # pickle and names
    "c = pickle.loads(pickle.dumps(nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))))\n"
    "repr(c), c.state_dict(), c(torch.eye(2))",
    "m.set_submodule('blocks.0', nn.Tanh())\nrepr(m)",
    "m.set_submodule('extra', nn.Tanh())\nrepr(m)",
    # loading
    "s = m.state_dict()\ndel s['scale']\nrepr(m.load_state_dict(s, strict=False)), "
    "repr(m.load_state_dict(m.state_dict()))",
    "s = m.state_dict()\ndel s['scale']\ns['what'] = torch.ones(1)\nm.load_state_dict(s, strict=False)",
    "s = {k: torch.zeros_like(v) for k, v in m.state_dict().items()}\nm.load_state_dict(s)\nm.state_dict()",
    "s = {k: torch.zeros_like(v) for k, v in m.state_dict().items()}\n"
    "m.load_state_dict(s, assign=True)\nm.kept is s['kept'], m.scale.requires_grad, m.state_dict()",
    "s = m.state_dict()\nsame = s['scale'].data_ptr() == m.scale.data_ptr()\nsame",
    "b = nn.BatchNorm1d(2)\ns = dict(b.state_dict())\ndel s['num_batches_tracked']\n"
    "s['running_mean'] += 1\nb.load_state_dict(s), b.running_mean",
    "p = nn.PReLU()\np.weight.data = torch.tensor(.5)\np.load_state_dict({'weight': torch.ones(1)}), "
    "p.weight",
]

ERRORS = [
    "m.register_buffer('a.b', None)", "m.register_buffer('', None)", "m.register_buffer(3, None)",
    "m.register_buffer('fc', None)", "m.register_buffer('z', 3)", "m.register_buffer('kept', 'x')",
    "m.register_parameter('a.b', None)", "m.register_parameter('', None)", "m.register_parameter(3, None)",
    "m.register_parameter('fc', None)", "m.register_parameter('z', torch.ones(1))",
    "m.register_parameter('z', m)", "m.add_module('a', 3)", "m.add_module(3, None)", "m.add_module('', None)",
    "m.add_module('a.b', None)", "m.add_module('scale', nn.ReLU())", "m.add_module('a', nn.ReLU)",
    "setattr(m, 'scale', 3)", "setattr(m, 'scale', torch.ones(1))", "setattr(m, 'fc', 'x')",
    "setattr(m, 'kept', 3)", "m.nothing", "m.fc.nothing", "delattr(m, 'nothing')",
    "m.get_submodule('fc.x')", "m.get_submodule('scale')", "m.get_parameter('fc')", "m.get_parameter('x.y')",
    "m.get_buffer('scale')", "m.get_buffer('blocks.x')", "m.set_submodule('', nn.ReLU())",
    "m.set_submodule('fc', 3)", "m.set_submodule('a', nn.ReLU(), strict=True)",
    "m.set_submodule('scale', nn.ReLU())", "m.train(1)", "nn.Module(3)", "nn.Module(a=3)", "nn.Module()(3)",
    "m.to(torch.int64)", "m.to('nowhere')", "m.load_state_dict(3)", "m.load_state_dict({})",
    "m.load_state_dict({**m.state_dict(), 'x': torch.ones(1), 'fc.y': torch.ones(1)})",
    "m.load_state_dict({**m.state_dict(), 'scale': torch.ones(5), 'fc.weight': 3})",
    "m.fc.load_state_dict({'weight': torch.ones(2, 2), 'bias': torch.ones(4)})",
    "nn.InstanceNorm1d(2).load_state_dict({'running_mean': torch.ones(2)})",
    "m.get_extra_state()", "m.set_extra_state(1)",
    "m(torch.ones(2, 5))", "m()", "type('N', (nn.Module,), {})()(1)",
    "type('N', (nn.Module,), {'__init__': lambda s: setattr(s, 'a', nn.ReLU())})()",
    "type('N', (nn.Module,), {'__init__': lambda s: setattr(s, 'a', nn.Parameter(torch.ones(1)))})()",
    "type('N', (nn.Module,), {'__init__': lambda s: s.register_buffer('a', None)})()",
    "type('N', (nn.Module,), {'__init__': lambda s: s.register_parameter('a', None)})()",
    "m.register_state_dict_post_hook(lambda *a: 3) and m.state_dict()",
    "m.register_load_state_dict_post_hook(lambda *a: 3) and m.load_state_dict(m.state_dict())",
]


@pytest.mark.parametrize("value", VALUES + STATEMENTS)
def test_value(value):
    lines.works(NET + value)


@pytest.mark.parametrize("value", ERRORS)
def test_error(value):
    lines.fails(NET + value)


EXTRA_STATE = """
class M(nn.Linear):
    def get_extra_state(self): return {'n': 3}
    def set_extra_state(self, state): self.got = state
m = M(2, 2)
"""


@pytest.mark.parametrize("value", [
    "m.state_dict(), m.load_state_dict(m.state_dict()), m.got",
    "m.load_state_dict(nn.Linear(2, 2).state_dict(), strict=False)",
])
def test_extra_state(value):
    lines.works(EXTRA_STATE + value)


def test_missing_extra_state_is_an_error():
    lines.fails(EXTRA_STATE + "m.load_state_dict(nn.Linear(2, 2).state_dict())")


STATE_HOOKS = """
log = []
inner, m = nn.Linear(2, 2), nn.Sequential()
m.add_module('fc', inner)
def collected(mod, state, prefix, meta): log.append(['hook', list(state), prefix, meta])
def dropped(mod, state, prefix, meta): state.pop(prefix + 'bias')
def loading(mod, state, prefix, meta, strict, missing, unexpected, errors):
    log.append(['load', type(mod).__name__, sorted(state), prefix, meta, strict, missing, unexpected])
inner.register_state_dict_pre_hook(lambda mod, prefix, keep: log.append(['pre', prefix, keep]))
inner._register_state_dict_hook(collected)
inner.register_state_dict_post_hook(dropped)
inner.register_load_state_dict_pre_hook(loading)
inner.register_load_state_dict_post_hook(lambda mod, keys: keys.missing_keys.clear())
state = m.state_dict()
list(state), m.load_state_dict(state), log
"""


def test_state_dict_hooks():
    """Order and arguments of every hook around saving and loading."""
    lines.works(STATE_HOOKS)


def test_global_registration_hooks():
    def run(package):
        log = []
        module = package.nn.modules.module
        handles = [
            module.register_module_buffer_registration_hook(lambda m, n, b: log.append(["buffer", n])),
            module.register_module_module_registration_hook(lambda m, n, c: log.append(["module", n])),
            module.register_module_parameter_registration_hook(lambda m, n, p: log.append(["param", n])),
        ]
        package.nn.Sequential(package.nn.BatchNorm1d(2))
        for handle in handles:
            handle.remove()
        package.nn.Linear(1, 1)
        return log

    lines.works(run)


def test_calling_a_module_without_hooks_is_cheap():
    """No frame but __call__'s own stands between the caller and forward."""
    callers = []

    class M(torchlike.nn.Module):
        def forward(self):
            callers.append(lines.caller_names(3))

    M()()
    assert callers[0][1:] == ["__call__", "test_calling_a_module_without_hooks_is_cheap"]
