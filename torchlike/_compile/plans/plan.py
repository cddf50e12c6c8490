"""The jaxpr of a kernel as a flat list of numpy calls.

Building a plan follows the jaxpr once: calls of other jaxprs are spliced in, what is known beforehand is computed, what
nobody needs is left out, scalars are not spread over shapes, and an array that nothing reads any more is written to again.
Running it is a loop over closures, each of which reads and fills places of one list.
"""

import numpy as np
from jax.extend.core import ClosedJaxpr, Literal

from torchlike._compile.plans.rules import RULES
from torchlike._compile.plans.table import Declined, Equation, Form, Spread, Ufunc, View

# Primitives that only call another jaxpr, and the parameter that is this jaxpr.
_CALLS = {"jit": "jaxpr", "pjit": "jaxpr", "closed_call": "call_jaxpr", "core_call": "call_jaxpr", "checkpoint": "jaxpr",
          "remat2": "jaxpr", "custom_jvp_call": "call_jaxpr", "custom_vjp_call": "call_jaxpr",
          "custom_vjp_call_jaxpr": "fun_jaxpr", "custom_lin": "jaxpr"}
_FOLDED = 4096  # bytes: a larger constant is computed each time
_REUSED = 16384  # bytes: memory of smaller arrays is not worth the trouble to use it again


class Plan:
    """A callable on numpy arrays and scalars; returns a list of them. Results may share memory with arguments: nobody may
    write to either.

    ``size``: how many numpy calls it makes.
    """

    __slots__ = ("_blank", "_results", "_steps", "size")

    def __init__(self, closed: ClosedJaxpr):
        """Raises Declined where the jaxpr has something without a rule."""
        builder = _Builder()
        arguments = [builder.slot(_form(v.aval)) for v in closed.jaxpr.invars]
        with np.errstate(all="ignore"):
            results = builder.follow(closed.jaxpr, closed.consts, arguments)
        self._steps, self._results = builder.bound(results, len(arguments))
        self._blank = builder.values[len(arguments):]
        self.size = len(self._steps)

    def __call__(self, *arrays):
        env = [*arrays, *self._blank]
        for step in self._steps:
            step(env)
        return [env[i] for i in self._results]


class _Operation:
    """A Step on slots: ``ins`` and ``outs`` are their numbers."""

    __slots__ = ("ins", "outs", "step")

    def __init__(self, step, ins, outs):
        self.step, self.ins, self.outs = step, ins, outs


class _Builder:
    """``forms`` and ``values`` (None where it is not known beforehand) of each slot, and the operations on them.

    ``narrow``: the slot of the array that a slot spreads over its shape, in a shape that broadcasts to it.
    """

    def __init__(self):
        self.forms: list[Form] = []
        self.values: list = []
        self.operations: list[_Operation] = []
        self.narrow: dict[int, int] = {}

    def slot(self, form: Form, value=None) -> int:
        """A new slot."""
        self.forms.append(form)
        self.values.append(value)
        return len(self.forms) - 1

    def follow(self, jaxpr, consts, arguments) -> list:
        """The slots of the results of a jaxpr for those of its arguments."""
        env = dict(zip(jaxpr.invars, arguments, strict=True))
        for var, const in zip(jaxpr.constvars, consts, strict=True):
            value = np.asarray(const)
            env[var] = self.slot(_form(var.aval), value)
        for eqn in jaxpr.eqns:
            outs = self._equation(eqn, [self._read(env, v) for v in eqn.invars])
            env.update(zip(eqn.outvars, outs, strict=True))
        return [self._read(env, v) for v in jaxpr.outvars]

    def _read(self, env, var):
        if isinstance(var, Literal):
            form = _form(var.aval)
            return self.slot(form, np.asarray(var.val, form.dtype))
        return env[var]

    def _equation(self, eqn, ins) -> list:
        name = eqn.primitive.name
        inner = eqn.params.get(_CALLS.get(name))
        if inner is not None:
            closed = inner if isinstance(inner, ClosedJaxpr) else ClosedJaxpr(inner, ())
            return self.follow(closed.jaxpr, closed.consts, ins)
        if name == "cond" and self.values[ins[0]] is not None:
            branch = eqn.params["branches"][int(np.clip(int(self.values[ins[0]]), 0, len(eqn.params["branches"]) - 1))]
            return self.follow(branch.jaxpr, branch.consts, ins[1:])
        make = RULES.get(name)
        if make is None:
            raise Declined(f"{name}: no rule")
        outs = tuple(_form(v.aval) for v in eqn.outvars)
        equation = Equation(name, eqn.params, tuple(self.forms[i] for i in ins), outs, tuple(self.values[i] for i in ins))
        return self._take(make(equation), ins, outs)

    def _take(self, step, ins, forms) -> list:
        """The slots of the results of a step."""
        if step is None:  # each result is an operand
            return ins
        if isinstance(step, Spread):
            return [self._spread(step, ins[0])]
        if all(self.values[i] is not None for i in ins) and sum(f.size * f.dtype.itemsize for f in forms) <= _FOLDED:
            found = step.call(*[self.values[i] for i in ins])
            found = found if len(forms) > 1 else (found,)
            return [self.slot(f, np.asarray(x, f.dtype)) for f, x in zip(forms, found, strict=True)]
        if isinstance(step, Ufunc):
            ins = self._narrowed(ins, forms[0])
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

    def _narrowed(self, ins, out) -> list:
        """The operands of a ufunc, not spread where another one has the whole shape."""
        narrow = [self.narrow.get(i, i) for i in ins]
        if narrow != ins and any(self.forms[i].shape == out.shape for i in narrow):
            return narrow
        return ins

    # -- binding

    def bound(self, results, arguments) -> tuple:
        """(closures, the slots of the results)."""
        wanted, kept = set(results), []
        for operation in reversed(self.operations):
            if wanted.intersection(operation.outs):
                wanted.update(operation.ins)
                kept.append(operation)
        kept.reverse()
        memory = _Memory(self, kept, results, arguments)
        return [memory.closure(at, operation) for at, operation in enumerate(kept)], results


class _Memory:
    """Which arrays may be overwritten: those that this plan has made, once nothing reads them or a view of them."""

    def __init__(self, builder, operations, results, arguments):
        self.builder = builder
        self.owner: dict[int, int | None] = {}  # slot -> slot that made its memory, None where that is not the plan's
        self.whole: set[int] = set()
        for operation in operations:
            if isinstance(operation.step, View):
                of = operation.ins[0]
                self.owner[operation.outs[0]] = self.owner.get(of)
                if operation.step.whole and of in self.whole:
                    self.whole.add(operation.outs[0])
            else:
                for out in operation.outs:
                    self.owner[out] = out
                    self.whole.add(out)
        self.last: dict[int, int] = {}  # owner -> the last operation that reads it
        for at, operation in enumerate(operations):
            for i in (*operation.ins, *operation.outs):
                if (owner := self.owner.get(i)) is not None:
                    self.last[owner] = at
        for i in results:
            if (owner := self.owner.get(i)) is not None:
                self.last[owner] = len(operations)

    def closure(self, at, operation):
        """The operation as a function of the list of values."""
        if isinstance(operation.step, Ufunc):
            into = next((i for i in operation.ins if self._dies(i, at, operation.outs[0])), None)
            if into is not None:
                self.owner[operation.outs[0]] = owner = self.owner[into]
                self._inherit(operation.outs[0], owner)
                return _CLOSURES_INTO[len(operation.ins)](operation.step.call, *operation.ins, into, operation.outs[0])
        if len(operation.outs) > 1:
            return _several(operation.step.call, operation.ins, operation.outs)
        make = _CLOSURES.get(len(operation.ins))
        if make is None:
            return _any(operation.step.call, operation.ins, operation.outs[0])
        return make(operation.step.call, *operation.ins, operation.outs[0])

    def _inherit(self, out, owner):
        """The memory of `owner` now lives as long as `out` does. Views of `out` were given to `out`."""
        self.last[owner] = self.last[out]
        for i, of in self.owner.items():
            if of == out:
                self.owner[i] = owner

    def _dies(self, i, at, out) -> bool:
        forms, owner = self.builder.forms, self.owner.get(i)
        return (owner is not None and self.last[owner] == at and i in self.whole and forms[i] == forms[out]
                and forms[i].size * forms[i].dtype.itemsize >= _REUSED)


def _form(aval) -> Form:
    return Form(tuple(aval.shape), np.dtype(aval.dtype))


def _none(f, o):
    def step(env):
        env[o] = f()
    return step


def _unary(f, a, o):
    def step(env):
        env[o] = f(env[a])
    return step


def _binary(f, a, b, o):
    def step(env):
        env[o] = f(env[a], env[b])
    return step


def _ternary(f, a, b, c, o):
    def step(env):
        env[o] = f(env[a], env[b], env[c])
    return step


def _any(f, ins, o):
    def step(env):
        env[o] = f(*[env[i] for i in ins])
    return step


def _several(f, ins, outs):
    def step(env):
        for o, value in zip(outs, f(*[env[i] for i in ins]), strict=True):
            env[o] = value
    return step


def _unary_into(f, a, into, o):
    def step(env):
        env[o] = f(env[a], env[into])
    return step


def _binary_into(f, a, b, into, o):
    def step(env):
        env[o] = f(env[a], env[b], env[into])
    return step


_CLOSURES = {0: _none, 1: _unary, 2: _binary, 3: _ternary}
_CLOSURES_INTO = {1: _unary_into, 2: _binary_into}
