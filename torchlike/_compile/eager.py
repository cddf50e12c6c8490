"""JAX's primitives one by one, as transforms of functions hand them over.

JAX compiles each for each shape, 20 to 50 ms a piece, and a transform has hundreds. So numpy computes those that it can, as
the cold tier's kernels; what is used again is compiled in the background, and XLA computes it from then on.
"""

import contextlib
import weakref
from collections.abc import MutableMapping
from typing import Any

import jax
import numpy as np
from jax.extend.core import ClosedJaxpr

from torchlike._base import config
from torchlike._compile.executors.background import BackgroundCompiler
from torchlike._compile.executors.together import together
from torchlike._compile.jax_private import JIT, EvalTrace, compiles_as, low, own_work, set_current_trace, traced
from torchlike._compile.plans.plan import Plan
from torchlike._compile.plans.table import Declined

CHAIN = "kernels"  # the name of a jitted function of several kernels, see deferred.py
LARGEST = 1 << 22  # bytes of operands and results: compiling is little beside what takes more
PARTS = "parts"
USES = 3  # by numpy, until it is compiled
_MOST = 1024  # primitives that are known, without those that are jitted functions
_FOR_NUMPY = ("background", "off")  # the settings of `compile` under which numpy may compute


class _Known:
    """A primitive with its operands' forms. ``plan``: None where XLA has to compute it, or has compiled it; PARTS of a
    jitted function whose primitives are computed one by one until then."""

    __slots__ = ("plan", "uses")

    def __init__(self, plan: Plan | str | None):
        self.plan: Any = plan
        self.uses = 0


class Eager(EvalTrace):
    """In the place of JAX's trace that evaluates. Without `counts` what is used is not compiled: what it is a part of will
    be."""

    def __init__(self, base: EvalTrace, counts=True):
        super().__init__()
        self.base, self.counts = base, counts
        compiles_as(self, base)

    def process_primitive(self, primitive, args, params, /):
        found = self._by_numpy(primitive, args, params)
        return self._by_xla(primitive, args, params) if found is None else found

    def _by_parts(self, closed, args) -> list:
        """The results of a jitted function, one of its primitives after the other."""
        with set_current_trace(self.__class__(self.base, counts=False)):
            return jax.core.eval_jaxpr(closed.jaxpr, closed.consts, *args)

    def _by_xla(self, primitive, args, params) -> Any:
        with no_mesh():
            return self.base.process_primitive(primitive, args, params)

    def _by_numpy(self, primitive, args, params) -> Any:
        """The results, None where XLA is to compute them."""
        if config.settings.compile not in _FOR_NUMPY or not all(map(_is_on_cpu, args)):
            return None
        known = _known(primitive, args, params)
        plan = known.plan
        if plan is None:
            return None
        known.uses += self.counts
        if self.counts and known.uses == USES and config.settings.compile != "off":
            work = known, lambda: self._by_xla(primitive, args, params)
            if together.groups:  # then it is the same use on all ranks
                _compile(work)
                return None
            compiler.put(work)
        if plan is PARTS:
            return self._by_parts(params["jaxpr"], args)
        with np.errstate(all="ignore"):
            found = [_own(x) for x in plan(*map(np.asarray, args))]
        to = next((x.device for x in args if isinstance(x, jax.Array) and x.committed), None)  # as XLA's results would be
        with set_current_trace(self.base):
            found = jax.device_put(found, to)
        return found if primitive.multiple_results else found[0]


def no_mesh():
    """A context as jitted functions have it. JAX tells apart by it what it has traced and compiled."""
    return jax.sharding.use_abstract_mesh(_NO_MESH)


def around(trace) -> Any:
    """A trace that evaluates as `trace`; `trace` itself if it is not JAX's own, or not on the CPU."""
    chosen = getattr(jax.config, "jax_default_device", None)
    if trace.__class__ is not EvalTrace or chosen is not None or jax.default_backend() != "cpu":
        return trace
    found = _around.get(trace)
    if found is None:
        found = _around[trace] = Eager(trace)
    return found


def _is_on_cpu(x) -> bool:
    return isinstance(x, np.ndarray) or (isinstance(x, jax.Array) and getattr(x.device, "platform", "") == "cpu")


def _own(x) -> np.ndarray:
    """The array in memory that is no argument's."""
    return x if x.__class__ is np.ndarray and x.base is None and x.flags.c_contiguous else np.array(x)


def _known(primitive, args, params) -> _Known:
    closed = params["jaxpr"] if primitive.name in JIT else None
    where: MutableMapping = _primitives if closed is None else _jitted
    try:
        key = closed or (primitive, *((x.shape, x.dtype) for x in args), *params.items())
        found = where.get(key)
    except TypeError:  # a parameter without a hash
        return _BY_XLA
    if found is None:
        if len(_primitives) >= _MOST:
            _primitives.clear()
        plan = _plan(_traced(primitive, args, params)) if closed is None else _plan_of_jitted(closed, params)
        found = where[key] = _Known(plan)
    return found


def _traced(primitive, args, params) -> ClosedJaxpr:
    return traced(lambda *arrays: primitive.bind(*arrays, **params), *args)


def _plan(closed: ClosedJaxpr) -> Plan | None:
    """None where numpy has no rule, or where weak types would be lost."""
    if closed.effects or any(getattr(aval, "weak_type", True) for aval in closed.out_avals):
        return None
    try:
        return None if _is_large(closed) else Plan(closed)
    except Declined:
        return None


def _plan_of_jitted(closed, params) -> Plan | str | None:
    """The same of a jitted function, which takes longer to compile than its primitives do."""
    found = _plan(low(closed))
    if found is None and len(closed.eqns) > 1 and (CHAIN in params["name"] or not _is_large(closed)):
        return PARTS
    return found


def _is_large(closed) -> bool:
    return sum(aval.size * aval.dtype.itemsize for aval in (*closed.in_avals, *closed.out_avals)) > LARGEST


def _compile(work) -> None:
    """Computes it once by XLA, for what JAX keeps of that."""
    known, by_xla = work
    with contextlib.suppress(Exception), own_work():
        by_xla()
        known.plan = None


_NO_MESH = jax.sharding.AbstractMesh((), ())
compiler = BackgroundCompiler(_compile)
_BY_XLA = _Known(None)
_around: Any = weakref.WeakKeyDictionary()  # trace -> Eager
_jitted: Any = weakref.WeakKeyDictionary()  # jaxpr -> _Known
_primitives: dict[tuple, _Known] = {}
