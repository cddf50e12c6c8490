"""What the JAX expressions of the pages may use beside JAX. The pages print `pin`, `sloped` and `pulled` as they
stand here.
"""

import functools
import inspect

import jax
import jax.numpy as jnp
import jax.scipy as jsp
import numpy as np
import optax
import torch
from jax import lax, nn


@functools.partial(jax.custom_jvp, nondiff_argnums=(1, 2, 3))
def pin(x, value, slope=0.0, bend=0.0):
    """`value` everywhere, with these first and second derivatives: for ``jnp.where(here, pin(x, ...), there)``."""
    return jnp.full_like(x, value)


@pin.defjvp
def _(value, slope, bend, primals, tangents):
    (x,), (dx,) = primals, tangents
    return jnp.full_like(x, value), pin(x, slope, bend) * dx


def sloped(function, *slopes):
    """`function` with these partial derivatives in the place of its own, functions of all arguments."""
    made = jax.custom_jvp(function)

    @made.defjvp
    def _(primals, tangents):
        return made(*primals), sum(slope(*primals) * dx for slope, dx in zip(slopes, tangents, strict=True))

    return made


def pulled(function, gradient):
    """`function` of one array with this gradient: ``gradient(x, g)`` for the gradient ``g`` of the result."""
    made = jax.custom_vjp(function)
    made.defvjp(lambda x: (function(x), x), lambda x, g: (gradient(x, g),))
    return made


def source() -> str:
    """The text of `pin`, `sloped` and `pulled`."""
    return "\n\n".join(inspect.getsource(function) for function in (pin, _tangent_rule, sloped, pulled))


_tangent_rule = _


def torch_steps(optimizer, x, g, **options):
    """The parameter after each of three steps with the gradient `g`, by a class of torch.optim."""
    p = torch.nn.Parameter(x.detach().clone())
    found, made = [], optimizer([p], **options)
    for _ in range(3):
        p.grad = g.detach().clone()
        made.step()
        found.append(p.detach().clone())
    return torch.stack(found)


def jax_steps(transformation, x, g):
    """The same by an optax transformation."""
    state, found = transformation.init(x), []
    for _ in range(3):
        updates, state = transformation.update(g, state, x)
        x = optax.apply_updates(x, updates)
        found.append(x)
    return jnp.stack(found)


NAMES = {
    "jax": jax,
    "jnp": jnp,
    "lax": lax,
    "nn": nn,
    "jsp": jsp,
    "optax": optax,
    "np": np,
    "pin": pin,
    "sloped": sloped,
    "pulled": pulled,
    "steps": jax_steps,
    "inf": float("inf"),
    "nan": float("nan"),
}
TORCH_NAMES = {"torch": torch, "F": torch.nn.functional, "steps": torch_steps, "inf": float("inf"), "nan": float("nan")}
