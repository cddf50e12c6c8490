"""autograd.Function, continued: exceptions, modes, attributes, lifetimes, hooks, saved tensors, calls."""

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


# %% raises: forward
def f(ctx, a): raise ValueError('mine')
show(attempt(make(f).apply, x), torch.is_grad_enabled())


# %% raises: backward
def b(ctx, g): raise KeyError('mine')
y = make(lambda c, a: a * 2, b).apply(x)
show(attempt(y.sum().backward), torch.is_grad_enabled(), x.grad)


# %% raises: backward, then again
def b(ctx, g):
    log.append(1)
    if len(log) == 1: raise ValueError('first')
    return g * 2
y = make(lambda c, a: a * 2, b).apply(x)
show(attempt(lambda: y.sum().backward(retain_graph=True)))
y.sum().backward()
show(x.grad)


# %% raises: in the middle
def b(ctx, g): raise ValueError('mine')
y = make(lambda c, a: a * 2, b).apply(x) + z
show(attempt(y.sum().backward), x.grad, z.grad)


# %% raises: mine
class Mine(Exception): pass
def b(ctx, g): raise Mine('mine', 3)
y = make(lambda c, a: a * 2, b).apply(x)
try: y.sum().backward()
except Mine as error: show(error.args)


# %% raises: saved tensors
def b(ctx, g):
    show(attempt(lambda: ctx.saved_tensors[3]))
    return g
make(lambda c, a: (c.save_for_backward(a), a * 2)[1], b).apply(x).sum().backward()


# %% no_grad: around
with torch.no_grad():
    y = Cube.apply(x)
show(y)
with torch.inference_mode(): show(Cube.apply(x))


# %% no_grad: enabled inside forward
def f(ctx, a):
    with torch.enable_grad():
        b = a.detach().requires_grad_()
        o = (b ** 3).sum()
        ctx.g, = torch.autograd.grad(o, b)
    show(torch.is_grad_enabled())
    return o.detach()
make(f, lambda c, g: g * c.g).apply(x).backward()
show(x.grad)


# %% no_grad: backward under enable_grad
def b(ctx, g):
    a, = ctx.saved_tensors
    with torch.enable_grad():
        a = a.detach().requires_grad_()
        return torch.autograd.grad((a ** 3).sum(), a)[0] * g
make(lambda c, a: (c.save_for_backward(a), a ** 3)[1], b).apply(x).sum().backward()
show(x.grad)


# %% no_grad: history of forward is dropped
def f(ctx, a):
    with torch.enable_grad(): o = a.sin() * 2
    return o
o = make(f, lambda c, g: g * 7).apply(x)
show(o)
o.sum().backward()
show(x.grad)


# %% no_grad: inputs keep requires_grad
make(lambda c, a: (show(a.requires_grad, a.is_leaf, a is x, a.grad_fn), a * 2)[1]).apply(x)


# %% attributes: of the class
class F_(Function):
    scale = 4
    @staticmethod
    def forward(ctx, a): return a * F_.scale
    @staticmethod
    def backward(ctx, g): return g * F_.scale
F_.apply(x).sum().backward()
show(x.grad, F_.__name__, F_.apply(x).grad_fn.name(), F_._backward_cls.__name__)


# %% attributes: class methods
class F_(Function):
    scale = 4
    @classmethod
    def forward(cls, ctx, a): return a * cls.scale
    @classmethod
    def backward(cls, ctx, g): return g * cls.scale
F_.apply(x).sum().backward()
show(x.grad)


# %% attributes: inherited
class G(Cube):
    @staticmethod
    def backward(ctx, g): return Cube.backward(ctx, g) * 10
G.apply(x).sum().backward()
show(x.grad, G.apply(x).grad_fn, issubclass(G, Function))


# %% attributes: ctx in both
def f(ctx, a):
    ctx.note, ctx.t = [1], a * 2
    return a * 3
def b(ctx, g):
    show(ctx.note, ctx.t, hasattr(ctx, 'other'))
    ctx.note.append(2)
    return g
y = make(f, b).apply(x)
y.sum().backward(retain_graph=True)
y.sum().backward()
show(y.grad_fn.note)


# %% attributes: of grad_fn
y = Both.apply(x, z, 5.0)
show(y.grad_fn.scale, y.grad_fn.saved_tensors, attempt(lambda: y.grad_fn.nothing))


# %% attributes: unset
show(attempt(make(lambda c, a: a * 2, lambda c, g: g * c.missing).apply(x).sum().backward))


# %% lifetime: ctx
class Big: pass
b = Big()
gone = weakref.ref(b)
def f(ctx, a, big):
    ctx.big = big
    return a * 2
y = make(f, lambda c, g: (g, None)).apply(x, b)
del b
gc.collect()
show(gone() is None)
y.sum().backward()
gc.collect()
show(gone() is None)
del y
gc.collect()
show(gone() is None)


# %% lifetime: under no_grad
class Big: pass
b = Big()
gone = weakref.ref(b)
def f(ctx, a, big):
    ctx.big = big
    return a * 2
with torch.no_grad(): y = make(f).apply(x, b)
del b
gc.collect()
show(gone() is None)


# %% lifetime: output saved
def f(ctx, a):
    o = a.exp()
    ctx.save_for_backward(o)
    return o
y = make(f, lambda c, g: g * c.saved_tensors[0]).apply(x)
gone = weakref.ref(y)
del y
show(gone() is None)


# %% lifetime: output as attribute
def f(ctx, a):
    ctx.o = a.exp()
    return ctx.o
y = make(f, lambda c, g: g * c.o).apply(x)
show(y.grad_fn.o is y)
y.sum().backward()
show(x.grad)


# %% hooks: of grad_fn
y = Cube.apply(x)
y.grad_fn.register_hook(lambda gi, go: (log.append(('post', gi, go)), (gi[0] * 2,))[1])
y.grad_fn.register_prehook(lambda go: (log.append(('pre', go)), (go[0] * 3,))[1])
y.sum().backward()
show(log, x.grad)


# %% hooks: of the output
y = Cube.apply(x)
y.register_hook(lambda g: g * 2)
y.sum().backward()
show(x.grad)


# %% hooks: removed
y = Cube.apply(x)
h = y.grad_fn.register_hook(lambda gi, go: (gi[0] * 2,))
h.remove()
y.sum().backward()
show(x.grad)


# %% hooks: post hook with None
y = Both.apply(x, z.detach())
y.grad_fn.register_hook(lambda gi, go: log.append(gi))
y.sum().backward()
show(log)


# %% saved: none of inputs and outputs, hooks
kept = []
with graph.saved_tensors_hooks(lambda t: (kept.append(t.clone()), t)[1], lambda t: t * 2):
    y = Cube.apply(x)
y.sum().backward()
show(kept, x.grad)


# %% saved: nothing, read
def b(ctx, g):
    show(ctx.saved_tensors)
    return g
make(lambda c, a: a * 2, b).apply(x).sum().backward()


# %% saved: twice called
def f(ctx, a):
    ctx.save_for_backward(a)
    ctx.save_for_backward(a * 2, a * 3)
    return a * 1
make(f, lambda c, g: (show(c.saved_tensors), g)[1]).apply(x).sum().backward()


# %% saved: None among
def f(ctx, a, b=None):
    ctx.save_for_backward(a, b)
    return a * 2
make(f, lambda c, g: (show(c.saved_tensors[1]), g * 2)[1]).apply(x).sum().backward()
show(x.grad)


# %% saved: saved_variables
y = Cube.apply(x)
show(attempt(lambda: y.grad_fn.saved_variables))


# %% saved: read in forward
def f(ctx, a):
    ctx.save_for_backward(a)
    show(ctx.saved_tensors, len(ctx.to_save))
    return a * 2
make(f).apply(x)


# %% saved: written output
y = Exp.apply(x)
y.mul_(2)
show(attempt(y.sum().backward))


# %% saved: written by its user
y = x * 1
w = Cube.apply(y)
y.mul_(2)
show(attempt(w.sum().backward))


# %% saved: version of a view
y = x * 1
w = Cube.apply(y[:2])
y[2] = 5
show(attempt(w.sum().backward))


# %% call: kinds of apply
show(attempt(Cube.apply), attempt(Cube.apply, a=x), attempt(lambda: Cube(x)), callable(Cube.apply))


# %% call: of an instance
with warnings.catch_warnings():
    warnings.simplefilter('ignore')
    show(attempt(lambda: Cube()(x)))


# %% call: lambda of it
f = Cube.apply
show(f(x), f(f(x)).grad_fn.next_functions[0][0].name())


# %% call: in threads
seen = []
def run():
    w = torch.ones(3, requires_grad=True)
    Cube.apply(w).sum().backward()
    seen.append(w.grad)
ts = [threading.Thread(target=run) for _ in range(2)]
for t in ts: t.start()
for t in ts: t.join()
show(seen)


# %% call: gradcheck
w = torch.tensor([0.3, -1.2], dtype=torch.float64, requires_grad=True)
show(torch.autograd.gradcheck(Cube.apply, (w,)), torch.autograd.gradgradcheck(Cube.apply, (w,)))
show(torch.autograd.gradcheck(Exp.apply, (w,)), torch.autograd.gradgradcheck(Exp.apply, (w,)))


# %% call: gradcheck of a wrong one
F_ = make(lambda c, a: a ** 2, lambda c, g: g)
w = torch.tensor([0.3, -1.2], dtype=torch.float64, requires_grad=True)
show(torch.autograd.gradcheck(F_.apply, (w,), raise_exception=False))


# %% call: training
torch.manual_seed(1)
l = nn.Linear(3, 1)
o = torch.optim.SGD(l.parameters(), 0.1)
for _ in range(5):
    o.zero_grad()
    loss = Cube.apply(l(x.detach())).sum() ** 2
    loss.backward()
    o.step()
show(l.weight, loss)


# %% call: straight-through
class Round(Function):
    @staticmethod
    def forward(ctx, a): return a.round()
    @staticmethod
    def backward(ctx, g): return g.clone()
(Round.apply(x * 3) * z).sum().backward()
show(x.grad, z.grad)


# %% call: gradient reversal
class Reverse(Function):
    @staticmethod
    def forward(ctx, a, k):
        ctx.k = k
        return a.view_as(a)
    @staticmethod
    def backward(ctx, g): return g.neg() * ctx.k, None
o = Reverse.apply(x * 2, 0.5)
show(o)
(o * o).sum().backward()
show(x.grad)


# %% call: its own jvp is missing
show(attempt(Cube.jvp, None, x), attempt(Cube.vmap, None, None), Cube.generate_vmap_rule)


# %% names
f = torch.autograd.function
show([hasattr(f, n) for n in ('FunctionCtx', 'BackwardCFunction', 'FunctionMeta', 'Function', 'once_differentiable',
                              'InplaceFunction')])
show(isinstance(Cube.apply(x).grad_fn, f.BackwardCFunction), isinstance(Cube, f.FunctionMeta))


# %% undefined: tensor hook
N = make(lambda c, a, b: a * b, lambda c, g: (None, g))
y = x.exp()
y.register_hook(log.append)
y.retain_grad()
x.register_hook(lambda g: log.append(('x', g)))
x.register_post_accumulate_grad_hook(lambda p: log.append(('post', p.grad)))
N.apply(y, z).sum().backward()
show(log, y.grad, x.grad, z.grad)


# %% undefined: hooks of the Node
N = make(lambda c, a, b: a * b, lambda c, g: (None, g))
y = x.exp()
y.grad_fn.register_prehook(lambda g: log.append(('pre', g)))
y.grad_fn.register_hook(lambda g, h: log.append(('post', g, h)))
N.apply(y, z).sum().backward()
show(log, x.grad)


# %% undefined: grad()
N = make(lambda c, a, b: a * b, lambda c, g: (None, g))
y = x.exp()
y.register_hook(log.append)
show(torch.autograd.grad(N.apply(y, z).sum(), [y, x], allow_unused=True), log)


# %% undefined: hook replaces it
N = make(lambda c, a, b: a * b, lambda c, g: (None, g))
y = x.exp()
y.register_hook(lambda g: torch.ones(3))
show(attempt(N.apply(y, z).sum().backward))


# %% undefined: freed with the rest
N = make(lambda c, a, b: a * b, lambda c, g: (None, g))
y = x.exp()
N.apply(y, z).sum().backward()
show(attempt(y.sum().backward))


# %% undefined: unused results
a, b, c = x.unbind()
o, p = make(lambda c, a: (a * 2, a * 3), lambda c, g, h: g).apply(z)
for v in (b, p): v.register_hook(log.append)
a.backward()
o.sum().backward()
show(log, x.grad, z.grad)


# %% undefined: multi hook
a, b, c = x.unbind()
graph.register_multi_grad_hook([a, b], log.append)
graph.register_multi_grad_hook([b, c], log.append, mode='any')
(a * 1).backward()
show(log)


# %% reentrant: backward inside backward
def b(ctx, g):
    with torch.enable_grad():
        w = torch.ones(3, requires_grad=True)
        (w ** 3).sum().backward()
    return g * w.grad
make(lambda c, a: a * 3, b).apply(x).sum().backward()
show(x.grad)


# %% reentrant: backward inside forward
def f(ctx, a):
    with torch.enable_grad():
        w = torch.ones(3, requires_grad=True)
        (w ** 3).sum().backward()
    return a * w.grad
make(f).apply(x).sum().backward()
show(x.grad)


# %% anomaly
with torch.autograd.detect_anomaly():
    y = make(lambda c, a: a * 2, lambda c, g: g * float('nan')).apply(x)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        show(attempt(y.sum().backward))


# %% written outputs
o, p = make(lambda c, a: (a * 2, a * 3), lambda c, g, h: (show(g, h), g)[1]).apply(x)
o.mul_(3)
p[0] = 7
show(o, p)
(o + p).sum().backward()
show(x.grad)

# %% legacy: NestedIOFunction
Nested = torch.autograd.function.NestedIOFunction


class F1(Nested):
    def forward_extended(self, x):
        return x * 2

    def backward_extended(self, g):
        return g * 2


warnings.simplefilter("ignore")
a = torch.ones(2, requires_grad=True)
show(attempt(F1.apply, a), attempt(lambda: F1()(a)), attempt(lambda: Nested().forward_extended(a)))
show(issubclass(Nested, Function), [c.__name__ for c in F1.__mro__[:3]])

# %% legacy: InplaceFunction
class F1(torch.autograd.function.InplaceFunction):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)

    @staticmethod
    def backward(ctx, g):
        return g * 2


warnings.simplefilter("ignore")
a = torch.ones(2, requires_grad=True)
F1.apply(a * 1).sum().backward()
show(a.grad, F1(True).inplace, F1().inplace, attempt(lambda: F1()(a)))

# %% embedding: sparse without a gradient
w, i = torch.arange(6.0).reshape(3, 2), torch.tensor([0, 2, 2])
show(F.embedding(i, w, sparse=True), w.gather(0, i[None, :2], sparse_grad=True))
with torch.no_grad():
    layer = nn.Embedding(3, 2, sparse=True)
    show(layer(i).shape, repr(layer))
