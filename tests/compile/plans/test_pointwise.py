"""Steps that compute element by element: choices, products with one, numbers."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from torchlike._compile.plans.plan import Plan
from torchlike._ops.numerics import angles, sines

from .agreement import assert_agrees, planned

_DTYPES = ("bool", "int8", "uint16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64")
_SPECIAL = (np.nan, np.inf, -np.inf, -0.0, 0.0)


def _numbers(dtype, size, seed):
    x = np.random.default_rng(seed).standard_normal(size)
    if dtype.startswith(("float", "bfloat", "complex")):
        x[:len(_SPECIAL)] = _SPECIAL
    return x.astype(jnp.dtype(dtype))


@pytest.mark.parametrize("size", [8, 5000])
@pytest.mark.parametrize("dtype", _DTYPES)
def test_a_choice_takes_the_bits(dtype, size):
    which = np.random.default_rng(0).random(size) < 0.5
    no, yes = _numbers(dtype, size, 1), _numbers(dtype, size, 2)[::-1].copy()
    zero = np.zeros((), no.dtype)
    for a, b in ((no, yes), (no, zero), (zero, yes), (no, yes[7]), (zero, zero)):
        found, = planned(lambda c, a, b: (jnp.where(c, b, a),), which, a, b)
        assert found.dtype == no.dtype
        assert found.tobytes() == np.where(which, b, a).astype(no.dtype).tobytes()


def test_a_choice_spreads_what_it_chooses_by():
    x, y = np.ones((3, 4, 50, 50), np.float32), np.full((50, 1), 2, np.float32)
    assert_agrees(lambda x, y: jnp.where(jnp.tri(50, dtype=bool), x, y), x, y)
    assert_agrees(lambda x: jnp.where(jnp.tri(50, dtype=bool), x, -jnp.inf), x)


def test_one_case_is_that_case():
    assert_agrees(lambda i, x: lax.select_n(i, x), np.zeros(3, np.int32), np.arange(3.0))


@pytest.mark.parametrize("dtype", ["int32", "float32", "bfloat16", "complex64"])
def test_products_with_one(dtype):
    x = np.array([1, 2, 3]).astype(jnp.dtype(dtype))
    one = jnp.ones((), x.dtype)
    assert_agrees(lambda x: (x * one, one * x, x * (one + one), x[:1] * jnp.ones((4,), x.dtype)), x)


def test_numbers_are_converted():
    for value in (1e300, 0.1, np.nan, -np.inf):
        assert_agrees(lambda x: lax.convert_element_type(x, np.float32) * np.ones(3, np.float32), np.float64(value))


@pytest.mark.parametrize("name", ["sin", "cos", "tan", "asin", "acos", "atan"])
def test_numpy_has_what_xla_is_slow_at(name):
    """One call, not the series for XLA, which takes thirty and as many arrays."""
    x = np.linspace(-1, 1, 5000).astype(np.float32)
    with jax.enable_x64(True):
        plan = Plan(jax.make_jaxpr(getattr(sines if name in ("sin", "cos", "tan") else angles, name))(x))
    (found,) = plan(x)
    assert len(plan.operations) == 1 and found.dtype == np.float32
    exact = getattr(np, {"a": "arc"}.get(name[0], name[0]) + name[1:])(x.astype(np.float64))
    assert (np.abs(found - exact) <= np.spacing(np.abs(exact).astype(np.float32))).all()


@pytest.mark.parametrize("power", [-3, -1, 0, 1, 2, 3, 5])
def test_a_power_has_memory_of_its_own(power):
    x = np.linspace(0.5, 1.5, 8192)  # memory of arrays of this size is used again

    def reads_again(x):
        base = x * 2
        return lax.integer_pow(base, power) * 3 + base

    assert_agrees(reads_again, x)
