"""torch.func: gradient modes of several levels, and writes to arguments."""

fn = torch.func
grad, jacfwd, jacrev, jvp, vjp, vmap = fn.grad, fn.jacfwd, fn.jacrev, fn.jvp, fn.vjp, fn.vmap
x = torch.tensor(2.0)


def cut(x):
    with torch.no_grad():
        c = x ** 3
    return x ** 3 - c


def product(x):
    with torch.no_grad():
        d = x * 2
    return d * x


# %% no_grad: the level that it is in
show(grad(cut)(x), grad(grad(cut))(x), jvp(cut, (x,), (torch.tensor(1.0),)))


# %% no_grad: around an inner level
def shifted(x):
    with torch.no_grad():
        shift = grad(cut)(x)
    return grad(cut)(x) - shift


show(grad(shifted)(x), grad(grad(shifted))(x))


# %% no_grad: forward and reverse mode
show(jacfwd(product)(x), jacrev(product)(x), grad(product)(x), vjp(product, x)[1](torch.tensor(1.0)))


# %% no_grad: under an inner vmap
def mapped(x):
    with torch.no_grad():
        d = vmap(lambda y: y * x)(torch.ones(3)).sum()
    return d * x + vmap(product)(x.expand(2)).sum()


show(grad(mapped)(x), jacfwd(mapped)(x))


# %% no_grad: inside of a vmap
show(grad(lambda x: vmap(product)(x.expand(3)).sum())(x))


# %% no_grad: the tape outside
w = torch.tensor(3.0, requires_grad=True)


def with_captured(x):
    with torch.no_grad():
        d = w * x
    return d * x


found = grad(with_captured)(x)
show(found.detach(), found.requires_grad, torch.autograd.grad(found, w))


# %% no_grad: off outside
with torch.no_grad():
    show(grad(product)(x), grad(cut)(x), grad(with_captured)(x).requires_grad)


# %% writes: vmap of copy_
a = torch.zeros(3)
show(vmap(torch.Tensor.copy_)(a, torch.ones(3)), a, a._version)


# %% writes: through a view, another dimension, a structure
a, b, c = torch.zeros(3, 2), torch.zeros(3, 2), {"c": torch.zeros(3)}
vmap(lambda x: x[0].add_(1))(a)
vmap(lambda x: x.add_(1), in_dims=1)(b)
vmap(lambda c: c["c"].add_(1).sum())(c)
show(a, b, c)


# %% writes: nested vmaps, and a view of the caller's
a, b = torch.zeros(2, 3), torch.zeros(3, 4)
vmap(vmap(lambda x: x.add_(1)))(a)
vmap(lambda x: x.mul_(0).add_(2))(b[:, 1:3])
show(a, b)


# %% writes: in pieces
a = torch.zeros(5)
vmap(lambda x, y: x.copy_(y * 2), chunk_size=2)(a, torch.arange(5.0))
show(a)


# %% writes: with history
y = w * torch.ones(3)
vmap(lambda y: y.mul_(2))(y)
show(y.detach(), y.requires_grad, torch.autograd.grad(y.sum(), w))


# %% writes: jvp
a = torch.ones(3)
show(jvp(lambda x: x.mul_(2), (a,), (torch.ones(3),)), a)


# %% writes: to what grad does not differentiate by
a = torch.zeros(3)


def noting(x, note):
    note["a"].add_(x.detach())
    return (x * note["a"]).sum()


show(grad(noting)(torch.ones(3), {"a": a}), a)


# %% writes: running statistics
norm = torch.nn.BatchNorm1d(2)
parameters, buffers = dict(norm.named_parameters()), {k: v.clone() for k, v in norm.named_buffers()}
values = torch.arange(10.0).view(5, 2)
grad(lambda p, b, x: fn.functional_call(norm, (p, b), (x,)).square().sum())(parameters, buffers, values)
show(buffers)


# %% writes: to a leaf
show(attempt(lambda: grad(lambda x: x.mul_(2).sum())(torch.ones(3))))


# %% the tape inside: autograd.grad by an argument of grad
def squared_slope(x):
    slope, = torch.autograd.grad((x ** 3).sum(), x, create_graph=True)
    return (slope ** 2).sum()


show(grad(squared_slope)(torch.tensor([1.0, 2.0])), vmap(grad(squared_slope))(torch.tensor([[1.0, 2.0], [3.0, 4.0]])))


# %% the tape inside: without create_graph the gradient is a constant
show(grad(lambda x: (torch.autograd.grad((x ** 3).sum(), x)[0] * x).sum())(torch.tensor([1.0, 2.0])))


# %% the tape inside: arguments require grad
seen = []
grad(lambda x: (seen.append(x.requires_grad), x.sum())[1])(torch.ones(2))
torch.func.vjp(lambda x: (seen.append(x.requires_grad), x * 2)[1], torch.ones(2))
show(seen)


# %% writes: without grad they leave the derivative as it was
def clamped(x):
    y = x * 2
    with torch.no_grad():
        y.clamp_(min=3.0)
        y[0].mul_(2)
    return (y * y).sum()


x = torch.tensor([[1.0, 2.0], [3.0, -1.0]])
show(grad(clamped)(x), jvp(clamped, (x,), (x,)), grad(lambda x: grad(clamped)(x).sum())(x))
show(grad(lambda x: torch.nn.functional.cosine_similarity(x, x.detach().flip(0)).sum())(x))
