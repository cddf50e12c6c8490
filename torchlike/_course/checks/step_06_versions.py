"""Checks of step 6: writes in place, and versions."""


def writes(e):
    """add_, mul_, += and assignment write into the Tensor itself, and count its version up."""
    x = e.tensor([1.0, 2.0, 3.0])
    same = x
    e.show("version of a new one", x._version)
    e.show("add_ returns the Tensor", x.add_(1) is same)
    x.mul_(e.tensor([1.0, 2.0, 3.0]))
    x[1] = 50.0
    x[[0, 2]] = e.tensor([7.0, 8.0])
    e.show("x", same)
    e.show("version", x._version)
    e.show("version of a result", (x + 1)._version)


def history(e):
    """The result of a write has the history of what was written."""
    x, w = e.tensor([1.0, 2.0, 3.0], requires_grad=True), e.tensor([4.0, 5.0, 6.0], requires_grad=True)
    h = x * 2
    h.add_(w)
    h.add_(h.sum())
    (h * w).sum().backward()
    e.show("x.grad, w.grad", [x.grad, w.grad])


def overwritten_places(e):
    """What an assignment overwrites gets no gradient; what it writes does."""
    x, v = e.tensor([1.0, 2.0, 3.0], requires_grad=True), e.tensor(5.0, requires_grad=True)
    h = x * 1
    h[1] = v
    out = h * e.tensor([1.0, 10.0, 100.0])
    h[0] = 7.0
    (out + h).sum().backward()
    e.show("x.grad, v.grad", [x.grad, v.grad])
    h = e.tensor([0.0, 0.0, 0.0])
    h[0:2] = v
    e.show("requires_grad of what was a constant", h.requires_grad)
    h.sum().backward()
    e.show("v.grad of a value for two places", v.grad)


def saved_values(e):
    """backward refuses a value that it needs and that was written to."""
    x = e.tensor([1.0, 2.0], requires_grad=True)
    for label, f in {"h * h": lambda h: h * h, "exp": lambda h: h.exp(), "tanh": lambda h: h.tanh(),
                     "h ** 2": lambda h: h ** 2, "h / x": lambda h: h / x, "h + 1": lambda h: h + 1,
                     "relu": lambda h: h.relu(), "log": lambda h: h.log()}.items():
        h = x * 3
        out = f(h)
        h.add_(1)
        e.attempt(f"{label}, its operand written to", lambda out=out: out.sum().backward())
        out = f(x * 3)
        used = out * 1
        out.add_(1)
        e.attempt(f"{label}, its result written to", lambda used=used: used.sum().backward())


def only_what_is_read(e):
    """A value is saved if the gradient of an input that requires grad reads it, and not otherwise."""
    x, c = e.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True), e.tensor([[3.0, 4.0], [5.0, 6.0]])
    for label, f in {"h * c": lambda h, c: h * c, "h / c": lambda h, c: h / c, "c / h": lambda h, c: c / h,
                     "h @ c": lambda h, c: h @ c, "c @ h": lambda h, c: c @ h}.items():
        h = x * 2
        out = f(h, c)
        h.add_(1)
        e.attempt(f"{label}: h written to", lambda out=out: out.sum().backward())
        own = c + 0
        out = f(x * 2, own)
        own.add_(1)
        e.attempt(f"{label}: c written to", lambda out=out: out.sum().backward())


def leaves(e):
    """A leaf that requires grad can be written to under no_grad only, and is counted there, too."""
    x = e.tensor([1.0, 2.0], requires_grad=True)
    e.attempt("x.add_(1)", lambda: x.add_(1))
    e.attempt("x[0] = 1", lambda: x.__setitem__(0, 1.0))
    y = x * x
    with e.no_grad():
        x.mul_(10)
    e.show("x", x)
    e.show("x: requires_grad, is_leaf, version", [x.requires_grad, x.is_leaf, x._version])
    e.attempt("backward of x * x", lambda: y.sum().backward())


def detached(e):
    """detach() shares memory and version counter: a write through it is seen."""
    x = e.tensor([1.0, 2.0], requires_grad=True)
    h = x * 1
    out = h * h
    d = h.detach()
    e.show("d: requires_grad, is_leaf", [d.requires_grad, d.is_leaf])
    d.add_(5)
    e.show("h", h)
    e.show("version of h", h._version)
    e.attempt("backward of h * h", lambda: out.sum().backward())


def factors(e):
    """mul_ saves what was there before it wrote."""
    x, w = e.tensor([1.0, 2.0], requires_grad=True), e.tensor([3.0, 4.0], requires_grad=True)
    h = x + 1
    h.mul_(w)
    h.sum().backward()
    e.show("x.grad, w.grad", [x.grad, w.grad])


def shape_stays(e):
    """A write cannot change the shape."""
    x = e.tensor([1.0, 2.0])
    e.attempt("add_ of a matrix", lambda: x.add_(e.tensor([[1.0, 2.0], [3.0, 4.0]])))
    e.show("x and its version", [x, x._version])
