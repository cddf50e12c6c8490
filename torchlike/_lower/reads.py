"""Which arguments of a function its results depend on."""

from jax.extend.core import Var


def of_traced(traced) -> tuple:
    """For each argument of a jax.stages.Traced whether a result depends on it."""
    jaxpr = traced.jaxpr.jaxpr
    return tuple(var in _needed(jaxpr, jaxpr.outvars) for var in jaxpr.invars)


def _needed(jaxpr, wanted) -> set:
    """The variables of a jaxpr that those in `wanted` are made of."""
    needed = {var for var in wanted if isinstance(var, Var)}
    for eqn in reversed(jaxpr.eqns):
        places = [i for i, var in enumerate(eqn.outvars) if var in needed]
        if places:
            needed.update(var for var in _read(eqn, places) if isinstance(var, Var))
    return needed


def _read(eqn, places) -> list:
    """What an equation reads for its results at `places`: of another function than a jit, everything."""
    if eqn.primitive.name != "jit":
        return eqn.invars
    inner = eqn.params["jaxpr"].jaxpr
    needed = _needed(inner, [inner.outvars[i] for i in places])
    return [given for given, var in zip(eqn.invars, inner.invars, strict=True) if var in needed]
