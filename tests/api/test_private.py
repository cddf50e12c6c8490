"""Functions with an underscore that packages call."""

import pytest

from compat.compare import check
from compat.compare.tolerances import EXACT, ROWS


@pytest.mark.parametrize(("left", "right"), [
    (((2, 3), "int8"), ((3, 4), "int8")), (((2, 3), "uint8"), ((3, 4), "int8")), (((2, 3), "int8"), ((3, 4), "uint8")),
    (((2, 3), "float32"), ((3, 4), "int8")), (((2, 3), "int8"), ((4, 4), "int8")), (((3,), "int8"), ((3, 4), "int8")),
    (((2, 3), "int8"), ((3,), "int8")), (((2, 3), "int8"), ((3, 4), "float64")),
])
def test_int_mm(left, right):
    def program(t):
        a, b = (t.randint(0, 100, size).to(getattr(t, dtype)) for size, dtype in (left, right))
        return t._int_mm(a, b)

    check(program, tolerance=EXACT)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_softmax_backward_data(dtype):
    def program(t):
        output, grad = t.randn(2, 5).softmax(1), t.randn(2, 5)
        return t._softmax_backward_data(grad, output, 1, getattr(t, dtype)) if dtype == "float32" else \
            t._softmax_backward_data(grad, output, -1, t.float32)

    check(program, tolerance=ROWS)


def test_casts():
    names = ["Byte", "Char", "Double", "Float", "Half", "Int", "Long", "Short"]
    check(lambda t: [getattr(t, f"_cast_{name}")(t.tensor([1.7, -2.3, 5.0]).abs()) for name in names], tolerance=EXACT)
