"""The graph of the JAX primitives that a computation executes, noted while it runs.

A function of Tensors is Python: it may look at values, draw random numbers and read variables that change. So what is
differentiated later is not the function but what it did. A `Recorder` is a JAX trace that evaluates every primitive at once,
with what is around it, and notes those that depend on a `source`. Values stay known, so branches on them work.
"""

import contextlib
import itertools
import weakref
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax.extend.core import Literal, jaxpr_as_fun
from jax.lax import stop_gradient_p

from torchlike._compile import eager
from torchlike._compile.jax_private import (
    JIT,
    OwnTracer,
    Trace,
    compiles_as,
    current_trace,
    set_current_trace,
    to_concrete_value,
)

_numbers = itertools.count()
# Primitives that only move elements: their derivatives read none.
_MOVES = frozenset({"broadcast_in_dim", "concatenate", "copy", "expand_dims", "reshape", "rev", "slice", "split", "squeeze",
                    "transpose"})


class Noted(OwnTracer):
    """An array that depends on a source.

    Attributes:
        primal: the array.
        step: the Step that made it, None of a source; ``index`` is its place among that one's results.
        owner: of a source, whatever it was made with.
    """

    __slots__ = ("index", "owner", "primal", "step")

    def __init__(self, trace, primal, step=None, index=0, owner=None):
        super().__init__(trace)
        self.primal, self.step, self.index, self.owner = primal, step, index, owner

    aval = property(lambda self: jax.typeof(self.primal))

    def full_lower(self):
        """JAX's: the simplest form of it."""
        return self

    def to_concrete_value(self):
        """JAX's: the value, if it is known."""
        return to_concrete_value(self.primal)


class Step:
    """One primitive: ``function`` of ``inputs`` (arrays, and Noted where these depend on a source) gives its results.
    ``saves``: whether PyTorch would keep values for its derivative."""

    __slots__ = ("function", "inputs", "number", "saves")

    def __init__(self, function: Callable, inputs: list, saves: bool):
        self.function, self.inputs, self.number, self.saves = function, inputs, next(_numbers), saves


class Recorder(Trace):
    """The trace around a computation; ``parent_trace`` is the one that was there.

    Primitives that JAX hands over as Python functions (custom derivatives) are staged, which keeps their rules.
    """

    def __init__(self):
        super().__init__()
        self.parent_trace = eager.around(current_trace())
        self._saving = True
        compiles_as(self, self.parent_trace)  # arrays that are not Noted are computed as around the recorder

    def recording(self):
        """A context inside which primitives are noted."""
        return set_current_trace(self)

    @contextlib.contextmanager
    def saving(self, saves: bool):
        """A block whose steps are those of an operator that saves values for its derivative, or none."""
        before, self._saving = self._saving, saves
        try:
            yield
        finally:
            self._saving = before

    def source(self, array, owner) -> Noted:
        """The array as a value that derivatives may be asked for."""
        return Noted(self, array, owner=owner)

    def stage_value(self, val):
        return self.parent_trace.stage_value(val)

    def process_primitive(self, primitive, tracers, params, /):
        values = [*map(known, tracers)]
        found = self.parent_trace.process_primitive(primitive, values, params)
        if not any(x.__class__ is Noted for x in tracers) or primitive is stop_gradient_p:
            return found
        dependent = _moved_by(params["jaxpr"].jaxpr, tracers) if primitive.name in JIT else None
        return self._noted(lambda *arrays: primitive.bind(*arrays, **params), tracers, found, dependent,
                           self._saving and not _only_moves(primitive, params))

    def process_call(self, call_primitive, f, tracers, params, /):
        return self._staged("process_call", (call_primitive, f), tracers, (params,), {})

    def process_custom_jvp_call(self, primitive, fun, jvp, tracers, /, *, symbolic_zeros):
        options = {"symbolic_zeros": symbolic_zeros}
        return self._staged("process_custom_jvp_call", (primitive, fun, jvp), tracers, (), options)

    def process_custom_vjp_call(self, primitive, fun, fwd, bwd, tracers, /, *, out_trees, symbolic_zeros):
        options = {"out_trees": out_trees, "symbolic_zeros": symbolic_zeros}
        return self._staged("process_custom_vjp_call", (primitive, fun, fwd, bwd), tracers, (), options)

    def _staged(self, method, what, tracers, more, options):
        """What a trace's method for a primitive of Python functions gives: the parent's, or of what is noted a jaxpr's."""
        if not any(x.__class__ is Noted for x in tracers):
            with set_current_trace(self.parent_trace):
                return getattr(self.parent_trace, method)(*what, tracers, *more, **options)
        values = [*map(known, tracers)]

        def call(*inside):
            return getattr(current_trace(), method)(*what, inside, *more, **options)

        with set_current_trace(self):
            function = jaxpr_as_fun(jax.make_jaxpr(call)(*values))
        with set_current_trace(self.parent_trace):
            found = function(*values)
        return self._noted(function, tracers, found, None, self._saving)

    def _noted(self, function, inputs, found, dependent, saves):
        """The results as Noted, or of those that have a derivative. Integers have none, nor what is made of them."""
        step = Step(function, list(inputs), saves)
        if isinstance(found, list | tuple):
            return [self._one(x, step, i) if dependent is None or i in dependent else x for i, x in enumerate(found)]
        return self._one(found, step, 0)

    def _one(self, array, step, index):
        return Noted(self, array, step, index) if jnp.issubdtype(array.dtype, jnp.inexact) else array


def _only_moves(primitive, params) -> bool:
    if primitive.name in JIT:
        return all(_only_moves(eqn.primitive, eqn.params) for eqn in params["jaxpr"].jaxpr.eqns)
    return primitive.name in _MOVES


def _moved_by(jaxpr, inputs) -> set:
    """The numbers of the results that have a derivative with respect to those of the inputs that are Noted."""
    sources = _found.get(jaxpr)
    if sources is None:
        sources = _found[jaxpr] = _sources(jaxpr)
    noted = {i for i, x in enumerate(inputs) if x.__class__ is Noted}
    return {i for i, of in enumerate(sources) if of & noted}


_found: Any = weakref.WeakKeyDictionary()  # jaxpr -> its `_sources`


def _has_no_derivative(primitive, result) -> bool:
    return primitive is stop_gradient_p or not jnp.issubdtype(result.aval.dtype, jnp.inexact)


def _sources(jaxpr) -> list:
    """For each result the numbers of the inputs that it has a derivative by."""
    of: dict = {var: frozenset((i,)) for i, var in enumerate(jaxpr.invars)}

    def look(var):
        return frozenset() if isinstance(var, Literal) else of.get(var, frozenset())

    for eqn in jaxpr.eqns:
        given = [look(var) for var in eqn.invars]
        parts = [frozenset().union(*given)] * len(eqn.outvars)
        if eqn.primitive.name in JIT:
            inner = _sources(eqn.params["jaxpr"].jaxpr)
            parts = [frozenset().union(*(given[i] for i in numbers)) for numbers in inner]
        for var, part in zip(eqn.outvars, parts, strict=True):
            of[var] = frozenset() if _has_no_derivative(eqn.primitive, var) else part
    return [look(var) for var in jaxpr.outvars]


def known(x) -> Any:
    """The array behind a Noted; anything else as it is."""
    return x.primal if x.__class__ is Noted else x


def traced_back(results: list) -> tuple:
    """(the sources that these Noted depend on, a function of their arrays that computes the results again, whether PyTorch
    would save values for its derivative)."""
    steps, sources, pending = {}, {}, [*results]
    while pending:
        x = pending.pop()
        if x.step is None:
            sources[id(x)] = x
        elif x.step.number not in steps:
            steps[x.step.number] = x.step
            pending += [y for y in x.step.inputs if y.__class__ is Noted]
    order = [steps[number] for number in sorted(steps)]

    def again(*arrays):
        made: dict = dict(zip(sources, arrays, strict=True))

        def value(x):
            if x.__class__ is not Noted:
                return x
            return made[id(x)] if x.step is None else made[x.step.number][x.index]

        for step in order:
            found = step.function(*map(value, step.inputs))
            made[step.number] = found if isinstance(found, list | tuple) else (found,)
        return [*map(value, results)]

    return [*sources.values()], again, any(step.saves for step in order)
