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


# %% fast: wrong
import re
digits = lambda r: re.sub(r'(\d\.\d{4})\d*(e-?\d+)?', r'\1', str(r[-1])) if isinstance(r, list) else r
show(digits(attempt(gradcheck, wrong, x, fast_mode=True)))
show(digits(attempt(gradcheck, wrong, y, fast_mode=True)))


# %% fast: wrong second output
import re
digits = lambda r: re.sub(r'(\d\.\d{4})\d*(e-?\d+)?', r'\1', str(r[-1])) if isinstance(r, list) else r
show(digits(attempt(gradcheck, lambda a, b: (a * b, wrong(a) * b), (x, y), fast_mode=True)))


# %% fast: right
show(gradcheck(lambda a, b: (a * b, (a + b).sum()), (x, y), fast_mode=True))
show(gradcheck(lambda a, n, b: a * n * b, (x, 2, torch.arange(3)), fast_mode=True))
show(gradcheck(lambda a: (a * (1 - 2j)).exp(), c, fast_mode=True), gradcheck(lambda a: a.abs(), c, fast_mode=True))
show(gradcheck(lambda a: torch.complex(a, a * a), x, fast_mode=True))
show(gradcheck(nn.Linear(3, 2).double(), torch.randn(4, 3, dtype=torch.float64, requires_grad=True), fast_mode=True))


# %% fast: complex, wrong
import re
digits = lambda r: re.sub(r'(\d\.\d{4})\d*(e-?\d+)?', r'\1', str(r[-1])) if isinstance(r, list) else r
show(digits(attempt(gradcheck, made(lambda ctx, g: g * 2, lambda ctx, a: a * (1 + 2j)), c, fast_mode=True)))


# %% fast: a small error is averaged out
f = made(lambda ctx, g: g * (1 + 1e-4), lambda ctx, a: a * 1)
show(attempt(gradcheck, f, x, fast_mode=True, rtol=1e-3), attempt(gradcheck, f, x, rtol=1e-3))


# %% fast: slow would pass
f = made(lambda ctx, g: g + 8e-6, lambda ctx, a: a * 1)
r = attempt(gradcheck, f, torch.zeros(40, dtype=torch.float64, requires_grad=True), fast_mode=True, rtol=0.0)
show(isinstance(r, list) and 'Fast gradcheck failed but element-wise differences are small' in r[-1])


# %% fast: calls
for fast in (False, True):
    calls = []
    gradcheck(lambda a: (calls.append(None), a * a)[1], double(*[0.1] * 12), fast_mode=fast, check_undefined_grad=False)
    show(len(calls) < 12)


# %% fast: constant and detached
show(attempt(gradcheck, lambda a: a.detach() * 2, x, fast_mode=True))
show(attempt(gradcheck, lambda a: torch.ones(3), x, fast_mode=True))


# %% fast: not reentrant
def b(ctx, g):
    count[0] += 1
    return g * 2 + count[0] * 1e-4
show(attempt(gradcheck, made(b, lambda ctx, a: a * 2), x, fast_mode=True, atol=1.0)[2][:60])
show(attempt(gradcheck, made(b, lambda ctx, a: a * 2), x, fast_mode=True, atol=1.0, nondet_tol=1.0, check_undefined_grad=False)[2])


# %% fast: the user's generator
torch.manual_seed(1)
gradcheck(lambda a: a.exp(), x, fast_mode=True)
show(torch.rand(2))
gradcheck(lambda a: a.exp(), x, check_batched_grad=True)
show(torch.rand(2))


# %% fast: second order
show(gradgradcheck(lambda a: a ** 3, x, fast_mode=True), gradgradcheck(lambda a, b: (a * b).sin(), (x, y), fast_mode=True))
class F1(Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return a ** 3
    @staticmethod
    def backward(ctx, g):
        return g * 3 * ctx.saved_tensors[0].detach() ** 2
show(gradgradcheck(F1.apply, x, fast_mode=True, raise_exception=False), gradcheck(F1.apply, x, fast_mode=True))
show(gradgradcheck(lambda a: a ** 3, x, fast_mode=True, check_fwd_over_rev=True))


# %% fast: forward mode
import re
digits = lambda r: re.sub(r'(\d\.\d{4})\d*(e-?\d+)?', r'\1', str(r[-1])) if isinstance(r, list) else r
show(gradcheck(lambda a, b: (a * b, a.sum()), (x, y), fast_mode=True, check_forward_ad=True))
class F1(Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_forward(a), ctx.save_for_backward(a)
        return a * a
    @staticmethod
    def backward(ctx, g):
        return 2 * g * ctx.saved_tensors[0]
    @staticmethod
    def jvp(ctx, t):
        return 3 * t * ctx.saved_tensors[0]
show(digits(attempt(gradcheck, F1.apply, x, fast_mode=True, check_forward_ad=True)))
show(digits(attempt(gradcheck, F1.apply, x, check_forward_ad=True)))


# %% forward mode: complex inputs and outputs
for fast in (False, True):
    show(gradcheck(lambda a: a * a, c, check_forward_ad=True, fast_mode=fast))
    show(gradcheck(lambda a: a.abs(), c, check_forward_ad=True, fast_mode=fast))
    show(gradcheck(lambda a: torch.complex(a, a * a), x, check_forward_ad=True, fast_mode=fast))
    show(gradcheck(lambda a, b: a * b, (c, x), check_forward_ad=True, fast_mode=fast))


# %% forward mode: complex, wrong
class F1(Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_forward(a), ctx.save_for_backward(a)
        return a * a
    @staticmethod
    def backward(ctx, g):
        return 2 * g * ctx.saved_tensors[0].conj()
    @staticmethod
    def jvp(ctx, t):
        return 3 * t * ctx.saved_tensors[0]
show(attempt(gradcheck, F1.apply, c, check_forward_ad=True)[2][:130])
show(attempt(gradcheck, F1.apply, (c,), check_forward_ad=True, fast_mode=True)[2][:130])


# %% forward mode: undefined tangents
class F1(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.set_materialize_grads(False)
        ctx.save_for_forward(a, b), ctx.save_for_backward(a, b)
        return a * b
    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        return (None, None) if g is None else (g * b, g * a)
    @staticmethod
    def jvp(ctx, s, t):
        a, b = ctx.saved_tensors
        if s is None: return t * a * 2
        return s * b + (0 if t is None else t * a)
p, q = double(1.0, 2.0), double(3.0, 4.0)
show(attempt(gradcheck, F1.apply, (p, q), check_forward_ad=True)[1])
show(attempt(gradcheck, F1.apply, (p, q), check_forward_ad=True, check_undefined_grad=False))


# %% forward mode: dtypes
class F1(Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return a * 2
    @staticmethod
    def backward(ctx, g):
        return (g * 2).float()
show(attempt(gradcheck, F1.apply, x, check_grad_dtypes=True), attempt(gradcheck, F1.apply, x))


# %% batched: right
show(gradcheck(lambda a, b: (a * b, a.sum()), (x, y), check_batched_grad=True))
show(gradcheck(lambda a: a.abs(), c, check_batched_grad=True), gradgradcheck(lambda a: a ** 3, x, check_batched_grad=True))
show(gradcheck(lambda a, b: (a * b, a.sum()), (x, y), check_forward_ad=True, check_batched_forward_grad=True))


# %% batched: needs values
f = made(lambda ctx, g: g * 2 if g.sum() > 1e9 else g * 2, lambda ctx, a: a * 2)
show(attempt(gradcheck, f, x, check_batched_grad=True))
f = made(lambda ctx, g: g * 2 * float(g.sum()) / float(g.sum()), lambda ctx, a: a * 2)
show(attempt(gradcheck, f, x, check_batched_grad=True, check_undefined_grad=False))


# %% batched: random
f = made(lambda ctx, g: g * 2 + torch.rand(3, dtype=torch.float64) * 0, lambda ctx, a: a * 2)
show(attempt(gradcheck, f, x, check_batched_grad=True))


# %% batched: tangents that need values
class F1(Function):
    @staticmethod
    def forward(ctx, a):
        return a * 2
    @staticmethod
    def backward(ctx, g):
        return g * 2
    @staticmethod
    def jvp(ctx, t):
        return t * 2 if t.sum() > 1e9 else t * 2
show(attempt(gradcheck, F1.apply, x, check_forward_ad=True, check_batched_forward_grad=True))


# %% batched: arguments
show(attempt(gradcheck, lambda a: a, x, check_batched_forward_grad=True), attempt(gradcheck, lambda a: a, x, check_forward_ad=True, check_backward_ad=False, check_batched_grad=True))


# %% masked
f = made(lambda ctx, g: g * 2 + 1e-12, lambda ctx, a: a * 2)
show(attempt(gradcheck, f, x, masked=True, check_undefined_grad=False), attempt(gradcheck, f, x, check_undefined_grad=False))


# %% nondet_tol
def b(ctx, g):
    count[0] += 1
    return g * 2 + count[0] * 1e-7
f = made(b, lambda ctx, a: a * 2)
for tol in (0.0, 1e-8, 1e-3):
    show(str(attempt(gradcheck, f, x, nondet_tol=tol, check_undefined_grad=False, raise_exception=tol != 1e-8))[:200])


# %% raise_exception: other exceptions come through
f = made(lambda ctx, g: (_ for _ in ()).throw(ValueError('mine')), lambda ctx, a: a * 2)
show(attempt(gradcheck, f, x, raise_exception=False), attempt(gradcheck, lambda a: a * 2, torch.ones(3), raise_exception=False))


# %% shapes of one element and none
for fast in (False, True):
    show(gradcheck(lambda a: a.exp(), double(2.0), fast_mode=fast))
    show(attempt(gradcheck, lambda a: a.exp(), torch.ones(0, dtype=torch.float64, requires_grad=True), fast_mode=fast))
