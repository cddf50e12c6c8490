"""`as_strided` of slices of a batch, which may not look beyond their own memory."""

import pytest

from compat.compare import check
from compat.compare.tolerances import EXACT

WINDOWS = [
    "x.as_strided((2, 2), (1, 1))", "x.as_strided((2,), (2,), 1)", "x[1:].as_strided((2,), (1,))",
    "(x * 2).as_strided((2, 3), (1, 1))", "x.as_strided((0,), (1,), 9)", "x.as_strided((2,), (1,)).mul_(2)",
    "torch.as_strided_copy(x, (2, 2), (1, 1))", "torch.vmap(lambda y: y.as_strided((), ()))(x)",
    "x.as_strided((5,), (1,))", "x.as_strided((2,), (4,))", "x[1:].as_strided((2,), (1,), 0)", "x.as_strided((2,), (1,), 9)",
    "x.as_strided((2,), (1,), -1)", "x.as_strided((2,), (1, 2))", "x.as_strided((2,), (1,), 1.5)",
    "x.as_strided((2,), (1,), True)", "torch.as_strided(x, (2,), (1,), 1.5)",
]


@pytest.mark.parametrize("text", WINDOWS)
def test_windows_on_slices(text):
    check(lambda t: t.vmap(lambda x: eval(text, {"torch": t, "x": x}))(t.arange(12.0).reshape(3, 4)), tolerance=EXACT)


def test_gradient_of_windows_on_slices():
    def gradient(t):
        windows = t.vmap(lambda x: x.as_strided((2, 3), (1, 1)) ** 2)
        return t.func.grad(lambda y: windows(y).sum())(t.arange(12.0).reshape(3, 4))

    check(gradient, tolerance=EXACT)
