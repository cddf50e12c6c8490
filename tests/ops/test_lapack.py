"""Factorisations of large batches, which go to LAPACK in pieces: against torch, and that they end."""

import re
import subprocess
import sys

import jax
import numpy as np
import pytest
import torch

import torchlike
from tests.speed import every, sampled
from torchlike._ops.numerics import lapack

PROGRAMS = [
    "linalg.inv(a)", "linalg.det(a)", "linalg.slogdet(a)[1]", "linalg.solve(a, b)", "linalg.solve(a[0], b)",
    "linalg.cholesky(spd)", "cholesky_inverse(linalg.cholesky(spd))", "cholesky_solve(b, linalg.cholesky(spd))",
    "linalg.qr(a)[1].abs()", "linalg.qr(b)[1].abs()", "linalg.svdvals(b)", "linalg.svd(b, full_matrices=False)[1]",
    "linalg.eigvalsh(spd)", "linalg.eigh(spd)[0]", "linalg.eigvals(spd).real.sort().values", "linalg.pinv(b)",
    "linalg.matrix_exp(a / 9)", "linalg.solve_triangular(a.tril(), b, upper=False)", "linalg.lu(a)[2]",
    "linalg.lu_solve(*linalg.lu_factor(a), b)",
]


def result(t, program):
    """The value and the gradients."""
    rng = np.random.default_rng(0)
    a = t.tensor(rng.normal(size=(5, 24, 24)) + 9 * np.eye(24), requires_grad=True)
    b = t.tensor(rng.normal(size=(5, 24, 7)), requires_grad=True)
    scope = {"a": a, "b": b, "spd": a @ a.mT, "linalg": t.linalg, "cholesky_inverse": t.cholesky_inverse,
             "cholesky_solve": t.cholesky_solve}
    value = eval(program, scope)
    grads = t.autograd.grad((value * value).sum(), (a, b), allow_unused=True)
    return [None if x is None else x.detach().numpy() for x in (value, *grads)]


@pytest.mark.parametrize("program", sampled(PROGRAMS, fast=3, ci=every(3, 1)))
def test_large_batches(program):
    for want, got in zip(result(torch, program), result(torchlike, program), strict=True):
        assert (want is None) == (got is None)
        if want is not None:
            np.testing.assert_allclose(got, want, 1e-7, 1e-8)


@pytest.mark.parametrize(("shape", "most"), [((5, 24, 24), 2), ((3, 128, 128), 1), ((1000, 2, 2), 1000), ((9, 9), 1)])
def test_pieces(shape, most):
    """No piece is so large that jaxlib splits it; a batch that fits goes as it is."""
    text = jax.jit(lapack.lu).lower(np.ones(shape, np.float32)).as_text()
    calls = re.findall(r"@lapack_sgetrf\w*\(.*: \(tensor<(\S+)xf32>\)", text)
    batches = [int(found.split("x")[0]) if found.count("x") == 2 else 1 for found in calls]
    assert batches
    assert max(batches) == most


ENDS = """
import torchlike as torch
a = torch.randn(16, 128, 128).sin() + 3 * torch.eye(128)
b = torch.randn(16, 128, 128)
for i in range(40):
    found = [torch.linalg.solve_triangular(a + k, (b * k).cos(), upper=False) for k in range(4)]
    total = float(sum(x.sum() for x in found))
print("ended")
"""


@pytest.mark.slow
def test_independent_ones_end():
    done = subprocess.run([sys.executable, "-c", ENDS], capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.strip() == "ended"
