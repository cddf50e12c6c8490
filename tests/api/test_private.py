"""Functions with an underscore that packages call."""

import warnings

import pytest
import torch

import torchlike
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


def test_whose_memory_a_tensor_can_take():
    def table(t):
        dense = t.ones(2, 2)
        kinds = [dense, dense.int(), dense.to("meta"), dense.to_sparse(), dense.to_sparse_csr(), dense.to_sparse_csc(),
                 dense.to_sparse().to("meta"), t.nested.nested_tensor([dense[0]], layout=t.jagged)]
        return [[t._has_compatible_shallow_copy_type(x, y) for y in kinds] for x in kinds]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch's of layouts
        assert table(torchlike) == table(torch)
