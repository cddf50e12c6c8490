"""autograd.Function, continued: what goes in and comes out, forward and backward."""

x = torch.tensor([0.3, -1.2, 2.0], requires_grad=True)
z = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
log = []

def make(forward, backward=lambda ctx, g: g, **more):
    members = dict(forward=forward, backward=backward, **more)
    return type('X', (Function,), {k: staticmethod(v) for k, v in members.items()})

class Exp(Function):
    @staticmethod
    def forward(a): return a.exp()
    @staticmethod
    def setup_context(ctx, inputs, output): ctx.save_for_backward(output)
    @staticmethod
    def backward(ctx, g): return g * ctx.saved_tensors[0]

class Both(Function):
    @staticmethod
    def forward(ctx, a, b, scale=2.0):
        ctx.save_for_backward(a, b)
        ctx.scale = scale
        return a * b * scale
    @staticmethod
    def backward(ctx, g):
        log.append(ctx.needs_input_grad)
        a, b = ctx.saved_tensors
        ga = g * b * ctx.scale if ctx.needs_input_grad[0] else None
        return ga, g * a * ctx.scale if ctx.needs_input_grad[1] else None, None


# %% dirty: chain
def f(ctx, a):
    ctx.mark_dirty(a)
    return a.mul_(2)
F_ = make(f, lambda c, g: g * 2)
y = x * 1
show(F_.apply(F_.apply(y)) is y, y._version)
y.sum().backward()
show(x.grad)


# %% dirty: two
def f(ctx, a, b):
    ctx.mark_dirty(a, b)
    return a.mul_(2), b.mul_(3)
y, w = x * 1, z * 1
o, p = make(f, lambda c, g, h: (g * 2, h * 3)).apply(y, w)
show(o is y, p is w, y.grad_fn is w.grad_fn, w.output_nr)
(y * w).sum().backward()
show(x.grad, z.grad)


# %% dirty: second call replaces the first
def f(ctx, a, b):
    ctx.mark_dirty(a)
    ctx.mark_dirty(b)
    return a, b.mul_(3)
y, w = x * 1, z * 1
show(attempt(make(f, lambda c, g, h: (g, h * 3)).apply, y, w))


# %% dirty: constant becomes a variable
def f(ctx, a, b):
    ctx.mark_dirty(a)
    return a.add_(b)
y = torch.ones(3)
o = make(f, lambda c, g: (None, g)).apply(y, x)
show(o is y, y)
y.sum().backward()
show(x.grad)


# %% dirty: leaf under no_grad
def f(ctx, a):
    ctx.mark_dirty(a)
    return a.mul_(2)
with torch.no_grad(): o = make(f).apply(x)
show(o is x, x._version)


# %% dirty: in setup_context
def setup(ctx, inputs, output): ctx.mark_dirty(inputs[0])
y = x * 1
o = make(lambda a: a.mul_(2), lambda c, g: g * 2, setup_context=setup).apply(y)
show(o is y, y)
o.sum().backward()
show(x.grad)


# %% dirty: saved before
def f(ctx, a):
    ctx.save_for_backward(a.clone())
    ctx.mark_dirty(a)
    return a.pow_(2)
y = x * 1
make(f, lambda c, g: g * 2 * c.saved_tensors[0]).apply(y).sum().backward()
show(x.grad)


# %% dirty: saved itself
def f(ctx, a):
    ctx.mark_dirty(a)
    a.exp_()
    ctx.save_for_backward(a)
    return a
y = x * 1
make(f, lambda c, g: g * c.saved_tensors[0]).apply(y).sum().backward()
show(x.grad)


# %% dirty: a result that is no input
def f(ctx, a):
    o = a * 2
    ctx.mark_dirty(o)
    return o
show(make(f).apply(x), make(f).apply(torch.ones(2)))
with torch.no_grad(): show(make(f).apply(x))


# %% dirty: a view that is no input
def f(ctx, a):
    o = (a * 2)[1:]
    ctx.mark_dirty(o)
    return o
show(attempt(make(f).apply, x))


# %% dirty: captured
w = z * 1
def f(ctx, a):
    w.mul_(2)
    ctx.mark_dirty(w)
    return w
show(make(f).apply(x), w._version)


# %% dirty: integers beside
i = torch.tensor([1, 2])
def f(ctx, a, n):
    ctx.mark_dirty(n)
    n.add_(1)
    return a * 2, n
o, m = make(f, lambda c, g, h: (show(h), g, None)[1:]).apply(x, i)
show(m is i, m)
o.sum().backward()


# %% returns: captured with history
w = z * 2
o = make(lambda c, a: w, lambda c, g: g * 5).apply(x)
show(o, o is w)
o.sum().backward()
show(x.grad, z.grad)


# %% returns: changed requires_grad
show(make(lambda c, a: (a * 2).requires_grad_()).apply(torch.ones(3)))
show(make(lambda c, a: (a * 2).requires_grad_(False)).apply(x))
d = torch.ones(3)
o = make(lambda c, a: a.requires_grad_()).apply(d)
show(o is d, o, d.requires_grad)


# %% returns: input and more
F_ = make(lambda c, a: (a, a * 2), lambda c, g, h: g + 2 * h)
o, p = F_.apply(x)
show(o is x, o, p)
(o * p).sum().backward()
show(x.grad)


# %% returns: input twice
o, p = make(lambda c, a: (a, a), lambda c, g, h: (show(g, h), g + h)[1]).apply(x)
show(o is p, o, p)
(o + 2 * p).sum().backward()
show(x.grad)


# %% returns: result twice
def f(ctx, a):
    o = a * 2
    return o, o
o, p = make(f, lambda c, g, h: (show(g, h), g + h)[1]).apply(x)
show(o is p, o.output_nr, p.output_nr)
(o + 2 * p).sum().backward()
show(x.grad)


# %% returns: view
o = make(lambda c, a: a.view(3, 1), lambda c, g: g.view(3)).apply(x)
show(o, o._is_view(), o._base is x, o.data_ptr() == x.data_ptr())
o.sum().backward()
show(x.grad)


# %% returns: view under no_grad
with torch.no_grad(): o = make(lambda c, a: a.view(3, 1)).apply(x)
show(o, o._is_view())


# %% returns: detached input
o = make(lambda c, a: a.detach()).apply(x)
show(o, o is x, o._is_view())
o.sum().backward()
show(x.grad)


# %% returns: a captured tensor
w = torch.ones(3)
o = make(lambda c, a: w).apply(x)
show(o is w, o)


# %% returns: a parameter's data
p = nn.Parameter(torch.ones(3))
o = make(lambda c, a: p.data * a).apply(x)
show(o, type(o) is torch.Tensor)


# %% returns: a Parameter input
p = nn.Parameter(torch.ones(3))
o = make(lambda c, a: a).apply(p)
show(type(o) is nn.Parameter, o, o is p)


# %% returns: dict
o = make(lambda c, a: {'k': a * 2}).apply(x)
show(o['k'])


# %% returns: nested
o = make(lambda c, a: (a * 2, [a * 3]), lambda c, g, h: (show(h), g)[1]).apply(x)
show(o[0], o[1])
o[0].sum().backward()


# %% returns: empty tuple
show(make(lambda c, a: ()).apply(x))


# %% returns: named tuple
import collections
P = collections.namedtuple('P', 'u v')
o = make(lambda c, a: P(a * 2, a * 3), lambda c, g, h: g).apply(x)
show(type(o).__name__, len(o), o[1].requires_grad)


# %% returns: scalar and empty
o, p = make(lambda c, a: (a.sum(), a[:0]), lambda c, g, h: (show(g, h), g.expand(3))[1]).apply(x)
o.backward()
show(x.grad, p.shape)


# %% arguments: none, strings, lists
def f(ctx, a, s, n, l, d):
    ctx.s = s, n, l, d
    show(ctx.needs_input_grad)
    return a * 2
y = make(f, lambda c, g: (show(c.s), g, None, None, None, None)[1:]).apply(x, 's', None, [z], {'k': z})
y.sum().backward()
show(x.grad, z.grad)


# %% arguments: tensors in a list
y = make(lambda c, l: l[0] * 2, lambda c, g: None).apply([x])
show(y)


# %% arguments: the same twice
Both.apply(x, x).sum().backward()
show(log, x.grad)


# %% arguments: more than forward takes
show(attempt(Both.apply, x, z, 1.0, 2.0), attempt(Both.apply, x))


# %% arguments: star
F_ = make(lambda c, *a: sum(a), lambda c, g: (g,) * len(c.needs_input_grad))
F_.apply(x, z, x).sum().backward()
show(x.grad, z.grad)


# %% arguments: default tensor
w = torch.ones(3, requires_grad=True)
F_ = make(lambda c, a, b=w: a * b, lambda c, g: g)
F_.apply(x).sum().backward()
show(x.grad, w.grad)


# %% arguments: a module
l = nn.Linear(3, 1)
def f(ctx, a, m): return m(a)
o = make(f, lambda c, g: (g.expand(3), None)).apply(x, l)
o.sum().backward()
show(x.grad, l.weight.grad)


# %% setup_context: saves both
def setup(ctx, inputs, output):
    ctx.save_for_backward(*inputs, output)
    ctx.extra = inputs[1].requires_grad
def b(ctx, g):
    a, c, o = ctx.saved_tensors
    show(ctx.extra, o)
    return g * c, g * a
F_ = make(lambda a, c: a * c, b, setup_context=setup)
F_.apply(x, z).sum().backward()
show(x.grad, z.grad)


# %% setup_context: outputs as tuple
def setup(ctx, inputs, output): show(type(output).__name__, len(output), type(inputs).__name__)
make(lambda a: (a * 2, 3), lambda c, g, h: g, setup_context=setup).apply(x)


# %% setup_context: raises
def setup(ctx, inputs, output): raise KeyError('mine')
show(attempt(make(lambda a: a * 2, setup_context=setup).apply, x))
show(torch.is_grad_enabled())


# %% setup_context: grad mode
def setup(ctx, inputs, output): show(torch.is_grad_enabled(), (inputs[0] * 2).requires_grad)
make(lambda a: (show(torch.is_grad_enabled()), a * 2)[1], setup_context=setup).apply(x)


# %% setup_context: double
g, = torch.autograd.grad(Exp.apply(x * 2).sum(), x, create_graph=True)
show(g.detach(), torch.autograd.grad(g.sum(), x))


# %% setup_context: forward called directly
show(Exp.forward(x), Exp.apply(x).detach())


# %% shapes: matrices
m = torch.ones(2, 3, requires_grad=True)
show(attempt(make(lambda c, a: a * 2, lambda c, g: g.t()).apply(m).sum().backward))
show(attempt(make(lambda c, a: a * 2, lambda c, g: g[0]).apply(m).sum().backward))
show(attempt(make(lambda c, a: a * 2, lambda c, g: g.unsqueeze(0)).apply(m).sum().backward), m.grad)


# %% shapes: summed
m = torch.ones(1, 3, requires_grad=True)
make(lambda c, a: a * 2, lambda c, g: g.expand(2, 4, 1, 3)).apply(m).sum().backward()
show(m.grad)


# %% shapes: a scalar input
s = torch.tensor(2.0, requires_grad=True)
make(lambda c, a: a * torch.ones(3), lambda c, g: g).apply(s).sum().backward()
show(s.grad)


# %% counts: none for two
y = make(lambda c, a, b: a * b, lambda c, g: None).apply(x, z)
show(attempt(y.sum().backward))


# %% counts: empty tuple
y = make(lambda c, a: a * 2, lambda c, g: ()).apply(x)
show(attempt(y.sum().backward))


# %% counts: for constants
y = make(lambda c, a, b: a * b, lambda c, g: (g, g)).apply(x, torch.ones(3))
y.sum().backward()
show(x.grad)


# %% counts: wrong for a constant
y = make(lambda c, a, b: a * b, lambda c, g: (g, g[:1].double())).apply(x, torch.ones(3))
y.sum().backward()
show(x.grad)


# %% gradient: integers for integers
y = make(lambda c, a, b: a * b, lambda c, g: (g, torch.tensor([1]))).apply(x, torch.tensor([1, 2, 3]))
y.sum().backward()
show(x.grad)


# %% gradient: is the incoming one
seen = []
def b(ctx, g):
    seen.append(g)
    return g
make(lambda c, a: a * 1, b).apply(x).backward(torch.ones(3))
show(x.grad is seen[0], x.grad)


# %% gradient: written to
def b(ctx, g): return g.mul_(2)
y = make(lambda c, a: a * 1, b).apply(x)
g = torch.ones(3)
(y * 1).backward(g)
show(x.grad)


# %% gradient: complex input
c = torch.tensor([1 + 2j, 3j], requires_grad=True)
make(lambda c, a: a.abs(), lambda c, g: g * (1 + 1j)).apply(c).sum().backward()
show(c.grad)


# %% gradient: real for complex input
c = torch.tensor([1 + 2j, 3j], requires_grad=True)
show(attempt(make(lambda c, a: a.abs(), lambda c, g: g).apply(c).sum().backward), c.grad)
