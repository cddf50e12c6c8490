"""An operator in another dtype than its operands give: as PyTorch, live."""

import importlib

import pytest

from compat.compare import check
from compat.compare.tolerances import EXACT

CALLS = {
    "integers": "f(t.ops.aten.mm.default, t.int32, bytes, bytes.T)",
    "beyond the operands": "f(t.ops.aten.mm.default, t.int32, 100 * bytes, bytes.T)",
    "a number": "f(t.ops.aten.mul.Scalar, t.int32, bytes, 2.5)",
    "without dimensions": "f(t.ops.aten.div.Tensor, t.int32, bytes, t.full((), 2.0, dtype=t.float64))",
    "a wider result": "f(t.ops.aten.mul.Tensor, t.float64, x, x)",
    "no gradient": "f(t.ops.aten.mul.Tensor, t.float64, x, x).sum().backward()",
    "integers of what requires grad": "f(t.ops.aten.mul.Tensor, t.int32, x, x)",
    "a function": "f(t.mm, t.int32, bytes, bytes)",
    "in place": "f(t.ops.aten.add_.Tensor, t.int32, bytes, bytes)",
    "several results": "f(t.ops.aten.max.dim, t.int32, bytes, 0)",
    "another operator": "f(t.ops.aten.add.Tensor, t.int32, bytes, bytes)",
}


@pytest.mark.parametrize("name", CALLS)
def test_as_pytorch(name):
    def call(t):
        f = importlib.import_module(f"{t.__name__}._higher_order_ops.out_dtype").out_dtype
        scope = {"t": t, "f": f, "bytes": t.arange(6, dtype=t.int8).reshape(2, 3), "x": t.ones(2, 2, requires_grad=True)}
        return eval(CALLS[name], scope)

    check(call, tolerance=EXACT, facts=("dtype", "requires_grad"))
