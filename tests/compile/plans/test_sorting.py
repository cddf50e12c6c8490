"""Plans with primitives that sort: the same as XLA."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jax import lax

from tests.compile.plans.test_indexing import FLOATS, INTEGERS, check, values
from tests.speed import sampled
from torchlike._compile.plans import sorting
from torchlike._compile.plans.plan import Plan

SPECIAL = [0.0, -0.0, 0.0, 1.0, np.nan, -np.nan, np.inf, -np.inf, -0.0, np.nan, -1.5]


def check_bits(function, x):
    """As `check`, and zeros have the same signs."""
    with jax.enable_x64(True):
        want = jax.tree.leaves(jax.jit(function)(x))
        found = Plan(jax.make_jaxpr(function)(x))(x)
    check(function, x)
    for a, b in zip(want, found, strict=True):
        a, b = np.asarray(a), np.asarray(b)
        zero = a == 0
        np.testing.assert_array_equal(np.signbit(a[zero]), np.signbit(b[zero]))


@pytest.mark.parametrize(("dtype", "axis"), sampled(("bool", *FLOATS, *INTEGERS), (0, 1), fast=3))
def test_every_dtype(dtype, axis):
    x = values((7, 9), dtype)
    def sorts(x):
        counted = lax.broadcasted_iota(jnp.int32, x.shape, axis)
        top = () if dtype == "complex64" else lax.top_k(x, 3, axis=axis)
        return lax.sort(x, dimension=axis), lax.sort((x, counted), dimension=axis), top

    check(sorts, x)


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "float16"])
def test_nan_and_zeros(dtype):
    x = np.array(SPECIAL).astype(jnp.dtype(dtype))
    check_bits(lax.sort, x)
    check_bits(lambda x: lax.sort((x, jnp.arange(len(x))), num_keys=1), x)
    check_bits(lambda x: lax.top_k(x, len(x)), x)
    check_bits(lambda x: lax.top_k(x, 4), np.tile(x, 200))


def test_complex_with_nan():
    parts = np.array([0.0, 1.0, np.nan, 2.0, -0.0])
    check(lax.sort, (parts[:, None] + 1j * parts).astype(np.complex64).reshape(-1))


def test_several_keys():
    random = np.random.default_rng(0)
    a, b, c = (random.integers(0, 3, (4, 50)).astype(t) for t in ("float32", "int8", "float64"))
    for keys in (1, 2, 3):
        check(lambda a, b, c, keys=keys: lax.sort((a, b, c), dimension=1, num_keys=keys), a, b, c)
        check(lambda a, b, c, keys=keys: lax.sort((b, a.astype(jnp.bfloat16), c), dimension=0, num_keys=keys), a, b, c)


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 3), (1,)])
def test_empty(shape):
    x = np.zeros(shape, np.float32)
    check(lambda x: lax.sort(x), x)
    check(lambda x: lax.sort((x, x), num_keys=2), x)
    check(lambda x: lax.top_k(x, 0), x)


@settings(max_examples=15, deadline=None, derandomize=True)
@given(st.lists(st.floats(width=32, allow_subnormal=False), min_size=1, max_size=40), st.integers(0, 40))
def test_any_floats(numbers, k):
    x = np.array(numbers, np.float32)
    check(lambda x: (lax.sort(x), jnp.argsort(x), lax.top_k(x, min(k, len(x)))), x)


@pytest.mark.parametrize("dtype", ["float32", "int8", "uint32", "bfloat16", "int64"])
def test_top_of_many(dtype):
    x = values((3, 5000), dtype)
    check(lambda x: lax.top_k(x, 7), x)
    check(lambda x: lax.top_k(x, 7, axis=0), np.ascontiguousarray(x.T))


@pytest.mark.parametrize("dtype", INTEGERS)
def test_leading_zeros(dtype):
    size = np.dtype(dtype).itemsize
    numbers = [n % 2 ** (8 * size) for p in (0, 1, 2, 7, 8, 15, 31, 32, 53, 62, 63, 64) for n in (2**p - 1, 2**p)]
    check(lax.clz, np.array(numbers, f"u{size}").view(dtype))


def test_a_planted_error_is_caught(monkeypatch):
    monkeypatch.setattr(sorting, "_order", lambda forms, axis: lambda keys: np.argsort(-keys[0], axis))
    with pytest.raises(AssertionError):
        check(lambda x: lax.sort((x, x), num_keys=1), values((9,)))
