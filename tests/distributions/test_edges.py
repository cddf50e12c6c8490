"""Errors, warnings and special values against torch."""

import pytest

from tests.distributions.edges import EDGES, USES
from tests.distributions.side import agree
from tests.speed import sampled


@pytest.mark.parametrize("expression", EDGES)
def test_edge(expression):
    dtype = "float32" if "GeneralizedPareto" in expression else "float64"  # see FLOAT32 in cases.py
    agree(lambda side: side.evaluate(expression), rtol=1e-5, atol=1e-6, dtype=dtype, where=expression)


# Every second is in CI.
@pytest.mark.parametrize("expression", sampled(USES, ci=2))
def test_use(expression):
    agree(lambda side: side.evaluate(expression), rtol=2e-5, atol=2e-6, where=expression)
