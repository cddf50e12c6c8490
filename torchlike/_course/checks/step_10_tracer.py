"""Checks of step 10: a tracer."""


def replayed(e):
    """A program that was recorded once runs on other inputs."""
    program = e.trace(lambda x, y: (x * y + y).tanh() - 2 * x, e.tensor([1.0, 2.0]), e.tensor([0.5, 0.1]))
    e.show("on the same inputs", program(e.tensor([1.0, 2.0]), e.tensor([0.5, 0.1])))
    e.show("on others", program(e.tensor([-1.0, 3.0]), e.tensor([4.0, 0.2])))


def several_results(e):
    """A function may give a tuple; an input or a constant may be a result."""
    c = e.tensor(7.0)
    program = e.trace(lambda x, y: (x + y, x, c), e.tensor(1.0), e.tensor(2.0))
    e.show("results", list(program(e.tensor(10.0), e.tensor(20.0))))


def instructions(e):
    """The program is a list of the operators that ran, printed one a line, and the results last."""
    x, y = e.tensor([[1.0, 2.0]]), e.tensor([[1.0, 0.0], [0.5, 1.0]])
    program = e.trace(lambda x, y: ((x @ y).tanh() * x).exp().sum(), x, y)
    e.show("operators", e.operators(program))
    e.show("lines", e.lines(program))


def only_what_counts(e):
    """Instructions that no result depends on are dropped."""
    def f(x):
        unused = x.exp()
        unused = unused * unused
        return x.tanh() + 1

    program = e.trace(f, e.tensor([1.0, 2.0]))
    e.show("operators", e.operators(program))
    e.show("value", program(e.tensor([0.5, 0.0])))


def constants(e):
    """What is captured is a constant of the program, the Tensor itself: what is written to it later is seen."""
    w = e.tensor([1.0, 2.0])
    program = e.trace(lambda x: x * w, e.tensor([3.0, 4.0]))
    w.add_(10)
    e.show("value", program(e.tensor([1.0, 1.0])))


def recorded_writes(e):
    """A write in place is recorded as what was written."""
    def f(x):
        h = x * 2
        before = h + 0
        h.add_(x)
        h[0] = x[1]
        h.mul_(h + 1)
        return h + before

    program = e.trace(f, e.tensor([1.0, 2.0]))
    e.show("value", program(e.tensor([5.0, -3.0])))


def nothing_left(e):
    """After the trace nothing is recorded, also after an error in the function."""
    def failing(x):
        raise KeyError("in the function")

    x = e.tensor(1.0)
    program = e.trace(lambda x: x * 2, x)
    e.show("an operation afterwards", x.exp())
    e.show("operators", e.operators(program))
    e.attempt("trace of a function that fails", lambda: e.trace(failing, x))
    e.show("another operation", x.exp())


def on_the_graph(e):
    """A program that runs on Tensors that require grad is recorded like any other operations."""
    w = e.tensor([1.0, 2.0], requires_grad=True)
    program = e.trace(lambda x: (x * w).exp().sum(), e.tensor([0.0, 0.0]))
    x = e.tensor([0.1, 0.2], requires_grad=True)
    program(x).backward()
    e.show("x.grad, w.grad", [x.grad, w.grad])
    e.show("tangent", e.jvp(program, (e.tensor([0.1, 0.2]),), (e.tensor([1.0, 5.0]),))[1])


def differentiated(e):
    """The gradient of a program is a program, good for other inputs, too."""
    x, w = e.tensor([[1.0, 2.0]]), e.tensor([[1.0, -1.0], [0.5, -2.0]])
    gradient = e.differentiate(e.trace(lambda x, w: ((x @ w).relu() + x.mean()).sum(), x, w))
    e.show("at the example", list(gradient(x, w)))
    e.show("where relu is on the other side", list(gradient(e.tensor([[-1.0, 3.0]]), e.tensor([[1.0, -1.0], [-0.5, 2.0]]))))


def twice(e):
    """The program of a gradient has a gradient itself."""
    gradient = e.differentiate(e.trace(lambda x: x ** 3 * x.tanh(), e.tensor(1.0)))
    second = e.differentiate(e.trace(lambda x: gradient(x)[0], e.tensor(1.0)))
    e.show("second derivative", list(second(e.tensor(0.3))))
