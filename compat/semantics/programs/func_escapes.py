"""torch.func: what a function leaves behind when its transform has ended."""

fn = torch.func
grad, jacfwd, jacrev, jvp, linearize, vjp, vmap = (
    fn.grad, fn.jacfwd, fn.jacrev, fn.jvp, fn.linearize, fn.vjp, fn.vmap)
x = torch.tensor([1.0, 2.0])
kept = []


def leaves(x):
    y = x * 2
    z = y + 1
    kept.extend((y, z.detach(), y[0], torch.ones(2)))
    return (z * y).sum()


def left():
    found = [(y.tolist(), (y * 2).tolist()) for y in kept]
    kept.clear()
    return found


# %% derivatives: the values, each time that it is called
for _ in range(3):
    show(grad(leaves)(x), left())
    show(jvp(leaves, (x,), (x,)), left())
    show(vjp(leaves, x)[1](torch.tensor(1.0)), left())
    show(linearize(leaves, x)[1](x), left()[:4])  # which PyTorch runs twice


# %% levels: the values of all of them
show(grad(lambda x: grad(leaves)(x).sum())(x), left())
show(jvp(lambda x: grad(leaves)(x), (x,), (x,)), left())


# %% between levels: a value of an inner one is used by the outer one
def between(x):
    g = grad(leaves)(x)
    return (g * kept[0]).sum() + kept[1].sum()


for _ in range(2):
    show(grad(between)(x), left())


# %% modules: a field
class Seen(torch.nn.Module):
    def forward(self, x):
        self.seen = x.tanh()
        return self.seen.sum()


module = Seen()
show(grad(module)(x), (module.seen + 1).tolist())


# %% tensors that require grad: the history that the tape has
w = torch.tensor(3.0, requires_grad=True)


def captured(x):
    kept.append(w * x)
    return kept[-1].sum()


show(grad(captured)(x).tolist(), kept[0].tolist())
(kept.pop() * 2).sum().backward()
show(w.grad)


# %% vmap: nothing that differs between slices
for _ in range(2):
    vmap(leaves)(x)
    for use in (lambda y: y + 1, lambda y: torch.stack([y, y]), lambda y: y.clone(), lambda y: y.view(1, -1),
                lambda y: torch.ones(2) * y, lambda y: vmap(lambda a: a * y)(torch.ones(2, 2)),
                lambda y: grad(lambda a: (a * y).sum())(torch.ones(2))):
        try:
            use(kept[0])
        except RuntimeError as error:
            show(str(error).partition(", or")[0])
    show(kept[0].shape, kept[3].tolist())
    kept.clear()


# %% vmap: per-sample gradients and Jacobians
for transform in (vmap(grad(leaves)), vmap(jacrev(leaves)), jacfwd(lambda x: x * leaves(x))):
    transform(x)
    try:
        show(kept[0] + 1)
    except RuntimeError as error:
        show(str(error).partition(", or")[0])
    kept.clear()
