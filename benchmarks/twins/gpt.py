"""The GPT step as plain JAX under jax.jit, written by hand."""

import functools

import jax
import jax.numpy as jnp
import optax

from benchmarks.programs.gpt import DEFAULT


def _parameters(key, size):
    keys = iter(jax.random.split(key, 4 * size.depth + 3))

    def linear(wide, narrow):
        bound = wide ** -0.5
        return {"w": jax.random.uniform(next(keys), (wide, narrow), minval=-bound, maxval=bound),
                "b": jnp.zeros(narrow)}

    def norm():
        return {"scale": jnp.ones(size.width), "shift": jnp.zeros(size.width)}

    def block():
        wide = size.width
        return {"norm1": norm(), "norm2": norm(),
                "qkv": linear(wide, 3 * wide), "out": linear(wide, wide),
                "up": linear(wide, 4 * wide), "down": linear(4 * wide, wide)}

    table = jax.random.normal(next(keys), (size.vocabulary, size.width))
    made = {"token": table * 0.02 if size.tied else table,
            "position": jax.random.normal(next(keys), (size.length, size.width)),
            "blocks": [block() for _ in range(size.depth)], "norm": norm()}
    if not size.tied:
        made["head"] = linear(size.width, size.vocabulary)["w"]
    return made


def _norm(p, x):
    mean, variance = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    return (x - mean) / jnp.sqrt(variance + 1e-5) * p["scale"] + p["shift"]


def _linear(p, x, dtype):
    return x.astype(dtype) @ p["w"].astype(dtype) + p["b"].astype(dtype)


def _apply_block(p, x, heads, dtype):
    batch, length, wide = x.shape
    parts = jnp.split(_linear(p["qkv"], _norm(p["norm1"], x), dtype), 3, axis=2)
    q, k, v = (part.reshape(batch, length, heads, wide // heads).transpose(0, 2, 1, 3) for part in parts)
    scores = q @ k.swapaxes(-1, -2) / (wide // heads) ** 0.5
    scores = jnp.where(jnp.tril(jnp.ones((length, length), bool)), scores, -jnp.inf)
    y = jax.nn.softmax(scores) @ v
    x = x + _linear(p["out"], y.transpose(0, 2, 1, 3).reshape(batch, length, wide), dtype)
    inner = jax.nn.gelu(_linear(p["up"], _norm(p["norm2"], x), dtype), approximate=False)
    return x + _linear(p["down"], inner, dtype)


def _loss(p, tokens, targets, size, dtype):
    block = functools.partial(_apply_block, heads=size.heads, dtype=dtype)
    block = jax.checkpoint(block) if size.checkpoint else block
    x = p["token"][tokens] + p["position"]
    for layer in p["blocks"]:
        x = block(layer, x)
    head = p["head"] if "head" in p else p["token"].T
    logits = (_norm(p["norm"], x).astype(dtype) @ head.astype(dtype)).astype(jnp.float32)
    return optax.softmax_cross_entropy_with_integer_labels(logits, targets).mean()


def make_step(size=DEFAULT):
    """One step of it. With ``size.autocast`` the products and the attention are in bfloat16."""
    parameters = _parameters(jax.random.key(0), size)
    optimizer = optax.adamw(3e-4, weight_decay=1e-2)
    data = jax.random.randint(jax.random.key(1), (size.batch, size.length + 1), 0, size.vocabulary)
    tokens, targets = data[:, :-1], data[:, 1:]
    dtype = jnp.bfloat16 if size.autocast else jnp.float32

    def update(parameters, moments, tokens, targets):
        loss, grads = jax.value_and_grad(_loss)(parameters, tokens, targets, size, dtype)
        changes, moments = optimizer.update(grads, moments, parameters)
        return optax.apply_updates(parameters, changes), moments, loss

    update = jax.jit(update, donate_argnums=(0, 1))
    state = [parameters, optimizer.init(parameters)]

    def step():
        state[0], state[1], loss = update(*state, tokens, targets)
        return loss

    return step
