"""Lists of ints as separate arguments of methods."""

import pytest

from compat.compare import check
from compat.compare.tolerances import EXACT


@pytest.mark.parametrize("call", [
    "x.broadcast_to(5, 2, 3, 4)", "x.broadcast_to((2, 3, 4))", "x.broadcast_to(size=(2, 3, 4))",
    "x.broadcast_to()", "x.broadcast_to(2, 3.0)",
    "x.hsplit(1, 2)", "x.hsplit(3)", "x.hsplit([1])", "x.hsplit(1, 2.0)", "x.vsplit(1, 1)", "x.dsplit(1, 3)",
    "x.dsplit(2)", "t.ones(3).broadcast_to(3)",
])
def test_calls(call):
    check(lambda t: eval(call, {"t": t, "x": t.arange(24.0).reshape(2, 3, 4)}), tolerance=EXACT)


def test_views_of_nothing():
    check(lambda t: [len(t.empty(0, 3).unbind()), len(t.empty(2, 0, requires_grad=True).unbind(1))], tolerance=EXACT)
