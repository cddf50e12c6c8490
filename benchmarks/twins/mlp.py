"""The MLP step as plain JAX under jax.jit, written by hand."""

import jax
import jax.numpy as jnp
import optax

from benchmarks.programs.mlp import WIDTHS


def parts():
    """(parameters, inputs, targets, loss function)."""
    keys = jax.random.split(jax.random.key(0), len(WIDTHS) + 1)
    parameters = []
    for key, wide, narrow in zip(keys, WIDTHS[:-1], WIDTHS[1:], strict=False):
        bound = wide ** -0.5
        weight = jax.random.uniform(key, (wide, narrow), minval=-bound, maxval=bound)
        parameters.append((weight, jnp.zeros(narrow)))
    inputs = jax.random.normal(keys[-2], (32, 64))
    targets = jax.random.randint(keys[-1], (32,), 0, 10)

    def loss_of(parameters, inputs, targets):
        x = inputs
        for weight, bias in parameters[:-1]:
            x = jax.nn.relu(x @ weight + bias)
        weight, bias = parameters[-1]
        return optax.softmax_cross_entropy_with_integer_labels(x @ weight + bias, targets).mean()

    return parameters, inputs, targets, loss_of


def make_step():
    """One step of it."""
    parameters, inputs, targets, loss_of = parts()
    optimizer = optax.adam(1e-3)

    def update(parameters, moments, inputs, targets):
        loss, grads = jax.value_and_grad(loss_of)(parameters, inputs, targets)
        changes, moments = optimizer.update(grads, moments, parameters)
        return optax.apply_updates(parameters, changes), moments, loss

    update = jax.jit(update, donate_argnums=(0, 1))
    state = [parameters, optimizer.init(parameters)]

    def step():
        state[0], state[1], loss = update(*state, inputs, targets)
        return loss

    return step
