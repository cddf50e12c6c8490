"""What Lean arrays trace to: the equations that jax.numpy makes, one by one."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from torchlike._ops.numerics import lean
from torchlike._ops.numerics.lean import Lean

X, ROW, COLUMN = np.arange(12, dtype=np.float32).reshape(3, 4), np.ones(4, np.float32), np.ones((3, 1), np.float32)
HALF, INTEGERS, COMPLEX = X.astype(np.float16), X.astype(np.int64), X.astype(np.complex64)

SAME_TEXT = [
    (lambda x: 2 - x * 2.0 / 3, X), (lambda x, y: (x + y) - (y - x), X, ROW), (lambda x, y: x + y, COLUMN, ROW),
    (lambda x: x.sum(1, keepdims=True) / 4 + x.max(-1, keepdims=True), X), (lambda x: x.sum() + x.sum((0, -1)), X),
    (lambda x: x.sum(0), HALF), (lambda x: x.sum(0), INTEGERS), (lambda x: x / 2, INTEGERS), (lambda x: x / 2, HALF),
    (lambda x: x.reshape(-1).reshape(4, 3).reshape((3, 4)), X), (lambda x: -x / x ** 3, X),
    (lambda x: ~((x > 0) | (x == 1)) & (x <= 3), X), (lambda x: (x != 1) & (x < 2), INTEGERS),
    (lambda x, y: x * y, X, X.astype(np.float64)), (lambda x: x.astype(np.float64), X), (lambda x: x.conj() * 1j, COMPLEX),
]

SAME_VALUES = [
    (lambda x: lean.where(Lean(x) > 2, x, 0), lambda x: jnp.where(x > 2, x, 0)),
    (lambda x: lean.where(Lean(x).max(1, keepdims=True) > 5, -jnp.inf, Lean(x).sum(0)),
     lambda x: jnp.where(x.max(1, keepdims=True) > 5, -jnp.inf, x.sum(0))),
    (lambda x: lean.where(x[0, 0] > 2, x, x.astype(jnp.float64)),
     lambda x: jnp.where(x[0, 0] > 2, x, x.astype(jnp.float64))),
    (lambda x: lean.take_along(x, jnp.array([3, 0, 1]), 1), lambda x: x[jnp.arange(3), jnp.array([3, 0, 1])]),
    (lambda x: lean.take_along(x[:, :0], jnp.array([0, 0, 0]), 1), lambda x: jnp.zeros(3, x.dtype)),
    (lambda x: lean.broadcast_to(Lean(x).sum(0), (2, 3, 4)), lambda x: jnp.broadcast_to(x.sum(0), (2, 3, 4))),
    (lambda x: lean.full((2, 3), jnp.nan, x.dtype), lambda x: jnp.full((2, 3), jnp.nan, x.dtype)),
    (lambda x: lean.dot(x, x[0]), lambda x: x @ x[0]),
    (lambda x: lean.exp(x) + lean.log(Lean(x).expand(1).squeeze(1)) + lean.rsqrt(x),
     lambda x: jnp.exp(x) + jnp.log(x) + lax.rsqrt(x)),
]


def _jaxpr(f, arrays):
    return str(jax.make_jaxpr(f)(*arrays))


@pytest.mark.parametrize("case", SAME_TEXT, ids=range(len(SAME_TEXT)))
def test_operators_make_the_equations_of_jax_numpy(case):
    f, *arrays = case
    with jax.enable_x64(True):
        assert _jaxpr(lambda *a: f(*map(Lean, a)).array, arrays) == _jaxpr(f, arrays)


@pytest.mark.parametrize(("f", "g"), SAME_VALUES, ids=range(len(SAME_VALUES)))
def test_functions_compute_what_jax_numpy_does(f, g):
    with jax.enable_x64(True):
        found, want = jax.jit(lambda x: f(x).array)(X), jax.jit(g)(X)
    assert found.dtype == want.dtype
    np.testing.assert_array_equal(found, want)


def test_a_fraction_beside_integers_is_refused():
    with pytest.raises(TypeError, match="beside an array of int64"):
        Lean(INTEGERS) * 0.5
