"""torch.func: grad, vjp, jvp, Jacobians, vmap, Modules as functions; nested with each other and with the tape."""

fn = torch.func
x, y = torch.tensor([1.0, -2.0, 0.5]), torch.tensor([0.5, 3.0, -1.0])
m = torch.arange(6.0).reshape(2, 3) - 2


def plain(found):
    """Without the Node's name, which says how it was computed."""
    if isinstance(found, (tuple, list)): return [plain(v) for v in found]
    if isinstance(found, dict): return {k: plain(v) for k, v in found.items()}
    return found.detach() if isinstance(found, torch.Tensor) else found


# %% grad
show(fn.grad(lambda a: (a ** 3).sum())(x))


# %% grad of several arguments
show(fn.grad(lambda a, b: (a * b ** 2).sum(), argnums=(0, 1))(x, y), fn.grad(lambda a, b: (a * b ** 2).sum(), argnums=1)(x, y))


# %% grad of a negative argnum
show(fn.grad(lambda a, b: (a * b ** 2).sum(), argnums=-1)(x, y))


# %% grad with aux
show(fn.grad(lambda a: ((a ** 2).sum(), {"twice": a * 2}), has_aux=True)(x))


# %% grad of dictionaries
show(fn.grad(lambda d: (d["a"] * d["b"][0]).sum())({"a": x, "b": [y]}))


# %% grad with keywords
show(fn.grad(lambda a, k: (a * k).sum())(x, k=3))


# %% grad and value
show(fn.grad_and_value(lambda a: (a ** 2).sum())(x), fn.grad_and_value(lambda a: ((a ** 2).sum(), a), has_aux=True)(x))


# %% grad of an independent function
show(fn.grad(lambda a: torch.tensor(3.0))(x), fn.grad(lambda a: (a > 0).sum())(x))


# %% grad of grad of grad
f = lambda a: a.sin() * a ** 3
show(fn.grad(fn.grad(fn.grad(f)))(torch.tensor(0.7)))


# %% grad: no scalar
fn.grad(lambda a: a)(x)


# %% grad: no tensor
fn.grad(lambda a: 3)(x)


# %% grad: no tensor given
fn.grad(lambda a: a)(3.0)


# %% grad: no such argument
fn.grad(lambda a: a.sum(), argnums=1)(x)


# %% grad: integers
fn.grad(lambda a: a.sum())(torch.tensor([1]))


# %% grad: no aux
fn.grad(lambda a: (a.sum(),), has_aux=True)(x)


# %% grad: aux that is no tensor
fn.grad(lambda a: (a.sum(), 2), has_aux=True)(x)


# %% branches on values
def f(a):
    if a.sum() > 0: return (a * 2).sum()
    return (a * 3).sum()
show(fn.grad(f)(x), fn.grad(f)(y))


# %% item inside
show(fn.grad(lambda a: (a * a[0].item()).sum())(x))


# %% ties and zeros are PyTorch's
z = torch.tensor([0.0, -0.0, 1.0, 1.0])
show([fn.grad(lambda a: g(a))(z) for g in (lambda a: a.abs().sum(), lambda a: F.relu(a).sum(), lambda a: a.max(),
      lambda a: a.max(0).values, lambda a: a.clamp(0, 1).sum(), lambda a: a.norm(), lambda a: torch.maximum(a, z).sum())])


# %% views and writes inside
def f(a):
    b = a.clone()
    b[0] = b[1] * 2
    b.view(3, 1)[2].mul_(5)
    return (b * b).sum()
show(fn.grad(f)(x))


# %% writes into a new tensor inside
def f(a):
    out = torch.zeros(4)
    out[1:] = a ** 2
    out.add_(1)
    return out.prod()
show(fn.grad(f)(x))


# %% no_grad inside
def f(a):
    with torch.no_grad(): scale = a * 10
    return (a * a * scale).sum()
show(fn.grad(f)(x))


# %% detach inside
show(fn.grad(lambda a: (a * a.detach()).sum())(x))


# %% captured tensors
w = torch.tensor([2.0, 3.0, 4.0], requires_grad=True)
g = fn.grad(lambda a: (w * a ** 2).sum())(x)
show(plain(g), g.requires_grad, torch.autograd.grad(g.sum(), w))


# %% captured tensors, changed on the way
w = torch.tensor([2.0, 3.0, 4.0], requires_grad=True)
def f(a):
    v = w * 2
    return (v.exp() * a ** 2 * v).sum()
g = fn.grad(f)(x)
show(torch.autograd.grad(g.sum(), w))


# %% arguments with history
v = x.clone().requires_grad_()
g = fn.grad(lambda a: (a ** 3).sum())(v)
show(plain(g), torch.autograd.grad(g.sum(), v, create_graph=True)[0].requires_grad)


# %% the tape, twice through grad
v = x.clone().requires_grad_()
g = fn.grad(lambda a: (a ** 4).sum())(v)
h, = torch.autograd.grad(g.sum(), v, create_graph=True)
show(plain(h), torch.autograd.grad(h.sum(), v))


# %% autograd.grad inside grad
def f(a):
    b = a * 1
    b = b.detach().requires_grad_()
    return (a * torch.autograd.grad((b ** 3).sum(), b)[0]).sum()
show(fn.grad(f)(x))


# %% under no_grad
with torch.no_grad(): show(fn.grad(lambda a: (a ** 2).sum())(x))


# %% vjp
out, back = fn.vjp(lambda a: a ** 2, x)
show(out, back(y))


# %% vjp of several
out, back = fn.vjp(lambda a, b: (a * b, {"s": a.sum()}), x, y)
show(out, back((torch.ones(3), {"s": torch.tensor(2.0)})))


# %% vjp with aux
out, back, aux = fn.vjp(lambda a: (a * 2, a * 3), x, has_aux=True)
show(out, aux, back(y))


# %% vjp: another shape
fn.vjp(lambda a: a * 2, x)[1](torch.ones(2))


# %% vjp: another structure
fn.vjp(lambda a: a * 2, x)[1]((x, x))


# %% vjp: no tensors
fn.vjp(lambda a: 3, x)


# %% jvp
show(fn.jvp(lambda a: a ** 2, (x,), (y,)))


# %% jvp of several
show(fn.jvp(lambda a, b: (a * b, a.sum()), (x, y), (y, x)), fn.jvp(lambda a: (a * 2, a), (x,), (y,), has_aux=True))


# %% jvp: no tuple
fn.jvp(lambda a: a * 2, x, x)


# %% jvp: another shape
fn.jvp(lambda a: a * 2, (x,), (torch.ones(2),))


# %% jvp: another structure
fn.jvp(lambda a: a * 2, (x,), (x, x))


# %% jvp of grad and grad of jvp
f = lambda a: (a ** 3 * y).sum()
show(fn.jvp(fn.grad(f), (x,), (y,)), fn.grad(lambda a: fn.jvp(f, (a,), (y,))[1])(x))


# %% linearize
out, push = fn.linearize(lambda a: a ** 3, x)
show(out, push(y), push(x))


# %% jacrev and jacfwd
f = lambda a: torch.stack([a.sum(), (a ** 2).prod(), a[0]])
show(fn.jacrev(f)(x), fn.jacfwd(f)(x))


# %% Jacobians of several
f = lambda a, b: (a * b, {"s": (a ** 2).sum()})
show(fn.jacrev(f, argnums=(0, 1))(x, y), fn.jacfwd(f, argnums=1)(x, y))


# %% Jacobians with aux
show(fn.jacrev(lambda a: (a * 2, a), has_aux=True)(x), fn.jacfwd(lambda a: (a * 2, a), has_aux=True)(x))


# %% hessian
show(fn.hessian(lambda a: (a ** 3).sum() * a[0])(x), fn.jacrev(fn.jacrev(lambda a: (a ** 3).sum()))(x))


# %% vmap
show(fn.vmap(lambda a: a * 2)(m), fn.vmap(torch.dot)(m, m), fn.vmap(lambda a: a.sum())(m), torch.vmap(torch.sin)(x))


# %% vmap over other dimensions
show(fn.vmap(lambda a: a.cumsum(0), in_dims=1, out_dims=1)(m), fn.vmap(lambda a, b: a * b, in_dims=(0, None))(m, x),
     fn.vmap(lambda a: (a, a.sum()), out_dims=(-1, 0))(m))


# %% vmap of dictionaries
show(fn.vmap(lambda d: {"s": d["a"] + d["b"]}, in_dims=({"a": 0, "b": None},))({"a": m, "b": x}))


# %% vmap of numbers
show(fn.vmap(lambda a, k: a * k, in_dims=(0, None))(m, 3))


# %% vmap in vmap
show(fn.vmap(fn.vmap(lambda a, b: a * b, in_dims=(None, 0)), in_dims=(0, None))(x, y))


# %% vmap with chunks
show(fn.vmap(lambda a: a ** 2, chunk_size=2)(torch.arange(5.0)))


# %% shapes inside vmap
fn.vmap(lambda a: (show(list(a.shape), a.dim(), a.numel(), a.stride()), a)[1])(m)


# %% views and writes inside vmap
def f(a):
    b = a.clone()
    b[0] = 7
    b[1:].mul_(2)
    return b.view(3, 1).t()
show(fn.vmap(f)(m))


# %% gradients of each example
f = lambda w, a: (w * a).sum() ** 2
show(fn.vmap(fn.grad(f), in_dims=(None, 0))(x, m))


# %% grad of vmap
show(fn.grad(lambda a: fn.vmap(lambda b: b.sin() * a.sum())(m).sum())(x))


# %% vmap with history
w = x.clone().requires_grad_()
out = fn.vmap(lambda a: a * w)(m)
out.sum().backward()
show(plain(out), w.grad)


# %% vmap: item
fn.vmap(lambda a: a.item())(x)


# %% vmap: branches
fn.vmap(lambda a: a if a > 0 else -a)(x)


# %% vmap: sizes
fn.vmap(lambda a, b: a * b)(x, torch.ones(2))


# %% vmap: a dimension too far
fn.vmap(lambda a: a, in_dims=1)(x)


# %% vmap: no tensor
fn.vmap(lambda a: a)(3)


# %% vmap: in_dims None
fn.vmap(lambda a: a, in_dims=None)(x)


# %% vmap: in_dims of another form
fn.vmap(lambda a: a, in_dims=(0, 0))(x)


# %% vmap: out_dims too far
fn.vmap(lambda a: a, out_dims=1)(x)


# %% vmap: out_dims of another form
fn.vmap(lambda a: (a, a), out_dims=(0,))(x)


# %% vmap: no tensor returned
fn.vmap(lambda a: 3)(x)


# %% vmap: random numbers
fn.vmap(lambda a: a + torch.rand(1))(x)


# %% vmap: the same random numbers
show(fn.vmap(lambda a: a * 0 + torch.rand(2), randomness="same")(x))


# %% vmap: unknown randomness
fn.vmap(lambda a: a, randomness="some")(x)


# %% Modules as functions
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 2), nn.Tanh())
p = {k: v.detach() * 2 for k, v in net.named_parameters()}
show(fn.functional_call(net, p, (x,)), plain(net(x)))


# %% Modules as functions: some parameters
torch.manual_seed(0)
net = nn.Linear(3, 2)
show(plain(fn.functional_call(net, {"bias": torch.ones(2)}, x)), fn.functional_call(net, [{"bias": torch.ones(2)}, {"weight": torch.ones(2, 3)}], (x,)))


# %% Modules as functions: wrong names
net = nn.Linear(3, 2)
show(attempt(lambda: fn.functional_call(net, {"bios": torch.ones(2)}, x, strict=True)))
show(attempt(lambda: fn.functional_call(net, [{"bias": torch.ones(2)}, {"bias": torch.ones(2)}], x)))


# %% gradients of a Module
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
p = {k: v.detach() for k, v in net.named_parameters()}
loss = lambda p, a: fn.functional_call(net, p, (a,)).pow(2).sum()
show(fn.grad(loss)(p, m), fn.vmap(fn.grad(loss), in_dims=(None, 0))(p, m))


# %% ensembles
torch.manual_seed(0)
nets = [nn.Linear(3, 2) for _ in range(3)]
p, b = fn.stack_module_state(nets)
show({k: (list(v.shape), v.requires_grad) for k, v in p.items()}, b)
show(plain(fn.vmap(lambda p, a: fn.functional_call(nets[0], p, (a,)), in_dims=(0, None))(p, m)))


# %% ensembles: none
fn.stack_module_state([])


# %% functionalize
def f(a):
    b = a.clone()
    b.view(-1).add_(1)
    return b
show(fn.functionalize(f)(x))


# %% a captured tensor is not written to
t = torch.zeros(())
show(attempt(lambda: fn.grad(lambda a: t.add_(a) * a)(torch.tensor(2.0))))
show(t)


# %% a Function inside grad
class Double(Function):
    @staticmethod
    def forward(a): return a * 2
    @staticmethod
    def setup_context(ctx, inputs, output): ctx.save_for_backward(*inputs)
    @staticmethod
    def backward(ctx, g): return g * 5 * ctx.saved_tensors[0]
show(fn.grad(lambda a: Double.apply(a).sum())(x))


# %% a Function without setup_context inside grad
class Double(Function):
    @staticmethod
    def forward(ctx, a): return a * 2
    @staticmethod
    def backward(ctx, g): return g * 5
fn.grad(lambda a: Double.apply(a).sum())(x)


# %% a Function with several results inside grad, twice
class Pair(Function):
    @staticmethod
    def forward(a, b, k): return a * b * k, a + b, 7
    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs[:2])
        ctx.k = inputs[2]
    @staticmethod
    def backward(ctx, g, h, _):
        a, b = ctx.saved_tensors
        return g * b * ctx.k + h, g * a * ctx.k + h, None
def f(a):
    p, q, seven = Pair.apply(a, a ** 2, 3)
    return (p * q * seven).sum()
show(fn.grad(f)(x), fn.jacrev(fn.grad(f))(x))


# %% no_grad outside and inside
with torch.no_grad():
    show(fn.grad(lambda a: (a * torch.enable_grad()(lambda: a * 2)()).sum())(x))


# %% set_grad_enabled inside
def f(a):
    with torch.set_grad_enabled(False): b = a * 2
    with torch.enable_grad(): c = a * 3
    return (a * b * c).sum()
show(fn.grad(f)(x))


# %% deep nesting
f = lambda a: (a ** 4).sum()
show(fn.vmap(fn.hessian(f))(m), fn.jvp(fn.grad(f), (x,), (y,)), fn.vmap(fn.vmap(fn.grad(lambda s: s ** 3)))(m),
     fn.grad(lambda a: fn.vjp(fn.grad(f), a)[1](y)[0].sum())(x))


# %% inside backward hooks and no leaks
seen = []
g = fn.grad(lambda a: (seen.append(a.sum() > -100), (a ** 2).sum())[1])(x)
show(g, len(seen))


# %% a loop of updates
p = x
for _ in range(5): p = p - 0.1 * fn.grad(lambda a: ((a - y) ** 2).sum())(p)
show(p)


# %% second order by MAML
w = torch.tensor(0.5, requires_grad=True)
def inner(v): return (v * 3 - 1) ** 2
adapted = w - 0.1 * fn.grad(inner)(w)
inner(adapted).backward()
show(w.grad)
