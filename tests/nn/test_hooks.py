"""Every kind of module hook against torch's: order, arguments, what a returned value changes, errors."""

import pytest

from tests.nn import lines

START = """
log = []
def note(name, result=None):
    def hook(*args):
        log.append([name, *[describe(a) for a in args]])
        return result(*args) if result else None
    return hook
def describe(a):
    if isinstance(a, nn.Module): return type(a).__name__
    if isinstance(a, (tuple, list)): return [describe(v) for v in a]
    if isinstance(a, dict): return {k: describe(v) for k, v in a.items()}
    return a
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)
    def forward(self, x, y=None, fail=False):
        log.append(['forward'])
        if fail: raise ValueError('failed')
        out = self.fc(x)
        return out if y is None else (out, out * y)
m = M()
a = torch.tensor([[1., 2.]], requires_grad=True)
"""

CASES = {
    "forward order": """
h = m.register_forward_hook(note('post'))
m.register_forward_hook(note('first'), prepend=True)
m.register_forward_pre_hook(note('pre'))
m.register_forward_pre_hook(note('before'), prepend=True)
m.fc.register_forward_hook(note('inner'))
out = m(a)
h.remove()
h.remove()
out2 = m(a)
out, out2, log
""",
    "forward kwargs": """
m.register_forward_pre_hook(note('pre', lambda mod, args, kw: (args, {**kw, 'y': 3.})), with_kwargs=True)
m.register_forward_hook(note('post', lambda mod, args, kw, out: out[0]), with_kwargs=True)
out = m(a, y=2.)
out, log
""",
    "changed values": """
m.register_forward_pre_hook(note('pre', lambda mod, args: args[0] * 2))
m.register_forward_hook(note('post', lambda mod, args, out: out + 1))
out = m(a)
out, log
""",
    "always called": """
m.register_forward_hook(note('plain'))
m.register_forward_hook(note('always'), always_call=True)
m.register_forward_hook(note('with'), always_call=True, with_kwargs=True)
try: m(a, fail=True)
except ValueError as e: log.append(str(e))
log
""",
    "always called and failing": """
def bad(*args): raise RuntimeError('bad hook')
m.register_forward_hook(bad, always_call=True)
m.register_forward_hook(note('after'), always_call=True)
try: m(a, fail=True)
except ValueError as e: log.append(str(e))
log
""",
    "with block": """
with m.register_forward_hook(note('post')): m(a)
m(a)
log
""",
    "full backward": """
m.register_full_backward_hook(note('back'))
m.fc.register_full_backward_hook(note('inner'))
m.register_full_backward_pre_hook(note('pre'))
m.register_full_backward_pre_hook(note('earlier'), prepend=True)
m.register_full_backward_hook(note('front'), prepend=True)
m(a).sum().backward()
log, a.grad, m.fc.weight.grad
""",
    "full backward, two outputs": """
m.register_full_backward_hook(note('back'))
m.register_full_backward_pre_hook(note('pre'))
x, y = m(a, torch.ones(2))
y.sum().backward()
log, a.grad
""",
    "full backward changes gradients": """
m.register_full_backward_hook(note('back', lambda mod, gi, go: (gi[0] * 2,)))
m.register_full_backward_pre_hook(note('pre', lambda mod, go: (go[0] * 3,)))
m(a).sum().backward()
log, a.grad, m.fc.weight.grad
""",
    "full backward without input gradient": """
m.register_full_backward_hook(note('back'))
m(a.detach()).sum().backward()
log, m.fc.weight.grad
""",
    "full backward name": """
m.register_full_backward_hook(note('back'))
out = m(a)
out.grad_fn.name(), log
""",
    "no grad": """
m.register_full_backward_hook(note('back'))
with torch.no_grad(): out = m(a)
out.requires_grad, log
""",
    "global hooks": """
g = nn.modules.module
handles = [g.register_module_forward_pre_hook(note('gpre')),
           g.register_module_forward_hook(note('gpost')),
           g.register_module_full_backward_pre_hook(note('gbackpre')),
           g.register_module_full_backward_hook(note('gback'))]
m.register_forward_pre_hook(note('pre'))
m.register_forward_hook(note('post'))
try: m(a).sum().backward()
finally: [h.remove() for h in handles]
m(a)
log
""",
    "old backward hook": """
m.fc.register_backward_hook(note('old', lambda mod, gi, go: None))
m.fc(a).sum().backward()
log
""",
    "deepcopy keeps hooks": """
m.register_forward_hook(note('post'))
c = copy.deepcopy(m)
out = c(a)
out, log, len(c._forward_hooks)
""",
    "named tuple": """
P = namedtuple('P', 'u v')
class T(nn.Module):
    def forward(self, x): return P(x * 2, x * 3)
t = T()
t.register_full_backward_hook(note('back'))
out = t(a)
out.v.sum().backward()
type(out).__name__, a.grad, log
""",
}

ERRORS = {
    "bad pre-hook": "m.register_forward_pre_hook(lambda mod, args, kw: 3, with_kwargs=True)\nm(a)",
    "both kinds": "m.register_backward_hook(print)\nm.register_full_backward_hook(print)",
    "both kinds, other order": "m.register_full_backward_hook(print)\nm.register_backward_hook(print)",
    "wrong number": "m.register_full_backward_hook(lambda *a: (1, 2))\nm(a).sum().backward()",
    "wrong number, pre": "m.register_full_backward_pre_hook(lambda *a: (1, 2))\nm(a).sum().backward()",
    "gradient for no input": "m.register_full_backward_hook(lambda *a: (a[2][0],))\n"
                             "m(a.detach()).sum().backward()",
}


@pytest.mark.parametrize("case", CASES)
def test_hooks(case):
    lines.works(START + CASES[case].strip())


@pytest.mark.parametrize("case", ERRORS)
def test_hook_errors(case):
    lines.fails(START + ERRORS[case])
