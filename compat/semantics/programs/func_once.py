"""torch.func: what is differentiated later is what the function did. It ran once, and what it read may have changed."""

import warnings

fn = torch.func
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
w = torch.tensor([0.5, -0.6, 0.7], requires_grad=True)


def gradients(out, *of):
    """First and second derivatives of what a transform gave."""
    first = torch.autograd.grad(out.sum(), of, create_graph=True, allow_unused=True)
    moving = [g for g in first if g is not None and g.requires_grad]
    second = torch.autograd.grad([g.sum() for g in moving], of, allow_unused=True) if moving else ()
    return [g if g is None else g.detach() for g in first], second


# %% a variable that the function reads
factor, calls = 3, []

def read(t):
    calls.append(factor)
    return (t * t * w * factor).sum()

out = fn.grad(read)(x)
factor = 50
show(out.detach(), gradients(out, x, w), calls)


# %% a captured name that is another tensor later
scale = w * 2
out = fn.vmap(lambda t: t * t * scale)(x)
scale = torch.zeros(3)
show(gradients(out, x, w))


# %% a branch on values
out = fn.grad(lambda t: (t ** 3 if t.sum() > 5 else t).sum() * w.sum())(x)
x.data.zero_()
show(out.detach(), torch.autograd.grad(out.sum(), w))


# %% results that depend on nothing
show(fn.grad(lambda t: torch.where(t > 0, t, t * 3).sum())(x).requires_grad, fn.grad(lambda t: t.sum())(x).requires_grad,
     fn.vmap(lambda t: t.detach() * 2)(x).requires_grad, fn.vmap(lambda t: (t > 1) * 2.0)(x).requires_grad,
     fn.vmap(lambda t: t * 2)(x).requires_grad, fn.jacrev(lambda t: t * 2)(x).requires_grad)


# %% results that depend on one of several
value = fn.vmap(lambda t, u: (t * 2, u.detach() * 3, t * u))(x, w)
show([v.requires_grad for v in value], gradients(value[2], x, w))


# %% no_grad inside
quiet = torch.no_grad()
show(fn.grad(quiet(lambda t: t.tanh().sum()))(x), fn.vmap(quiet(lambda t: t.tanh()))(x).requires_grad,
     fn.grad(lambda t: (quiet(torch.tanh)(t) * t).sum())(x).requires_grad)


# %% vjp: the kept map, again and again
out, pull = fn.vjp(lambda t: t * t * w, x)
v = torch.tensor([1.0, 2.0, -1.0], requires_grad=True)
first, second = pull(v)[0], pull(v * 2)[0]
show(gradients(first, x, w, v), gradients(second, x, w, v), gradients(out, x, w))


# %% vjp: the kept map under vmap and under no_grad
out, pull = fn.vjp(lambda t: t.sin() * w, x)
rows = fn.vmap(pull)(torch.eye(3))[0]
with torch.no_grad():
    quietly = pull(torch.ones(3))[0]
show(gradients(rows, x, w), quietly.requires_grad, quietly)


# %% jvp, jacobians, hessians
ones = torch.ones(3)
show(gradients(fn.jvp(lambda t: t.sin() * w, (x,), (ones,))[1], x, w), gradients(fn.jacrev(lambda t: t ** 3 * w)(x), x, w),
     gradients(fn.jacfwd(lambda t: t ** 3 * w)(x), x, w), gradients(fn.hessian(lambda t: (t ** 4 * w).sum())(x), x, w))


# %% per-sample gradients
rows = torch.tensor([[1.0, 2.0, 3.0], [0.5, -1.0, 0.25]])
out = fn.vmap(fn.grad(lambda p, r: ((p * r).sum() - 1) ** 3), (None, 0))(w, rows)
show(gradients(out, w))


# %% a source that is written to after the call
y = x * 1
out = fn.vmap(lambda t: t * 2 + 1)(y)
y.add_(1)
show(torch.autograd.grad(out.sum(), x))


# %% values that leave the function
kept = []
fn.grad(lambda t: (kept.append(w * 2) or t * w).sum())(x)
show(kept[0].detach())


# %% a write of a captured value that requires grad
buffer = torch.zeros(3)
fn.grad(lambda t: (t * buffer.copy_(w.detach() * 2)).sum())(x.detach())
show(buffer)


# %% random numbers
torch.manual_seed(3)
out = fn.vmap(lambda t: t * w * torch.rand(3), randomness="different")(x)
after = torch.rand(1)
show(out.detach(), gradients(out, x, w), after, torch.rand(1))


# %% saved-tensor hooks
with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
    show(attempt(lambda: fn.grad(lambda t: t.sum())(x)), attempt(lambda: fn.vjp(lambda t: t, x)),
         attempt(lambda: fn.jacrev(lambda t: t)(x)), attempt(lambda: fn.vmap(lambda t: t * 2)(x).detach()))


# %% complex
z = torch.tensor([1 + 2j, 0.5 - 1j], requires_grad=True)
out = fn.vmap(lambda t: (t * t.conj()).real * t.abs())(z)
show(torch.autograd.grad(out.sum(), z), torch.autograd.grad(fn.grad(lambda t: (t * t).abs().sum())(z).abs().sum(), z))


# %% a checkpoint and a custom Function inside
class Cube(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(t):
        return t ** 3

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, g):
        return g * 30 * ctx.saved_tensors[0] ** 2  # ten times too much

show(gradients(fn.vmap(lambda t: Cube.apply(t) * w)(x), x, w), gradients(fn.grad(lambda t: Cube.apply(t).sum())(x), x))


# %% running statistics
means, variances = torch.zeros(2, dtype=torch.double), torch.ones(2, dtype=torch.double)
normed = lambda t: (torch.nn.functional.batch_norm(t, means, variances, training=True) ** 3).sum()
rows = torch.tensor([[1., 2.], [4., -1.], [0.5, 3.]], dtype=torch.double)
show(fn.jvp(normed, (rows,), (rows * 2,)), means, fn.grad(normed)(rows), means, fn.jacfwd(normed)(rows), variances, means._version)
show(attempt(lambda: fn.vmap(normed)(rows.expand(2, 3, 2))), means, fn.vmap(normed, in_dims=1)(rows.reshape(3, 1, 2)), means)
instances = lambda t: (torch.nn.functional.instance_norm(t, means, variances) ** 3).sum()
several = torch.arange(12, dtype=torch.double).reshape(2, 2, 3) ** 1.5
show(fn.jvp(instances, (several,), (several * 2,)), means, fn.grad(instances)(several), variances, means._version)


# %% one slice after the other
numbers = torch.tensor([[1, 2, 2], [0, 0, 2]])
values = torch.tensor([[1., 0., 2.], [0., 3., 2.]])
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    show(fn.vmap(torch.bincount)(numbers), fn.vmap(torch.argwhere)(values), fn.vmap(lambda t: torch.histogram(t, 3))(values),
         fn.vmap(fn.vmap(torch.bincount))(torch.stack([numbers, numbers])),
         fn.vmap(lambda t: torch.nonzero_static(t, size=4))(values))
    show(attempt(lambda: fn.vmap(torch.argwhere)(torch.tensor([[1, 0, 2], [0, 0, 2]]))),
         attempt(lambda: fn.vmap(fn.grad(lambda t: torch.bincount(numbers[0], t).sum()))(values)))
    show(fn.vmap(lambda a, b: torch.linspace(a, b, 4))(values[0], values[1]), fn.vmap(lambda a: torch.logspace(a, 2, 3))(values[0]),
         fn.vmap(fn.grad(lambda t: (t * torch.linspace(t, 1, 3)).sum()))(values[0]))
    loss = torch.nn.functional.multi_margin_loss
    show(fn.vmap(loss)(values, numbers[:, 0]), fn.vmap(fn.grad(loss))(values, numbers[:, 0]),
         attempt(lambda: fn.vmap(loss)(values, numbers[:, 0] + 7)))


# %% pack hooks around a vmap of a captured tensor need no values of the batch
w = torch.arange(6.).reshape(2, 3).requires_grad_()
with torch.autograd.graph.saved_tensors_hooks(lambda t: t.numpy(force=True).copy(), torch.tensor):
    y = torch.func.vmap(lambda t, u: t * u, (0, None))(w, w)
y.sum().backward()
show(y.detach(), w.grad)


# %% cotangents of other dtypes than the output
out, pull = fn.vjp(lambda t: t * 2, torch.ones(2))
show(*(attempt(lambda: pull(torch.ones(2, dtype=dtype))) for dtype in
       (torch.float64, torch.float16, torch.int64, torch.bool, torch.complex64)))


# %% vmap gives back an argument itself, or its dimensions in another order
x = torch.arange(6.).view(2, 3).requires_grad_()
for dims in ((0, 0), (1, 0), (0, 1), (-1, -1), (1, -1)):
    y = fn.vmap(lambda t: (t, t * 2), dims[0], (dims[1], 0))(x)[0]
    show(y is x, y, y.stride(), y._is_view(), type(y.grad_fn).__name__)
x = torch.arange(6.).view(2, 3)
y = fn.vmap(lambda t: t.mul_(2), 1, 0)(x)
y.add_(1)
show(x, y, fn.vmap(lambda t: t.mul_(2), 1, 1)(x) is x, fn.vmap(lambda t: fn.vmap(lambda u: u)(t))(x) is x)
show(fn.grad(lambda t: fn.vmap(lambda u: u)(t).sin().sum())(x), fn.jvp(fn.vmap(lambda u: u, 1, 0), (x,), (x,)))


# %% the graph of a vmap that saves nothing is not freed
for function in (lambda t: t[None] - t, lambda t: -t.flip(0), lambda t: t.sum().expand(3), lambda t: torch.cat([t, t]) + 1,
                 lambda t: t * 2, lambda t: t.sin() + t):
    x = torch.ones(2, 3, requires_grad=True)
    y = fn.vmap(function)(x)
    y.sum().backward()
    show(attempt(lambda: y.mean().backward()), x.grad)
