"""Checks of step 8: hooks on saved values, and checkpoint."""


def packed(e):
    """pack is called for each value that is saved, in order, and unpack for each that is read."""
    x, c, log = e.tensor([1.0, 2.0], requires_grad=True), e.tensor([3.0, 4.0]), []

    def pack(tensor):
        log.append(["pack", e.numbers(tensor).tolist()])
        return tensor

    def unpack(tensor):
        log.append(["unpack", e.numbers(tensor).tolist()])
        return tensor

    with e.saved_hooks(pack, unpack):
        out = ((x * c).exp() + x).sum()
    later = (x * x).sum()
    e.show("after the forward pass", log)
    (out + later).backward()
    e.show("after backward", log)
    e.show("x.grad", x.grad)


def unpacked(e):
    """A gradient reads what unpack gives."""
    x = e.tensor([1.0, 2.0], requires_grad=True)
    with e.saved_hooks(lambda tensor: e.numbers(tensor).tolist(), lambda numbers: e.tensor([n + 100 for n in numbers])):
        out = (x * x).sum()
    out.backward()
    e.show("x.grad", x.grad)


def recorded_nowhere(e):
    """What pack itself computes is not recorded, and not packed."""
    x, made = e.tensor(3.0, requires_grad=True), []

    def pack(tensor):
        square = tensor * tensor
        made.append(square.requires_grad)
        return square

    with e.saved_hooks(pack, lambda tensor: tensor):
        out = x * x
    e.show("requires_grad of what pack made", made)
    out.backward()
    e.show("x.grad", x.grad)


def same_gradients(e):
    """A checkpoint changes no value and no gradient, and calls its function again in backward, once."""
    runs = []

    def f(x, w):
        runs.append(1)
        return ((x @ w).tanh() * x).exp()

    for wrapped in (f, lambda x, w: e.checkpoint(f, x, w)):
        runs.clear()
        x, w = e.tensor([[0.1, 0.2]], requires_grad=True), e.tensor([[0.3, -0.4], [0.5, 0.6]], requires_grad=True)
        out = wrapped(x * 1, w).sum()
        e.show("value, calls before backward", [out, len(runs)])
        out.backward()
        e.show("x.grad, w.grad, calls", [x.grad, w.grad, len(runs)])


def captured(e):
    """What the function uses besides its inputs gets its gradient, too."""
    x, w = e.tensor([1.0, 2.0]), e.tensor([3.0, 4.0], requires_grad=True)
    e.checkpoint(lambda x: (x * w).exp(), x).sum().backward()
    e.show("w.grad", w.grad)
    e.show("x.grad", x.grad)


def a_chain(e):
    """Checkpoints follow each other, and may be within each other."""
    x = e.tensor([0.1, 0.2], requires_grad=True)

    def block(h):
        return (h * h + h).tanh()

    def outer(h):
        return e.checkpoint(block, h * 2) * h

    h = e.checkpoint(block, x)
    h = e.checkpoint(outer, h)
    (h * e.checkpoint(block, h)).sum().backward()
    e.show("x.grad", x.grad)


def nothing_to_do(e):
    """Under no_grad the function runs once, and its result requires no grad."""
    x, runs = e.tensor(2.0, requires_grad=True), []

    def f(x):
        runs.append(1)
        return x * x

    with e.no_grad():
        out = e.checkpoint(f, x)
    e.show("requires_grad, calls", [out.requires_grad, len(runs)])
    out = e.checkpoint(lambda x: x + 1, x)
    out.backward()
    e.show("x.grad of a function that saves nothing", x.grad)


def in_no_grad_again(e):
    """The function is recomputed with recording on, and the graph of that run touches no .grad."""
    x, grads = e.tensor(2.0, requires_grad=True), []

    def f(x):
        y = x * x
        grads.append(y.requires_grad)
        return y * x

    out = e.checkpoint(f, x)
    out.backward()
    e.show("requires_grad in each run", grads)
    e.show("x.grad", x.grad)


def another_function(e):
    """A function that saves another number of values the second time is a RuntimeError."""
    x, runs = e.tensor([1.0, 2.0], requires_grad=True), []

    def f(x):
        runs.append(1)
        return x * x if len(runs) > 1 else (x * x) * (x * 3)

    out = e.checkpoint(f, x).sum()
    e.attempt("backward", out.backward)
