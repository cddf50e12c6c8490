grad, hessian, jacfwd, jacrev, jvp, vjp, vmap = (
    getattr(torch.func, name) for name in ("grad", "hessian", "jacfwd", "jacrev", "jvp", "vjp", "vmap"))

x = torch.tensor([1.0, 2.0, 3.0])
m = torch.arange(6.0).reshape(2, 3)


class Plain(Function):
    @staticmethod
    def forward(x):
        return x ** 2

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0])
        ctx.save_for_forward(inputs[0])

    @staticmethod
    def backward(ctx, g):
        return 3 * g * ctx.saved_tensors[0]


class Generated(Plain):
    generate_vmap_rule = True


class Moving(Generated):
    @staticmethod
    def jvp(ctx, t):
        return 5 * t * ctx.saved_tensors[0]


class Ruled(Plain):
    @staticmethod
    def vmap(info, in_dims, x):
        show(info.batch_size, info.randomness, in_dims, tuple(x.shape))
        return Ruled.apply(x) * 10, in_dims[0]


class Both(Ruled):
    generate_vmap_rule = True


class RuledMoving(Ruled):
    @staticmethod
    def jvp(ctx, t):
        return 5 * t * ctx.saved_tensors[0]


def everything(C):
    calls = {
        "vmap": lambda: vmap(C.apply)(m),
        "vmap along 1": lambda: vmap(C.apply, in_dims=1, out_dims=1)(m),
        "grad": lambda: grad(lambda a: C.apply(a).sum())(x),
        "vmap of grad": lambda: vmap(grad(lambda a: C.apply(a).sum()))(m),
        "grad of vmap": lambda: grad(lambda a: vmap(C.apply)(a).sum())(m),
        "jvp": lambda: jvp(C.apply, (x,), (torch.ones(3),)),
        "vjp": lambda: vjp(C.apply, x)[1](x),
        "jacfwd": lambda: jacfwd(C.apply)(x),
        "jacrev": lambda: jacrev(C.apply)(x),
        "hessian": lambda: hessian(lambda a: C.apply(a).sum())(x),
        "grad of grad": lambda: grad(lambda b: grad(lambda a: C.apply(a).sum())(b).sum())(x),
        "vmap of vmap": lambda: vmap(vmap(C.apply))(m),
        "vmap of jvp": lambda: vmap(lambda a, b: jvp(C.apply, (a,), (b,)))(m, m),
        "jvp of vmap": lambda: jvp(vmap(C.apply), (m,), (m,)),
        "jvp of grad": lambda: jvp(grad(lambda a: C.apply(a).sum()), (x,), (x,)),
        "grad of jvp": lambda: grad(lambda a: jvp(C.apply, (a,), (a,))[1].sum())(x),
    }
    for name, call in calls.items():
        show(name, attempt(call))


# %% neither a rule nor a jvp
everything(Plain)

# %% a generated rule
everything(Generated)

# %% a generated rule and a jvp
everything(Moving)

# %% a rule
everything(Ruled)

# %% a rule and a jvp
everything(RuledMoving)

# %% both kinds of rules
everything(Both)

# %% a rule that returns one thing
class F1(Plain):
    @staticmethod
    def vmap(info, in_dims, x):
        return Plain.apply(x)


show(attempt(vmap(F1.apply), m))

# %% a rule that returns three things
class F1(Plain):
    @staticmethod
    def vmap(info, in_dims, x):
        return x, 0, 1


show(attempt(vmap(F1.apply), m))

# %% a rule with dimensions of another form
class F1(Plain):
    @staticmethod
    def vmap(info, in_dims, x):
        return x, (0, 0)


show(attempt(vmap(F1.apply), m))

# %% a rule whose result is one for all
class F1(Plain):
    @staticmethod
    def vmap(info, in_dims, x):
        return x.sum(), None


show(vmap(F1.apply)(m), vmap(lambda a: F1.apply(a) * a)(m))

# %% a rule with several inputs and results
class F1(Function):
    @staticmethod
    def forward(x, k, y):
        return x * y, x + y, k

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0], inputs[2])

    @staticmethod
    def backward(ctx, g, h, _):
        x, y = ctx.saved_tensors
        return g * y + h, None, g * x + h

    @staticmethod
    def vmap(info, in_dims, x, k, y):
        show(info.batch_size, in_dims, tuple(x.shape), k, tuple(y.shape))
        x = x if in_dims[0] is None else x.movedim(in_dims[0], 0)
        y = y if in_dims[2] is None else y.movedim(in_dims[2], 0)
        a, b, k = F1.apply(x, k, y)
        return (a, b, k), (0, 0, None)


show(vmap(lambda a: F1.apply(a, "word", x)[:2])(m))
show(vmap(lambda a, b: F1.apply(a, 3, b)[:2], in_dims=(0, 1))(m, m.t()))
show(vmap(grad(lambda a: F1.apply(a, 3, x)[0].sum()))(m))
show(grad(lambda b: vmap(lambda a: F1.apply(a, 3, b)[0])(m).sum())(x))

# %% numpy inside
class Sorted(Function):
    @staticmethod
    def forward(x, dim):
        order = torch.tensor(np.argsort(x.numpy(), axis=dim))
        return x.gather(dim, order), order

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.dim = inputs[1]
        ctx.mark_non_differentiable(output[1])
        ctx.save_for_backward(output[1])

    @staticmethod
    def backward(ctx, g, _):
        order, = ctx.saved_tensors
        return torch.zeros_like(g).scatter(ctx.dim, order, g), None

    @staticmethod
    def vmap(info, in_dims, x, dim):
        return Sorted.apply(x.movedim(in_dims[0], 0), dim + 1), (0, 0)


v = torch.tensor([[3.0, 1.0, 2.0], [5.0, 6.0, 4.0]])
show(vmap(lambda a: Sorted.apply(a, 0))(v))

# %% a jvp: materialized and not
class F1(Moving):
    @staticmethod
    def forward(x, y):
        return x * y

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_forward(*inputs)
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, g):
        show(ctx.needs_input_grad)
        a, b = ctx.saved_tensors
        return g * b, g * a

    @staticmethod
    def jvp(ctx, s, t):
        show(s is None, t is None)
        a, b = ctx.saved_tensors
        return (0 if s is None else s * b) + (0 if t is None else t * a)


class F2(F1):
    @staticmethod
    def setup_context(ctx, inputs, output):
        F1.setup_context(ctx, inputs, output)
        ctx.set_materialize_grads(False)


for C in (F1, F2):
    show(jvp(lambda a: C.apply(a, x), (x,), (x,)))
    show(grad(lambda a: C.apply(a, x).sum())(x))
    show(jacfwd(lambda a: C.apply(a, a))(x))

# %% a jvp: several results
class F1(Moving):
    @staticmethod
    def forward(x):
        return x.sin(), x.argmax(), x.cos()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_forward(output[0], output[2])

    @staticmethod
    def jvp(ctx, t):
        s, c = ctx.saved_tensors
        return t * c, None, -t * s


show(jvp(lambda a: (F1.apply(a)[0], F1.apply(a)[2]), (x,), (x,)))
show(jacfwd(lambda a: F1.apply(a)[2])(x))

# %% a jvp: too few results
class F1(Moving):
    @staticmethod
    def forward(x):
        return x.sin(), x.cos()

    @staticmethod
    def jvp(ctx, t):
        return t


show(attempt(jvp, F1.apply, (x,), (x,)))

# %% a captured tensor with history
class F1(Generated):
    @staticmethod
    def forward(x, w):
        return x * w

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        return g * b, g * a


w = torch.tensor([2.0, 3.0, 4.0], requires_grad=True)
out = grad(lambda a: F1.apply(a, w).pow(2).sum())(x)
out.sum().backward()
show(out.detach(), w.grad)

# %% backward with a Function inside
class Inner(Generated):
    pass


class Outer(Generated):
    @staticmethod
    def backward(ctx, g):
        return g * Inner.apply(ctx.saved_tensors[0])


show(grad(lambda a: Outer.apply(a).sum())(x))
show(grad(lambda b: grad(lambda a: Outer.apply(a).sum())(b).sum())(x))
show(vmap(grad(lambda a: Outer.apply(a).sum()))(m))

# %% complex numbers
z = torch.tensor([1 + 2j, 3 - 1j])
show(grad(lambda a: Generated.apply(a).abs().sum())(z))
show(jvp(Moving.apply, (z,), (z,)))

# %% no setup_context
class F1(Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2


show(attempt(vmap(F1.apply), m), attempt(grad(lambda a: F1.apply(a).sum()), x))

# %% random numbers in a rule
class F1(Plain):
    @staticmethod
    def vmap(info, in_dims, x):
        return x + torch.rand(3), in_dims[0]


torch.manual_seed(0)
show(vmap(F1.apply)(m), vmap(F1.apply, randomness="different")(m))
