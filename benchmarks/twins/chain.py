"""The chain of 100 operations as plain JAX under jax.jit, written by hand."""

import jax
import jax.numpy as jnp

from benchmarks.programs.chain import LINKS


def make_step():
    """One step of it."""
    def total(x):
        y = x
        for _ in range(LINKS):
            y = jnp.tanh(y * 0.9 + 0.1) * y
        return y.sum()

    x = jax.random.normal(jax.random.key(0), (8, 8))
    accumulate = jax.jit(lambda g: g + jax.grad(total)(x), donate_argnums=0)
    state = {"grad": jnp.zeros((8, 8))}

    def step():
        state["grad"] = accumulate(state["grad"])
        return state["grad"]

    return step
