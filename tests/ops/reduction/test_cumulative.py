"""Gradients of running products beside zeros, nan and infinities, in rows of every such kind."""

import itertools
import math

import pytest

from compat.compare import check
from compat.compare.tolerances import ROWS

VALUES = [0.0, -0.0, 1.0, -2.0, 0.5, math.nan, math.inf, -math.inf]


@pytest.mark.parametrize("width", [1, 2, 3])
def test_gradients_of_cumprod(width):
    def gradients(lib):
        found = []
        for row in itertools.product(VALUES, repeat=width):
            x = lib.tensor(row, dtype=lib.float64, requires_grad=True)
            found.append(lib.autograd.grad(x.cumprod(0), x, lib.arange(1.0, width + 1, dtype=lib.float64))[0])
        return lib.stack(found)

    check(gradients, tolerance=ROWS)


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_rows_side_by_side(dim):
    def gradients(lib):
        x = lib.tensor([[2.0, 0.0, 3.0, 4.0], [1.0, 2.0, 0.0, 0.0], [5.0, 6.0, 7.0, 8.0], [0.0, 1.0, 2.0, 0.0]],
                       dtype=lib.complex128, requires_grad=True)
        return lib.autograd.grad((x + 1j * x).cumprod(dim), x, (1 + 2j) * lib.arange(16.0, dtype=lib.float64).reshape(4, 4))

    check(gradients, tolerance=ROWS)


def test_second_gradients_beside_zeros():
    def gradients(lib):
        x = lib.tensor([[2.0, 0.0, 3.0, 4.0], [1.0, 2.0, 0.0, 0.0], [5.0, 6.0, 7.0, 8.0]], requires_grad=True)
        g, = lib.autograd.grad(x.cumprod(1).pow(2).sum(), x, create_graph=True)
        return g, lib.autograd.grad((g * lib.arange(12.0).reshape(3, 4)).sum(), x)

    check(gradients, tolerance=ROWS)
