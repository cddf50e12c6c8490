"""`as_sparse_gradcheck`, against torch."""

import pytest
import torch

import torchlike

LAYOUTS = {"coo": ("to_sparse_coo",), "csr": ("to_sparse_csr",), "csc": ("to_sparse_csc",), "bsr": ("to_sparse_bsr", (2, 3)),
           "bsc": ("to_sparse_bsc", (2, 3)), "strided": ("clone",)}
FUNCTIONS = {
    "scaled": lambda lib, x: x * 3, "itself": lambda lib, x: x,
    "dense": lambda lib, x: x * 1 if x.layout is lib.strided else x.to_dense(masked_grad=False),
    "sum": lambda lib, x: x.sum(), "several": lambda lib, x: (x * 2, x.sum()),
    "converted": lambda lib, x: x.to_sparse_csr() if x.layout is lib.sparse_coo else x * 2,
}


def checked(lib, layout, function, masked):
    method, *options = LAYOUTS[layout]
    dense = lib.tensor([[0, 1, 2], [0, 0, 3], [4, 0, 0], [0, 0, 5]], dtype=lib.float64)
    x = getattr(dense, method)(*options).detach().requires_grad_(True)
    check = lib.sparse.as_sparse_gradcheck(lib.autograd.gradcheck)
    try:
        return check(lambda x: FUNCTIONS[function](lib, x), (x,), masked=masked)
    except RuntimeError as error:
        return type(error).__name__


@pytest.mark.filterwarnings("ignore:Sparse", "ignore:.*is in beta state")
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize(("layout", "function"), [
    (layout, function) for layout in LAYOUTS for function in FUNCTIONS
    if function != "several" or layout not in ("bsr", "bsc")])  # PyTorch cannot add the two gradients of blocks
def test_as_pytorch(layout, function, masked):
    assert checked(torchlike, layout, function, masked) == checked(torch, layout, function, masked)


@pytest.mark.filterwarnings("ignore:Sparse")
@pytest.mark.parametrize("masked", [False, True])
def test_a_wrong_gradient_is_found(masked):
    class Wrong(torchlike.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 3

    x = torchlike.eye(2, dtype=torchlike.float64).to_sparse_coo().requires_grad_(True)
    check = torchlike.sparse.as_sparse_gradcheck(torchlike.autograd.gradcheck)
    with pytest.raises(RuntimeError, match="Jacobian mismatch"):
        check(lambda x: Wrong.apply(x.to_dense(masked_grad=masked)), x, masked=masked)
