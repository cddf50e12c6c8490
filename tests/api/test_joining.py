"""Operands of several dtypes, joined: integers get no gradient, and keep none from the others."""

import pytest

from compat.compare import check
from compat.compare.tolerances import ROWS

JOINS = ["cat", "stack", "hstack", "vstack", "dstack", "column_stack", "block_diag"]
OTHERS = ["int64", "uint8", "bool", "float16", "float64", "complex64"]


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("name", JOINS)
def test_gradients_of_mixed_dtypes(name, other):
    def joined(t):
        x, given = t.tensor([1.0, 2.0, 3.0], requires_grad=True), t.tensor([0, 1, 1]).to(getattr(t, other))
        given.requires_grad_(given.is_floating_point() or given.is_complex())
        found = []
        for operands in ([x, given], [given, x, x]):
            made = getattr(t, name)(*operands) if name == "block_diag" else getattr(t, name)(operands)
            weights = t.arange(1.0, 1 + made.numel()).reshape(made.shape)
            x.grad = given.grad = None
            (made * weights).abs().sum().backward()
            found += [made, x.grad, given.grad, x.grad.stride()]
        return found

    check(joined, tolerance=ROWS, facts=("requires_grad",))


@pytest.mark.parametrize("name", ["cat", "stack"])
def test_transforms_of_mixed_dtypes(name):
    def joined(t):
        x, ints, join = t.tensor([1.0, 2.0]), t.tensor([3, 4]), getattr(t, name)
        made, tangent = t.func.jvp(lambda x: join([x, ints]), (x,), (t.ones(2),))
        return made, tangent, t.func.grad(lambda x: (join([ints, x]) ** 2).sum())(x)

    check(joined, tolerance=ROWS)
