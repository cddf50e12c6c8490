"""The GPT step as plain JAX under jax.jit, written by hand."""

import jax
import jax.numpy as jnp
import optax

from benchmarks.programs.gpt import BATCH, DEPTH, HEADS, LENGTH, VOCABULARY, WIDTH


def _parameters(key):
    keys = iter(jax.random.split(key, 4 * DEPTH + 3))

    def linear(wide, narrow):
        bound = wide ** -0.5
        return {"w": jax.random.uniform(next(keys), (wide, narrow), minval=-bound, maxval=bound),
                "b": jnp.zeros(narrow)}

    def norm():
        return {"scale": jnp.ones(WIDTH), "shift": jnp.zeros(WIDTH)}

    def block():
        return {"norm1": norm(), "norm2": norm(),
                "qkv": linear(WIDTH, 3 * WIDTH), "out": linear(WIDTH, WIDTH),
                "up": linear(WIDTH, 4 * WIDTH), "down": linear(4 * WIDTH, WIDTH)}

    return {"token": jax.random.normal(next(keys), (VOCABULARY, WIDTH)),
            "position": jax.random.normal(next(keys), (LENGTH, WIDTH)),
            "blocks": [block() for _ in range(DEPTH)], "norm": norm(),
            "head": linear(WIDTH, VOCABULARY)["w"]}


def _norm(p, x):
    mean, variance = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    return (x - mean) / jnp.sqrt(variance + 1e-5) * p["scale"] + p["shift"]


def _linear(p, x):
    return x @ p["w"] + p["b"]


def _apply_block(p, x):
    batch, length, _ = x.shape
    parts = jnp.split(_linear(p["qkv"], _norm(p["norm1"], x)), 3, axis=2)
    q, k, v = (part.reshape(batch, length, HEADS, WIDTH // HEADS).transpose(0, 2, 1, 3) for part in parts)
    scores = q @ k.swapaxes(-1, -2) / (WIDTH // HEADS) ** 0.5
    scores = jnp.where(jnp.tril(jnp.ones((length, length), bool)), scores, -jnp.inf)
    y = jax.nn.softmax(scores) @ v
    x = x + _linear(p["out"], y.transpose(0, 2, 1, 3).reshape(batch, length, WIDTH))
    return x + _linear(p["down"], jax.nn.gelu(_linear(p["up"], _norm(p["norm2"], x)), approximate=False))


def _loss(p, tokens, targets):
    x = p["token"][tokens] + p["position"]
    for layer in p["blocks"]:
        x = _apply_block(layer, x)
    logits = _norm(p["norm"], x) @ p["head"]
    return optax.softmax_cross_entropy_with_integer_labels(logits, targets).mean()


def make_step():
    """One step of it."""
    parameters = _parameters(jax.random.key(0))
    optimizer = optax.adamw(3e-4, weight_decay=1e-2)
    data = jax.random.randint(jax.random.key(1), (BATCH, LENGTH + 1), 0, VOCABULARY)
    tokens, targets = data[:, :-1], data[:, 1:]

    def update(parameters, moments, tokens, targets):
        loss, grads = jax.value_and_grad(_loss)(parameters, tokens, targets)
        changes, moments = optimizer.update(grads, moments, parameters)
        return optax.apply_updates(parameters, changes), moments, loss

    update = jax.jit(update, donate_argnums=(0, 1))
    state = [parameters, optimizer.init(parameters)]

    def step():
        state[0], state[1], loss = update(*state, tokens, targets)
        return loss

    return step
