"""autograd.Function: contexts, outputs, writes, gradients, errors."""

x = torch.tensor([0.3, -1.2, 2.0], requires_grad=True)
z = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)

def make(forward, backward=lambda ctx, g: g, **more):
    members = dict(forward=forward, backward=backward, **more)
    return type('X', (Function,), {k: staticmethod(v) for k, v in members.items()})
def save(ctx, a):
    ctx.save_for_backward(a, None)
    return a * 2

def dirty(forward, y):
    version = y._version
    o = make(forward).apply(y)
    show(o, o is y, y._version - version, y.grad_fn)
    return o
def double_(ctx, a):
    a.mul_(2)
    ctx.mark_dirty(a)
    return a

def setup(ctx, inputs, output):
    show(inputs, output, torch.is_grad_enabled())
    ctx.save_for_backward(inputs[0])
def by_saved(ctx, g):
    return g * ctx.saved_tensors[0], None
S = make(lambda a, k=2: a * k, by_saved, setup_context=setup)
K = make(lambda c, a, b=2, d=3: a * b, lambda c, g: (g, g * 5))


# %% graph: names
y = make(lambda c, a: a * 2).apply(x)
show(y, y.grad_fn, y.grad_fn.name(), type(y.grad_fn), y.grad_fn.next_functions, y.output_nr)


# %% graph: is node
show(isinstance(make(lambda c, a: a * 2).apply(x).grad_fn, graph.Node))


# %% graph: subclass
class A(make(lambda c, a: a * 2)): pass
show(A.apply(x).grad_fn, A._backward_cls)


# %% graph: ctx is grad_fn
seen = []
y = make(lambda c, a: (seen.append(c), a * 2)[1]).apply(x)
show(y.grad_fn is seen[0], (y * 2).grad_fn.next_functions[0][0] is seen[0])


# %% graph: non-tensor inputs
F = make(lambda c, a, *r: a * 2)
show(F.apply(x, 3, torch.ones(1)).grad_fn.next_functions)
show(F.apply(x, 3, torch.ones(1)).grad_fn.needs_input_grad)


# %% graph: grad mode
F = make(lambda c, a: (show(torch.is_grad_enabled(), a.requires_grad, c.needs_input_grad, c.saved_tensors), a * 2)[1])
F.apply(x)
F.apply(x.detach())
with torch.no_grad(): show(F.apply(x))


# %% graph: outlives its result
g = make(lambda c, a: a * 2).apply(x).grad_fn
show(g.next_functions, g.metadata)


# %% graph: free attributes
def f(ctx, a):
    ctx.seq, ctx.saved, ctx.plan, ctx.edges, ctx.hooks, ctx.name_ = 1, 2, 3, 4, 5, 6
    return a * 2
F = make(f, lambda c, g: (show(c.seq, c.saved, c.plan, c.edges, c.hooks), g)[1])
F.apply(x).sum().backward()


# %% graph: metadata
y = make(lambda c, a: a * 2).apply(x)
y.grad_fn.metadata['k'] = 1
show(y.grad_fn.metadata)


# %% graph: input metadata
m, = make(lambda c, a: a * 2).apply(x).grad_fn._input_metadata
show(m.shape, m.dtype)


# %% graph: no arguments
show(make(lambda c: torch.ones(2)).apply())


# %% graph: leaf returned
w = torch.ones(3, requires_grad=True)
show(make(lambda c, a: w).apply(x), w.grad_fn, w.is_leaf)


# %% outputs: list
show(make(lambda c, a: [a * 2, a]).apply(x))


# %% outputs: none
show(make(lambda c, a: None).apply(x))


# %% outputs: mixed
F = make(lambda c, a: (a * 2, 3, 's', None, a > 1, a * 3), lambda c, *g: (show(g), g[0])[1])
o = F.apply(x)
show(o, o[5].output_nr)
o[0].sum().backward(retain_graph=True)
(o[0].sum() + o[5].sum()).backward()
show(x.grad)


# %% outputs: as it is
o = make(lambda c, a: a).apply(x)
show(o, o is x, o._is_view(), o._base is x)


# %% outputs: as it is, no_grad
with torch.no_grad(): o = make(lambda c, a: a).apply(x)
show(o, o is x, o._is_view(), o.data_ptr() == x.data_ptr())


# %% outputs: as it is, no grad needed
d = torch.ones(3)
o = make(lambda c, a: a).apply(d)
show(o, o is d, o._is_view())


# %% outputs: as it is, written
make(lambda c, a: a).apply(x * 1).add_(1)


# %% outputs: view written
make(lambda c, a: a[1:]).apply(x * 1).add_(1)


# %% outputs: two views written
make(lambda c, a: (a[1:], a[:1])).apply(x * 1)[0].add_(1)


# %% outputs: view and another written
make(lambda c, a: (a[1:], a[:1].clone())).apply(x * 1)[0].add_(1)


# %% outputs: non-differentiable
def f(ctx, a):
    o, p = a * 2, a * 3
    ctx.mark_non_differentiable(p)
    return o, p
o = make(f, lambda c, g, h: (show(g, h), g)[1]).apply(x)
show(o)
o[0].sum().backward()


# %% outputs: non-differentiable input
def f(ctx, a):
    ctx.mark_non_differentiable(a)
    return a
y = x * 1
o = make(f).apply(y)
show(o, o is y, y.grad_fn)


# %% outputs: not materialized
def f(ctx, a):
    ctx.set_materialize_grads(False)
    return a * 2, a * 3
make(f, lambda c, g, h: (show(g, h), g)[1]).apply(x)[0].sum().backward()


# %% outputs: undefined
N, U = make(lambda c, a: a * 2, lambda c, g: None), make(lambda c, a: a * 2)
N.apply(U.apply(x)).sum().backward()
show(x.grad)


# %% writes: leaf
dirty(double_, x)


# %% writes: plain
dirty(double_, x * 1).sum().backward()
show(x.grad)


# %% writes: view
base = x * 1
dirty(double_, base[1:])
show(base, base.grad_fn.next_functions)
(base * base).sum().backward()
show(x.grad)


# %% writes: view of leaf
dirty(double_, x[1:])


# %% writes: not returned
dirty(lambda c, a: (a.mul_(2), c.mark_dirty(a), a * 1)[2], x * 1)


# %% writes: not marked
dirty(lambda c, a: (a.mul_(2), a)[1], x * 1)


# %% writes: marked only
dirty(lambda c, a: (c.mark_dirty(a), a)[1], x * 1)


# %% writes: no input
dirty(lambda c, a: (c.mark_dirty(a * 1), a)[1], x * 1)


# %% writes: no tensor
dirty(lambda c, a: (c.mark_dirty(3), a)[1], x * 1)


# %% writes: view, two outputs
dirty(lambda c, a: (c.mark_dirty(a), (a, a * 2))[1], (x * 1)[1:])


# %% writes: no grad needed
dirty(double_, torch.ones(3))


# %% writes: saved by another
y = x * 1
w = y * y
dirty(double_, y)
w.sum().backward()


# %% writes: non-differentiable, no tensor
make(lambda c, a: (c.mark_non_differentiable(3), a)[1]).apply(x)


# %% gradients: too few
make(lambda c, a, b: a * b).apply(x, x).sum().backward()


# %% gradients: too many
make(lambda c, a, b: a * b, lambda c, g: (g, g, g)).apply(x, x).sum().backward()


# %% gradients: trailing None
make(lambda c, a, b: a * b, lambda c, g: (g, g, None)).apply(x, x).sum().backward()
show(x.grad)


# %% gradients: for a number
make(lambda c, a, b: a * b, lambda c, g: (g, g)).apply(x, 2).sum().backward()


# %% gradients: a float
make(lambda c, a: a * 2, lambda c, g: 2.0).apply(x).sum().backward()


# %% gradients: a list
make(lambda c, a: a * 2, lambda c, g: [g]).apply(x).sum().backward()


# %% gradients: shape
make(lambda c, a: a * 2, lambda c, g: g[:2]).apply(x).sum().backward()


# %% gradients: shape, second
make(lambda c, b, a: a * 2, lambda c, g: (None, g[:2])).apply(z, x).sum().backward()


# %% gradients: shape, after a number
make(lambda c, b, a: a * 2, lambda c, g: (None, g[:2])).apply(2, x).sum().backward()


# %% gradients: expanded
make(lambda c, a: a * 2, lambda c, g: g.expand(4, 3)).apply(x).sum().backward()
show(x.grad)


# %% gradients: expanded inside
w = torch.ones(1, 3, requires_grad=True)
make(lambda c, a: a * 2, lambda c, g: g.expand(4, 3)).apply(w).sum().backward()
show(w.grad)


# %% gradients: scalar
make(lambda c, a: a * 2, lambda c, g: g.sum()).apply(x).sum().backward()


# %% gradients: double
make(lambda c, a: a * 2, lambda c, g: g.double()).apply(x).sum().backward()
show(x.grad)


# %% gradients: long
make(lambda c, a: a * 2, lambda c, g: g.long()).apply(x).sum().backward()
show(x.grad)


# %% gradients: complex
make(lambda c, a: a * 2, lambda c, g: g * 1j).apply(x).sum().backward()


# %% gradients: none
make(lambda c, a: a * 2, lambda c, g: None).apply(x).sum().backward()
show(x.grad)


# %% gradients: raises
make(lambda c, a: a * 2, lambda c, g: 1 / 0).apply(x).sum().backward()


# %% saved: input
F = make(save, lambda c, g: (show(c.saved_tensors, c.saved_tensors[0] is x), g)[1])
F.apply(x).sum().backward()


# %% saved: freed
y = make(save).apply(x)
y.sum().backward()
y.grad_fn.saved_tensors


# %% saved: freed, backward
F = make(save, lambda c, g: g * c.saved_tensors[0])
y = F.apply(x)
y.sum().backward()
y.sum().backward()


# %% saved: nothing saved
y = make(lambda c, a: a * 2).apply(x)
y.sum().backward()
y.sum().backward()
show(x.grad)


# %% saved: retained
F = make(save, lambda c, g: g * c.saved_tensors[0])
y = F.apply(x)
y.sum().backward(retain_graph=True)
y.sum().backward()
show(x.grad)


# %% saved: written
y = x * 1
w = make(save, lambda c, g: g * c.saved_tensors[0]).apply(y)
y.add_(1)
w.sum().backward()


# %% saved: output
def f(ctx, a):
    o = a.exp()
    ctx.save_for_backward(o)
    return o
def b(ctx, g):
    o, = ctx.saved_tensors
    show(o, o.grad_fn is y.grad_fn, o is y)
    return g * o
y = make(f, b).apply(x)
y.sum().backward(retain_graph=True)
y.add_(1)
y.sum().backward()


# %% saved: intermediate
def f(ctx, a):
    m = a * 2
    ctx.save_for_backward(m)
    return m * 3
make(f, lambda c, g: (show(c.saved_tensors[0]), g)[1]).apply(x).sum().backward()


# %% saved: a number
make(lambda c, a: (c.save_for_backward(3), a * 2)[1]).apply(x)


# %% saved: a list
make(lambda c, a: (c.save_for_backward([a]), a * 2)[1]).apply(x)


# %% saved: hooks
log = []
def f(ctx, a):
    o = a.exp()
    ctx.save_for_backward(a, o, a * 2)
    return o
with graph.saved_tensors_hooks(lambda t: (log.append(('pack', t.requires_grad, t.grad_fn)), t)[1],
                               lambda t: (log.append('unpack'), t)[1]):
    y = make(f, lambda c, g: (show(c.saved_tensors), g)[1]).apply(x * 1)
y.sum().backward()
show(log)


# %% calls: setup_context
S.apply(x).sum().backward()
show(x.grad)


# %% calls: setup_context, keyword
show(S.apply(x, k=4))
show(S.apply(a=x, k=4))


# %% calls: setup_context, keyword only
make(lambda a, *, k=2: a * k, by_saved, setup_context=setup).apply(x, k=4)


# %% calls: setup_context, as it is
make(lambda a, k=2: a, by_saved, setup_context=setup).apply(x)


# %% calls: keyword
y = K.apply(x, b=z)
show(y.grad_fn.needs_input_grad, y.grad_fn.next_functions)
y.sum().backward()
show(x.grad, z.grad)


# %% calls: all keywords
y = K.apply(b=z, a=x)
show(y.grad_fn.needs_input_grad)
y.sum().backward()
show(z.grad)


# %% calls: keyword left out
K.apply(x, d=z)


# %% calls: unknown keyword
K.apply(x, e=z)


# %% calls: no backward
type('X', (Function,), dict(forward=staticmethod(lambda c, a: a * 2))).apply(x).sum().backward()


# %% calls: no forward
type('X', (Function,), {}).apply(x)


# %% calls: backward and vjp
make(lambda c, a: a * 2, vjp=lambda c, g: g).apply(x).sum().backward()


# %% calls: vjp
F = type('X', (Function,), dict(forward=staticmethod(lambda c, a: a * 2),
                                vjp=staticmethod(lambda c, g: g * 7)))
F.apply(x).sum().backward()
show(x.grad)


# %% calls: instance
make(lambda c, a: a)()(x)


# %% calls: needs_input_grad is writable
y = make(lambda c, a: a * 2).apply(x)
y.grad_fn.needs_input_grad = (False,)
show(y.grad_fn.needs_input_grad)


# %% twice: double backward
F = make(save, lambda c, g: g * c.saved_tensors[0] ** 2)
g, = torch.autograd.grad(F.apply(x).sum(), x, create_graph=True)
show(g.requires_grad)
show(torch.autograd.grad(g.sum(), x))


# %% twice: grad mode in backward
F = make(save, lambda c, g: (show(torch.is_grad_enabled(), g.requires_grad), g)[1])
F.apply(x).sum().backward()
torch.autograd.grad((F.apply(x) ** 2).sum(), x, create_graph=True)


# %% twice: output saved, twice
def f(ctx, a):
    o = a.exp()
    ctx.save_for_backward(o)
    return o
F = make(f, lambda c, g: g * c.saved_tensors[0])
g, = torch.autograd.grad(F.apply(x).sum(), x, create_graph=True)
h, = torch.autograd.grad(g.sum(), x, create_graph=True)
show(g.detach(), h.detach())
show(torch.autograd.grad(h.sum(), x))


# %% twice: once
F = make(save, torch.autograd.function.once_differentiable(lambda c, g: g * c.saved_tensors[0]))
g, = torch.autograd.grad(F.apply(x).sum(), x, create_graph=True)
show(g)
g, = torch.autograd.grad((F.apply(x) ** 2).sum(), x, create_graph=True)
show(g, g.grad_fn, g.grad_fn.next_functions)
g.sum().backward()


# %% twice: casts, twice
F = make(save, lambda c, g: (g * c.saved_tensors[0] ** 2).double())
g, = torch.autograd.grad(F.apply(x).sum(), x, create_graph=True)
show(g.detach())
show(torch.autograd.grad(g.sum(), x))


# %% twice: expanded, twice
F = make(save, lambda c, g: (g * c.saved_tensors[0] ** 2).expand(2, 3))
g, = torch.autograd.grad(F.apply(x).sum(), x, create_graph=True)
show(g.detach())
show(torch.autograd.grad(g.sum(), x))


# %% twice: inside another
F = make(save, lambda c, g: g * c.saved_tensors[0])
G = make(lambda c, a: F.apply(a) * 3, lambda c, g: F.apply(g))
G.apply(x).sum().backward()
show(x.grad)
