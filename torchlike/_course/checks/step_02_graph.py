"""Checks of step 2: the graph."""


def requires_grad_spreads(e):
    """What is computed from a Tensor that requires grad requires grad, and is no leaf."""
    x, c = e.tensor(2.0, requires_grad=True), e.tensor(3.0)
    for label, value in {"x": x, "c": c, "x * c": x * c, "c + x": c + x, "c * c": c * c}.items():
        e.show(f"{label}: requires_grad, is_leaf", [value.requires_grad, value.is_leaf])


def names(e):
    """Each Node has the name that PyTorch gives it; leaves and constants have no grad_fn."""
    x, y = e.tensor(2.0, requires_grad=True), e.tensor(3.0, requires_grad=True)
    for label, value in {"x + y": x + y, "x - y": x - y, "x * y": x * y, "x / y": x / y, "-x": -x, "x ** 2": x ** 2,
                         "x": x, "a constant": e.tensor(1.0) * 2}.items():
        e.show(f"the Node of {label}", e.name(value))


def edges(e):
    """A Node has an edge to the Node of each input, in order, and none for a constant."""
    x, y, c = e.tensor(2.0, requires_grad=True), e.tensor(3.0, requires_grad=True), e.tensor(5.0)
    e.show("x * y", e.parents(x * y))
    e.show("-x - x * y", e.parents(-x - x * y))
    e.show("c * (x / y)", e.parents(c * (x / y)))
    e.show("c - x", e.parents(c - x))


def one_node_for_a_leaf(e):
    """A leaf has one AccumulateGrad, however often it is used."""
    x = e.tensor(2.0, requires_grad=True)
    first, second = e.nexts(e.node(x * x))
    e.show("the same Node", first is second)
    e.show("also for another use", e.nexts(e.node(x + 1))[0] is first)
    e.show("Nodes of x * x + x", e.count(x * x + x))


def switched_off(e):
    """Under no_grad nothing is recorded, and afterwards it is again, also after an error."""
    x = e.tensor(2.0, requires_grad=True)
    with e.no_grad():
        y = x * x
    e.show("under no_grad", [y.requires_grad, y.is_leaf, e.name(y)])
    try:
        with e.no_grad():
            raise KeyError("left by an error")
    except KeyError:
        pass
    e.show("after an error", e.name(x * x))
    with e.no_grad():
        with e.no_grad():
            pass
        e.show("inside of two", (x * x).requires_grad)


def every_node_once(e):
    """The Nodes below a result are found once each, in time that grows with their number, and without recursion."""
    x = e.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(60):  # 2 ** 60 ways lead from y to x
        y = y + y
    e.show("Nodes of 60 doublings", e.count(y))
    for _ in range(1500):
        y = -y
    e.show("Nodes of a long chain", e.count(y))
