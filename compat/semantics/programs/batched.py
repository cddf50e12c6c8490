A = torch.autograd.functional
fwAD = torch.autograd.forward_ad
vmap = torch.func.vmap
x, m = torch.tensor([1.0, 2.0, 3.0]), torch.arange(6.0).reshape(2, 3)
STRATEGIES = ("forward-mode", "reverse-mode")


def jacobians(f, *inputs):
    given = inputs[0] if len(inputs) == 1 else inputs
    for strategy in STRATEGIES:
        calls = []

        def counted(*args):
            calls.append(None)
            return f(*args)

        show(strategy, attempt(A.jacobian, counted, given, vectorize=True, strategy=strategy), len(calls))


def hessians(f, *inputs):
    given = inputs[0] if len(inputs) == 1 else inputs
    for strategy in STRATEGIES:
        calls = []

        def counted(*args):
            calls.append(None)
            return f(*args)

        found = A.hessian(counted, given, vectorize=True, outer_jacobian_strategy=strategy)
        show(strategy, [[b.detach() for b in row] for row in found] if len(inputs) > 1 else found.detach(), len(calls))


def batched(f, hook=None, count=2):
    a = x.clone().requires_grad_()
    y = f(a)
    if hook is not None:
        y.register_hook(hook)
    given = torch.arange(float(count * y.numel())).reshape(count, *y.shape)
    return torch.autograd.grad(y, a, given, is_grads_batched=True)[0]


# %% jacobian: one call
jacobians(lambda a: a.sin(), x)

# %% jacobian: several outputs
jacobians(lambda a: (a.sin(), a.sum(), torch.ones(2)), x)

# %% jacobian: several inputs
jacobians(lambda a, b: (a * b, b.exp()), x, x + 1)
jacobians(lambda a, b: a @ b, x, x + 1)

# %% jacobian: values of what is differentiated
jacobians(lambda a: a * a.sum().item(), x)
jacobians(lambda a: a * a.detach().sum().item(), x)
jacobians(lambda a: a * a if a.sum() > 0 else a, x)
jacobians(lambda a: a * float(a.detach().numpy().sum()), x)

# %% jacobian: indices of what is differentiated
jacobians(lambda a: a[a.nonzero()[:, 0]] * a[a > 1].sum(), x)

# %% jacobian: writes
jacobians(lambda a: a.clone().mul_(a), x)
jacobians(lambda a: torch.zeros(3).add_(a), x)


def f(a):
    b = torch.zeros(2, 3)
    b[0] = a * a
    b[:, 1] *= a[0]
    return b


jacobians(f, x)

# %% jacobian: random numbers
jacobians(lambda a: a * torch.ones(3).bernoulli_(1.0), x)

# %% jacobian: a custom Function
class F1(Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        ctx.save_for_forward(a)
        return a * a

    @staticmethod
    def backward(ctx, g):
        return 2 * g * ctx.saved_tensors[0]

    @staticmethod
    def jvp(ctx, t):
        return 3 * t * ctx.saved_tensors[0]


jacobians(F1.apply, x)

# %% hessian
hessians(lambda a: (a ** 3).sum(), x)
hessians(lambda a: a.prod(), x)
hessians(lambda a: a.softmax(0)[0], x)

# %% hessian: several inputs
hessians(lambda a, b: (a * b).sum() ** 2, x, x + 1)

# %% grads: as one by one
show(batched(lambda a: a.sin() * 2))
show(batched(lambda a: (a * 2).mul_(a)))
show(batched(lambda a: a[torch.tensor([0, 1])] * a.sum()))
show(batched(lambda a: (a.outer(a) @ a).softmax(0)))

# %% grads: None among several
a, b = x.clone().requires_grad_(), x.clone().requires_grad_()
y, z = a * 2, b * 3
show(torch.autograd.grad([y, z.sum()], [a, b], [torch.eye(3), torch.ones(3)], is_grads_batched=True))
show(torch.autograd.grad(a * 2, [a, b], torch.eye(3), is_grads_batched=True, allow_unused=True))
show(attempt(torch.autograd.grad, a * 2, [a, b], torch.eye(3), is_grads_batched=True))

# %% grads: a hook runs once
seen = []


def hook(g):
    seen.append(tuple(g.shape))
    return g * 2


show(batched(lambda a: a.sin(), hook), seen)

# %% grads: a hook that needs values
show(attempt(batched, lambda a: a.sin(), lambda g: g * g.sum().item()))
show(attempt(batched, lambda a: a.sin(), lambda g: g * 2 if g.sum() > 0 else g))

# %% grads: a hook that needs random numbers
show(attempt(batched, lambda a: a.sin(), lambda g: g * torch.rand(3)))

# %% grads: backward of a Function runs once
seen = []


class F1(Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return a * a

    @staticmethod
    def backward(ctx, g):
        seen.append(tuple(g.shape))
        return 2 * g * ctx.saved_tensors[0]


show(batched(F1.apply), seen)

# %% grads: backward of a Function that needs values
class F1(Function):
    @staticmethod
    def forward(ctx, a):
        return a * a

    @staticmethod
    def backward(ctx, g):
        return 2 * g * float(g.sum())


show(attempt(batched, F1.apply))

# %% grads: backward of a Function that writes
class F1(Function):
    @staticmethod
    def forward(ctx, a):
        return a * a

    @staticmethod
    def backward(ctx, g):
        z = torch.zeros(3)
        z.copy_(g)
        return z


class F2(F1):
    @staticmethod
    def backward(ctx, g):
        z = torch.zeros_like(g)
        z.copy_(g)
        return z


warnings.simplefilter("ignore")
show(attempt(batched, F1.apply), attempt(batched, F2.apply))

# %% grads: backward of a Function that ignores its gradient
class F1(Function):
    @staticmethod
    def forward(ctx, a):
        return a * a

    @staticmethod
    def backward(ctx, g):
        return torch.ones(3)


show(batched(F1.apply))

# %% grads: freed afterwards
a = x.clone().requires_grad_()
y = a.sin()
torch.autograd.grad(y, a, torch.eye(3), is_grads_batched=True)
show(attempt(torch.autograd.grad, y, a, torch.eye(3), is_grads_batched=True))

# %% grads: retained
a = x.clone().requires_grad_()
y = a.sin()
for _ in range(2):
    show(torch.autograd.grad(y, a, torch.eye(3), is_grads_batched=True, retain_graph=True))

# %% grads: differentiated again
a = x.clone().requires_grad_()
g, = torch.autograd.grad(a ** 3, a, torch.eye(3), is_grads_batched=True, create_graph=True)
show(g.detach(), torch.autograd.grad(g.sum(), a))

# %% duals under torch.func
with fwAD.dual_level():
    d = fwAD.make_dual(m, m + 1)
    for f in (vmap(lambda a: a * a), torch.func.grad(lambda a: (a ** 3).sum()), lambda a: torch.func.vjp(torch.sin, a)[1](m)[0],
              lambda a: torch.func.jacrev(lambda b: b.sum(0) ** 2)(a)):
        show(fwAD.unpack_dual(f(d)))

# %% duals made under vmap
def push(p, t):
    with fwAD.dual_level():
        return fwAD.unpack_dual(fwAD.make_dual(p, t).sin()).tangent


show(attempt(vmap(push, (None, 0)), x, m), attempt(vmap(push), m, m), attempt(vmap(push, (0, None)), m, x))

# %% singular values
a = m + torch.eye(2, 3)
for given in (a, a.mT, torch.complex(a, m), torch.stack([a, m * 2 + 1])):
    with fwAD.dual_level():
        show(fwAD.unpack_dual(torch.linalg.svdvals(fwAD.make_dual(given, given + 1))))
    b = given.clone().requires_grad_()
    torch.linalg.svdvals(b).sum().backward()
    show(b.grad, torch.linalg.svdvals(b).grad_fn.name())
show(torch.func.grad(lambda a: torch.linalg.svdvals(a).sum())(a), torch.func.jvp(torch.linalg.svdvals, (a,), (m,)))
