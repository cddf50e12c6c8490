"""Checks of step 4: broadcasting."""


def a_row_for_all_rows(e):
    """A bias that is added to each row gets the sum over the rows."""
    x = e.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
    bias = e.tensor([10.0, 20.0, 30.0], requires_grad=True)
    (x + bias).backward(e.tensor([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]]))
    e.show("x.grad", x.grad)
    e.show("bias.grad", bias.grad)


def stretched_dimensions(e):
    """A dimension of size 1 that was stretched keeps its place in the gradient."""
    column, row = e.tensor([[1.0], [2.0]], requires_grad=True), e.tensor([[3.0, 4.0, 5.0]], requires_grad=True)
    (column * row).backward(e.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
    e.show("column.grad", column.grad)
    e.show("row.grad", row.grad)


def both_at_once(e):
    """Added and stretched dimensions may occur together."""
    a = e.tensor([[1.0], [2.0]], requires_grad=True)
    b = e.tensor([[[1.0, 2.0, 3.0]], [[4.0, 5.0, 6.0]]], requires_grad=True)
    out = a * b
    e.show("shape", tuple(out.shape))
    out.backward(out * out)
    e.show("a.grad", a.grad)
    e.show("b.grad", b.grad)


def a_number(e):
    """A Tensor without dimensions goes with any other."""
    for label, f in {"x + s": lambda x, s: x + s, "s - x": lambda x, s: s - x, "x * s": lambda x, s: x * s,
                     "s / x": lambda x, s: s / x, "x / s": lambda x, s: x / s}.items():
        x, s = e.tensor([[1.0, 2.0], [4.0, 8.0]], requires_grad=True), e.tensor(3.0, requires_grad=True)
        f(x, s).backward(e.tensor([[1.0, 10.0], [100.0, 1000.0]]))
        e.show(f"{label}: x.grad, s.grad", [x.grad, s.grad])


def size_one_stays(e):
    """Where nothing was stretched, nothing is summed."""
    x, y = e.tensor([[1.0], [2.0]], requires_grad=True), e.tensor([[3.0], [4.0]], requires_grad=True)
    (x * y).backward(e.tensor([[1.0], [10.0]]))
    e.show("x.grad, y.grad", [x.grad, y.grad])


def expand(e):
    """expand broadcasts to a shape; what cannot be is refused."""
    x = e.tensor([[1.0], [2.0]], requires_grad=True)
    y = x.expand(3, 2, 4)
    e.show("y", y)
    y.backward(y)
    e.show("x.grad", x.grad)
    e.attempt("expand(3, 4)", lambda: x.expand(3, 4))


def shapes_that_do_not_fit(e):
    """Shapes that do not go together are a RuntimeError, also that of a gradient."""
    x, y = e.tensor([1.0, 2.0], requires_grad=True), e.tensor([1.0, 2.0, 3.0])
    e.attempt("x + y", lambda: x + y)
    e.attempt("a gradient of another shape", lambda: (x * x).backward(e.tensor([1.0])))
