"""The pure function of a recorded program, its gradients by `jax.vjp`, and how these are computed.

A program as a whole is traced and compiled: 3 layers of a transformer take 2 s so, and 8 where JAX runs operation by
operation, and compiles each. Programs that are equal, those of the steps of a training loop, are compiled once.
"""

import functools
import math
import weakref
from collections.abc import Hashable

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import ClosedJaxpr, Jaxpr, Literal

from torchlike._compile.backends.registry import backend_of
from torchlike._compile.backends.xla import compiled
from torchlike._compile.jax_private import open_jaxpr, traced
from torchlike._lower.custom import custom_step
from torchlike._lower.graph import step_of
from torchlike._lower.origins import Origins
from torchlike._lower.program import each_step
from torchlike._lower.regions import with_checkpoints
from torchlike._record.trace import force
from torchlike.autograd._function.node import FunctionNode

LONGEST = 2000  # steps of a program that is compiled as a whole: beyond, JAX is done earlier step by step
MOST = 1000  # programs and kernels that are remembered


class Program:
    """The pure function from the targets to the roots, and its vjp.

    Args:
        order: the Nodes, operands first.
        roots: the edges of the results.
        targets: the edges to differentiate with respect to.
        outputs: {Node: cells} of what custom Functions gave.
    """

    def __init__(self, order, roots, targets, outputs):
        self.roots, self.targets = list(roots), list(targets)
        origins = Origins(order, [(edge, None) for edge in roots])
        steps = origins.steps
        for node in order:
            if isinstance(node, FunctionNode):
                steps.append(custom_step(node, origins, [force(cell) for cell in outputs.get(node, ())]))
            elif not node.is_leaf:
                steps.append(step_of(node, origins.operand))
        self.is_recorded = any(step.custom is not None and step.custom.is_recorded for step in steps)
        inner = [edge for edge in targets if not edge[0].is_leaf]
        self.steps = with_checkpoints(steps, roots, inner)
        self.leaves = {n: origins.value_of_leaf(n) for n in order if n.is_leaf}
        self.avals = [n.output_aval(i) for n, i in targets]

    @functools.cached_property
    def is_traceable(self) -> bool:
        """Whether it is made of kernels alone: what a user's function does may depend on values."""
        steps = list(each_step(self.steps))
        return len(steps) <= LONGEST and all(_is_kernel(step) or _is_gradient(step) for step in steps)

    def value_of(self, edge):
        """The value of a leaf; of an inner node the program computes it itself (a zero is added to it)."""
        node, number = edge
        if node.is_leaf:
            return self.leaves[node]
        aval = node.output_aval(number)
        return np.zeros(aval.shape, aval.dtype.np)

    def __call__(self, *values):
        env, _ = self._walk(values, absolute=False)
        return tuple(env[edge] for edge in self.roots)

    def shifts(self, values) -> list:
        """What `gradients` takes where the inner targets are to have these values: for an inner target
        its distance from what the program computes there, so that the path to earlier leaves stays."""
        _, found = self._walk(values, absolute=True)
        return [found.get(edge, value) for edge, value in zip(self.targets, values, strict=True)]

    def _walk(self, values, absolute):
        """All intermediate values, and the shifts of the inner targets."""
        given = dict(zip(self.targets, values, strict=True))
        env = {(n, 0): given.get((n, 0), value) for n, value in self.leaves.items()}
        shifts: dict = {}
        for step in self.steps:
            step.run(env)
            for key in step.makes:
                wanted = given.get(key)
                if wanted is None or env[key] is None:
                    continue
                if absolute:
                    shifts[key] = wanted - env[key]
                env[key] = wanted if absolute else env[key] + wanted
        return env, shifts

    def gradients(self, values, cotangents) -> tuple:
        """`jax.vjp` of the program. JAX's complex gradients are conjugates of PyTorch's."""
        _, pull = jax.vjp(self, *values)
        found = pull(tuple(jnp.conj(c) for c in cotangents))
        return tuple(_strong(jnp.conj(g), a) for g, a in zip(found, self.avals, strict=True))


class Runner:
    """Computes gradients of programs, and remembers what it has compiled."""

    def __init__(self):
        self._kernels: dict = {}  # {form of a step: its function, which JAX traces once}
        self._compiled: dict = {}  # {key of a jaxpr: the Compiled}

    def gradients(self, program: Program, values, cotangents) -> tuple:
        """Those that `program.gradients` gives."""
        if not program.is_traceable or any(isinstance(x, jax.core.Tracer) for x in (*values, *cotangents)):
            return program.gradients(values, cotangents)
        self._trace_kernels_once(program)
        closed = traced(program.gradients, values, cotangents)
        given = [*closed.consts, *values, *cotangents]
        jaxpr = open_jaxpr(closed)
        key = _Key(jaxpr)
        run = self._compiled.get(key)
        if run is None:
            _bound(self._compiled)
            run = self._compiled[key] = _compile(jaxpr, len(closed.consts), given, program)
        return tuple(run(*given))

    def _trace_kernels_once(self, program: Program) -> None:
        _bound(self._kernels)
        for step in each_step(program.steps):
            if _is_kernel(step):
                step.function = self._kernels.setdefault(step.form, jax.jit(step.function))


def _bound(known: dict) -> None:
    if len(known) >= MOST:
        known.clear()


def _is_kernel(step) -> bool:
    return step.form.__class__ is tuple


def _is_gradient(step) -> bool:
    """Whether a step is a backward pass of a program that can be traced."""
    inner = getattr(step.node, "program", None)
    return inner.__class__ is Program and inner.is_traceable


def _strong(x, aval):
    """An array in the leaf's dtype and not weakly typed, which compiled programs distinguish."""
    return jnp.array(x, dtype=aval.dtype.np, copy=False)


def _compile(jaxpr, n_consts: int, given: list, program: Program):
    """The Compiled of a jaxpr, as a function of its constants and operands, with little effort: it runs a few times."""
    def function(*arrays):
        return jax.core.eval_jaxpr(jaxpr, arrays[:n_consts], *arrays[n_consts:])

    largest = max((math.prod(var.aval.shape) for eqn in jaxpr.eqns for var in eqn.outvars), default=0)
    options = backend_of(program.avals[0].device).kernel_options(largest, "convolutions")
    return compiled(jax.jit(function, keep_unused=True).lower(*given), options)


# which jaxprs are equal


class _Key:
    """What a jaxpr computes: equal ones do the same. It is hashed once, for it is large."""

    def __init__(self, jaxpr):
        numbers: dict = {}

        def read(x):
            return (str(x.aval), np.asarray(x.val).tobytes()) if isinstance(x, Literal) else numbers[x]

        def made(variables):
            numbers.update((var, len(numbers) + i) for i, var in enumerate(variables))
            return tuple(var.aval for var in variables)

        start = made((*jaxpr.constvars, *jaxpr.invars))
        steps = tuple((eqn.primitive, _of_param(eqn.params), tuple(map(read, eqn.invars)), made(eqn.outvars))
                      for eqn in jaxpr.eqns)
        self.parts = start, steps, tuple(map(read, jaxpr.outvars))
        self.hash = hash(self.parts)

    def __hash__(self):
        return self.hash

    def __eq__(self, other):
        return self is other or (isinstance(other, _Key) and self.hash == other.hash and self.parts == other.parts)


_keys: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()  # of jaxprs that are called, which JAX keeps for many calls


def _of_inner(jaxpr) -> _Key:
    found = _keys.get(jaxpr)
    if found is None:
        found = _keys[jaxpr] = _Key(jaxpr)
    return found


def _of_param(value) -> Hashable:
    """A parameter of an equation. Functions, and what else has no values to compare, are equal to themselves alone."""
    if isinstance(value, ClosedJaxpr):
        return _of_inner(value.jaxpr), _of_param(value.consts)
    if isinstance(value, Jaxpr):
        return _of_inner(value)
    if isinstance(value, dict):
        return tuple((name, _of_param(value[name])) for name in sorted(value))
    if isinstance(value, tuple | list):
        return tuple(map(_of_param, value))
    if isinstance(value, np.ndarray | np.generic | jax.Array | float):
        array = np.asarray(value)
        return str(array.dtype), array.shape, array.tobytes()
    return (value.__class__, value) if isinstance(value, Hashable) else _Identity(value)


class _Identity:
    """Stands for something that is equal to itself alone, and keeps it."""

    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return isinstance(other, _Identity) and self.value is other.value

    def __hash__(self):
        return id(self.value)
