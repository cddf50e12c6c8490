"""Checks of step 9: vjp, jvp and grad."""


def vjp(e):
    """vjp gives the value, and a function from its gradient to those of all inputs, which can be called again."""
    x, w = e.tensor([[1.0, 2.0]]), e.tensor([[3.0, 4.0], [5.0, 6.0]])
    out, pullback = e.vjp(lambda x, w: (x @ w).tanh() * x, x, w)
    e.show("value", out)
    e.show("a gradient", list(pullback(e.tensor([[1.0, 0.0]]))))
    e.show("another", list(pullback(e.tensor([[0.0, 1.0]]))))


def grad_is_not_touched(e):
    """Neither the inputs nor what the function captures get a .grad."""
    x, w = e.tensor(2.0, requires_grad=True), e.tensor(3.0, requires_grad=True)
    _, pullback = e.vjp(lambda x: x * x * w, x)
    e.show("gradient", list(pullback(e.tensor(1.0))))
    e.show("x.grad, w.grad", [x.grad, w.grad])


def unused_inputs(e):
    """The gradient of an input that is not used is 0, in its shape; so is a tangent that nothing depends on."""
    x, y = e.tensor([1.0, 2.0]), e.tensor([[3.0]])
    _, pullback = e.vjp(lambda x, y: x * x, x, y)
    e.show("gradients", list(pullback(e.tensor([1.0, 1.0]))))
    c = e.tensor([5.0, 6.0])
    _, pullback = e.vjp(lambda x: c * 2, x)
    e.show("gradient of a constant", list(pullback(c)))
    _, tangent = e.jvp(lambda x: c * 2, (x,), (x,))
    e.show("tangent of a constant", tangent)


def jvp(e):
    """jvp gives the derivative in a direction, through each operator, beside the value."""
    x, y = e.tensor([[0.5, 2.0], [1.5, 3.0]]), e.tensor([[2.0, 0.25], [1.0, 4.0]])
    c = e.tensor([[1.0], [2.0], [3.0]])
    tx, ty = e.tensor([[1.0, 10.0], [100.0, 1000.0]]), e.tensor([[3.0, 0.0], [-1.0, 7.0]])
    for label, f in {"x + y": lambda x, y: x + y, "x - y": lambda x, y: x - y, "x * y": lambda x, y: x * y,
                     "x / y": lambda x, y: x / y, "-x": lambda x, y: -x, "x ** 3": lambda x, y: x ** 3,
                     "x @ y": lambda x, y: x @ y, "x.mT": lambda x, y: x.mT, "exp": lambda x, y: x.exp(),
                     "log": lambda x, y: x.log(), "tanh": lambda x, y: x.tanh(), "relu": lambda x, y: (x - y).relu(),
                     "sum": lambda x, y: x.sum(1), "mean": lambda x, y: x.mean(0, True),
                     "reshape": lambda x, y: x.reshape(4),
                     "index": lambda x, y: x[[1, 1, 0]], "broadcasting": lambda x, y: x[0] + y,
                     "broadcasting to a constant": lambda x, y: x[0] + c,
                     "expand": lambda x, y: x.expand(2, 2, 2)}.items():
        out, tangent = e.jvp(f, (x, y), (tx, ty))
        e.show(f"{label}: value", out)
        e.show(f"{label}: tangent", tangent)


def writes_in_jvp(e):
    """A write in place is one of what jvp differentiates, too."""
    def f(x):
        h = x * 2
        h.mul_(x)
        h[0] = x[1] * 3
        return h

    _, tangent = e.jvp(f, (e.tensor([1.0, 2.0]),), (e.tensor([1.0, 10.0]),))
    e.show("tangent", tangent)


def gradients_of_gradients(e):
    """grad of grad: the pullback is made of operators, and so has a derivative."""
    f = e.grad(lambda x: x ** 4 + x.exp() * x.tanh())
    x = e.tensor(0.5)
    e.show("first", f(x))
    e.show("second", e.grad(f)(x))
    e.show("third", e.grad(e.grad(f))(x))


def forward_over_reverse(e):
    """jvp of grad is a Hessian times a vector."""
    w = e.tensor([[1.0, 2.0], [-3.0, 0.5]])
    gradient = e.grad(lambda x: ((x @ w).tanh() * x[:, [1, 0]]).sum())
    x, v = e.tensor([[0.3, -0.2]]), e.tensor([[1.0, 10.0]])
    out, tangent = e.jvp(gradient, (x,), (v,))
    e.show("gradient", out)
    e.show("Hessian times vector", tangent)


def forward_over_forward(e):
    """jvp of jvp: second derivatives in two directions."""
    def first(x):
        return e.jvp(lambda x: x.exp() * x ** 3, (x,), (e.tensor(1.0),))[1]

    e.show("second derivative", e.jvp(first, (e.tensor(0.5),), (e.tensor(1.0),))[1])


def levels(e):
    """The tangents of two jvp calls within each other are not mixed up."""
    one = e.tensor(1.0)

    def outer(x):
        inner = e.jvp(lambda y: x * y, (one,), (one,))[1]  # d(x y)/dy = x
        return x * inner

    e.show("d(x x)/dx at 3", e.jvp(outer, (e.tensor(3.0),), (one,))[1])

    def constant(x):
        return x * e.jvp(lambda y: x, (one,), (one,))[1]  # x does not depend on y

    e.show("d(0)/dx", e.jvp(constant, (e.tensor(3.0),), (one,))[1])


def reverse_over_forward(e):
    """grad of a function that uses jvp."""
    def slope(x):
        return e.jvp(lambda x: (x * x * x).sum(), (x,), (e.tensor([1.0, 2.0]),))[1]

    e.show("gradient of a derivative", e.grad(slope)(e.tensor([3.0, 4.0])))
