"""The ResNet step as plain JAX under jax.jit, written by hand."""

import jax
import jax.numpy as jnp
import optax

from benchmarks.programs.resnet import DEFAULT

_LAYOUT = ("NCHW", "OIHW", "NCHW")
_MOMENTUM = 0.1  # of the running statistics


def _make(key, size):
    """(parameters, running statistics), by layer."""
    keys = iter(jax.random.split(key, 4 * len(size.blocks) + 2))

    def layer(before, after, kernel):
        bound = (before * kernel * kernel) ** -0.5
        weight = jax.random.uniform(next(keys), (after, before, kernel, kernel), minval=-bound, maxval=bound)
        return ({"w": weight, "scale": jnp.ones(after), "shift": jnp.zeros(after)},
                {"mean": jnp.zeros(after), "variance": jnp.ones(after)})

    def block(each):
        made = [layer(each.channels, each.narrow, 1), layer(each.narrow, each.narrow, 3), layer(each.narrow, each.wide, 1)]
        return made + [layer(each.channels, each.wide, 1)] * each.projects

    made = {"stem": [layer(3, size.width, 7)], "blocks": [block(each) for each in size.blocks]}
    parameters, running = (jax.tree.map(lambda pair, i=i: pair[i], made, is_leaf=lambda x: isinstance(x, tuple))
                           for i in (0, 1))
    wide = size.blocks[-1].wide
    parameters["head"] = jax.random.uniform(next(keys), (wide, size.classes), minval=-wide ** -0.5, maxval=wide ** -0.5)
    parameters["bias"] = jnp.zeros(size.classes)
    return parameters, running


def _layer(p, running, x, stride):
    """A convolution and its batch norm; also the new running statistics."""
    pad = p["w"].shape[-1] // 2
    x = jax.lax.conv_general_dilated(x, p["w"], (stride, stride), [(pad, pad)] * 2, dimension_numbers=_LAYOUT)
    mean, variance = x.mean((0, 2, 3)), x.var((0, 2, 3))
    factor = p["scale"] / jnp.sqrt(variance + 1e-5)
    count = x.size // mean.size
    seen = {"mean": mean, "variance": variance * count / (count - 1)}
    running = jax.tree.map(lambda old, new: old + _MOMENTUM * (new - old), running, seen)
    return (x - mean[:, None, None]) * factor[:, None, None] + p["shift"][:, None, None], running


def _loss(p, running, images, targets, blocks):
    x, stem = _layer(p["stem"][0], running["stem"][0], images, 2)
    x = jax.lax.reduce_window(jax.nn.relu(x), -jnp.inf, jax.lax.max, (1, 1, 3, 3), (1, 1, 2, 2),
                              [(0, 0), (0, 0), (1, 1), (1, 1)])
    after = {"stem": [stem], "blocks": []}
    for block, layers, old in zip(blocks, p["blocks"], running["blocks"], strict=True):
        new, y = [None] * len(layers), x
        for place, stride in enumerate((1, block.stride, 1)):
            y, new[place] = _layer(layers[place], old[place], jax.nn.relu(y) if place else y, stride)
        if block.projects:
            x, new[3] = _layer(layers[3], old[3], x, block.stride)
        x = jax.nn.relu(x + y)
        after["blocks"].append(new)
    logits = x.mean((2, 3)) @ p["head"] + p["bias"]
    return optax.softmax_cross_entropy_with_integer_labels(logits, targets).mean(), after


def make_step(size=DEFAULT):
    """One step of it."""
    parameters, running = _make(jax.random.key(0), size)
    optimizer = optax.sgd(0.01, momentum=0.9)
    images = jax.random.normal(jax.random.key(1), (size.batch, 3, size.image, size.image))
    targets = jax.random.randint(jax.random.key(2), (size.batch,), 0, size.classes)

    def update(parameters, running, moments, images, targets):
        (loss, running), grads = jax.value_and_grad(_loss, has_aux=True)(parameters, running, images, targets, size.blocks)
        changes, moments = optimizer.update(grads, moments, parameters)
        return optax.apply_updates(parameters, changes), running, moments, loss

    update = jax.jit(update, donate_argnums=(0, 1, 2))
    state = [parameters, running, optimizer.init(parameters)]

    def step():
        *state[:], loss = update(*state, images, targets)
        return loss

    return step
