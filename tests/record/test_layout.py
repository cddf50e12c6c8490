"""Where LAPACK's results lie in memory: by columns, as PyTorch's, whatever the memory of the operands."""

import pytest
import torch

import torchlike

CALLS = {
    "inv": lambda p, a: p.linalg.inv(a),
    "cholesky": lambda p, a: p.linalg.cholesky(a),
    "cholesky_ex": lambda p, a: p.linalg.cholesky_ex(a),
    "cholesky_inverse": lambda p, a: p.cholesky_inverse(a),
    "cholesky_solve": lambda p, a: p.cholesky_solve(a[..., :2], a),
    "eig": lambda p, a: p.linalg.eig(a),
    "eigh": lambda p, a: p.linalg.eigh(a),
    "svd": lambda p, a: p.linalg.svd(a),
    "reduced svd": lambda p, a: p.linalg.svd(a, full_matrices=False),
    "qr": lambda p, a: p.linalg.qr(a),
    "complete qr": lambda p, a: p.linalg.qr(a, mode="complete"),
    "geqrf": lambda p, a: p.geqrf(a),
    "lu_factor": lambda p, a: p.linalg.lu_factor(a),
    "lu": lambda p, a: p.linalg.lu(a),
    "lu_solve": lambda p, a: p.linalg.lu_solve(*p.linalg.lu_factor(a), a),
    "ldl_factor": lambda p, a: p.linalg.ldl_factor(a),
    "solve": lambda p, a: p.linalg.solve(a, a),
    "solve from the right": lambda p, a: p.linalg.solve(a, a, left=False),
    "solve a vector": lambda p, a: p.linalg.solve(a, a[..., 0]),
    "solve_triangular": lambda p, a: p.linalg.solve_triangular(a.triu(), a, upper=True),
    "householder_product": lambda p, a: p.linalg.householder_product(a, a[..., 0]),
    "pinv": lambda p, a: p.linalg.pinv(a),
}
SHAPES = {"square": (3, 3), "batch": (2, 3, 3), "tall": (5, 3), "wide": (3, 5), "one": (1, 1)}


def strides(package, call, shape, transposed):
    package.manual_seed(0)
    a = package.randn(*shape, dtype=package.float64)
    if shape[-1] == shape[-2]:
        a = a @ a.mT + package.eye(shape[-1], dtype=package.float64)
    if transposed:
        a = a.mT.contiguous().mT
    try:
        found = CALLS[call](package, a)
    except RuntimeError:
        return RuntimeError  # a matrix that is not square
    return [x.stride() for x in ([found] if isinstance(found, package.Tensor) else found)]


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("shape", SHAPES.values(), ids=list(SHAPES))
@pytest.mark.parametrize("call", CALLS)
def test_strides(call, shape, transposed):
    assert strides(torchlike, call, shape, transposed) == strides(torch, call, shape, transposed)


def test_batches_that_do_not_broadcast():
    for package in (torch, torchlike):
        with pytest.raises(RuntimeError, match=r"The size of tensor a \(3\) must match the size of tensor b \(2\)"):
            package.linalg.solve(package.randn(2, 3, 3), package.randn(3, 3, 3))
