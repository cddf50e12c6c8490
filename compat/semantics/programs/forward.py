"""forward_ad: dual tensors, their views and writes, and both modes together."""

fw = torch.autograd.forward_ad
p, t = torch.tensor([0.5, -1.0, 2.0]), torch.tensor([1.0, 0.5, -2.0])


def tangent(x):
    found = fw.unpack_dual(x).tangent
    return None if found is None else found.detach()


def both(x):
    return fw.unpack_dual(x).primal.detach(), tangent(x)


# %% outside of a level
fw.make_dual(p, t)


# %% unpacking outside of a level
show(fw.unpack_dual(p))


# %% levels do not nest
with fw.dual_level(): fw.enter_dual_level()


# %% leaving what was not entered
fw.exit_dual_level()


# %% the level's number
with fw.dual_level() as level: show(level)


# %% a dual tensor is a view
with fw.dual_level():
    d = fw.make_dual(p, t)
    show(d._is_view(), d._base is p, d.is_leaf, d.requires_grad, d.grad_fn, d)


# %% a dual tensor of a leaf
x = p.clone().requires_grad_()
with fw.dual_level():
    d = fw.make_dual(x, t)
    show(d._is_view(), d._base is x, d.is_leaf, d.requires_grad, d.grad_fn.name())


# %% unpacking
with fw.dual_level():
    d = fw.make_dual(p, t)
    u = fw.unpack_dual(d)
    show(type(u).__name__, u._fields, u.tangent is t, u.primal is p, u.primal, u.tangent)


# %% without a tangent
with fw.dual_level(): show(fw.unpack_dual(p))


# %% another shape
with fw.dual_level(): fw.make_dual(p, torch.ones(2))


# %% an integer primal
with fw.dual_level(): fw.make_dual(torch.tensor([1]), torch.tensor([1.0]))


# %% an integer tangent
with fw.dual_level(): fw.make_dual(torch.tensor([1.0]), torch.tensor([1]))


# %% twice
with fw.dual_level(): fw.make_dual(fw.make_dual(p, t), t)


# %% no tensor to unpack
with fw.dual_level(): fw.unpack_dual(3)


# %% arithmetic
with fw.dual_level():
    d = fw.make_dual(p, t)
    for y in (d * 3, d + p, p - d, d * d, d / (d + 5), d ** 2, -d, 2 / d, d.exp().sin()): show(both(y))


# %% reductions
with fw.dual_level():
    d = fw.make_dual(p, t)
    for y in (d.sum(), d.mean(), d.max(), d.prod(), d.norm(), d.logsumexp(0), d.var(), d.cumsum(0), d.softmax(0)): show(both(y))


# %% matrices
a, b = torch.arange(6.0).reshape(2, 3), torch.ones(3, 2)
with fw.dual_level():
    d, e = fw.make_dual(a, a + 1), fw.make_dual(b, b * 2)
    for y in (d @ e, d @ b, a @ e, d.t(), torch.einsum("ij,jk->ik", d, e), F.linear(d, e.t(), torch.ones(2))): show(both(y))


# %% comparisons and integers have none
with fw.dual_level():
    d = fw.make_dual(p, t)
    for y in (d > 0, d.argmax(), d.long(), d.sign(), d.round()): show(tangent(y))


# %% several results
with fw.dual_level():
    d = fw.make_dual(p, t)
    values, indices = d.sort()
    show(both(values), tangent(indices))
    show([both(y) for y in d.unbind()], [both(y) for y in d.split(2)], both(d.topk(2)[0]))


# %% several operands
with fw.dual_level():
    d = fw.make_dual(p, t)
    show(both(torch.cat([d, p])), both(torch.stack([p, d])), both(torch.where(p > 0, d, p)), both(torch.maximum(d, p - 1)))


# %% under no_grad
with fw.dual_level(), torch.no_grad():
    d = fw.make_dual(p, t)
    show(both(d * 2))


# %% detach drops the tangent
with fw.dual_level(): show(tangent(fw.make_dual(p, t).detach()))


# %% clone and dtype
with fw.dual_level():
    d = fw.make_dual(p, t)
    show(both(d.clone()), both(d.double()), both(d.to(torch.float64)), both(d.contiguous()))


# %% views see both
with fw.dual_level():
    d = fw.make_dual(p.clone(), t.clone())
    v = d[1:]
    show(both(v), both(v.view(2, 1)), both(d.expand(2, 3)), both(d.flip(0)))


# %% writing to a dual
with fw.dual_level():
    d = fw.make_dual(p.clone(), t.clone())
    d.mul_(2)
    show(both(d))
    d.add_(p)
    show(both(d), d._version)


# %% writing to a view of a dual
with fw.dual_level():
    d = fw.make_dual(p.clone(), t.clone())
    d[0].mul_(10)
    d[1:] = 7
    show(both(d))


# %% writing to a dual is seen in its view
with fw.dual_level():
    d = fw.make_dual(p.clone(), t.clone())
    v = d[0]
    d.mul_(3)
    show(both(v))


# %% the tangent given is written to
s = t.clone()
with fw.dual_level():
    d = fw.make_dual(p.clone(), s)
    d.mul_(3)
show(s)


# %% a plain tensor becomes dual
with fw.dual_level():
    d, y = fw.make_dual(p, t), torch.ones(3)
    y.mul_(d)
    show(both(y))


# %% a plain tensor becomes dual through its view
with fw.dual_level():
    d, y = fw.make_dual(p, t), torch.zeros(2, 3)
    y[0].copy_(d)
    show(both(y))


# %% assignment into a plain tensor
with fw.dual_level():
    d, y = fw.make_dual(p, t), torch.zeros(4)
    y[1:] = d
    y[0] = d[0] * 2
    show(both(y))


# %% zero_ and fill_
with fw.dual_level():
    d = fw.make_dual(p.clone(), t.clone())
    d.fill_(4)
    show(both(d))
    e = fw.make_dual(p.clone(), t.clone())
    e.zero_()
    show(both(e))


# %% after the level
with fw.dual_level(): d = fw.make_dual(p, t) * 2
show(d, fw.unpack_dual(d), d * 2)
with fw.dual_level(): show(tangent(d))


# %% backward of the primal
x = p.clone().requires_grad_()
with fw.dual_level():
    (fw.make_dual(x, t) ** 2).sum().backward()
show(x.grad)


# %% backward of the tangent
x = p.clone().requires_grad_()
with fw.dual_level():
    d = fw.make_dual(x, t)
    fw.unpack_dual((d ** 3).sum()).tangent.backward()
show(x.grad)


# %% backward of the tangent with respect to the direction
v = t.clone().requires_grad_()
with fw.dual_level():
    fw.unpack_dual((fw.make_dual(p, v) ** 3).sum()).tangent.backward()
show(v.grad)


# %% forward over reverse
x = p.clone().requires_grad_()
with fw.dual_level():
    d = fw.make_dual(x, t)
    g, = torch.autograd.grad((d ** 3).sum() + d.exp().prod(), d, create_graph=True)
    show(both(g))


# %% forward over reverse through saved results
x = p.clone().requires_grad_()
with fw.dual_level():
    d = fw.make_dual(x, t)
    g, = torch.autograd.grad((d.exp() * d.tanh().sigmoid()).sum(), d)
    show(both(g))


# %% forward over reverse in a layer
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.LayerNorm(4), nn.Linear(4, 1))
x = p.clone().requires_grad_()
with fw.dual_level():
    d = fw.make_dual(x, t)
    g, = torch.autograd.grad(net(d).sum(), d, create_graph=True)
    show(both(net(d)), both(g))


# %% reverse over forward over reverse
x = p.clone().requires_grad_()
with fw.dual_level():
    d = fw.make_dual(x, t)
    g, = torch.autograd.grad((d ** 4).sum(), d, create_graph=True)
    fw.unpack_dual(g).tangent.sum().backward()
show(x.grad)


# %% complex numbers
z, w = torch.tensor([1 + 2j, -0.5j]), torch.tensor([0.5 - 1j, 2 + 0j])
with fw.dual_level():
    d = fw.make_dual(z, w)
    for y in (d * d, d.conj().resolve_conj() * 1, d.abs(), d.real * 1, d.imag * 1, d.exp(), d.angle()): show(both(y))


# %% dropout in evaluation and batch norm
torch.manual_seed(0)
net = nn.Sequential(nn.BatchNorm1d(3), nn.Dropout(0.5), nn.ReLU()).eval()
with fw.dual_level(): show(both(net(fw.make_dual(p.expand(2, 3).clone(), t.expand(2, 3).clone()))))


# %% a Function without jvp
class Double(Function):
    @staticmethod
    def forward(ctx, a): return a * 2
    @staticmethod
    def backward(ctx, g): return g * 2
with fw.dual_level(): Double.apply(fw.make_dual(p, t))


# %% a Function with jvp
class Square(Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        ctx.save_for_forward(a)
        return a * a
    @staticmethod
    def backward(ctx, g): return 2 * ctx.saved_tensors[0] * g
    @staticmethod
    def jvp(ctx, v): return 2 * ctx.saved_tensors[0] * v
with fw.dual_level(): show(both(Square.apply(fw.make_dual(p, t))))


# %% a Function with jvp and an operand without tangent
class Product(Function):
    @staticmethod
    def forward(ctx, a, b, k):
        ctx.a, ctx.b = a.detach(), b.detach()
        return a * b * k
    @staticmethod
    def jvp(ctx, v, w, k):
        show(w is None, k)
        return v * ctx.b * 3
with fw.dual_level(): show(both(Product.apply(fw.make_dual(p, t), p, 3)))


# %% a Function with setup_context and jvp
class Cube(Function):
    @staticmethod
    def forward(a): return a ** 3, a * 1
    @staticmethod
    def setup_context(ctx, inputs, output): ctx.save_for_forward(*inputs)
    @staticmethod
    def jvp(ctx, v): return 3 * ctx.saved_tensors[0] ** 2 * v, v * 1
with fw.dual_level(): show([both(y) for y in Cube.apply(fw.make_dual(p, t))])


# %% printing
with fw.dual_level(): show(repr(fw.make_dual(p, t)), repr(fw.make_dual(torch.tensor(1.5), torch.tensor(2.0))))


# %% numbers and lists of a dual
with fw.dual_level():
    d = fw.make_dual(p, t)
    show(d.tolist(), d[0].item(), d.shape, d.dtype, len(d), bool((d > -5).all()))


# %% as decorator
@fw.dual_level()
def f(): return tangent(fw.make_dual(p, t) ** 2)
show(f())


# %% a Function's jvp: wrong answers
def made(forward, jvp):
    return type("Made", (Function,), {"forward": staticmethod(forward), "jvp": staticmethod(jvp)})
def tried(forward, jvp, *more):
    with fw.dual_level():
        show(attempt(lambda: both(made(forward, jvp).apply(fw.make_dual(p.clone(), t.clone()), *more))))
tried(lambda c, a: a * 2, lambda c, v: (v, v))
tried(lambda c, a: (a * 2, a * 3), lambda c, v: v)
tried(lambda c, a: a * 2, lambda c, v: v[:1])
tried(lambda c, a: a * 2, lambda c, v: 3)
tried(lambda c, a: a > 0, lambda c, v: v)


# %% a Function's jvp: views and writes
def made(forward, jvp):
    return type("Made", (Function,), {"forward": staticmethod(forward), "jvp": staticmethod(jvp)})
def tried(forward, jvp):
    with fw.dual_level():
        d = fw.make_dual(p.clone(), t.clone())
        show(attempt(lambda: both(made(forward, jvp).apply(d))), both(d))
def doubled(c, a):
    c.mark_dirty(a)
    return a.mul_(2)
tried(lambda c, a: a.view(3, 1), lambda c, v: v.view(3, 1))
tried(lambda c, a: a.view(3, 1), lambda c, v: v.view(3, 1) * 1)
tried(lambda c, a: a, lambda c, v: v * 5)
tried(doubled, lambda c, v: v.mul_(2))
tried(doubled, lambda c, v: v * 2)


# %% a Function's jvp: undefined tangents
class Loose(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.set_materialize_grads(False)
        return a * b
    @staticmethod
    def jvp(ctx, v, w):
        show(w)
        return v
with fw.dual_level(): show(both(Loose.apply(fw.make_dual(p, t), p)))


# %% views in place
with fw.dual_level():
    d = fw.make_dual(torch.arange(6.0).reshape(2, 3), torch.ones(2, 3) * torch.arange(3.0))
    d.t_()
    d.unsqueeze_(0)
    show(both(d), both(d.squeeze_(0)), both(fw.make_dual(p, t) @ torch.ones(3, 2)))

# %% tangents of other dtypes
for primal, moving in (("float32", "float64"), ("float64", "float32"), ("float16", "float32"), ("complex64", "float64"),
                       ("complex128", "complex64"), ("float32", "int64"), ("int64", "float32"), ("bfloat16", "float16")):
    values, moved = tensor([1.0, 2.0]).to(getattr(torch, primal)), tensor([3.0, 1.0]).to(getattr(torch, moving))
    for f in (lambda x: x * 2, lambda x: x * x + x, lambda x: torch.stack([x, x]) @ x):
        def dual_of():
            with fw.dual_level():
                return both(f(fw.make_dual(values, moved)))
        show(attempt(dual_of))
        show(attempt(torch.func.jvp, f, (values,), (moved,)))
        show(attempt(lambda: torch.func.linearize(f, values)[1](moved)))
        show(attempt(torch.autograd.functional.jvp, f, values, moved))
        show(attempt(torch.autograd.functional.vjp, f, values, f(values).to(moved.dtype)))

# %% tangents of other dtypes inside transforms and writes
with fw.dual_level():
    d = fw.make_dual(tensor([1.0, 2.0]), torch.tensor([3.0, 1.0], dtype=torch.float64))
    w = torch.zeros(2)
    w.copy_(d * d)
    show(both(w), both(d * d + 1), both(torch.func.vjp(lambda x: x * 2, d)[0]))
show(torch.func.jacfwd(lambda x: x * x.double())(tensor([1.0, 2.0])))
with fw.dual_level():
    d = fw.make_dual(torch.tensor([1 + 2j, -0.5j]), torch.tensor([0.5 - 1j, 2 + 0j], dtype=torch.complex128))
    show(both(d.abs() * 1), both(d * d))
