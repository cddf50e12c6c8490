"""Factorisations under `torch.func`: values, and the errors of singular matrices in any slice, against torch."""

import jax
import numpy as np
import pytest
import torch

import torchlike
from tests.speed import sampled

FUNCTIONS = ("inv", "cholesky", "lu_factor", "solve_self")
TRANSFORMS = {
    "vmap": lambda t, f, x: t.func.vmap(t.func.vmap(f))(x),
    "vmap over the second": lambda t, f, x: t.func.vmap(f, in_dims=1)(x),
    "vmap of grad": lambda t, f, x: t.func.vmap(t.func.grad(lambda y: f(y).sum()))(x),
    "grad": lambda t, f, x: t.func.grad(lambda y: f(y).sum())(x),
}


def told(t, function, transform, singular):
    """The values, or the error."""
    x = t.eye(3).repeat(2, 4, 1, 1) * 2
    if singular:
        x[1, 2, 1, 1] = 0

    def f(y):
        found = t.linalg.solve(y, y) if function == "solve_self" else getattr(t.linalg, function)(y)
        return found[0] if isinstance(found, tuple) else found

    try:
        return TRANSFORMS[transform](t, f, x).numpy()
    except RuntimeError as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("singular", [False, True])
@pytest.mark.parametrize(("function", "transform"), sampled(
    FUNCTIONS, TRANSFORMS, fast=lambda i, k: i % 2 + k == 0, ci=2))
def test_transforms(function, transform, singular):
    want, got = told(torch, function, transform, singular), told(torchlike, function, transform, singular)
    assert isinstance(want, str) == singular
    if singular:
        assert got == want
    else:
        np.testing.assert_allclose(got, want, 1e-6, 1e-6)


def test_under_jit_there_is_no_error():
    """Nothing can be looked at there: the result of a singular matrix is not finite."""
    inverse = jax.jit(torchlike.to_jax(torchlike.linalg.inv))
    np.testing.assert_allclose(inverse(2 * np.eye(2)), np.eye(2) / 2)
    assert not np.isfinite(inverse(np.zeros((2, 2)))).all()
