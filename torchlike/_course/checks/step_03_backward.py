"""Checks of step 3: backward."""


def each_operator(e):
    """Each operator has its derivative, by both operands."""
    for label, f in {"a + b": lambda a, b: a + b, "a - b": lambda a, b: a - b, "a * b": lambda a, b: a * b,
                     "a / b": lambda a, b: a / b, "-a * b": lambda a, b: -a * b,
                     "a ** 3 + b ** -1": lambda a, b: a ** 3 + b ** -1,
                     "2 / a - 3 / b": lambda a, b: 2 / a - 3 / b}.items():
        a, b = e.tensor(2.0, requires_grad=True), e.tensor(-4.0, requires_grad=True)
        f(a, b).backward()
        e.show(f"{label}: a.grad, b.grad", [a.grad, b.grad])


def several_uses(e):
    """A value that is used several times gets the sum of what comes from each use."""
    x = e.tensor(3.0, requires_grad=True)
    y = x * x
    (y * x + y / x - x).backward()
    e.show("x.grad", x.grad)


def calls_add_up(e):
    """A second backward adds to .grad; None starts afresh."""
    x = e.tensor(3.0, requires_grad=True)
    (x * x).backward()
    (x * 5).backward()
    e.show("x.grad after two", x.grad)
    x.grad = None
    (x * 7).backward()
    e.show("x.grad after a reset", x.grad)


def topological_order(e):
    """A Node passes its gradient on once, when all that is due to it has arrived."""
    x = e.tensor(0.5, requires_grad=True)
    short = x * x
    long = short * short * short
    (short * long + short).backward()
    e.show("x.grad", x.grad)
    x.grad = None
    y = x
    for _ in range(60):
        y = y + y
    y.backward()
    e.show("x.grad of 60 doublings", x.grad)


def long_chain(e):
    """A graph may be deeper than Python's stack."""
    x = e.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(1500):
        y = y * 1.001
    y.backward()
    e.show("x.grad", x.grad)


def given_gradient(e):
    """backward(gradient) starts from what it is given; of several elements it must be."""
    x = e.tensor([1.0, 2.0], requires_grad=True)
    (x * x).backward(e.tensor([10.0, 100.0]))
    e.show("x.grad", x.grad)
    e.attempt("backward of two elements", (x * x).backward)


def a_leaf_itself(e):
    """backward of a leaf gives it the gradient 1; a constant is refused, and gets none."""
    x, c = e.tensor(3.0, requires_grad=True), e.tensor(2.0)
    x.backward()
    e.show("x.grad", x.grad)
    e.attempt("backward of a constant", (c * c).backward)
    (x * c).backward()
    e.show("c.grad", c.grad)


def freed(e):
    """A graph is good for one backward, unless it is retained."""
    x = e.tensor(3.0, requires_grad=True)
    y = x * x
    y.backward(retain_graph=True)
    y.backward()
    e.show("x.grad", x.grad)
    e.attempt("a third time", y.backward)


def gradients_are_plain(e):
    """.grad has memory of its own and no history."""
    x, y = e.tensor(1.0, requires_grad=True), e.tensor(1.0, requires_grad=True)
    start = e.tensor(2.0)
    (x + y).backward(start)
    e.overwrite(x.grad, 50.0)
    e.show("y.grad and the start", [y.grad, start])
    (x * y).backward()
    e.show("requires_grad of y.grad", y.grad.requires_grad)
