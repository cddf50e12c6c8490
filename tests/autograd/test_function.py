"""Custom Functions under torch and torchlike: results, graphs and error texts must agree."""

import pytest

from tests.autograd.both import check

MAKE = """
def make(forward, backward=lambda ctx, g: g, **more):
    members = dict(forward=forward, backward=backward, **more)
    return type('X', (Function,), {k: staticmethod(v) for k, v in members.items()})
def save(ctx, a):
    ctx.save_for_backward(a, None)
    return a * 2
"""

GRAPH = {
    "names": "y = make(lambda c, a: a * 2).apply(x)\n"
             "show(y, y.grad_fn, y.grad_fn.name(), type(y.grad_fn), y.grad_fn.next_functions, y.output_nr)",
    "is node": "show(isinstance(make(lambda c, a: a * 2).apply(x).grad_fn, graph.Node))",
    "subclass": "class A(make(lambda c, a: a * 2)): pass\nshow(A.apply(x).grad_fn, A._backward_cls)",
    "ctx is grad_fn": "seen = []\ny = make(lambda c, a: (seen.append(c), a * 2)[1]).apply(x)\n"
                      "show(y.grad_fn is seen[0], (y * 2).grad_fn.next_functions[0][0] is seen[0])",
    "non-tensor inputs": "F = make(lambda c, a, *r: a * 2)\n"
                         "show(F.apply(x, 3, torch.ones(1)).grad_fn.next_functions)\n"
                         "show(F.apply(x, 3, torch.ones(1)).grad_fn.needs_input_grad)",
    "grad mode": "F = make(lambda c, a: (show(torch.is_grad_enabled(), a.requires_grad, c.needs_input_grad,"
                 " c.saved_tensors), a * 2)[1])\nF.apply(x)\nF.apply(x.detach())\n"
                 "with torch.no_grad(): show(F.apply(x))",
    "outlives its result": "g = make(lambda c, a: a * 2).apply(x).grad_fn\n"
                           "show(g.next_functions, g.metadata)",
    "free attributes": "def f(ctx, a):\n"
                       "    ctx.seq, ctx.saved, ctx.plan, ctx.edges, ctx.hooks, ctx.name_ = 1, 2, 3, 4, 5, "
                       "6\n    return a * 2\n"
                       "F = make(f, lambda c, g: (show(c.seq, c.saved, c.plan, c.edges, c.hooks), g)[1])\n"
                       "F.apply(x).sum().backward()",
    "metadata": "y = make(lambda c, a: a * 2).apply(x)\ny.grad_fn.metadata['k'] = 1\n"
                "show(y.grad_fn.metadata)",
    "input metadata": "m, = make(lambda c, a: a * 2).apply(x).grad_fn._input_metadata\n"
                      "show(m.shape, m.dtype)",
    "no arguments": "show(make(lambda c: torch.ones(2)).apply())",
    "leaf returned": "w = torch.ones(3, requires_grad=True)\n"
                     "show(make(lambda c, a: w).apply(x), w.grad_fn, w.is_leaf)",
}

OUTPUTS = {
    "list": "show(make(lambda c, a: [a * 2, a]).apply(x))",
    "none": "show(make(lambda c, a: None).apply(x))",
    "mixed": "F = make(lambda c, a: (a * 2, 3, 's', None, a > 1, a * 3), lambda c, *g: (show(g), g[0])[1])\n"
             "o = F.apply(x)\nshow(o, o[5].output_nr)\no[0].sum().backward(retain_graph=True)\n"
             "(o[0].sum() + o[5].sum()).backward()\nshow(x.grad)",
    "as it is": "o = make(lambda c, a: a).apply(x)\nshow(o, o is x, o._is_view(), o._base is x)",
    "as it is, no_grad": "with torch.no_grad(): o = make(lambda c, a: a).apply(x)\n"
                         "show(o, o is x, o._is_view(), o.data_ptr() == x.data_ptr())",
    "as it is, no grad needed": "d = torch.ones(3)\no = make(lambda c, a: a).apply(d)\n"
                                "show(o, o is d, o._is_view())",
    "as it is, written": "make(lambda c, a: a).apply(x * 1).add_(1)",
    "view written": "make(lambda c, a: a[1:]).apply(x * 1).add_(1)",
    "two views written": "make(lambda c, a: (a[1:], a[:1])).apply(x * 1)[0].add_(1)",
    "view and another written": "make(lambda c, a: (a[1:], a[:1].clone())).apply(x * 1)[0].add_(1)",
    "non-differentiable": "def f(ctx, a):\n    o, p = a * 2, a * 3\n    ctx.mark_non_differentiable(p)\n"
                          "    return o, p\n"
                          "o = make(f, lambda c, g, h: (show(g, h), "
                          "g)[1]).apply(x)\nshow(o)\no[0].sum().backward()",
    "non-differentiable input": "def f(ctx, a):\n    ctx.mark_non_differentiable(a)\n    return a\n"
                                "y = x * 1\no = make(f).apply(y)\nshow(o, o is y, y.grad_fn)",
    "not materialized": "def f(ctx, a):\n    ctx.set_materialize_grads(False)\n    return a * 2, a * 3\n"
                        "make(f, lambda c, g, h: (show(g, h), g)[1]).apply(x)[0].sum().backward()",
    "undefined": "N, U = make(lambda c, a: a * 2, lambda c, g: None), make(lambda c, a: a * 2)\n"
                 "N.apply(U.apply(x)).sum().backward()\nshow(x.grad)",
}

DIRTY = """
def dirty(forward, y):
    version = y._version
    o = make(forward).apply(y)
    show(o, o is y, y._version - version, y.grad_fn)
    return o
def double_(ctx, a):
    a.mul_(2)
    ctx.mark_dirty(a)
    return a
"""

WRITES = {
    "leaf": "dirty(double_, x)",
    "plain": "dirty(double_, x * 1).sum().backward()\nshow(x.grad)",
    "view": "base = x * 1\ndirty(double_, base[1:])\nshow(base, base.grad_fn.next_functions)\n"
            "(base * base).sum().backward()\nshow(x.grad)",
    "view of leaf": "dirty(double_, x[1:])",
    "not returned": "dirty(lambda c, a: (a.mul_(2), c.mark_dirty(a), a * 1)[2], x * 1)",
    "not marked": "dirty(lambda c, a: (a.mul_(2), a)[1], x * 1)",
    "marked only": "dirty(lambda c, a: (c.mark_dirty(a), a)[1], x * 1)",
    "no input": "dirty(lambda c, a: (c.mark_dirty(a * 1), a)[1], x * 1)",
    "no tensor": "dirty(lambda c, a: (c.mark_dirty(3), a)[1], x * 1)",
    "view, two outputs": "dirty(lambda c, a: (c.mark_dirty(a), (a, a * 2))[1], (x * 1)[1:])",
    "no grad needed": "dirty(double_, torch.ones(3))",
    "saved by another": "y = x * 1\nw = y * y\ndirty(double_, y)\nw.sum().backward()",
    "non-differentiable, no tensor": "make(lambda c, a: (c.mark_non_differentiable(3), a)[1]).apply(x)",
}

GRADIENTS = {
    "too few": "make(lambda c, a, b: a * b).apply(x, x).sum().backward()",
    "too many": "make(lambda c, a, b: a * b, lambda c, g: (g, g, g)).apply(x, x).sum().backward()",
    "trailing None": "make(lambda c, a, b: a * b, lambda c, g: (g, g, None)).apply(x, x).sum().backward()\n"
                     "show(x.grad)",
    "for a number": "make(lambda c, a, b: a * b, lambda c, g: (g, g)).apply(x, 2).sum().backward()",
    "a float": "make(lambda c, a: a * 2, lambda c, g: 2.0).apply(x).sum().backward()",
    "a list": "make(lambda c, a: a * 2, lambda c, g: [g]).apply(x).sum().backward()",
    "shape": "make(lambda c, a: a * 2, lambda c, g: g[:2]).apply(x).sum().backward()",
    "shape, second": "make(lambda c, b, a: a * 2, lambda c, g: (None, g[:2])).apply(z, x).sum().backward()",
    "shape, after a number": "make(lambda c, b, a: a * 2, lambda c, g: (None, g[:2])).apply(2, "
                             "x).sum().backward()",
    "expanded": "make(lambda c, a: a * 2, lambda c, g: g.expand(4, 3)).apply(x).sum().backward()\n"
                "show(x.grad)",
    "expanded inside": "w = torch.ones(1, 3, requires_grad=True)\n"
                       "make(lambda c, a: a * 2, lambda c, g: g.expand(4, "
                       "3)).apply(w).sum().backward()\nshow(w.grad)",
    "scalar": "make(lambda c, a: a * 2, lambda c, g: g.sum()).apply(x).sum().backward()",
    "double": "make(lambda c, a: a * 2, lambda c, g: g.double()).apply(x).sum().backward()\nshow(x.grad)",
    "long": "make(lambda c, a: a * 2, lambda c, g: g.long()).apply(x).sum().backward()\nshow(x.grad)",
    "complex": "make(lambda c, a: a * 2, lambda c, g: g * 1j).apply(x).sum().backward()",
    "none": "make(lambda c, a: a * 2, lambda c, g: None).apply(x).sum().backward()\nshow(x.grad)",
    "raises": "make(lambda c, a: a * 2, lambda c, g: 1 / 0).apply(x).sum().backward()",
}

SAVED = {
    "input": "F = make(save, lambda c, g: (show(c.saved_tensors, c.saved_tensors[0] is x), g)[1])\n"
             "F.apply(x).sum().backward()",
    "freed": "y = make(save).apply(x)\ny.sum().backward()\ny.grad_fn.saved_tensors",
    "freed, backward": "F = make(save, lambda c, g: g * c.saved_tensors[0])\ny = F.apply(x)\n"
                       "y.sum().backward()\ny.sum().backward()",
    "nothing saved": "y = make(lambda c, a: a * 2).apply(x)\ny.sum().backward()\ny.sum().backward()\n"
                     "show(x.grad)",
    "retained": "F = make(save, lambda c, g: g * c.saved_tensors[0])\ny = F.apply(x)\n"
                "y.sum().backward(retain_graph=True)\ny.sum().backward()\nshow(x.grad)",
    "written": "y = x * 1\nw = make(save, lambda c, g: g * c.saved_tensors[0]).apply(y)\ny.add_(1)\n"
               "w.sum().backward()",
    "output": "def f(ctx, a):\n    o = a.exp()\n    ctx.save_for_backward(o)\n    return o\n"
              "def b(ctx, g):\n    o, = ctx.saved_tensors\n    show(o, o.grad_fn is y.grad_fn, o is y)\n    "
              "return g * o\ny = make(f, "
              "b).apply(x)\ny.sum().backward(retain_graph=True)\ny.add_(1)\ny.sum().backward()",
    "intermediate": "def f(ctx, a):\n    m = a * 2\n    ctx.save_for_backward(m)\n    return m * 3\n"
                    "make(f, lambda c, g: (show(c.saved_tensors[0]), g)[1]).apply(x).sum().backward()",
    "a number": "make(lambda c, a: (c.save_for_backward(3), a * 2)[1]).apply(x)",
    "a list": "make(lambda c, a: (c.save_for_backward([a]), a * 2)[1]).apply(x)",
    "hooks": "log = []\ndef f(ctx, a):\n    o = a.exp()\n    ctx.save_for_backward(a, o, a * 2)\n"
             "    return o\n"
             "with graph.saved_tensors_hooks(lambda t: (log.append(('pack', t.requires_grad, t.grad_fn)), "
             "t)[1],\n                               lambda t: (log.append('unpack'), t)[1]):\n"
             "    y = make(f, lambda c, g: (show(c.saved_tensors), g)[1]).apply(x * 1)\n"
             "y.sum().backward()\nshow(log)",
}

SETUP = """
def setup(ctx, inputs, output):
    show(inputs, output, torch.is_grad_enabled())
    ctx.save_for_backward(inputs[0])
def by_saved(ctx, g):
    return g * ctx.saved_tensors[0], None
S = make(lambda a, k=2: a * k, by_saved, setup_context=setup)
K = make(lambda c, a, b=2, d=3: a * b, lambda c, g: (g, g * 5))
"""

CALLS = {
    "setup_context": "S.apply(x).sum().backward()\nshow(x.grad)",
    "setup_context, keyword": "show(S.apply(x, k=4))\nshow(S.apply(a=x, k=4))",
    "setup_context, keyword only": "make(lambda a, *, k=2: a * k, by_saved, setup_context=setup).apply(x, "
                                   "k=4)",
    "setup_context, as it is": "make(lambda a, k=2: a, by_saved, setup_context=setup).apply(x)",
    "keyword": "y = K.apply(x, b=z)\nshow(y.grad_fn.needs_input_grad, y.grad_fn.next_functions)\n"
               "y.sum().backward()\nshow(x.grad, z.grad)",
    "all keywords": "y = K.apply(b=z, a=x)\nshow(y.grad_fn.needs_input_grad)\ny.sum().backward()\n"
                    "show(z.grad)",
    "keyword left out": "K.apply(x, d=z)",
    "unknown keyword": "K.apply(x, e=z)",
    "no backward": "type('X', (Function,), dict(forward=staticmethod(lambda c, a: a * "
                   "2))).apply(x).sum().backward()",
    "no forward": "type('X', (Function,), {}).apply(x)",
    "backward and vjp": "make(lambda c, a: a * 2, vjp=lambda c, g: g).apply(x).sum().backward()",
    "vjp": "F = type('X', (Function,), dict(forward=staticmethod(lambda c, a: a * 2),\n"
           "                                vjp=staticmethod(lambda c, g: g * 7)))\n"
           "F.apply(x).sum().backward()\nshow(x.grad)",
    "instance": "make(lambda c, a: a)()(x)",
    "needs_input_grad is writable": "y = make(lambda c, a: a * 2).apply(x)\n"
                                    "y.grad_fn.needs_input_grad = (False,)\n"
                                    "show(y.grad_fn.needs_input_grad)",
}

TWICE = {
    "double backward": "F = make(save, lambda c, g: g * c.saved_tensors[0] ** 2)\n"
                       "g, = torch.autograd.grad(F.apply(x).sum(), x, "
                       "create_graph=True)\nshow(g.requires_grad)\nshow(torch.autograd.grad(g.sum(), x))",
    "grad mode in backward": "F = make(save, lambda c, g: (show(torch.is_grad_enabled(), g.requires_grad), "
                             "g)[1])\n"
                             "F.apply(x).sum().backward()\n"
                             "torch.autograd.grad((F.apply(x) ** 2).sum(), x, create_graph=True)",
    "output saved, twice": "def f(ctx, a):\n    o = a.exp()\n    ctx.save_for_backward(o)\n    return o\n"
                           "F = make(f, lambda c, g: g * c.saved_tensors[0])\n"
                           "g, = torch.autograd.grad(F.apply(x).sum(), x, create_graph=True)\n"
                           "h, = torch.autograd.grad(g.sum(), x, create_graph=True)\nshow(g.detach(), "
                           "h.detach())\nshow(torch.autograd.grad(h.sum(), x))",
    "once": "F = make(save, torch.autograd.function.once_differentiable(lambda c, g: g * "
            "c.saved_tensors[0]))\n"
            "g, = torch.autograd.grad(F.apply(x).sum(), x, create_graph=True)\nshow(g)\n"
            "g, = torch.autograd.grad((F.apply(x) ** 2).sum(), x, create_graph=True)\n"
            "show(g, g.grad_fn, g.grad_fn.next_functions)\ng.sum().backward()",
    "casts, twice": "F = make(save, lambda c, g: (g * c.saved_tensors[0] ** 2).double())\n"
                    "g, = torch.autograd.grad(F.apply(x).sum(), x, create_graph=True)\nshow(g.detach())\n"
                    "show(torch.autograd.grad(g.sum(), x))",
    "expanded, twice": "F = make(save, lambda c, g: (g * c.saved_tensors[0] ** 2).expand(2, 3))\n"
                       "g, = torch.autograd.grad(F.apply(x).sum(), x, create_graph=True)\nshow(g.detach())\n"
                       "show(torch.autograd.grad(g.sum(), x))",
    "inside another": "F = make(save, lambda c, g: g * c.saved_tensors[0])\n"
                      "G = make(lambda c, a: F.apply(a) * 3, lambda c, g: F.apply(g))\n"
                      "G.apply(x).sum().backward()\nshow(x.grad)",
}

TABLES = {"graph": ("", GRAPH), "outputs": ("", OUTPUTS), "writes": (DIRTY, WRITES),
          "gradients": ("", GRADIENTS),
          "saved": ("", SAVED), "calls": (SETUP, CALLS), "twice": ("", TWICE)}
CASES = [pytest.param(MAKE + more, source, id=f"{table}: {name}")
         for table, (more, cases) in TABLES.items() for name, source in cases.items()]


@pytest.mark.parametrize(("prelude", "source"), CASES)
def test_same_as_torch(prelude, source):
    check(source, prelude)
