"""Forward mode: the tangents of every row against torch's, at ordinary and at special points."""

import warnings

import pytest
import torch
from torch.autograd import forward_ad as theirs

import torchlike
from compat.compare import array
from tests.ops import checks
from tests.ops.cases import Side, tables
from tests.speed import case
from torchlike.autograd import forward_ad as ours

CASES, SPECIAL = tables("CASES"), tables("SPECIAL")


# Points at which torch's forward mode differs from its own gradients; ours is the transpose of the gradient.
DISAGREES = {f"special-{name}" for name in (
    "prelu-0", "maximum-0", "minimum-0", "fmax-0", "clamp.Tensor-0", "atan2-0", "scatter_reduce.two-0",
    "scatter_reduce.two-1", "scatter_reduce.two-2", "scatter_reduce.two-4", "scatter_reduce.two-5",
    "binary_cross_entropy-0", "binary_cross_entropy-1", "max-1", "min-1", "median-1", "median-4",
    "nanmedian-1", "polar-0", "logcumsumexp-0", "linalg_cholesky-0")}
DISAGREES |= {
    # torch has no tangent for "prod", and says nothing
    "scatter_reduce.two-2", "scatter_reduce.two-3", "special-scatter_reduce.two-6",
    # of nothing: nan or 0
    "logsumexp-4", "special-mean.dim-0", "special-mean.dim-1", "special-mse_loss-0",
}


class DualSide(Side):
    """Every floating-point input has a tangent."""

    def __init__(self, package, forward_ad, dtype):
        super().__init__(package, dtype)
        self.forward_ad = forward_ad

    def _make(self, values, dtype=None, grad=True):
        made = super()._make(values, dtype, grad=False)
        if not (grad and (made.is_floating_point() or made.is_complex())):
            return made
        tangent = super()._make(self.random.standard_normal(made.shape), made.dtype, grad=False)
        return self.forward_ad.make_dual(made, tangent)


def tangents(package, forward_ad, expression):
    """The tangents of the results, or the exception."""
    with forward_ad.dual_level(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            results = DualSide(package, forward_ad, "float64").evaluate(expression)
            return [forward_ad.unpack_dual(r).tangent if isinstance(r, package.Tensor) else None for r in results]
        except Exception as error:  # noqa: BLE001 - the exception is the result
            return error


def expressions(table, every=None, kind=""):
    """Of `every` how many rows the first expression is fast; CI has every third."""
    found = []
    for k, i, row, e in ((k, i, row, e) for k, (row, es) in enumerate(table.items()) for i, e in enumerate(es)):
        name = f"{kind}{row}-{i}"
        marks = [pytest.mark.xfail(reason="torch's two modes disagree here", strict=True)] if name in DISAGREES else []
        found.append(case(e, fast=every and not i and k % every == 0, ci=not i and k % 3 == 0, id=name, marks=marks))
    return found


@pytest.mark.parametrize("expression", [*expressions(CASES), *expressions(SPECIAL, 4, 'special-')])
def test_tangent(expression):
    want = tangents(torch, theirs, expression)
    with torchlike.configure(compile="off"):
        got = tangents(torchlike, ours, expression)
        if isinstance(want, Exception):
            pytest.skip(f"torch cannot: {type(want).__name__}")
        if isinstance(got, Exception):
            raise AssertionError(f"{expression}: {got!r}") from got
        assert len(got) == len(want)
        for i, (a, b) in enumerate(zip(got, want, strict=True)):
            if a is None or b is None:
                other = a if b is None else b
                assert other is None or not array(other).any(), f"{expression} {i}: {a} against {b}"
            else:
                checks.check_same(a, b, f"{expression} tangent {i}")
