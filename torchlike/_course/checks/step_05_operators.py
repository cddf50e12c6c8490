"""Checks of step 5: more operators."""


def matmul(e):
    """A product of matrices has two more of them as its gradients."""
    a = e.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
    b = e.tensor([[1.0, -1.0], [0.5, 2.0], [3.0, 0.0]], requires_grad=True)
    out = a @ b
    e.show("a @ b", out)
    out.backward(e.tensor([[1.0, 2.0], [3.0, 4.0]]))
    e.show("a.grad", a.grad)
    e.show("b.grad", b.grad)


def batches(e):
    """Matrices in front dimensions multiply one by one; a single one is used for all, and gets the sum."""
    a = e.tensor([[[1.0, 2.0]], [[3.0, 4.0]], [[5.0, 6.0]]], requires_grad=True)
    b = e.tensor([[1.0, 2.0], [3.0, -1.0]], requires_grad=True)
    out = a @ b
    e.show("a @ b", out)
    out.backward(out)
    e.show("a.grad", a.grad)
    e.show("b.grad", b.grad)


def reductions(e):
    """sum and mean over all elements or over dimensions, with the dimension kept or dropped."""
    for name in ("sum", "mean"):
        for options in ({}, {"dim": 0}, {"dim": 1, "keepdim": True}, {"dim": -1}, {"dim": (0, 2)}):
            x = e.tensor([[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]], requires_grad=True)
            out = getattr(x, name)(**options)
            e.show(f"{name}, {options}", out)
            (out * out).sum().backward()
            e.show(f"{name}, {options}: x.grad", x.grad)


def functions(e):
    """exp, log, tanh and relu; at 0, relu has the derivative 0."""
    for name in ("exp", "log", "tanh", "relu"):
        x = e.tensor([0.5, 1.0, 2.0] if name == "log" else [-1.0, 0.0, 2.0], requires_grad=True)
        out = getattr(x, name)()
        e.show(name, out)
        out.backward(e.tensor([1.0, 10.0, 100.0]))
        e.show(f"{name}: x.grad", x.grad)


def shapes(e):
    """reshape and mT move elements, and their gradients move them back."""
    x = e.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
    e.show("x.mT", x.mT)
    e.show("x.reshape(3, 2)", x.reshape(3, 2))
    (x.mT * x.reshape(3, 2) * e.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])).sum().backward()
    e.show("x.grad", x.grad)


def indexing(e):
    """The gradient of x[index] goes to the elements that were taken; the others get 0."""
    for label, index in {"1": 1, "0:2": slice(0, 2), "(1, 2)": (1, 2), "[2, 0]": [2, 0]}.items():
        x = e.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]], requires_grad=True)
        out = x[index]
        e.show(f"x[{label}]", out)
        (out * out).sum().backward()
        e.show(f"x[{label}]: x.grad", x.grad)


def repeated_indices(e):
    """An element that was taken several times gets each of the gradients."""
    x = e.tensor([1.0, 2.0, 3.0], requires_grad=True)
    x[[0, 2, 0, 0]].backward(e.tensor([1.0, 10.0, 100.0, 1000.0]))
    e.show("x.grad", x.grad)


def refusals(e):
    """Matrices and shapes that do not fit are a RuntimeError, an index out of bounds is an IndexError."""
    x = e.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    e.attempt("x @ x", lambda: x @ x)
    e.attempt("x.reshape(4, 2)", lambda: x.reshape(4, 2))
    e.attempt("x[2]", lambda: x[2])


def a_network(e):
    """Five steps of gradient descent on a network of two layers give the same losses and weights."""
    x = e.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    target = e.tensor([[0.0], [1.0], [1.0], [0.0]])
    weights = [e.tensor([[0.5, -0.4, 0.9], [-0.3, 0.8, 0.2]], requires_grad=True),
               e.tensor([0.1, 0.0, -0.1], requires_grad=True), e.tensor([[0.7], [-0.6], [0.4]], requires_grad=True)]
    for step in range(5):
        first, bias, second = weights
        error = (x @ first + bias).tanh() @ second - target
        loss = (error * error).mean()
        e.show(f"loss {step}", loss.item())
        loss.backward()
        weights = [e.tensor(e.numbers(w) - 0.5 * e.numbers(w.grad), requires_grad=True) for w in weights]
    e.show("weights", weights)
