"""The jaxpr of a kernel as a flat list of numpy calls.

Building a plan follows the jaxpr once: calls of other jaxprs are spliced in, what is known beforehand is computed, what
nobody needs is left out, scalars are not spread over shapes, and an array that nothing reads any more is written to again.
Running it is a loop over closures, each of which reads and fills places of one list.
"""

import collections
import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import ClosedJaxpr, Literal

from torchlike._compile import apart
from torchlike._compile.jax_private import closed_jaxpr
from torchlike._compile.plans.pointwise import as_it_stands
from torchlike._compile.plans.rules import RULES
from torchlike._compile.plans.table import LARGE, Constant, Declined, Equation, Form, Operand, Pointwise, Spread, Ufunc, View
from torchlike._compile.symbols import size_at

# Primitives that only call another jaxpr, and the parameter that is this jaxpr.
_CALLS = {"jit": "jaxpr", "pjit": "jaxpr", "closed_call": "call_jaxpr", "core_call": "call_jaxpr", "checkpoint": "jaxpr",
          "remat2": "jaxpr", "custom_jvp_call": "call_jaxpr", "custom_vjp_call": "call_jaxpr",
          "custom_vjp_call_jaxpr": "fun_jaxpr", "custom_lin": "jaxpr", apart.NAME: "jaxpr"}
_IN_ORDER = View(np.ascontiguousarray, whole=True)
_MOST_DIMENSIONS = 32  # that numpy's broadcasting and sorting take
_FOLDED = 16384  # bytes: a larger constant is computed each time


class Plan:
    """A callable on numpy arrays and scalars; returns a list of them. Results may share memory with arguments: nobody may
    write to either.

    ``blank``: the values of its slots after the arguments: constants, and None. ``results``: the slots of the results.
    ``operations``: what it does, each a ``Bound``. ``reads``: for each result the arguments that its shape is broadcast
    from, where the plan is right for arguments of other sizes, too, that broadcast as those do which it was made for; None
    where it is not.
    """

    __slots__ = ("_steps", "blank", "operations", "reads", "results")

    def __init__(self, closed: ClosedJaxpr, sizes: tuple = ()):
        """`sizes`: the values of the symbols in the jaxpr of a general kernel (sizes.py).

        Raises:
            Declined: the jaxpr has something without a rule.
        """
        builder = _Builder(sizes)
        arguments = [builder.slot(builder.form(v.aval)) for v in closed.jaxpr.invars]
        with np.errstate(all="ignore"):
            self.results = builder.follow(closed.jaxpr, closed.consts, arguments)
        self.operations = builder.bound(self.results, len(arguments))
        self.blank = builder.values[len(arguments):]
        self.reads = builder.reads(self.results, len(arguments))
        self._steps: list | None = None

    def steps(self, places, shared: dict | None = None) -> list:
        """The calls as closures on a list, in which the slots of the plan have these places.

        `shared`: where the numbers are that plans on the same list have computed, by what they are computed from; those of
        this plan are added, and not computed again.
        """
        steps = []
        for operation in self.operations:
            if operation.scalar and shared is not None and operation.outs[0] not in self.results:
                (out,) = operation.outs
                key = (operation.call, *(places[i] for i in operation.ins))
                there = shared.setdefault(key, places[out])
                if there != places[out]:
                    places[out] = there
                    continue
            steps += operation.at(places)
        return steps

    def __call__(self, *arrays):
        if self._steps is None:
            self._steps = self.steps(range(len(arrays) + len(self.blank)))
        env = [*arrays, *self.blank]
        for step in self._steps:
            step(env)
        return [env[i] for i in self.results]


class Bound:
    """A numpy call on slots: ``into`` is the slot of the array that it overwrites, or None; ``dead`` are slots of large
    arrays that nothing reads afterwards. ``scalar``: whether it makes one number, which several plans may share."""

    __slots__ = ("call", "dead", "ins", "into", "outs", "scalar")

    def __init__(self, call, ins, outs, into, dead, scalar):
        self.call, self.ins, self.outs, self.into, self.dead, self.scalar = call, ins, outs, into, dead, scalar

    def at(self, places) -> list:
        """As closures on a list in which the slots have these places."""
        steps = [call_step(self.call, [places[i] for i in self.ins], [places[i] for i in self.outs],
                           None if self.into is None else places[self.into])]
        if self.dead:
            steps.append(drop_step([places[i] for i in self.dead]))
        return steps


class _Operation:
    """A Step on slots: ``ins`` and ``outs`` are their numbers."""

    __slots__ = ("ins", "outs", "step")

    def __init__(self, step, ins, outs):
        self.step, self.ins, self.outs = step, ins, outs


class _Builder:
    """``forms`` and ``values`` (None where it is not known beforehand) of each slot, and the operations on them.

    ``narrow``: the slot of the array that a slot spreads over its shape, in a shape that broadcasts to it. ``made``: the
    results of the equations so far, by what these are. ``platforms``: the slots that choose between functions for platforms.
    """

    def __init__(self, sizes: tuple):
        self.sizes = sizes
        self.forms: list[Form] = []
        self.values: list = []
        self.operations: list[_Operation] = []
        self.narrow: dict[int, int] = {}
        self.made: dict[tuple, list] = {}
        self.platforms: set[int] = set()

    def form(self, aval) -> Form:
        """The Form of a variable. Declined where numpy has no such arrays, or not all of its functions take them."""
        if jnp.issubdtype(aval.dtype, jax.dtypes.extended) or aval.ndim > _MOST_DIMENSIONS:
            raise Declined(f"arrays of {aval.dtype} of {aval.ndim} dimensions")
        return Form(self._valued(tuple(aval.shape)), np.dtype(aval.dtype))

    def _valued(self, parameter) -> Any:
        """A parameter with the values of its sizes."""
        if not self.sizes:
            return parameter
        return tuple(map(self._valued, parameter)) if parameter.__class__ is tuple else size_at(parameter, self.sizes)

    def slot(self, form: Form, value=None) -> int:
        """A new slot."""
        self.forms.append(form)
        self.values.append(value)
        return len(self.forms) - 1

    def follow(self, jaxpr, consts, arguments) -> list:
        """The slots of the results of a jaxpr for those of its arguments."""
        env = dict(zip(jaxpr.invars, arguments, strict=True))
        for var, const in zip(jaxpr.constvars, consts, strict=True):
            form = self.form(var.aval)
            env[var] = self.slot(form, np.asarray(const))
        for eqn in jaxpr.eqns:
            outs = self._equation(eqn, [self._read(env, v) for v in eqn.invars])
            env.update(zip(eqn.outvars, outs, strict=True))
        return [self._read(env, v) for v in jaxpr.outvars]

    def _read(self, env, var):
        if isinstance(var, Literal):
            form = self.form(var.aval)
            return self.slot(form, np.asarray(var.val, form.dtype))
        return env[var]

    def _equation(self, eqn, ins) -> list:
        name = eqn.primitive.name
        inner = eqn.params.get(_CALLS.get(name))
        if inner is not None:
            closed = closed_jaxpr(inner)
            return self.follow(closed.jaxpr, closed.consts, ins)
        if name == "cond" and self.values[ins[0]] is not None:
            branch = self._branch(eqn.params["branches"], ins[0])
            return self.follow(branch.jaxpr, branch.consts, ins[1:])
        make = RULES.get(name)
        if make is None:
            raise Declined(f"{name}: no rule")
        params = {key: self._valued(value) for key, value in eqn.params.items()} if self.sizes else eqn.params
        try:
            key = (name, tuple(ins), tuple(params.items()))
            found = self.made.get(key)
        except TypeError:  # a parameter without a hash
            key = found = None
        if found is None:
            found = self._computed(name, make, params, ins, eqn.outvars)
            if name == "platform_index":
                self.platforms.update(found)
            if key is not None:
                self.made[key] = found
        return found

    def _branch(self, branches, index):
        found = as_it_stands(branches) if index in self.platforms else None
        return found or branches[int(np.clip(int(self.values[index]), 0, len(branches) - 1))]

    def _computed(self, name, make, params, ins, results) -> list:
        outs = tuple(self.form(v.aval) for v in results)
        known = tuple(self.values[i] for i in ins)
        plan = functools.partial(Plan, sizes=self.sizes)
        equation = Equation(name, params, tuple(self.forms[i] for i in ins), outs, known, plan)
        return self._take(make(equation), ins, outs)

    def _take(self, step, ins, forms) -> list:
        """The slots of the results of a step."""
        if step is None:  # each result is an operand
            return ins
        if isinstance(step, Operand):
            return [ins[step.place]]
        if isinstance(step, Constant):
            value = self.slot(Form(step.value.shape, step.value.dtype), step.value)
            return [self._spread(Spread(step.value.shape, step.shape), value)]
        if isinstance(step, Spread):
            return [self._spread(step, ins[0])]
        if isinstance(step, Ufunc | Pointwise):
            (out,) = forms
            ins = [self.narrow.get(i, i) for i in ins]
            shape = np.broadcast_shapes(*(self.forms[i].shape for i in ins))
            if shape != out.shape:
                return [self._spread(Spread(shape, out.shape), *self._take(step, ins, (Form(shape, out.dtype),)))]
        if all(self.values[i] is not None for i in ins) and sum(f.nbytes for f in forms) <= _FOLDED:
            found = step.call(*[self.values[i] for i in ins])
            found = found if len(forms) > 1 else (found,)
            return [self.slot(f, np.asarray(x, f.dtype)) for f, x in zip(forms, found, strict=True)]
        outs = [self.slot(f) for f in forms]
        self.operations.append(_Operation(step, ins, outs))
        return outs

    def _spread(self, step, of) -> int:
        form = self.forms[of]
        if form.ndim == 0 or step.narrow == form.shape:
            narrow = of
        else:
            reshape = View(lambda x: x.reshape(step.narrow), whole=True)
            (narrow,) = self._take(reshape, [of], (Form(step.narrow, form.dtype),))
        if step.shape == self.forms[narrow].shape:
            return narrow
        out = self.slot(Form(step.shape, form.dtype))
        self.operations.append(_Operation(View(lambda x: np.broadcast_to(x, step.shape)), [narrow], [out]))
        self.narrow[out] = self.narrow.get(narrow, narrow)
        return out

    # -- binding

    def bound(self, results, count) -> list[Bound]:
        """The operations that the results need."""
        wanted, kept = set(results), []
        for operation in reversed(self.operations):
            if wanted.intersection(operation.outs):
                wanted.update(operation.ins)
                kept.append(operation)
        self.operations = self._in_order(kept[::-1], count)
        memory = _Memory(self, self.operations, results)
        return [memory.bound(at, operation) for at, operation in enumerate(self.operations)]

    def _in_order(self, operations, count) -> list:
        """`operations`, after those that bring the elements of large arguments in order which several of them go through:
        gradients arrive transposed."""
        readers = collections.Counter(i for operation in operations if isinstance(operation.step, Ufunc | Pointwise)
                                      for i in {*operation.ins} if i < count and self._is_large_matrix(i))
        moved = {i: self.slot(self.forms[i]) for i, number in readers.items() if number > 1}
        for operation in operations:
            operation.ins = [moved.get(i, i) for i in operation.ins]
        return [*(_Operation(_IN_ORDER, [i], [out]) for i, out in moved.items()), *operations]

    def _is_large_matrix(self, i) -> bool:
        return self.forms[i].ndim > 1 and self.forms[i].nbytes >= LARGE

    def reads(self, results, count) -> tuple | None:
        """`Plan.reads`: there are none where a step or a constant has a size of its own."""
        if not all(operation.step is _IN_ORDER or isinstance(operation.step, Ufunc | Pointwise)
                   for operation in self.operations):
            return None
        found: dict[int, frozenset] = {i: frozenset((i,)) for i in range(count)}
        for operation in self.operations:
            if any(i not in found and self.forms[i].ndim for i in operation.ins):
                return None
            (out,) = operation.outs
            found[out] = frozenset().union(*(found.get(i, ()) for i in operation.ins))
        return tuple(found[i] for i in results) if all(i in found for i in results) else None


class _Memory:
    """Which arrays may be overwritten: those that this plan has made, once nothing reads them or a view of them. And where
    the list of values lets go of a slot: a view keeps its whole memory alive, also that of an argument."""

    def __init__(self, builder, operations, results):
        self.forms = builder.forms
        self.owner: dict[int, int] = {}  # slot of a result -> the slot whose memory it is
        self.whole: set[int] = set()
        self.members: dict[int, list[int]] = {}
        for operation in operations:
            self._own(operation)
        self.last: dict[int, int] = {}  # owner -> the last operation that reads its memory
        self.last_read: dict[int, int] = {}  # slot -> the last operation that reads it
        for at, operation in enumerate(operations):
            self._read((*operation.ins, *operation.outs), at)
        self._read(results, len(operations))

    def _own(self, operation):
        if not isinstance(operation.step, View):
            for out in operation.outs:
                self.owner[out] = out
                self.members[out] = [out]
                self.whole.add(out)
            return
        (of, *_), (out,) = operation.ins, operation.outs
        owner = self.owner[out] = self.owner.get(of, of)
        self.members.setdefault(owner, []).append(out)
        if operation.step.whole and of in self.whole:
            self.whole.add(out)

    def _read(self, slots, at):
        for i in slots:
            if i in self.owner:
                self.last[self.owner[i]] = self.last_read[i] = at

    def bound(self, at, operation) -> Bound:
        """The operation with what it overwrites and what ends with it."""
        into = None
        if isinstance(operation.step, Ufunc):
            (out,) = operation.outs
            into = next((i for i in operation.ins if self._ends(i, at) and i in self.whole
                         and self.forms[i] == self.forms[out]), None)
            if into is not None:
                self._pass_on(self.owner[into], out)
        dead = [i for i in dict.fromkeys((*operation.ins, *operation.outs))
                if self.last_read.get(i) == at and self.forms[self.owner[i]].nbytes >= LARGE]
        scalar = isinstance(operation.step, Ufunc | Pointwise) and not self.forms[operation.outs[0]].ndim
        return Bound(operation.step.call, operation.ins, operation.outs, into, dead, scalar)

    def _ends(self, i, at) -> bool:
        """Whether the memory of the slot, if it is worth a thought, is not read after this operation."""
        owner = self.owner.get(i)
        if owner is None or self.last[owner] != at:
            return False
        return self.forms[owner].nbytes >= LARGE

    def _pass_on(self, owner, out):
        """The memory of `owner` becomes that of `out` and its views."""
        for i in self.members.pop(out):
            self.owner[i] = owner
            self.members[owner].append(i)
        self.last[owner] = self.last.pop(out)


# -- closures on a list of values. What they need are defaults: a cell for each would triple the objects that the garbage
# -- collector goes through.

def call_step(f, ins, outs, into=None):
    """`f` of the values at the places `ins`, and the one at `into`, to the places `outs`."""
    if into is not None:
        return _INTO[len(ins)](f, *ins, into, outs[0])
    if len(outs) > 1:
        return _several(f, ins, outs)
    make = _BY_ARITY.get(len(ins))
    return _any(f, ins, outs[0]) if make is None else make(f, *ins, outs[0])


def drop_step(places):
    """Let go of the values at these places."""
    if len(places) == 1:
        (only,) = places

        def drop_one(env):
            env[only] = None
        return drop_one

    def drop(env):
        for place in places:
            env[place] = None
    return drop


def _none(f, o):
    def step(env, f=f, o=o):
        env[o] = f()
    return step


def _unary(f, a, o):
    def step(env, f=f, a=a, o=o):
        env[o] = f(env[a])
    return step


def _binary(f, a, b, o):
    def step(env, f=f, a=a, b=b, o=o):
        env[o] = f(env[a], env[b])
    return step


def _ternary(f, a, b, c, o):
    def step(env, f=f, a=a, b=b, c=c, o=o):
        env[o] = f(env[a], env[b], env[c])
    return step


def _any(f, ins, o):
    def step(env, f=f, ins=ins, o=o):
        env[o] = f(*[env[i] for i in ins])
    return step


def _several(f, ins, outs):
    def step(env, f=f, ins=ins, outs=outs):
        for o, value in zip(outs, f(*[env[i] for i in ins]), strict=True):
            env[o] = value
    return step


def _unary_into(f, a, into, o):
    def step(env, f=f, a=a, into=into, o=o):
        env[o] = f(env[a], out=env[into])
    return step


def _binary_into(f, a, b, into, o):
    def step(env, f=f, a=a, b=b, into=into, o=o):
        env[o] = f(env[a], env[b], out=env[into])
    return step


_INTO: dict[int, Callable] = {1: _unary_into, 2: _binary_into}
_BY_ARITY: dict[int, Callable] = {0: _none, 1: _unary, 2: _binary, 3: _ternary}
