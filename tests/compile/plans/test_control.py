"""Loops and branches."""

import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from tests.compile.plans.agreement import assert_agrees, planned
from torchlike._compile.plans import control
from torchlike._compile.plans.table import Declined

LARGE = np.arange(8192, dtype=np.float32)  # memory of arrays of this size is used again


def collatz(n):
    def step(state):
        n, count = state
        return jnp.where(n % 2 == 0, n // 2, 3 * n + 1), count + 1

    return lax.while_loop(lambda state: state[0] != 1, step, (n, jnp.zeros((), jnp.int32)))


def newton(x):
    return lax.while_loop(lambda y: jnp.abs(y * y - x).max() > 1e-4, lambda y: 0.5 * (y + x / y), x)


def decay(x, rate):
    """A scan with a constant, a carry and stacks."""
    return lax.scan(lambda c, row: (c * rate + row, (c.sum(), row - c)), jnp.zeros(x.shape[1:], x.dtype), x)


def branch(index, x):
    return lax.switch(index, [lambda x: (x, x.sum()), lambda x: (x * 2, x.max()), lambda x: (jnp.ones_like(x), x[0])], x)


def alternating(x):
    return lax.fori_loop(0, 3, lambda i, c: lax.cond(i % 2 == 0, lambda c: c + x, lambda c: c * x, c), x)


ROWS = np.random.default_rng(0).normal(size=(7, 3)).astype(np.float32)
CASES = {
    "while": (collatz, np.int32(27)),
    "while without a step": (collatz, np.int32(1)),
    "while over an array": (newton, np.array([2.0, 3, 10], np.float32)),
    "fori": (lambda x: lax.fori_loop(0, 5, lambda i, c: c * i + x, x), ROWS),
    "fori with known bounds only": (lambda n, x: lax.fori_loop(0, n, lambda i, c: c + i, x), np.int32(4), ROWS),
    "scan": (decay, ROWS, np.float32(0.5)),
    "scan of nothing": (decay, ROWS[:0], np.float32(0.5)),
    "scan backwards": (lambda x: lax.scan(lambda c, row: (c + row, c), x[0], x, reverse=True), ROWS),
    "scan without results of its own": (lambda x: lax.scan(lambda c, row: (c + row, None), x[0], x)[0], ROWS),
    "scan of numbers": (lambda x: lax.scan(lambda c, a: (c + a, c * a), x[0], x), ROWS[:, 0]),
    "scan of bfloat16": (lambda x: lax.scan(lambda c, row: (c + row, c), x[0], x), ROWS.astype(jnp.bfloat16)),
    "first branch": (branch, np.int32(0), ROWS[0]),
    "last branch": (branch, np.int32(2), ROWS[0]),
    "branch out of bounds": (branch, np.int32(7), ROWS[0]),
    "a truth value": (lambda x: lax.cond(x[0, 0] > 0, lambda x: x + 1, lambda x: x * 2, x), ROWS),
    "nested": (alternating, ROWS),
}


@pytest.mark.parametrize("case", CASES)
def test_results(case):
    function, *args = CASES[case]
    assert_agrees(function, *args)


def passes_through(x, n):
    """What a loop or branch passes through is overwritten by nothing that comes after, nor are constants."""
    y = x + 1
    kept = lax.fori_loop(0, n, lambda i, c: c * 2, y)
    also, ones = lax.cond(n == 0, lambda y: (y, jnp.ones(8192, y.dtype)), lambda y: (y * 2, y), y)
    changed, ones = jnp.exp(-y), ones * 3
    return kept + 1, also * 2, changed, ones, y


@pytest.mark.parametrize("n", [0, 2])
def test_memory(n):
    assert_agrees(passes_through, LARGE, np.int32(n))


def test_declined():
    with pytest.raises(Declined, match="many steps"):
        planned(lambda x: lax.scan(lambda c, a: (c * 0.5 + a, c), x[0], x), np.ones(10_000, np.float32))
    with pytest.raises(Declined, match="no rule"):
        planned(lambda x: lax.fori_loop(0, 3, lambda i, x: jnp.linalg.cholesky(x), x), np.eye(3, dtype=np.float32))


def test_a_planted_error_is_seen(monkeypatch):
    def careless(results, equation):
        return results if len(results) != 1 else results[0]

    monkeypatch.setattr(control, "_fresh", careless)
    with pytest.raises((AssertionError, ValueError)):  # a constant is read only
        assert_agrees(passes_through, LARGE, np.int32(0))
