"""gradcheck and gradgradcheck: their options and texts."""

x = torch.tensor([0.3, -1.2, 2.0], requires_grad=True)
z = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)

from_autograd = torch.autograd
gradcheck, gradgradcheck = torch.autograd.gradcheck, torch.autograd.gradgradcheck
def double(*values, dtype=torch.float64):
    return torch.tensor(values if len(values) > 1 else values[0], dtype=dtype, requires_grad=True)
x = double(0.3, -1.2, 2.0)
y = double([[1.0, 2.0, 3.0], [0.5, 0.1, 0.2]])
c = double(1 + 2j, -0.5j, 3.0, dtype=torch.complex128)
count = [0]
def made(backward, forward=lambda ctx, a: (ctx.save_for_backward(a), a * a)[1]):
    return type('F', (Function,), dict(forward=staticmethod(forward), backward=staticmethod(backward))).apply
wrong = made(lambda ctx, g: g * 3 * ctx.saved_tensors[0])


# %% right
show(gradcheck(lambda a: a * a, x))


# %% two inputs, two outputs
show(gradcheck(lambda a, b: (a * b, (a + b).sum()), (x, y)))


# %% numbers and integers
show(gradcheck(lambda a, n, b: a * n * b, (x, 2, torch.arange(3))))


# %% wrong
gradcheck(wrong, x)


# %% wrong, no exception
show(gradcheck(wrong, x, raise_exception=False))


# %% wrong, fast
show(gradcheck(wrong, x, raise_exception=False, fast_mode=True))


# %% right, fast
show(gradcheck(lambda a: a.exp(), x, fast_mode=True))


# %% wrong second output
gradcheck(lambda a, b: (a * b, wrong(a) * b), (x, y))


# %% not multiplied
f = made(lambda ctx, g: torch.full((1,), 2.0, dtype=torch.float64), lambda ctx, a: a * 2)
gradcheck(f, double([1.0]))


# %% undefined
def b(ctx, g):
    if g is None: raise RuntimeError('no')
    return g * 2
f = made(b, lambda ctx, a: (ctx.set_materialize_grads(False), a * 2)[1])
show(gradcheck(f, x, check_undefined_grad=False))
gradcheck(f, x)


# %% undefined, not zero
f = made(lambda ctx, g: torch.ones(3, dtype=torch.float64) if g is None else g * 2,
         lambda ctx, a: (ctx.set_materialize_grads(False), a * 2)[1])
gradcheck(f, x)


# %% float
show(gradcheck(lambda a: a * a, x.detach().float().requires_grad_(), eps=1e-2, atol=1e-2))


# %% nothing requires grad
gradcheck(lambda a: a * a, torch.ones(3))


# %% stride 0
gradcheck(lambda a: a * a, x.expand(2, 3))


# %% detached
gradcheck(lambda a: a.detach() * 2, x)


# %% constant
show(gradcheck(lambda a: torch.ones(3, dtype=torch.float64), x))


# %% not reentrant
def b(ctx, g):
    count[0] += 1
    return g * 2 + 1e-9 * count[0] * (g != 0)
f = made(b, lambda ctx, a: a * 2)
show(gradcheck(f, x, nondet_tol=1e-3))
gradcheck(f, x)


# %% no direction
gradcheck(wrong, x, check_backward_ad=False)


# %% batched without backward
gradcheck(wrong, x, check_backward_ad=False, check_forward_ad=True, check_batched_grad=True)


# %% complex
show(gradcheck(lambda a: a * a, c))


# %% complex to real
show(gradcheck(lambda a: a.abs(), c))


# %% real to complex
show(gradcheck(lambda a: a * c.detach(), x))


# %% complex, wrong
gradcheck(made(lambda ctx, g: g * 2 * ctx.saved_tensors[0]), c)


# %% view of another
v = (torch.arange(6.0, dtype=torch.float64) + 1).view(2, 3).requires_grad_()
show(gradcheck(lambda a: a.exp(), v.t()), gradcheck(lambda a: a.exp().sum(), v[1:]))
show(v, v._version)


# %% leaves inputs alone
gradcheck(lambda a: a.exp(), x)
show(x, x._version, x.grad)


# %% empty
show(gradcheck(lambda a: a.sum() * 2, torch.zeros(0, dtype=torch.float64, requires_grad=True)))


# %% shape changes
gradcheck(lambda a: a[a > 0.3], x)


# %% second order
show(gradgradcheck(lambda a, b: a * b.exp(), (x, y)))


# %% second order, wrong
f = made(lambda ctx, g: g * 3 * ctx.saved_tensors[0].detach() ** 2,
         lambda ctx, a: (ctx.save_for_backward(a), a ** 3)[1])
g = torch.ones(3, dtype=torch.float64, requires_grad=True)
show(gradcheck(f, x))
gradgradcheck(f, x, g)


# %% second order, complex
show(gradgradcheck(lambda a: a * a, c))


# %% second order, arguments
gradgradcheck(lambda a: a, x, check_rev_over_rev=False)


# %% module
show(gradcheck(nn.Linear(3, 2).double(), y))


# %% batched gradients
show(gradcheck(lambda a: a * a, x, check_batched_grad=True))


# %% forward mode
show(gradcheck(lambda a: a * a, x, check_forward_ad=True), gradcheck(lambda a: (a.sin(), a.sum()), x, check_forward_ad=True, check_backward_ad=False))


# %% forward mode: a wrong jvp
class Wrong(Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        ctx.save_for_forward(a)
        return a * a
    @staticmethod
    def backward(ctx, g): return 2 * g * ctx.saved_tensors[0]
    @staticmethod
    def jvp(ctx, v): return 3 * v * ctx.saved_tensors[0]
show(gradcheck(Wrong.apply, x), gradcheck(Wrong.apply, x, check_forward_ad=True, raise_exception=False))
show([s.split(",")[0] for s in attempt(lambda: gradcheck(Wrong.apply, x, check_forward_ad=True, check_backward_ad=False))])


# %% forward mode of complex numbers
c = torch.tensor([1 + 2j, -0.5j], dtype=torch.complex128, requires_grad=True)
show([gradcheck(f, c, check_forward_ad=True) for f in (lambda a: a * a, torch.abs, torch.exp, lambda a: a.real * 2, lambda a: a.conj() * a)])


# %% forward over reverse
show(gradgradcheck(lambda a: a ** 3, x, check_fwd_over_rev=True), gradgradcheck(lambda a, b: a * b.sin(), (x, x.detach().clone().requires_grad_()), check_fwd_over_rev=True))


# %% forward mode: neither
gradcheck(lambda a: a * a, x, check_forward_ad=False, check_backward_ad=False)
