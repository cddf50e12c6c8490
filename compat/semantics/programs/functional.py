"""torch.autograd.functional: products, Jacobians, Hessians, strict mode, errors."""

A = torch.autograd.functional
x = torch.tensor([0.3, -1.2, 2.0])
z = torch.tensor([1.0, 2.0, 3.0])
m = torch.tensor([[0.5, -1.0, 2.0], [1.5, 0.2, -0.7]])
s = torch.tensor(0.7)
leaf = torch.tensor([0.3, -1.2, 2.0], requires_grad=True)

def scalar(a): return (a.sin() * a ** 2).sum()
def flat(found): return [flat(y) for y in found] if isinstance(found, tuple | list) else (found.detach(), found.requires_grad)
def pair(a, b): return (a * b.exp()).sum()
def cubic(a): return a ** 3
def two(a, b): return a * b, (m @ a).tanh()
strict_calls = (A.vjp, A.jvp, A.vhp, A.hvp)


# %% vjp
show(A.vjp(lambda a: m @ a.sin(), x, torch.tensor([1.0, 2.0])))


# %% vjp: scalar
show(A.vjp(scalar, x))


# %% vjp: structure
show(A.vjp(two, (x, z), (x, torch.ones(2))))
show(A.vjp(lambda a: (a * 2,), (x,), (x,)))
show(A.vjp(lambda a: (a * 2,), x, x))


# %% vjp: create_graph
v = torch.ones(3, requires_grad=True)
out, g = A.vjp(cubic, leaf, v, create_graph=True)
show(out, flat(g), torch.autograd.grad(g.sum(), [leaf, v]))


# %% vjp: create_graph, no grad
show(flat(A.vjp(cubic, x, z, create_graph=True)))


# %% vjp: no history
show(A.vjp(cubic, leaf, z))


# %% vjp: unused
show(A.vjp(pair, (x, z)), A.vjp(lambda a, b: a.sum(), (x, z)))


# %% vjp: constant
show(A.vjp(lambda a: torch.ones(()), x))


# %% vjp: under no_grad
with torch.no_grad(): show(A.vjp(scalar, leaf), A.vjp(scalar, leaf, create_graph=True))


# %% vjp: sees grad mode
def f(a):
    show(a.requires_grad, a.is_leaf, a.grad_fn, a is leaf, torch.is_grad_enabled())
    return a.sum()
A.vjp(f, leaf)
A.vjp(f, leaf, create_graph=True)
with torch.no_grad(): A.vjp(f, x)


# %% vjp: captured input
show(A.vjp(lambda a: (a * leaf).sum(), leaf), flat(A.vjp(lambda a: (a * leaf).sum(), leaf, create_graph=True)))


# %% vjp: complex
c = torch.tensor([1 + 2j, 0.5 - 1j])
show(A.vjp(lambda a: a * a.conj() * (2 + 1j), c, torch.tensor([1j, 2.0 + 0j])))


# %% vjp: complex without v
show(attempt(A.vjp, lambda a: (a * 1j).sum(), torch.tensor([1 + 2j])))


# %% vjp: dtypes
show(A.vjp(lambda a: a.double() * 2, x.half(), z.double()))
show(A.vjp(lambda a: a * 2, x, z.double()))


# %% vjp: integers
show(attempt(A.vjp, lambda a: a * 2, torch.tensor([1, 2])))
show(attempt(A.vjp, lambda a: a * 2, x, torch.tensor([1, 2, 3])))


# %% vjp: leaves grad alone
A.vjp(scalar, leaf)
show(leaf.grad, leaf.requires_grad)


# %% vjp: module
torch.manual_seed(3)
l = nn.Linear(3, 2)
show(A.vjp(lambda a: l(a), x, torch.ones(2)), l.weight.grad)


# %% vjp: errors of v
show(attempt(A.vjp, cubic, x))
show(attempt(A.vjp, lambda a: (a.sum(), a.sum()), x))
show(attempt(A.vjp, cubic, x, torch.ones(2)))
show(attempt(A.vjp, cubic, x, (x, x)))
show(attempt(A.vjp, two, (x, z), x))
show(attempt(A.vjp, two, (x, z), (x, x)))
show(attempt(A.vjp, cubic, x, 3.0))
show(attempt(A.vjp, cubic, x, (3.0,)))
show(attempt(A.vjp, cubic, x, [x]))


# %% errors: inputs
for f in (A.vjp, A.jvp, A.vhp, A.hvp, A.jacobian, A.hessian):
    show(attempt(f, cubic, [x]))
    show(attempt(f, cubic, (x, 1)))
    show(attempt(f, cubic, 2.0))


# %% errors: outputs
for f in (A.vjp, A.jvp, A.vhp, A.hvp):
    show(attempt(f, lambda a: 3, s, s))
    show(attempt(f, lambda a: (a, None), s, s))
    show(attempt(f, lambda a: [a], s, s))
for f in (A.jacobian, A.hessian):
    show(attempt(f, lambda a: 3, s), attempt(f, lambda a: (a, None), s), attempt(f, lambda a: [a], s))


# %% errors: no scalar
for f in (A.vhp, A.hvp):
    show(attempt(f, cubic, x, x), attempt(f, lambda a: (a.sum(), a.sum()), x, x), attempt(f, lambda a: (a.sum(),), x, x))
show(attempt(A.hessian, cubic, x), attempt(A.hessian, lambda a: (a.sum(), a.sum()), x))
show(attempt(A.hessian, lambda a: (a.sum(),), x))


# %% errors: v of inputs
for f in (A.jvp, A.vhp, A.hvp):
    show(attempt(f, scalar, x))
    show(attempt(f, scalar, x, m), attempt(f, scalar, (x,), (m,)), attempt(f, scalar, x, (x, x)))
    show(attempt(f, pair, (x, z), x), attempt(f, pair, (x, z)), attempt(f, scalar, x, 'v'))


# %% errors: from the function
def f(a): raise KeyError('mine')
for g in (A.vjp, A.jvp, A.vhp, A.hvp, A.jacobian, A.hessian): show(attempt(g, f, s))


# %% errors: strategy
show(attempt(A.jacobian, cubic, x, strategy='forward'))
show(attempt(A.hessian, scalar, x, outer_jacobian_strategy='forward'))
show(attempt(A.jacobian, cubic, x, create_graph=True, strategy='forward-mode'))
show(attempt(A.jacobian, cubic, x, strict=True, strategy='forward-mode'))
show(attempt(A.jacobian, cubic, x, strategy='forward-mode'))
show(attempt(A.jacobian, cubic, [x], vectorize=True, strategy='forward-mode'))
show(attempt(A.jacobian, cubic, x, True, True, strategy='forward-mode'))
show(attempt(A.hessian, scalar, x, outer_jacobian_strategy='forward-mode'))
show(attempt(A.hessian, scalar, x, create_graph=True, outer_jacobian_strategy='forward-mode'))


# %% jvp
show(A.jvp(lambda a: m @ a.sin(), x, z))


# %% jvp: scalar
show(A.jvp(lambda a: a * x, s), A.jvp(lambda a: (a.exp(), a * 2), torch.tensor([[0.3]])))


# %% jvp: structure
show(A.jvp(two, (x, z), (z, x)))
show(A.jvp(lambda a: (a * 2,), (x,), (x,)), A.jvp(lambda a: a * 2, (x,), x))


# %% jvp: create_graph
v = torch.ones(3, requires_grad=True)
out, g = A.jvp(cubic, leaf, v, create_graph=True)
show(out.detach(), out.requires_grad, g.detach(), g.requires_grad)
show(torch.autograd.grad(g.sum(), [leaf, v]))


# %% jvp: create_graph, only v
v = torch.ones(3, requires_grad=True)
show(torch.autograd.grad(A.jvp(cubic, x, v, create_graph=True)[1].sum(), v))


# %% jvp: no history
show(A.jvp(cubic, leaf, z), leaf.grad)


# %% jvp: linear
show(A.jvp(lambda a: a * 3, x, z), A.jvp(lambda a: m @ a, x, z))


# %% jvp: unused and constant
show(A.jvp(lambda a, b: a * 2, (x, z), (z, x)), A.jvp(lambda a: torch.ones(2), x, z))
show(A.jvp(lambda a: (a * 2, torch.ones(2)), x, z))


# %% jvp: complex
c = torch.tensor([1 + 2j, 0.5 - 1j])
show(A.jvp(lambda a: a * a, c, torch.tensor([1j, 2.0 + 0j])))


# %% jvp: matrices
show(A.jvp(lambda a: (a @ a.t()).relu(), m, m.flip(0)))


# %% jvp: views and writes
def f(a):
    b = a * 1
    b[1:].mul_(a[:2])
    return b
show(A.jvp(f, x, z), A.vjp(f, x, z), A.jacobian(f, x))


# %% jvp: custom Function
class Cube(Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return a ** 3
    @staticmethod
    def backward(ctx, g):
        a, = ctx.saved_tensors
        return g * 3 * a ** 2
show(A.jvp(Cube.apply, x, z), A.jacobian(Cube.apply, x), A.hessian(lambda a: Cube.apply(a).sum(), x))


# %% jacobian
show(A.jacobian(lambda a: m @ a.sin(), x), A.jacobian(cubic, m))


# %% jacobian: scalars
show(A.jacobian(lambda a: a ** 2, s), A.jacobian(scalar, x), A.jacobian(lambda a: a * x, s))


# %% jacobian: structure
show(A.jacobian(two, (x, z)))
show(A.jacobian(lambda a: (a * 2, a.sum()), x), A.jacobian(lambda a: (a * 2,), (x,)))
show(A.jacobian(lambda a, b: a * b, (x, z)))


# %% jacobian: vectorize
show(A.jacobian(two, (x, z), vectorize=True), A.jacobian(cubic, m, vectorize=True))
show(A.jacobian(lambda a: (a * 2, a.sum()), x, vectorize=True), A.jacobian(lambda a: (a,), (x,), vectorize=True))


# %% jacobian: create_graph
j = A.jacobian(cubic, leaf, create_graph=True)
show(j, torch.autograd.grad(j.sum(), leaf))


# %% jacobian: create_graph, vectorize
j = A.jacobian(cubic, leaf, create_graph=True, vectorize=True)
show(j.requires_grad, j.detach(), torch.autograd.grad(j.sum(), leaf))


# %% jacobian: create_graph, no grad
show(A.jacobian(cubic, x, create_graph=True).requires_grad, A.jacobian(lambda a: a * 2, x, create_graph=True))


# %% jacobian: no history
show(A.jacobian(cubic, leaf), leaf.grad)


# %% jacobian: unused and constant
show(A.jacobian(lambda a, b: a * 2, (x, s)), A.jacobian(lambda a: torch.ones(2), x))
show(A.jacobian(lambda a: (a * 2, torch.ones(2)), x))


# %% jacobian: unused and constant, vectorize
show(A.jacobian(lambda a, b: a * 2, (x, s), vectorize=True), A.jacobian(lambda a: torch.ones(2), x, vectorize=True))
show(A.jacobian(lambda a: (a * 2, torch.ones(2)), x, vectorize=True))


# %% jacobian: empty
show(attempt(A.jacobian, lambda a: a[:0] * 2, x))
show(attempt(A.jacobian, lambda a: (a * 2).sum() + x, x[:0]))


# %% jacobian: identity
show(A.jacobian(lambda a: a, x), A.jacobian(lambda a: a.t(), m), A.jacobian(lambda a: a.t(), m, vectorize=True))


# %% jacobian: calls
calls = []
def f(a):
    calls.append(a.requires_grad)
    return a ** 2
A.jacobian(f, x)
A.jacobian(f, x, vectorize=True)
A.hessian(lambda a: f(a).sum(), x)
show(calls)


# %% jacobian: complex
show(attempt(A.jacobian, lambda a: a * 2, torch.tensor([1 + 2j])))
show(A.jacobian(lambda a: a.abs(), torch.tensor([3 + 4j, 1j])))


# %% jacobian: float64
show(A.jacobian(lambda a: a.float() ** 2, x.double()), A.jacobian(lambda a: a.double() ** 2, x))


# %% jacobian: strict and vectorize
show(attempt(A.jacobian, cubic, x, strict=True, vectorize=True))
show(attempt(A.jacobian, lambda a: torch.ones(1), x, strict=True, vectorize=True))


# %% jacobian: of a jacobian
show(A.jacobian(lambda a: A.jacobian(cubic, a, create_graph=True), x))


# %% jacobian: as a loss
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
A.jacobian(net, x, create_graph=True).pow(2).sum().backward()
show([p.grad for p in net.parameters()])


# %% hessian
show(A.hessian(scalar, x), A.hessian(lambda a: (a ** 3).sum(), m))


# %% hessian: scalar
show(A.hessian(lambda a: a ** 3, s), A.hessian(lambda a: a ** 3, torch.tensor([[2.0]])))


# %% hessian: structure
show(A.hessian(pair, (x, z)), A.hessian(scalar, (x,)))


# %% hessian: vectorize
show(A.hessian(pair, (x, z), vectorize=True), A.hessian(scalar, x, vectorize=True))


# %% hessian: create_graph
h = A.hessian(scalar, leaf, create_graph=True)
show(h, torch.autograd.grad(h.sum(), leaf))


# %% hessian: linear
show(A.hessian(lambda a: a.sum(), x), A.hessian(lambda a, b: (a * b).sum(), (x, z)))


# %% hessian: constant
show(attempt(A.hessian, lambda a: torch.ones(()), x))


# %% hessian: no history
show(A.hessian(scalar, leaf), leaf.grad)
with torch.no_grad(): show(A.hessian(scalar, leaf))


# %% vhp
show(A.vhp(scalar, x, z), A.vhp(pair, (x, z), (z, x)), A.vhp(lambda a: a ** 3, s), A.vhp(scalar, (x,), (z,)))


# %% vhp: create_graph
v = torch.ones(3, requires_grad=True)
out, g = A.vhp(scalar, leaf, v, create_graph=True)
show(out.requires_grad, g.requires_grad, g.detach(), torch.autograd.grad(g.sum(), [leaf, v]))


# %% vhp: linear and unused
show(A.vhp(lambda a: a.sum(), x, z), A.vhp(lambda a, b: (a ** 2).sum(), (x, z), (z, x)))
show(attempt(A.vhp, lambda a: torch.ones(()), x, z))


# %% hvp
show(A.hvp(scalar, x, z), A.hvp(pair, (x, z), (z, x)), A.hvp(lambda a: a ** 3, s), A.hvp(scalar, (x,), (z,)))


# %% hvp: create_graph
v = torch.ones(3, requires_grad=True)
out, g = A.hvp(scalar, leaf, v, create_graph=True)
show(out.requires_grad, g.requires_grad, g.detach(), torch.autograd.grad(g.sum(), [leaf, v]))


# %% hvp: linear and unused
show(A.hvp(lambda a: a.sum(), x, z), A.hvp(lambda a, b: (a ** 2).sum(), (x, z), (z, x)))
show(attempt(A.hvp, lambda a: torch.ones(()), x, z))


# %% strict: constant output
for f in strict_calls: show(attempt(f, lambda a: torch.ones(()), s, s, strict=True))
show(attempt(A.jacobian, lambda a: torch.ones(()), s, strict=True))
show(attempt(A.hessian, lambda a: torch.ones(()), s, strict=True))


# %% strict: unused input
for f in strict_calls: show(attempt(f, lambda a, b: a.sin(), (s, s), (s, s) if f is not A.vjp else s, strict=True))
show(attempt(A.jacobian, lambda a, b: a.sin(), (s, s), strict=True))
show(attempt(A.hessian, lambda a, b: a.sin(), (s, s), strict=True))


# %% strict: linear
for f in strict_calls: show(attempt(f, lambda a: a * 2, s, s, strict=True))
show(attempt(A.jacobian, lambda a: a * 2, s, strict=True), attempt(A.hessian, lambda a: a * 2, s, strict=True))


# %% strict: linear, create_graph
for f in (A.vjp, A.vhp, A.hvp): show(attempt(f, lambda a: a * 2, s, s, strict=True, create_graph=True))
show(attempt(A.jacobian, lambda a: a * 2, s, strict=True, create_graph=True))
show(attempt(A.hessian, lambda a: a * 2, s, strict=True, create_graph=True))


# %% strict: jvp of linear, create_graph
show(A.jvp(lambda a: a * 2, s, s, strict=True, create_graph=True))


# %% strict: quadratic
for f in strict_calls: show(attempt(f, lambda a: a ** 2, s, s, strict=True))
show(attempt(A.jacobian, lambda a: a ** 2, s, strict=True), attempt(A.hessian, lambda a: a ** 2, s, strict=True))


# %% strict: quadratic, create_graph
for f in (A.vjp, A.jvp): show(flat(f(lambda a: a * a, s, s, strict=True, create_graph=True)))


# %% strict: hessian of quadratic, create_graph
for f in (A.vhp, A.hvp): show(attempt(f, lambda a: a * a, s, s, strict=True, create_graph=True))
show(attempt(A.hessian, lambda a: a * a, s, strict=True, create_graph=True))


# %% strict: sum of two
for f in (A.vhp, A.hvp): show(attempt(f, lambda a, b: (a ** 2 + b ** 2).sum(), (x, z), (z, x), strict=True))
show(attempt(A.hessian, lambda a, b: (a ** 2 + b ** 2).sum(), (x, z), strict=True))
show(attempt(A.jacobian, lambda a, b: (a ** 2, b ** 2), (x, z), strict=True))


# %% strict: second output
show(attempt(A.vjp, lambda a: (a * 2, torch.ones(3)), x, (x, x), strict=True))
show(attempt(A.jvp, lambda a: (a * 2, torch.ones(3)), x, x, strict=True))
show(attempt(A.jacobian, lambda a: (a * 2, torch.ones(3)), x, strict=True))


# %% strict: smooth
show([f(lambda a: a.sin() * a.exp(), s, s, strict=True) for f in strict_calls])
show(A.hessian(scalar, x, strict=True), A.jacobian(cubic, x, strict=True))


# %% names
show([callable(getattr(A, n)) for n in ('vjp', 'jvp', 'jacobian', 'hessian', 'vhp', 'hvp')])


# %% hooks inside
log = []
def f(a):
    b = a.sin()
    b.register_hook(lambda g: log.append(g.detach()))
    return (b * a).sum()
A.vjp(f, x)
A.hessian(f, x)
show(log)


# %% checkpoint inside
f = lambda a: checkpoints.checkpoint(cubic, a, use_reentrant=False)
show(A.vjp(f, x, z), A.jvp(f, x, z), A.jacobian(f, x), A.hessian(lambda a: f(a).sum(), x))


# %% forward: jacobian
for f in (cubic, lambda a: m @ a.sin(), scalar, lambda a: (a * 2, a.exp().sum()), lambda a: (a * z,)):
    show(A.jacobian(f, x, vectorize=True, strategy='forward-mode'))
show(A.jacobian(two, (x, z), vectorize=True, strategy='forward-mode'))
show(A.jacobian(cubic, m, vectorize=True, strategy='forward-mode'))


# %% forward: unused and constant
show(A.jacobian(lambda a, b: a * 2, (x, s), vectorize=True, strategy='forward-mode'))
show(A.jacobian(lambda a: torch.ones(2), x, vectorize=True, strategy='forward-mode'))
show(A.jacobian(lambda a: (a * 2, torch.ones(2)), x, vectorize=True, strategy='forward-mode'))


# %% forward: history
show(flat(A.jacobian(cubic, leaf, vectorize=True, strategy='forward-mode')), leaf.grad)


# %% forward: errors
show(attempt(A.jacobian, cubic, [x], vectorize=True, strategy='forward-mode'))
show(attempt(A.jacobian, lambda a: 3, x, vectorize=True, strategy='forward-mode'))
show(attempt(A.jacobian, lambda a: (a, None), x, vectorize=True, strategy='forward-mode'))


# %% forward: hessian
show(flat(A.hessian(scalar, x, vectorize=True, outer_jacobian_strategy='forward-mode')))
show(flat(A.hessian(pair, (x, z), vectorize=True, outer_jacobian_strategy='forward-mode')), x.requires_grad)


# %% integer outputs
show(A.vjp(lambda a: a.long(), x, torch.ones(3).long()), attempt(A.jvp, lambda a: a.long(), x, z))
show(A.jacobian(lambda a: a.argmax(), x))


# %% writes to the input
d = torch.ones(3)
show(attempt(A.vjp, lambda a: a.mul_(2), d, d), attempt(A.vjp, lambda a: a.mul_(2), leaf, d, create_graph=True), d)
