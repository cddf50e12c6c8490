"""Orthogonal polynomials at degrees and points of every kind; a degree that no integer of 64 bits holds is none."""

import math

import pytest

from compat.compare import check
from compat.compare.tolerances import ROWS

POINTS = [0.3, -0.3, 0.5, 1.0, -1.0, 2.0, -3.0, 0.0, -0.0, 0.9999, -0.9999999, 1e-30, 1e30, math.inf, -math.inf]
DEGREES = [-1.5, -0.5, 0.0, 0.7, 1.0, 2.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 33.0, 128.0, 129.0, 512.0, 513.0, 1000.0,
           math.nan, math.inf, -math.inf, 2.0 ** 63, 1e30, 1e308]
NAMES = [*(f"{shifted}chebyshev_polynomial_{kind}" for shifted in ("", "shifted_") for kind in "tuvw"),
         "hermite_polynomial_h", "hermite_polynomial_he", "laguerre_polynomial_l", "legendre_polynomial_p"]


@pytest.mark.parametrize("name", NAMES)
def test_values(name):
    def values(lib):
        x, n = lib.tensor(POINTS, dtype=lib.float64)[:, None], lib.tensor(DEGREES, dtype=lib.float64)
        return getattr(lib.special, name)(x, n)

    check(values, tolerance=ROWS)


def test_nan_where_pytorch_computes_with_it():
    def values(lib):
        return [getattr(lib.special, name)(lib.tensor(math.nan), lib.arange(5))
                for name in ("chebyshev_polynomial_t", "hermite_polynomial_h", "hermite_polynomial_he")]

    check(values, tolerance=ROWS)


def test_degrees_as_integers():
    def values(lib):
        n = lib.arange(-2, 12)
        return [getattr(lib.special, name)(lib.tensor([0.4, 1.0, -1.0])[:, None], n) for name in NAMES]

    check(values, tolerance=ROWS)
