"""A JAX program, equation by equation: every value that it computes, with the line it is from, and the gradients of these.

The program is traced to a jaxpr, which is evaluated here: calls (`jit`, `jax.checkpoint`, what has a derivative of its own),
loops and branches are gone through. A gradient is that of a zero which is added to the value. For the rerun in float64 the
program is traced once more with arguments in float64, and what it casts to a narrower type stays wide.
"""

import contextlib
import dataclasses
import functools
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Literal, jaxpr_as_fun

from torchlike._compile.jax_private import closed_jaxpr, file_of, results_of, scan_counts, traced
from torchlike._diff.recorder import Event

ARGUMENT, STACKED = "(argument)", "(stacked)"
NARROW = ("float32", "float16", "bfloat16")
DIGITS = 6  # a number of no more is one that somebody wrote
# Calls that are gone through, and those that have a rule for gradients, which is kept there.
_CALLS = frozenset(("jit", "pjit", "closed_call", "core_call", "remat", "remat2", "checkpoint"))
_CUSTOM = frozenset(("custom_jvp_call", "custom_vjp_call", "custom_vjp_call_jaxpr"))
_RANDOM = frozenset(("random_bits", "random_gamma", "threefry2x32", "rng_bit_generator", "rng_uniform"))
_BITS = frozenset(("bitcast_convert_type", *_RANDOM))  # of which the type is a part
_LIBRARIES = ("jax", "jaxlib", "flax", "optax", "equinox", "haiku")  # in which no line is the user's
_ROOT = str(Path(__file__).parents[1]) + os.sep
_PYTHONS = (contextlib.__file__, functools.__file__)


@dataclasses.dataclass
class Equation(Event):
    """An equation that ran, or an argument. `path` is where it stands in the jaxprs, `scope` the modules that it is in."""

    path: tuple = ()
    scope: str = ""
    calls: tuple[str, ...] = ()  # the calls it is in that have a derivative of their own
    has_constant: bool = False  # whether an array of floats of the program goes in


@dataclasses.dataclass
class Run:
    """The equations of one evaluation and what came out, as (event, number of the output); None for a constant."""

    events: list
    outputs: list
    values: list
    branches: dict


@dataclasses.dataclass(frozen=True)
class _Where:
    """What the equations of a jaxpr have from the calls that it is in."""

    place: tuple[str, int] | None = None
    scope: str = ""
    calls: tuple[str, ...] = ()
    has_constant: bool = False


class Program:
    """A function of arrays, which it is traced with. The first of them are parameters."""

    def __init__(self, function: Callable, arrays: list, is_wide: bool):
        self.is_wide = is_wide
        with self.precision():
            self.arrays = [_wide(x) if is_wide else _single(x) for x in arrays]
            self.closed: Any = traced(function, *self.arrays)

    def precision(self):
        """A block with the precision of this program; the narrow one has the user's."""
        return jax.enable_x64(True) if self.is_wide else contextlib.nullcontext()

    def outputs(self) -> list:
        """What comes out where the program is compiled."""
        with self.precision():
            return [_numpy(x) for x in jax.jit(jaxpr_as_fun(self.closed))(*self.arrays)]

    def run(self) -> Run:
        """Evaluates the program and keeps all values."""
        events: list[Equation] = []

        def visit(path, name, where, sources, values):
            known = [_numpy(x) for x in values]
            inputs = [source for source in sources if source is not None]
            events.append(Equation(name, where.place or ("", 0), inputs, known, [_dtype(x) for x in values],
                                   drew=name in _RANDOM, path=path, scope=where.scope, calls=where.calls,
                                   has_constant=where.has_constant))
            return [(x, (len(events) - 1, i)) for i, x in enumerate(values)]

        with self.precision():
            walk = _Walk(visit, self.is_wide)
            operands = [visit((-1, i), ARGUMENT, _Where(), (), [x])[0] for i, x in enumerate(self.arrays)]
            found = walk.jaxpr(self.closed.jaxpr, self.closed.consts, operands, (), _Where())
            return Run(events, [source for _, source in found], [_numpy(x) for x, _ in found], walk.branches)

    def gradients(self, run: Run, cotangents: list) -> None:
        """Puts the gradients of the values of `run` into its events.

        Args:
            run: what `run` gave.
            cotangents: an array for each output that has a gradient, None for others.
        """
        with self.precision():
            shifts = {(event.path, i): jnp.zeros(x.shape, event.dtypes[i]) for event in run.events
                      for i, x in enumerate(event.values) if x is not None and x.dtype.kind in "fc" and not event.calls}
            outputs = [i for i, g in enumerate(cotangents) if g is not None]

            def shifted(given):
                def visit(path, name, where, sources, values):
                    return [(x + given[path, i] if (path, i) in given else x, None) for i, x in enumerate(values)]

                walk = _Walk(visit, self.is_wide, run.branches)
                operands = [visit((-1, i), ARGUMENT, None, (), [x])[0] for i, x in enumerate(self.arrays)]
                found = walk.jaxpr(self.closed.jaxpr, self.closed.consts, operands, (), _Where())
                return [found[i][0] for i in outputs]

            made, pull = jax.vjp(shifted, shifts)
            given = [jnp.asarray(cotangents[i], x.dtype).reshape(x.shape) for i, x in zip(outputs, made, strict=True)]
            (found,) = pull(given)
            for order, event in enumerate(reversed(run.events)):
                event.grads = [(order, i, _numpy(found[event.path, i])) for i in range(len(event.values))
                               if (event.path, i) in found]


class _Walk:
    """Evaluates jaxprs. `visit` gets (path, name, _Where, sources of the operands, values) of each equation and returns
    (value, source) of each output. With `branches` of an earlier evaluation these are taken again, and what has a rule for
    its gradient is one equation.
    """

    def __init__(self, visit, is_wide: bool, branches: dict | None = None):
        self.visit, self.is_wide = visit, is_wide
        self.is_again, self.branches = branches is not None, {} if branches is None else branches

    def jaxpr(self, jaxpr, consts, operands, path: tuple, where: _Where) -> list:
        consts = [_wide(x) if self.is_wide else x for x in consts]
        env = dict(zip(jaxpr.constvars, [(x, None) for x in consts], strict=True))
        env.update(zip(jaxpr.invars, operands, strict=True))

        def read(var):
            return (self.literal(var), None) if isinstance(var, Literal) else env[var]

        for i, eqn in enumerate(jaxpr.eqns):
            made = self.equation(eqn, [read(var) for var in eqn.invars], (*path, i), _inside(where, eqn))
            env.update(zip(eqn.outvars, made, strict=True))
        return [read(var) for var in jaxpr.outvars]

    def literal(self, literal):
        """Its value; in float64 that of the shortest decimal number, which is what was written there (1e-5)."""
        x = literal.val
        if self.is_wide and _dtype(x) in NARROW and np.ndim(x) == 0:
            return jnp.asarray(float(str(np.float32(x))), jnp.float64)
        return x

    def equation(self, eqn, operands, path, where: _Where) -> list:
        name = eqn.primitive.name
        inner = next((eqn.params[key] for key in ("jaxpr", "call_jaxpr", "fun_jaxpr") if key in eqn.params), None)
        if name in _CALLS and inner is not None:
            return self.call(inner, operands, path, where)
        if name == "scan":
            return self.scan(eqn.params, operands, path, where)
        if name == "cond":
            return self.cond(eqn.params, operands, path, where)
        if ((name in _CUSTOM and inner is not None) or name == "while") and not self.is_again:
            kept = dataclasses.replace(where, calls=(*where.calls, name))
            made = self.loop(eqn.params, operands, path, kept) if name == "while" else self.call(inner, operands, path, kept)
            return self.visit(path, name, where, [source for _, source in made], [x for x, _ in made])
        constants = [x for (x, source), var in zip(operands, eqn.invars, strict=True)
                     if source is None and _is_rounded(x, var)]
        where = dataclasses.replace(where, has_constant=bool(constants))
        return self.visit(path, name, where, [source for _, source in operands], self.bind(eqn, [x for x, _ in operands]))

    def call(self, inner, operands, path, where: _Where) -> list:
        """Goes through a jaxpr that is called. Inside of the libraries all is at the line that calls them."""
        closed = closed_jaxpr(inner)
        file = file_of(closed.jaxpr)
        if file is not None and not _is_library(file):
            where = dataclasses.replace(where, place=None)
        return self.jaxpr(closed.jaxpr, closed.consts, operands, path, where)

    def cond(self, params, operands, path, where) -> list:
        if path not in self.branches:
            self.branches[path] = int(operands[0][0])
        return self.call(params["branches"][self.branches[path]], operands[1:], path, where)

    def loop(self, params, operands, path, where) -> list:
        """A while loop, whose end the values decide."""
        cut = params["cond_nconsts"], params["cond_nconsts"] + params["body_nconsts"]
        conditions, constants, carry = operands[:cut[0]], operands[cut[0]:cut[1]], operands[cut[1]:]
        step = 0
        while bool(self.call(params["cond_jaxpr"], [*conditions, *carry], (*path, step, 0), where)[0][0]):
            carry = self.call(params["body_jaxpr"], [*constants, *carry], (*path, step, 1), where)
            step += 1
        return carry

    def scan(self, params, operands, path, where) -> list:
        first, carried = scan_counts(params)
        last = first + carried
        carry, stacks, steps = operands[first:last], {}, range(params["length"])
        for i in reversed(steps) if params["reverse"] else steps:
            slices = [(jax.lax.index_in_dim(x, i, keepdims=False), source) for x, source in operands[last:]]
            made = self.call(params["jaxpr"], [*operands[:first], *carry, *slices], (*path, i), where)
            carry, stacks[i] = made[:last - first], made[last - first:]
        if not stacks:
            empty = [var.aval for var in params["jaxpr"].jaxpr.outvars[last - first:]]
            return [*carry, *((jnp.zeros((0, *aval.shape), aval.dtype), None) for aval in empty)]
        stacked = []
        for number, column in enumerate(zip(*(stacks[i] for i in steps), strict=True)):
            sources = [source for _, source in column]
            stacked += self.visit((*path, -1, number), STACKED, where, sources, [jnp.stack([x for x, _ in column])])
        return [*carry, *stacked]

    def bind(self, eqn, values) -> list:
        """One equation that is no call."""
        primitive, params = eqn.primitive, eqn.params
        is_narrow = self.is_wide and any(_dtype(var.aval) in NARROW for var in (*eqn.invars, *eqn.outvars))
        if is_narrow and (primitive.name in _BITS or any("jaxpr" in key for key in eqn.params)):
            values = [x.astype(var.aval.dtype) if _dtype(var.aval) in NARROW else x
                      for x, var in zip(map(jnp.asarray, values), eqn.invars, strict=True)]
        elif is_narrow:
            if primitive.name == "reduce_precision":
                return [_wide(values[0])]
            values = [_wide(x) for x in values]
            params = {key: _wide_dtype(value) for key, value in params.items()}
        with eqn.ctx.manager:
            made = results_of(primitive, values, params)
        return [_wide(x) for x in made] if is_narrow else made


def _is_rounded(x, var) -> bool:
    """Whether a constant may be one that was computed before: an array of floats, or a narrow number of many digits."""
    if not jnp.issubdtype(getattr(x, "dtype", type(x)), jnp.inexact):
        return False
    if np.ndim(x) > 0 or not isinstance(var, Literal) or _dtype(var.aval) not in NARROW:
        return np.ndim(x) > 0
    digits = str(np.float32(var.val)).partition("e")[0].strip("-0").replace(".", "")
    return len(digits) > DIGITS


def _wide(x):
    """In float64, where it is of a narrower float."""
    x = _array(x)
    if x.dtype in (jnp.complex64,):
        return x.astype(jnp.complex128)
    return x.astype(jnp.float64) if _dtype(x) in NARROW else x


def _single(x):
    """In float32, where it is of a wider float: the distance from the rerun is what rounding there is."""
    x = _array(x)
    narrow = {"float64": "float32", "complex128": "complex64"}.get(_dtype(x))
    return x if narrow is None else x.astype(narrow)


def _array(x):
    return x if isinstance(x, jax.Array) else jnp.asarray(x)


def _wide_dtype(value):
    """A parameter of an equation: a narrow float type is float64."""
    if isinstance(value, np.dtype | type) and str(getattr(value, "name", None) or getattr(value, "__name__", "")) in NARROW:
        return np.dtype(np.float64)
    return value


def _dtype(x) -> str:
    return str(getattr(x, "dtype", type(x).__name__))


def _numpy(x) -> np.ndarray | None:
    """The values; None of keys and of what else numpy does not have."""
    dtype = getattr(x, "dtype", None)
    if dtype is not None and jax.dtypes.issubdtype(dtype, jax.dtypes.extended):
        return None
    found = np.asarray(x)
    if found.dtype.kind == "V":  # of ml_dtypes
        found = found.astype(np.float32)
    return found if found.dtype.kind in "biufc" else None


# lines


def _inside(where: _Where, eqn) -> _Where:
    """The place and the scope of an equation."""
    names = "/".join(name for name in str(eqn.source_info.name_stack).split("/") if "->" not in name)  # that of an einsum
    scope = names if names.startswith(where.scope) else f"{where.scope}/{names}" if names else where.scope
    return _Where(where.place or _place(eqn.source_info.traceback), scope, where.calls)


def _place(traceback) -> tuple[str, int] | None:
    """The innermost line that is not of a library, or else that is not of JAX."""
    frames = traceback.frames if traceback is not None else ()
    own = [frame for frame in frames if not _is_library(frame.file_name)]
    near = own or [frame for frame in frames if not frame.file_name.startswith((_ROOT, *_folders(("jax", "jaxlib"))))]
    return (near[0].file_name, near[0].line_num) if near else None


def _is_library(path: str) -> bool:
    return path.startswith(("<frozen", _ROOT, *_folders(_LIBRARIES))) or path in _PYTHONS


def _folders(names: tuple[str, ...]) -> tuple[str, ...]:
    """Where these libraries are, if they are imported."""
    files = [getattr(sys.modules.get(name), "__file__", None) for name in names]
    return tuple(os.path.dirname(file) + os.sep for file in files if file)
