"""Checkpoints against torch: values, gradients, how often the region runs, random numbers, error texts."""

import pytest

import torchlike
from tests.autograd.both import check
from torchlike.utils import checkpoint as checkpoints

PRELUDE = """
from_calls = calls = []
checkpoint, checkpoint_sequential = checkpoints.checkpoint, checkpoints.checkpoint_sequential
def f(a):
    calls.append('f')
    return (a.sin() * z).exp()
def both(function, **how):
    out = checkpoint(function, x, **how)
    before = len(calls)
    out.sum().backward()
    show(out, before, len(calls), x.grad, z.grad)
def changing(first, then):
    runs = []
    def region(a):
        runs.append(1)
        return first(a) if len(runs) == 1 else then(a)
    return region
@contextlib.contextmanager
def noted(name):
    calls.append('+' + name)
    yield
    calls.append('-' + name)
fewer = lambda: changing(lambda a: a.sin().cos(), lambda a: a * 2)
more = lambda: changing(lambda a: a.sin(), lambda a: a.sin().cos().exp())
shorter = lambda: changing(lambda a: a.sin(), lambda a: a[:2].sin())
wider = lambda: changing(lambda a: a.sin().cos(), lambda a: a.double().sin().cos())
def go(region, **how):
    checkpoint(region, x, use_reentrant=False, **how).sum().backward()
    show(x.grad)
"""

CASES = {
    "reentrant": "both(f, use_reentrant=True)",
    "non-reentrant": "both(f, use_reentrant=False)",
    "unspecified": "both(f)",
    "reentrant: keyword": "checkpoint(f, x, use_reentrant=True, foo=1)",
    "reentrant: debug": "checkpoint(f, x, use_reentrant=True, debug=True)",
    "reentrant: context_fn": "checkpoint(f, x, use_reentrant=True, context_fn=lambda: (noted('a'), "
                             "noted('b')))",
    "determinism_check": "checkpoint(f, x, use_reentrant=False, determinism_check='some')",
    "keywords": "both(lambda a, b=2: a * b, b=3, use_reentrant=False)",
    "nodes": "show(checkpoint(f, x, use_reentrant=True).grad_fn, checkpoint(f, x, "
             "use_reentrant=False).grad_fn)",
    "saved attribute": "show(checkpoint(f, x, use_reentrant=False).grad_fn._saved_result)\nshow(calls)",
    "reentrant: grad()": "torch.autograd.grad(checkpoint(f, x, use_reentrant=True).sum(), x)",
    "reentrant: inputs": "checkpoint(f, x, use_reentrant=True).sum().backward(inputs=[x])",
    "grad()": "show(torch.autograd.grad(checkpoint(f, x, use_reentrant=False).sum(), x))",
    "second order": "g, = torch.autograd.grad(checkpoint(f, x, use_reentrant=False).sum(), x, "
                    "create_graph=True)\n"
                    "show(g.detach(), torch.autograd.grad(g.sum(), [x, z]))",
    "reentrant: no grad": "show(checkpoint(lambda a: a * 2, torch.ones(3), use_reentrant=True))",
    "no grad": "show(checkpoint(lambda a: a * 2, torch.ones(3), use_reentrant=False))",
    "no_grad": "with torch.no_grad():\n    show(checkpoint(f, x, use_reentrant=False), checkpoint(f, x, "
               "use_reentrant=True))",
    "retain_graph": "o = checkpoint(f, x, use_reentrant=False).sum()\no.backward(retain_graph=True)\n"
                    "show(len(calls))\n"
                    "o.backward()\nshow(len(calls), x.grad)",
    "twice": "o = checkpoint(f, x, use_reentrant=False).sum()\no.backward()\no.backward()",
    "reentrant: twice": "o = checkpoint(f, x, use_reentrant=True).sum()\no.backward()\no.backward()",
    "fewer": "go(fewer())", "fewer, full": "go(fewer(), early_stop=False)",
    "fewer, unchecked": "go(fewer(), determinism_check='none')",
    "more": "go(more())", "more, full": "go(more(), early_stop=False)",
    "shorter": "go(shorter())", "shorter, full": "go(shorter(), early_stop=False)",
    "shorter, unchecked": "go(shorter(), determinism_check='none')",
    "wider": "go(wider())", "wider, unchecked": "go(wider(), determinism_check='none')",
    "written input": "a = x * 1\no = checkpoint(f, a, use_reentrant=False)\na.add_(1)\no.sum().backward()",
    "reentrant: written input": "a = x * 1\no = checkpoint(f, a, use_reentrant=True)\na.add_(1)\n"
                                "o.sum().backward()",
    "several results": "a, b, c = checkpoint(lambda a: (a * 2, a.exp(), 3), x, use_reentrant=False)\n"
                       "show(a, b, c)\n"
                       "(a * b).sum().backward()\nshow(x.grad)",
    "reentrant: several results": "a, b, c = checkpoint(lambda a: (a * 2, a.exp(), 3), x, "
                                  "use_reentrant=True)\n"
                                  "show(a, b, c)\n(a * b).sum().backward()\nshow(x.grad)",
    "tuple of inputs": "go(lambda a: a.sin() * 2)\n"
                       "checkpoint(lambda p: p[0].sin() * p[1].exp(), (x, z), "
                       "use_reentrant=False).sum().backward()\nshow(x.grad, z.grad)",
    "reentrant: nothing to do": "checkpoint(lambda a: a.detach(), x, use_reentrant=True).sum().backward()",
    "contexts": "go(f, context_fn=lambda: (noted('a'), noted('b')), early_stop=False)\nshow(calls)",
    "contexts, suppressed": "go(lambda a: 1 / 0, context_fn=lambda: (contextlib.suppress(ZeroDivisionError), "
                            "noted('b')))",
    "raises": "go(lambda a: 1 / 0)",
    "raises in second run": "go(changing(lambda a: a.sin(), lambda a: 1 / 0))",
    "debug and context_fn": "go(f, debug=True, context_fn=lambda: (noted('a'), noted('b')))",
    "early stop": "def g(a):\n    y = a.sin()\n    calls.append(1)\n    y = y * 2\n    calls.append(2)\n"
                  "    return y\n"
                  "go(g)\nshow(calls)\ngo(g, early_stop=False)\nshow(calls)\n"
                  "with checkpoints.set_checkpoint_early_stop(False): o = checkpoint(g, x, "
                  "use_reentrant=False)\no.sum().backward()\nshow(calls)",
    "backward inside": "def g(a):\n    y = a.sin()\n    w = y.cos()\n"
                       "    d, = torch.autograd.grad(w.sum(), a, retain_graph=True)\n    return d * w\n"
                       "o = checkpoint(g, x * 1, use_reentrant=False)\no.sum().backward()\nshow(o, x.grad)",
    "backward inside, freed": "def g(a):\n    y = a.sin()\n    w = y.cos()\n"
                              "    d, = torch.autograd.grad(w.sum(), a)\n"
                              "    return a.cos() * d\n"
                              "o = checkpoint(g, x * 1, use_reentrant=False)\no.sum().backward()\nshow(o, "
                              "x.grad)",
    "saved tensors twice": "class Twice(Function):\n"
                           "    @staticmethod\n    def forward(c, a): c.save_for_backward(a); return a * 2\n"
                           "    @staticmethod\n    def backward(c, g): c.saved_tensors; return g * "
                           "c.saved_tensors[0]\ngo(lambda a: Twice.apply(a.sin()))",
    "group": "with checkpoints.GraphExecGroup():\n"
             "    a, b = checkpoint(lambda a: (calls.append(1), a.sin(), a.cos())[1:], x, "
             "use_reentrant=False)\n    a.sum().backward(retain_graph=True)\n    "
             "b.sum().backward(retain_graph=True)\n    show(calls, x.grad)\n    a.sum().backward()",
    "hooks disabled": "with graph.disable_saved_tensors_hooks('no hooks'): go(f)",
    "sequential": "m = nn.Sequential(*[nn.Linear(3, 3) for _ in range(5)])\n"
                  "for how in (dict(use_reentrant=True), dict(use_reentrant=False), {}):\n"
                  "    x.grad = None\n    o = checkpoint_sequential(m, 2, x.view(1, 3), **how)\n    "
                  "o.sum().backward()\n    show(o, x.grad, m[0].weight.grad)",
    "sequential: keyword": "checkpoint_sequential([f], 1, x, use_reentrant=False, foo=3)",
    "sequential: list": "o = checkpoint_sequential([f, torch.sin, f, torch.cos], 3, x, use_reentrant=False)\n"
                        "o.sum().backward()\nshow(o, x.grad, calls)",
}
NESTED = """
def inner(a): calls.append('i'); return a.sin().exp()
def outer(a): calls.append('o'); return checkpoint(inner, a.cos(), use_reentrant={reentrant}).tanh()
with checkpoints.set_checkpoint_early_stop({stop}): o = checkpoint(outer, x, use_reentrant={reentrant})
o.sum().backward()
show(calls, x.grad)
"""
RANDOM = """
o = checkpoint(lambda a: nn.functional.dropout(a * 2, 0.5), x, use_reentrant={reentrant},
               preserve_rng_state={keep})
torch.rand(2)
o.sum().backward()
show(o, x.grad, torch.rand(1))
"""
CASES |= {f"nested {r} {s}": NESTED.format(reentrant=r, stop=s)
          for r in (True, False) for s in (True, False, None)}
CASES |= {f"random {r} {k}": RANDOM.format(reentrant=r, keep=k) for r in (True, False) for k in (True, False)}


@pytest.mark.parametrize("source", CASES.values(), ids=CASES)
def test_same_as_torch(source):
    check(source, PRELUDE)


DEBUG = """
try: go(wider(), debug=True)
except checkpoints.CheckpointError as e:
    show(str(e).split('$')[0], str(e).split('during the original forward:')[1].splitlines()[2],
         str(e).split('ERROR:')[1], type(e.__cause__).__name__)
"""


def test_debug_report():
    """The report of torch and ours: the frame around the logs, the first operation, the cause."""
    check(DEBUG, PRELUDE)


def test_debug_for_all():
    """set_checkpoint_debug_enabled goes before the argument."""
    x = torchlike.ones(3, requires_grad=True)
    runs = []
    with checkpoints.set_checkpoint_debug_enabled(True):
        def region(a):
            runs.append(1)
            return a.sin() if len(runs) == 1 else a[:2].sin()

        out = checkpoints.checkpoint(region, x, use_reentrant=False, debug=False)
    with pytest.raises(checkpoints.CheckpointError, match="dumping logs of latest computation"):
        out.sum().backward()
