"""The MLP step with a learning rate that changes, as plain JAX under jax.jit, written by hand."""

import jax

from benchmarks.programs.learning_rates import rates
from benchmarks.twins import mlp


def make_step():
    """One step of it."""
    parameters, inputs, targets, loss_of = mlp.parts()

    def update(parameters, rate, inputs, targets):
        loss, grads = jax.value_and_grad(loss_of)(parameters, inputs, targets)
        return jax.tree.map(lambda p, g: p - rate * g, parameters, grads), loss

    update = jax.jit(update, donate_argnums=0)
    state = [parameters]
    rate = rates()

    def step():
        state[0], loss = update(state[0], next(rate), inputs, targets)
        return loss

    return step
