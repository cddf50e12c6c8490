"""Which arguments of a function each of its results depends on."""

from typing import Any

import jax.numpy as jnp
from jax.extend.core import Var


def of_jaxpr(closed, floating=False) -> tuple:
    """For each result of a ClosedJaxpr a tuple: for each argument whether the result depends on it.

    `floating`: by floating-point values only. A gradient does not flow through a comparison.
    """
    jaxpr = closed.jaxpr
    if any(0 in var.aval.shape for var in jaxpr.invars):  # JAX drops what reads nothing
        return ((True,) * len(jaxpr.invars),) * len(jaxpr.outvars)
    found = [_needed(jaxpr, [var], floating) for var in jaxpr.outvars]
    return tuple(tuple(var in needed for var in jaxpr.invars) for needed in found)


def _needed(jaxpr, wanted, floating) -> set:
    """The variables of a jaxpr that those in `wanted` are made of."""
    needed = {var for var in wanted if _counts(var, floating)}
    for eqn in reversed(jaxpr.eqns):
        places = [i for i, var in enumerate(eqn.outvars) if var in needed]
        if places:
            needed.update(var for var in _read(eqn, places, floating) if _counts(var, floating))
    return needed


def _counts(var, floating) -> bool:
    if not isinstance(var, Var):
        return False
    aval: Any = var.aval  # all of ours are arrays
    return not floating or jnp.issubdtype(aval.dtype, jnp.inexact)


def _read(eqn, places, floating) -> list:
    """What an equation reads for its results at `places`: of another function than a jit, everything."""
    if eqn.primitive.name != "jit":
        return eqn.invars
    inner = eqn.params["jaxpr"].jaxpr
    needed = _needed(inner, [inner.outvars[i] for i in places], floating)
    return [given for given, var in zip(eqn.invars, inner.invars, strict=True) if var in needed]
