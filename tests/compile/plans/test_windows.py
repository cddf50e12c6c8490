"""Reductions over windows and by functions that are jaxprs."""

import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jax import lax

from tests.compile.plans.agreement import assert_agrees, planned
from tests.speed import sampled
from torchlike._compile.plans import windows
from torchlike._compile.plans.table import Declined

COMBINED = {"add": (lax.add, 0), "max": (lax.max, -np.inf), "min": (lax.min, np.inf), "add to 2": (lax.add, 2),
            "mul": (lax.mul, 1), "mul with 2": (lax.mul, 2)}


def numbers(shape, dtype="float32"):
    return (4 * np.random.default_rng(0).normal(size=shape)).astype(jnp.dtype(dtype))


@st.composite
def shapes(draw):
    """(shape, what lax.reduce_window takes)."""
    n = draw(st.integers(1, 3))

    def each(low, high):
        return tuple(draw(st.integers(low, high)) for _ in range(n))

    pads = [(draw(st.integers(0, 2)), draw(st.integers(0, 2))) for _ in range(n)]
    return each(0, 8), {"window_dimensions": each(1, 3), "window_strides": each(1, 3), "padding": pads,
                        "base_dilation": each(1, 2), "window_dilation": each(1, 2)}


@settings(max_examples=40, deadline=None)
@given(shapes(), st.sampled_from(sorted(COMBINED)))
def test_windows(drawn, combined):
    shape, params = drawn
    combine, start = COMBINED[combined]
    assert_agrees(lambda x: lax.reduce_window(x, np.float32(start), combine, **params), numbers(shape))


@pytest.mark.parametrize(("combine", "dtype"), sampled(
    (lax.add, lax.max, lax.min), ("float64", "bfloat16", "float16", "int32", "uint8"), fast=3))
def test_dtypes(combine, dtype):
    x = numbers((3, 9), dtype)
    start = {lax.add: 0, lax.max: -np.inf, lax.min: np.inf}[combine]
    if not jnp.issubdtype(x.dtype, jnp.floating) and start:
        start = np.iinfo(x.dtype).min if start < 0 else np.iinfo(x.dtype).max
    assert_agrees(lambda x: lax.reduce_window(x, np.array(start, x.dtype)[()], combine, (1, 3), (1, 2), "SAME"), x)


def test_nan_wins():
    x = np.array([1, np.nan, 3, 4, 5, 6], np.float32)
    assert_agrees(lambda x: lax.reduce_window(x, -np.inf, lax.max, (2,), (2,), "VALID"), x)


@pytest.mark.parametrize(("dtype", "start"), sampled(("float32", "bfloat16", "int32", "uint64"), (0, 3), fast=3))
@pytest.mark.parametrize("axes", [(), (1,), (0, 2)])
def test_reduce(axes, start, dtype):
    def reduce(combine):
        return lambda x: lax.reduce(x, np.array(start, x.dtype)[()], lambda a, b: combine(a, b), axes)

    x = numbers((3, 4, 5), dtype)
    for combine in (lax.add, lax.max) if jnp.issubdtype(x.dtype, jnp.floating) else (lax.add, lax.min, lax.bitwise_xor):
        assert_agrees(reduce(combine), x)
        assert_agrees(reduce(combine), x[:, :0])


def test_declined():
    x = numbers((3, 4))
    with pytest.raises(Declined, match="several primitives"):
        planned(lambda x: lax.reduce(x, np.float32(0), lambda a, b: a * b + a, (0,)), x)
    with pytest.raises(Declined, match="several operands"):
        planned(lambda x: lax.reduce((x, x), (np.float32(0),) * 2, lambda a, b: (a[0] + b[0], a[1] * b[1]), (0,)), x)
    with pytest.raises(Declined, match="large windows"):
        planned(lambda x: lax.reduce_window(x, np.float32(0), lax.add, (999,), (1,), "SAME"), numbers(1000))


def test_a_planted_error_is_seen(monkeypatch):
    monkeypatch.setattr(windows, "_neutral", lambda name, dtype: dtype.type(1))
    with pytest.raises(AssertionError):
        assert_agrees(lambda x: lax.reduce_window(x, np.float32(0), lax.add, (3,), (1,), "SAME"), numbers(8))
