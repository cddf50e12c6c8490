grad, hessian, jacfwd, jacrev, jvp, vjp, vmap, linearize = (
    getattr(torch.func, name) for name in ("grad", "hessian", "jacfwd", "jacrev", "jvp", "vjp", "vmap", "linearize"))
x, m = torch.tensor([1.0, 2.0, 3.0]), torch.arange(6.0).reshape(2, 3)
i = torch.tensor([0, 1, 2])
WRITES = {
    "add_": lambda c, a: c.add_(a), "add_ of a number": lambda c, a: c.add_(1), "mul_": lambda c, a: c.mul_(a),
    "copy_": lambda c, a: c.copy_(a), "an element": lambda c, a: c.__setitem__(0, a[0]),
    "a slice": lambda c, a: c.__setitem__(slice(0, 2), a[:2]), "fill_": lambda c, a: c.fill_(a[0]),
    "zero_": lambda c, a: c.zero_(), "positions": lambda c, a: c.__setitem__(i[:2], a[:2]),
    "a view": lambda c, a: c[:2].add_(a[:2]), "+=": lambda c, a: c.__iadd__(a), "clamp_": lambda c, a: c.clamp_(min=a),
    "div_": lambda c, a: c.div_(a), "scatter_": lambda c, a: c.scatter_(0, i, a), "lerp_": lambda c, a: c.lerp_(a, 0.5),
    "sub_": lambda c, a: c.sub_(a), "addcmul_": lambda c, a: c.addcmul_(a, a), "exp_": lambda c, a: c.exp_(),
    "pow_": lambda c, a: c.pow_(a), "pow_ of a number": lambda c, a: c.pow_(2), "uniform_": lambda c, a: c.uniform_(),
    "masked_fill_": lambda c, a: c.masked_fill_(c == 0, a[0]), "index_add_": lambda c, a: c.index_add_(0, i, a),
    "addmv_": lambda c, a: c.addmv_(torch.eye(3), a),
}


def captured(transform, names=WRITES):
    warnings.simplefilter("ignore")  # of how fast PyTorch is
    for name in names:
        c = torch.zeros(3)

        def f(a, c=c, name=name):
            WRITES[name](c, a)
            return (a * a).sum()

        show(name, attempt(transform, f), c)


# %% captured: grad
captured(lambda f: grad(f)(x))

# %% captured: vjp
captured(lambda f: vjp(f, x)[0], ("add_", "zero_", "copy_"))

# %% captured: jvp
captured(lambda f: jvp(f, (x,), (x,)), ("add_", "zero_", "copy_"))

# %% captured: Jacobians
captured(lambda f: jacfwd(f)(x), ("add_", "zero_", "copy_"))
captured(lambda f: jacrev(f)(x), ("add_", "zero_", "copy_"))

# %% captured: vmap
captured(lambda f: vmap(f)(m))

# %% captured: grad of vmap
captured(lambda f: grad(lambda a: vmap(f)(a).sum())(m), ("add_ of a number", "zero_", "exp_"))

# %% captured: vmap of grad
captured(lambda f: vmap(grad(f))(m), ("add_ of a number", "zero_", "exp_"))

# %% captured: of the outer grad by the inner one
def f(a):
    b = a * 2
    return grad(lambda c: (b.add_(1) * c).sum())(a).sum()


show(attempt(grad(f), x))

# %% captured: with try
def f(a):
    try:
        c.add_(a)
    except RuntimeError as error:
        show(str(error)[:40])
    return a.sum()


c = torch.zeros(3)
show(grad(f)(x), c)

# %% made inside: grad
def f(a):
    c = torch.zeros(3)
    c.add_(1)
    c.add_(a)
    d = torch.tensor([1.0, 2.0, 3.0])
    d[0] = a[1]
    d.mul_(2)
    e = d.clone()
    float(e.detach().sum())
    k = torch.ones(3)
    float(k.sum())
    k.add_(1)
    return (c * d * e.add_(k)).sum()


show(grad(f)(x), vjp(f, x)[0], jvp(f, (x,), (x,)), jacfwd(f)(x), jacrev(f)(x))

# %% made inside: the outer grad, written to after the inner one
def f(a):
    c = torch.zeros(3)
    g = grad(lambda b: (b * b).sum())(a)
    c.add_(g)
    return (c * a).sum()


show(grad(f)(x))

# %% made inside: given
for f in (lambda a: a.mul_(2).sum(), lambda a: a[:1].mul_(2).sum(), lambda a: (a.__setitem__(0, 1.0), a.sum())[1]):
    show(attempt(grad(f), x.clone()), attempt(jacrev(f), x.clone()), attempt(jacfwd(f), x.clone()))
    show(attempt(lambda: jvp(f, (x.clone(),), (x.clone(),))), attempt(lambda: vjp(f, x.clone())[0]))
    show(attempt(vmap(grad(f)), m.clone()), attempt(grad(lambda b: vmap(f)(b).sum()), m.clone()))

# %% made inside: vmap
for make in (lambda a: torch.zeros_like(a), lambda a: a.new_zeros(3), lambda a: a.clone(), lambda a: torch.empty_like(a).zero_()):
    show(vmap(lambda a: make(a).add_(a).mul_(a))(m))

# %% made inside: vmap, one for all
warnings.simplefilter("ignore")
show(attempt(vmap(lambda a: torch.zeros(3).add_(a)), m))
show(attempt(vmap(lambda a: torch.zeros(3).copy_(a)), m))
show(attempt(vmap(lambda a: torch.zeros(3).__setitem__(0, a[0])), m))
show(attempt(vmap(lambda a: vmap(lambda b: torch.zeros(()).add_(b))(a)), m))
show(attempt(vmap(lambda a: vmap(lambda b: a.clone().add_(b))(a)), m))
show(attempt(vmap(lambda a: vmap(lambda b: a.clone().clamp_(min=b))(a)), m))

# %% values under vmap
for name, f in {
        "item": lambda a: a.sum().item(), "float": lambda a: float(a.sum()), "int": lambda a: int(a.sum()),
        "bool": lambda a: bool(a.sum()), "if": lambda a: a if a.sum() > 0 else -a, "tolist": lambda a: a.tolist(),
        "numpy": lambda a: a.numpy(), "index": lambda a: a[int(a[0])], "arange": lambda a: torch.arange(a[0]),
        "slice": lambda a: a[:a[0].long()], "format": lambda a: f"{a.sum():.2f}", "nonzero": lambda a: a.nonzero(),
        "nonzero as tuple": lambda a: a.nonzero(as_tuple=True), "where": lambda a: torch.where(a > 0),
        "masked_select": lambda a: a.masked_select(a > 0), "a mask": lambda a: a[a > 0], "unique": lambda a: a.unique(),
        "unique_consecutive": lambda a: a.unique_consecutive(), "equal": lambda a: torch.equal(a, a),
        "allclose": lambda a: torch.allclose(a, a), "one_hot": lambda a: F.one_hot(a.long()),
        "tensor_split": lambda a: a.tensor_split(a.long()), "backward": lambda a: a.sum().backward(),
        "requires_grad_": lambda a: a.requires_grad_()}.items():
    show(name, attempt(vmap(f), m))

# %% values under vmap: of what is one for all
show(vmap(lambda a: a[x > 1.5])(m), vmap(lambda a: a[x.argmax().item()])(m), vmap(lambda a: a * x.nonzero().sum())(m))

# %% vmap: one_hot, indices and counts
warnings.simplefilter("ignore")
show(vmap(lambda a: F.one_hot(a.long(), 6))(m), vmap(lambda a: a[a[:1].long() % 3])(m), vmap(lambda a: a[a[0].long() % 3])(m))
show(vmap(lambda a: a.count_nonzero())(m), vmap(lambda a: a.sort()[0])(m), vmap(lambda a: a.masked_scatter(a > 1, a))(m))

# %% backward inside
show(attempt(grad(lambda a: (a.sum().backward(), a.sum())[1]), x))

# %% complex Jacobians
z = torch.tensor([1 + 2j, 3 - 1j])
for transform in (jacrev, jacfwd, hessian):
    show(attempt(transform(lambda a: a ** 2), z), attempt(transform(lambda a: torch.complex(a, a)), x))
show(attempt(grad(lambda a: (a * a).sum()), z), grad(lambda a: (a * a.conj()).real.sum())(z))
show(vjp(lambda a: a ** 2, z)[1](z), jvp(lambda a: a ** 2, (z,), (z,)))

# %% Jacobians of several outputs and inputs
f = lambda a, b: (a * b, {"k": (a + 1).sum(), "j": b.outer(a)})
show(jacrev(f, (0, 1))(x, x + 1))
show(jacfwd(f, (0, 1))(x, x + 1))
show(jacrev(f, argnums=1)(x, x + 1), jacfwd(f, argnums=1)(x, x + 1))

# %% vjp: the function runs once
calls = []


def f(a):
    calls.append(None)
    return a.sin() * a


out, pull = vjp(f, x)
show(out, pull(torch.ones(3)), pull(x), len(calls))

# %% vjp: retain_graph
out, pull = vjp(lambda a: a.sin(), x)
show(pull(x, retain_graph=False), attempt(pull, x))

# %% vjp: of vjp
out, pull = vjp(lambda a: a.sin() * a, x)
show(vjp(pull, x)[1]((x,)), jvp(pull, (x,), (x,)))

# %% vjp: inside grad
show(grad(lambda a: vjp(lambda b: b ** 3, a)[1](a)[0].sum())(x))

# %% vjp: with history
w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
calls = []


def f(a):
    calls.append(None)
    return a * w * w


out, pull = vjp(f, x)
g, = pull(torch.ones(3))
show(len(calls))
g.sum().backward()
show(g.detach(), w.grad)
w.grad = None
(out * 2).sum().backward()
show(w.grad)

# %% vjp: the cotangent has history
v = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
out, pull = vjp(lambda a: a ** 3, x)
pull(v)[0].sum().backward()
show(v.grad)

# %% vjp: random numbers
torch.manual_seed(0)
out, pull = vjp(lambda a: a * torch.rand(3), x)
show(out, pull(torch.ones(3)), pull(torch.ones(3)))

# %% linearize
out, push = linearize(lambda a: a.sin() * a, x)
show(out, push(x), push(torch.ones(3)))

# %% linearize: of several
out, push = linearize(lambda a, b: (a * b, {"k": a.sum()}), x, x + 1)
show(out, push(x, x), push(torch.zeros(3), x))

# %% linearize: the function runs once
calls = []


def f(a):
    calls.append(None)
    return a.sin()


out, push = linearize(f, x)
count = len(calls)
push(x), push(x)
show(len(calls) - count)

# %% linearize: another shape, dtype, structure
out, push = linearize(lambda a: a.sin(), x)
show(attempt(push, torch.ones(2)), attempt(push, torch.ones(3, dtype=torch.float64)), attempt(push, x, x))

# %% linearize: against jvp and vjp
f = lambda a: (a.exp() @ a) * a
show(linearize(f, x)[1](x + 1), jvp(f, (x,), (x + 1,))[1], vjp(f, x)[1](x + 1))


# %% dtypes without derivatives
ints, floats = torch.tensor([1, 0]), torch.ones(2)
for f in (lambda: fn.jacrev(lambda t: t.exp())(ints), lambda: fn.vjp(lambda t: t * 2, ints), lambda: fn.grad(lambda t: t.sum())(ints),
          lambda: fn.jacfwd(lambda t: t * 2)(ints), lambda: fn.jvp(lambda t: t * 2, (ints,), (ints,)),
          lambda: fn.hessian(lambda t: t.sum())(ints), lambda: fn.linearize(lambda t: t * 2, ints)[0],
          lambda: fn.jacrev(lambda t: t > 0)(floats), lambda: fn.vjp(lambda t: t > 0, floats),
          lambda: fn.grad(lambda t: (t > 0).sum())(floats), lambda: fn.jvp(lambda t: t > 0, (floats,), (floats,))):
    show(attempt(f))
