"""autograd.Function, continued: higher orders, which inputs and outputs take part, checkpoints."""

once = torch.autograd.function.once_differentiable
x = torch.tensor([0.3, -1.2, 2.0], requires_grad=True)
z = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
log = []

def make(forward, backward=lambda ctx, g: g, **more):
    members = dict(forward=forward, backward=backward, **more)
    return type('X', (Function,), {k: staticmethod(v) for k, v in members.items()})

class Cube(Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return a ** 3
    @staticmethod
    def backward(ctx, g):
        a, = ctx.saved_tensors
        return 3 * a ** 2 * g

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

class Parts(Function):
    @staticmethod
    def forward(ctx, a): return a * 2, a * 3, a * 5
    @staticmethod
    def backward(ctx, *gs):
        log.append([None if g is None else g.tolist() for g in gs])
        return sum(k * g for k, g in zip((2, 3, 5), gs) if g is not None)


# %% double
g, = torch.autograd.grad(Cube.apply(x).sum(), x, create_graph=True)
show(g.detach(), torch.autograd.grad(g.sum(), x))


# %% triple
g, = torch.autograd.grad(Cube.apply(x).sum(), x, create_graph=True)
h, = torch.autograd.grad(g.sum(), x, create_graph=True)
show(h.detach(), torch.autograd.grad(h.sum(), x))


# %% triple, output saved
g, = torch.autograd.grad(Exp.apply(x).sum(), x, create_graph=True)
h, = torch.autograd.grad(g.sum(), x, create_graph=True)
show(h.detach(), torch.autograd.grad(h.sum(), x))


# %% double, through the gradient
w = torch.ones(3, requires_grad=True)
g, = torch.autograd.grad(Cube.apply(x), x, w, create_graph=True)
show(torch.autograd.grad(g.sum(), [x, w]))


# %% double, two inputs
g = torch.autograd.grad(Both.apply(x, z).sum(), [x, z], create_graph=True)
show([v.detach() for v in g], torch.autograd.grad((g[0] * g[1]).sum(), [x, z]))


# %% double, in a network
l = nn.Linear(3, 2)
with torch.no_grad(): l.weight.copy_(torch.arange(6.).view(2, 3) / 7)
g, = torch.autograd.grad(Cube.apply(l(x)).sum(), x, create_graph=True)
(g ** 2).sum().backward()
show(l.weight.grad, l.bias.grad)


# %% double, a Function's backward
class Inner(Function):
    @staticmethod
    def forward(ctx, a, g):
        ctx.save_for_backward(a, g)
        return g * a.cos()
    @staticmethod
    def backward(ctx, gg):
        a, g = ctx.saved_tensors
        log.append('inner')
        return -gg * g * a.sin(), gg * a.cos()
class Sin(Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return a.sin()
    @staticmethod
    def backward(ctx, g): return Inner.apply(ctx.saved_tensors[0], g)
g, = torch.autograd.grad(Sin.apply(x).sum(), x, create_graph=True)
show(g, log)
show(torch.autograd.grad(g.sum(), x), log)


# %% double, retained by backward
with warnings.catch_warnings():
    warnings.simplefilter('ignore')
    Cube.apply(x).sum().backward(create_graph=True)
g, x.grad = x.grad, None
g.sum().backward()
show(x.grad)


# %% double, detached in backward
F_ = make(lambda c, a: (c.save_for_backward(a), a ** 3)[1], lambda c, g: g * 3 * c.saved_tensors[0].detach() ** 2)
g, = torch.autograd.grad(F_.apply(x).sum(), x, create_graph=True)
show(g)


# %% double, ctx attribute
def f(ctx, a):
    ctx.a = a
    return a ** 2
g, = torch.autograd.grad(make(f, lambda c, g: g * 2 * c.a).apply(x).sum(), x, create_graph=True)
show(g.detach(), torch.autograd.grad(g.sum(), x))


# %% double, intermediate kept
def f(ctx, a):
    m = a.sin()
    ctx.save_for_backward(a, m)
    return m * a
g, = torch.autograd.grad(make(f, lambda c, g: g * c.saved_tensors[1]).apply(x).sum(), x, create_graph=True)
show(g)


# %% once, two outputs
class F_(Function):
    @staticmethod
    def forward(ctx, a, b): return a * 2, b * 3
    @staticmethod
    @once
    def backward(ctx, g, h):
        log.append((torch.is_grad_enabled(), g.requires_grad))
        return g * 2, h * 3
o, p = F_.apply(x, z)
g = torch.autograd.grad((o ** 2 + p).sum(), [x, z], create_graph=True)
show(g, log)
show(attempt(torch.autograd.grad, g[0].sum(), x))


# %% once, None
F_ = make(lambda c, a, b: a * b, once(lambda c, g: (g, None)))
g = torch.autograd.grad((F_.apply(x, z) ** 2).sum(), [x, z], create_graph=True, allow_unused=True)
show(g[0].requires_grad, g[1])


# %% once, name
def backward(ctx, g):
    'mine'
show(once(backward).__name__, once(backward).__doc__)


# %% once, plain
F_ = make(lambda c, a: a * 2, once(lambda c, g: g * 2))
F_.apply(x).sum().backward()
show(x.grad)


# %% needs_input_grad
Both.apply(x, z).sum().backward()
Both.apply(x, z.detach()).sum().backward()
Both.apply(x.detach(), z, 3.0).sum().backward()
show(log, x.grad, z.grad)


# %% needs_input_grad: asked inputs
out = Both.apply(x, z)
show(torch.autograd.grad(out.sum(), x), log)


# %% needs_input_grad: asked for one by backward
out = Both.apply(x * 1, z)
out.sum().backward(inputs=[z])
show(log, x.grad, z.grad)


# %% needs_input_grad: in setup_context
def setup(ctx, inputs, output): log.append((ctx.needs_input_grad, len(inputs), output.requires_grad))
F_ = make(lambda a, b, c: a * b, lambda c, g: (g, g, None), setup_context=setup)
F_.apply(x, z.detach(), 3)
with torch.no_grad(): F_.apply(x, z, 3)
show(log)


# %% needs_input_grad: integers and bools
F_ = make(lambda c, a, b, d: (log.append(c.needs_input_grad), a * 2)[1], lambda c, g: (g * 2, None, None))
F_.apply(x, torch.tensor([1, 2, 3]), torch.tensor(True)).sum().backward()
show(log, x.grad)


# %% parts: one used
o, p, q = Parts.apply(x)
p.sum().backward()
show(log, x.grad)


# %% parts: two used
o, p, q = Parts.apply(x)
(o.sum() + (q * z).sum()).backward()
show(log, x.grad)


# %% parts: indexes
o, p, q = Parts.apply(x)
show([v.output_nr for v in (o, p, q)], o.grad_fn is q.grad_fn, (p * 1).grad_fn.next_functions[0][1])


# %% parts: one after the other
o, p, q = Parts.apply(x)
o.sum().backward(retain_graph=True)
q.sum().backward()
show(log, x.grad)


# %% parts: one dropped
o = Parts.apply(x)[2]
gc.collect()
o.sum().backward()
show(log, x.grad)


# %% parts: grad of parts
o, p, q = Parts.apply(x)
show(torch.autograd.grad((o * p).sum(), [o, p, q], allow_unused=True))


# %% parts: hooks
o, p, q = Parts.apply(x)
p.register_hook(lambda g: g * 10)
q.retain_grad()
(o + p + q).sum().backward()
show(log, x.grad, q.grad)


# %% parts: double
o, p, q = Parts.apply(x)
g, = torch.autograd.grad((o * o).sum(), x, create_graph=True)
show(g.detach(), torch.autograd.grad(g.sum(), x))


# %% materialize: other dtypes
def f(ctx, a): return a * 2, a.double(), (a > 0), a.long()
def b(ctx, *gs):
    show(gs)
    return gs[0]
o = make(f, b).apply(x)
show([v.requires_grad for v in o], [v.grad_fn is None for v in o])
o[0].sum().backward()


# %% materialize: off, all None
def f(ctx, a):
    ctx.set_materialize_grads(False)
    return a * 2, a * 3
F_ = make(f, lambda c, *gs: (show(gs), None)[1])
o, p = F_.apply(x)
N = make(lambda c, a: a * 2, lambda c, g: None)
N.apply(o).sum().backward()
show(x.grad)


# %% materialize: double
F_ = make(lambda c, a: (a * 2, a * 3), lambda c, g, h: g * 2 + h * 3)
o, p = F_.apply(x)
g, = torch.autograd.grad((o ** 2).sum(), x, create_graph=True)
show(g.detach(), torch.autograd.grad(g.sum(), x))


# %% materialize: in setup_context
def setup(ctx, inputs, output): ctx.set_materialize_grads(False)
F_ = make(lambda a: (a * 2, a * 3), lambda c, g, h: (show(g, h), g * 2)[1], setup_context=setup)
F_.apply(x)[0].sum().backward()


# %% non-differentiable: argmax
class Max(Function):
    @staticmethod
    def forward(ctx, a):
        v, i = a.max(0)
        ctx.save_for_backward(i)
        ctx.mark_non_differentiable(i)
        ctx.n = a.numel()
        return v, i
    @staticmethod
    def backward(ctx, g, gi):
        show(gi)
        out = torch.zeros(ctx.n)
        out[ctx.saved_tensors[0]] = g
        return out
v, i = Max.apply(x)
show(v, i)
v.backward()
show(x.grad)


# %% non-differentiable: all
def f(ctx, a):
    o = a * 2
    ctx.mark_non_differentiable(o)
    return o
o = make(f).apply(x)
show(o, attempt(o.sum().backward))


# %% non-differentiable: in setup_context
def setup(ctx, inputs, output): ctx.mark_non_differentiable(output[1])
o = make(lambda a: (a * 2, a * 3), lambda c, g, h: (show(h), g)[1], setup_context=setup).apply(x)
show(o)
o[0].sum().backward()


# %% non-differentiable: twice called
def f(ctx, a):
    o, p = a * 2, a * 3
    ctx.mark_non_differentiable(o)
    ctx.mark_non_differentiable(p)
    return o, p
show(make(f, lambda c, g, h: g).apply(x))


# %% non-differentiable: and dirty
def f(ctx, a):
    a.add_(1)
    ctx.mark_dirty(a)
    ctx.mark_non_differentiable(a)
    return a
show(attempt(make(f).apply, x * 1))
show(attempt(make(f).apply, torch.ones(3)))


# %% inside checkpoint
for reentrant in (False, True):
    out = checkpoints.checkpoint(lambda a: Cube.apply(a.sin()) * z, x, use_reentrant=reentrant)
    out.sum().backward()
    show(x.grad, z.grad)


# %% inside checkpoint, double
out = checkpoints.checkpoint(lambda a: Cube.apply(a.sin()), x, use_reentrant=False)
g, = torch.autograd.grad(out.sum(), x, create_graph=True)
show(g.detach(), torch.autograd.grad(g.sum(), x))


# %% inside checkpoint, calls
class F_(Function):
    @staticmethod
    def forward(ctx, a):
        log.append('f')
        ctx.save_for_backward(a)
        return a ** 2
    @staticmethod
    def backward(ctx, g):
        log.append('b')
        return 2 * g * ctx.saved_tensors[0]
checkpoints.checkpoint(lambda a: F_.apply(a).exp(), x, use_reentrant=False).sum().backward()
show(log, x.grad)


# %% checkpoint inside
def f(ctx, a):
    with torch.enable_grad():
        ctx.a = a.detach().requires_grad_()
        ctx.o = checkpoints.checkpoint(lambda b: b.sin().exp(), ctx.a, use_reentrant=False)
    return ctx.o.detach()
make(f, lambda c, g: torch.autograd.grad(c.o, c.a, g)[0]).apply(x).sum().backward()
show(x.grad)


# %% raw saved tensors
def f(ctx, a):
    ctx.save_for_backward(a, None, a * 2)
    return a * 2
y = make(f, lambda c, g: g * c.saved_tensors[2] + c.saved_tensors[0]).apply(x)
raw = y.grad_fn._raw_saved_tensors
raw[2].register_hooks(lambda t: (log.append(t), t)[1], lambda t: t * 10)
raw[0].register_hooks(lambda t: (log.append(t.detach()), t.detach())[1], lambda t: t + 1)
show(len(raw), log, attempt(raw[2].register_hooks, lambda t: t, lambda t: t))
show(attempt(raw[1].register_hooks, lambda t: t, lambda t: t))
show(y.grad_fn.saved_tensors)
y.sum().backward()
show(x.grad, attempt(lambda: y.grad_fn._raw_saved_tensors))


# %% raw saved tensors: output
def f(ctx, a):
    o = a.exp()
    ctx.save_for_backward(o)
    return o
y = make(f, lambda c, g: g * c.saved_tensors[0]).apply(x)
y.grad_fn._raw_saved_tensors[0].register_hooks(lambda t: t * 1, lambda t: t * 3)
g, = torch.autograd.grad(y.sum(), x, create_graph=True)
show(g.detach(), torch.autograd.grad(g.sum(), x))


# %% raw saved tensors: written
y = x * 1
w = make(lambda c, a: (c.save_for_backward(a), a * 2)[1], lambda c, g: g * c.saved_tensors[0]).apply(y)
raw = w.grad_fn._raw_saved_tensors[0]
y.mul_(2)
show(attempt(raw.register_hooks, lambda t: t, lambda t: t))
show(attempt(w.sum().backward))


# %% raw saved tensors: inside hooks
with graph.saved_tensors_hooks(lambda t: t, lambda t: t):
    w = make(lambda c, a: (c.save_for_backward(a), a * 2)[1]).apply(x)
show(attempt(w.grad_fn._raw_saved_tensors[0].register_hooks, lambda t: t, lambda t: t))


# %% numpy and item inside
F_ = make(lambda c, a: torch.from_numpy(np.exp(a.detach().numpy())) * a.max().item(),
          lambda c, g: torch.tensor(g.numpy() * 2) if g.sum().item() > 0 else g)
y = F_.apply(x)
y.sum().backward()
show(y, x.grad)


# %% long chain
F_ = make(lambda c, a: a + 1)
y = x
for i in range(1500): y = F_.apply(y)
y.sum().backward()
show(x.grad)
