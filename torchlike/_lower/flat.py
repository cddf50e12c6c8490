"""Jaxprs made ready to be written: calls inlined, equal equations joined, what nothing reads left out."""

import jax
import numpy as np
from jax.extend.core import ClosedJaxpr, Literal, jaxpr_as_fun

from torchlike._compile import apart, jax_private
from torchlike._compile.jax_private import closed_jaxpr, dce_jaxpr, own_work, results_of
from torchlike._ops.numerics.partial import as_jax_has_them

_CALLS = {"jit": "jaxpr", "pjit": "jaxpr", "closed_call": "call_jaxpr", "core_call": "call_jaxpr",
          "custom_jvp_call": "call_jaxpr", "custom_vjp_call": "call_jaxpr", "custom_vjp_call_jaxpr": "fun_jaxpr",
          "remat2": "jaxpr", "checkpoint": "jaxpr", apart.NAME: "jaxpr"}

_INLINED = {*_CALLS, "platform_index"}


def traced(function, avals, with_rules=False) -> ClosedJaxpr:
    """The jaxpr of a function, without calls in it.

    Args:
        function: of arrays, returns a tuple of arrays; results that are None are left out.
        avals: the forms of the arrays: each has a shape and a dtype.
        with_rules: whether functions that have a derivative of their own stay calls.

    Returns:
        The ClosedJaxpr.
    """
    forms = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in avals]
    with own_work(), as_jax_has_them():
        made = jax_private.traced(lambda *xs: [x for x in function(*xs) if x is not None], *forms)
        kept = {"custom_jvp_call"} if with_rules else set()
        while any(eqn.primitive.name in _INLINED - kept for eqn in made.jaxpr.eqns):
            made = jax_private.traced(_inlined(made, kept), *forms)
    return made


def _inlined(closed, kept):
    def function(*arguments):
        env = dict(zip((*closed.jaxpr.constvars, *closed.jaxpr.invars), (*closed.consts, *arguments), strict=True))

        def read(x):
            return x.val if x.__class__ is Literal else env[x]

        for eqn in closed.jaxpr.eqns:
            ins = [read(x) for x in eqn.invars]
            inner = None if eqn.primitive.name in kept else _CALLS.get(eqn.primitive.name)
            if eqn.primitive.name == "platform_index":
                outs = [np.int32(_platform(eqn.params["platforms"]))]
            elif eqn.primitive.name == "cond" and isinstance(ins[0], np.integer):
                outs = jaxpr_as_fun(eqn.params["branches"][int(ins[0])])(*ins[1:])
            elif inner is not None:
                outs = jaxpr_as_fun(closed_jaxpr(eqn.params[inner]))(*ins)
            else:
                outs = results_of(eqn.primitive, ins, eqn.params)
            env.update(zip(eqn.outvars, outs, strict=True))
        return [read(x) for x in closed.jaxpr.outvars]

    return function


def _platform(platforms) -> int:
    """Which of the groups of platforms is this one."""
    mine = {"gpu": "cuda"}.get(jax.default_backend(), jax.default_backend())
    return next(i for i, names in enumerate(platforms) if names is None or mine in names)


class Flat:
    """A jaxpr to be written.

    ``invars``, ``outvars``; ``eqns``, of which no two are equal and each is needed; ``consts``: {variable: array}. ``same``:
    {variable: the one that has its value}. ``uses``: how often each variable is read.
    """

    def __init__(self, closed: ClosedJaxpr, wanted=None):
        """`wanted`: the places of the results that are needed; None for all."""
        jaxpr = closed.jaxpr
        wanted = range(len(jaxpr.outvars)) if wanted is None else wanted
        if len(wanted) < len(jaxpr.outvars) or any(eqn.primitive.name == "scan" for eqn in jaxpr.eqns):
            jaxpr, _ = dce_jaxpr(jaxpr, [i in wanted for i in range(len(jaxpr.outvars))], instantiate=True)
        self.invars = list(jaxpr.invars)
        self.same: dict = {}
        self.consts = dict(zip(jaxpr.constvars, closed.consts, strict=True))
        found, eqns = {}, []
        for eqn in jaxpr.eqns:
            key = (eqn.primitive.name, tuple(self._key(x) for x in eqn.invars), str(eqn.params))
            if key in found:
                self.same.update(zip(eqn.outvars, found[key].outvars, strict=True))
            else:
                found[key] = eqn
                eqns.append(eqn)
        self.outvars = list(jaxpr.outvars)
        self._count(eqns)

    def _key(self, x):
        if x.__class__ is Literal:
            return str(x.aval), np.asarray(x.val).tobytes()
        return self.of(x)

    def of(self, x):
        """The variable that stands for an equal one; a literal as it is."""
        return x if x.__class__ is Literal else self.same.get(x, x)

    def _count(self, eqns) -> None:
        self.uses: dict = {}
        self.readers: dict = {}
        for x in self.outvars:
            self._use(x)
        self.eqns = []
        for eqn in reversed(eqns):
            if any(x in self.uses for x in eqn.outvars):
                self.eqns.append(eqn)
                for x in eqn.invars:
                    self._use(x, eqn)
        self.eqns.reverse()

    def _use(self, x, eqn=None) -> None:
        x = self.of(x)
        if x.__class__ is not Literal:
            self.uses[x] = self.uses.get(x, 0) + 1
            self.readers.setdefault(x, []).append(eqn)
