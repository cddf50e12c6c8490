"""The backward kernels of a row: what to save, and the gradients as a jax function of it.

PyTorch's convention for complex numbers is the conjugate of JAX's, so cotangents are conjugated on
the way into `jax.vjp` and out of it.
"""

import math
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from torchlike._base import dtypes as dt
from torchlike._compile import picks, row_function
from torchlike._compile.kernels import Kernel, TracedKernel, cache, of_row, pattern
from torchlike._compile.symbols import is_open
from torchlike._ops import promotion
from torchlike._ops.numerics import lean, sums
from torchlike._ops.table import SAME


class Plan:
    """What a Node of `kernel` saves when the array operands `needed` (a tuple of indices) want a
    gradient: ``save_ins`` operands, ``save_outs`` results, ``save_numbers`` whether the numbers
    count as saved.
    """

    __slots__ = ("_routes", "differentiable", "kernel", "needed", "owner", "save_ins", "save_numbers",
                 "save_outs")

    def __init__(self, kernel: Kernel, needed: tuple):
        self.kernel, self.needed = kernel, needed
        self.owner = operand_names(kernel)
        self.differentiable = tuple(i for i, a in enumerate(kernel.outs) if a.dtype.category >= dt.FLOAT)
        names = self._names()
        self.save_ins = tuple(i for i, name in enumerate(self.owner) if name in names)
        self.save_outs = tuple(i for i in range(len(kernel.outs))
                               if f"result{i}" in names or (i == 0 and "result" in names))
        self.save_numbers = _number_operand_needed(kernel, names)
        self._routes: dict = {}
        if kernel.row is None:
            self.save_ins = self._read_again()

    def _read_again(self) -> tuple:
        """Which arguments the gradient of a gradient kernel reads."""
        first = len(self.differentiable)
        try:
            reads = _backward_kernel(self, self.needed, self.differentiable).reads
        except NotImplementedError:  # it has no formula; whoever asks for it will be told
            return self.save_ins
        return tuple(i for k, i in enumerate(self.save_ins, first) if any(flags[k] for flags in reads))

    def _names(self) -> set:
        row = self.kernel.row
        if row is None:  # a backward kernel: everything it reads is an input of its own gradient
            return set(self.owner)
        return {word for i in self.needed for word in row.needs[self.owner[i]]}

    def route(self, defined: tuple) -> "Route":
        """How to compute the gradients when the results `defined` have one."""
        found = self._routes.get(defined)
        if found is None:
            with cache.lock:
                found = self._routes.get(defined)
                if found is None:
                    found = self._routes[defined] = Route(self, defined)
        return found


class Route:
    """For the needed operands: which gradients pass through unchanged, which a kernel computes.

    ``kernel`` (or None) takes the defined gradients, the saved arrays and the numbers;
    ``targets`` are the operands of its results; ``same`` are operands that get the first gradient.
    """

    __slots__ = ("_apart", "_defined", "_plan", "kernel", "same", "targets")

    def __init__(self, plan: Plan, defined: tuple):
        same = tuple(i for i in plan.needed if _passes_through(plan, i))
        self.same = same
        self.targets = tuple(i for i in plan.needed if i not in same)
        self.kernel = _backward_kernel(plan, self.targets, defined) if self.targets else None
        self._plan, self._defined = plan, defined
        self._apart: list = []

    @property
    def apart(self) -> list:
        """[(kernel, targets)] for gradients that are differentiated again: those that depend on different arguments
        come from kernels of their own, so that each has its own history."""
        if not self._apart:
            groups: dict = {}
            for target, flags in zip(self.targets, _carried(self.kernel), strict=True):
                groups.setdefault(flags, []).append(target)
            self._apart = [(_backward_kernel(self._plan, tuple(members), self._defined), tuple(members))
                           for members in groups.values()] if len(groups) > 1 else [(self.kernel, self.targets)]
        return self._apart


def plan(kernel: Kernel, needed: tuple) -> Plan:
    """The Plan of `kernel` for these operands, made once."""
    found = kernel.plans.get(needed)
    if found is None:
        with cache.lock:
            found = kernel.plans.get(needed)
            if found is None:
                found = kernel.plans[needed] = Plan(kernel, needed)
    return found


def operand_names(kernel: Kernel) -> tuple:
    """For each array of the kernel the name of the row's operand it belongs to."""
    if kernel.row is None:
        return tuple(f"in{i}" for i in range(len(kernel.ins)))
    names = []
    for name, kind in zip(kernel.row.operands, kernel.spec[0], strict=False):
        if kind == "a":
            names.append(name)
        elif isinstance(kind, tuple):
            names.extend([name] * sum(kind))
    return tuple(names)


def differentiable_operands(kernel: Kernel) -> tuple:
    """For each array whether a gradient can flow to it."""
    if kernel.differentiable is None:
        kernel.differentiable = _differentiable(kernel)
    return kernel.differentiable


def _differentiable(kernel) -> tuple:
    row = kernel.row
    if row is None:
        flags = [any(column) for column in zip(*_carried(kernel), strict=True)]
    else:
        flags = [name in row.grads for name in operand_names(kernel)]
    return tuple(flag and a.dtype.category >= dt.FLOAT for flag, a in zip(flags, kernel.ins, strict=False))


def _carried(kernel) -> tuple:
    """For each result of a gradient kernel which arguments PyTorch counts as differentiable."""
    function = kernel.function
    if not isinstance(function, _Backward):  # a write through a view, say
        return ((True,) * len(kernel.ins),) * len(kernel.outs)
    operator = function.row is not None and function.row.grad_is_operator
    return kernel.reads if operator else kernel.carries


def places(kernel: Kernel) -> list:
    """For each input that the row can have a gradient for, in order: which array of the kernel it is.

    None stands for one that was left out, of integers, or for a Python number in a tensor's place: PyTorch counts
    them all, but no Scalar.
    """
    flags = differentiable_operands(kernel)
    if kernel.row is None:
        return [i for i, flag in enumerate(flags) if flag]
    found, i = [], 0
    for name, kind in zip(kernel.row.operands, kernel.spec[0], strict=False):
        count = 1 if kind == "a" else sum(kind) if isinstance(kind, tuple) else 0
        if name in kernel.row.grads:
            found += [k if flags[k] else None for k in range(i, i + count)]
        scalar = isinstance(kind, type) and "Scalar" in kernel.row.overload
        if not count and name in kernel.row.grads and not scalar:
            found.append(None)
        i += count
    return found


def _number_operand_needed(kernel, names) -> bool:
    row = kernel.row
    if row is None:
        return bool(kernel.numbers)
    return any(isinstance(kind, type) and name in names
               for name, kind in zip(row.operands, kernel.spec[0], strict=False))


def _passes_through(plan, i) -> bool:
    row = plan.kernel.row
    if row is None or row.grads[plan.owner[i]] is not SAME:
        return False
    source, out = plan.kernel.ins[i], plan.kernel.outs[0]
    return source.shape == out.shape and source.dtype is out.dtype


# -- the backward function

def row_of(kernel):
    """The row that a kernel computes gradients of, None where it does something else."""
    return kernel.function.row if isinstance(kernel.function, _Backward) else None


def named(kernel, ins) -> dict:
    """What a row's formula may name of the operands `ins` of a backward kernel: gradients of results, saved operands and
    results, and params."""
    function = kernel.function
    plan, row = function.plan, function.row
    words = [*(f"g{i}" for i in function.defined), *(plan.owner[i] for i in plan.save_ins),
             *(f"result{i}" for i in plan.save_outs)]
    known = dict(zip(row.params, plan.kernel.spec[1], strict=True))
    known.update(zip(words, ins, strict=True))
    known["g"], known["result"] = known.get("g0"), known.get("result0")
    return known


def target_names(kernel) -> tuple:
    """For each result of a backward kernel the operand whose gradient it is."""
    return tuple(kernel.function.plan.owner[i] for i in kernel.function.targets)


def _backward_kernel(plan, targets, defined) -> Kernel:
    forward = plan.kernel
    ins = (*(forward.outs[i] for i in defined), *(forward.ins[i] for i in plan.save_ins),
           *(forward.outs[i] for i in plan.save_outs))
    function = backward_function(plan, targets, defined)
    name, recipe = f"{forward.name}_backward", (_remade, (forward, plan.needed, targets, defined))
    if isinstance(forward, picks.Picked) and forward.row is not None:
        return picks.spread(forward, name, function, recipe)
    sized = None
    if forward.row is not None and forward.sized is not None:
        sized = forward.sized.derived((plan.needed, targets, defined),
                                      lambda general: _remade(general, plan.needed, targets, defined))
    return TracedKernel(name, function, ins, forward.numbers, forward.device, precision=forward.precision, recipe=recipe,
                        family=_family(plan, targets, defined), sized=sized)


def _family(plan, targets, defined):
    """Of gradients that are the same function of other sizes, what that function depends on: those of elementwise rows to
    operands that are not broadcast. Else None."""
    forward = plan.kernel
    if forward.row is None or forward.row.layout != "pointwise" or any(is_open(a.shape) for a in forward.ins):
        return None
    if any(forward.ins[i].shape != forward.outs[0].shape for i in targets):
        return None
    return "backward", forward.row, forward.spec, pattern(forward.ins), plan.needed, targets, defined


def _remade(forward, needed, targets, defined) -> Kernel:
    """The kernel that `_backward_kernel` made of these in another process."""
    route = plan(forward, needed).route(defined)
    if route.kernel is not None and route.targets == targets:
        return route.kernel
    return next(kernel for kernel, members in route.apart if members == targets)


def backward_function(plan, targets, defined):
    """A function of flat arrays (gradients of the results `defined`, saved operands, saved results,
    numbers): the gradients of the operands `targets`.
    """
    return _Backward(plan, targets, defined)


class _Backward:
    """Flat arrays (gradients, saved operands, saved results, numbers) to the targets' gradients."""

    def __init__(self, plan, targets, defined):
        self.plan, self.targets, self.defined = plan, targets, defined
        self.kernel, self.row = plan.kernel, plan.kernel.row

    def __call__(self, *arrays):
        plan, k = self.plan, self.kernel
        a, b = len(self.defined), len(self.defined) + len(plan.save_ins)
        c = b + len(plan.save_outs)
        gradients = dict(zip(self.defined, arrays[:a], strict=True))
        ins = dict(zip(plan.save_ins, arrays[a:b], strict=True))
        outs = dict(zip(plan.save_outs, arrays[b:c], strict=True))
        numbers = arrays[c:]
        by_vjp = [i for i in self.targets if self._by_vjp(i)]
        view = None if self.row is None or not by_vjp else self.row.view
        if view is not None and (view.is_whole or view.joined is not None):
            return (self._of_view(view, gradients),)
        found = dict(zip(by_vjp, self._vjp(by_vjp, gradients, ins, numbers), strict=True)) if by_vjp else {}
        formulas = [i for i in self.targets if i not in found]
        if formulas:
            found.update(self._formulas(formulas, gradients, ins, outs, numbers))
        return tuple(fit(found[i], k.ins[i]) for i in self.targets)

    def _of_view(self, view, gradients):
        """What `jax.vjp` would find, in a fraction of its time."""
        (operand,), (_, params) = self.kernel.ins, self.kernel.spec
        keywords = dict(zip(self.row.params, params, strict=True))
        if view.is_whole:
            return view.put(operand.sds, gradients[0], **keywords)
        return view.joined([fit(gradients.get(i), out) for i, out in enumerate(self.kernel.outs)], **keywords)

    def _by_vjp(self, i):
        return self.row is None or isinstance(self.row.grads[self.plan.owner[i]], str)

    def _vjp(self, targets, gradients, ins, numbers):
        """`jax.vjp` of the forward function; operands that are not saved are zeros."""
        k = self.kernel
        primals = [ins[i] if i in ins else lax.full(a.shape, 0, a.dtype.np) for i, a in enumerate(k.ins)]

        def function(*diff):
            full = list(primals)
            for i, value in zip(targets, diff, strict=True):
                full[i] = value
            results = k.function(*full, *numbers)
            return tuple(results[i] for i in self.defined)

        _, pull = jax.vjp(function, *(primals[i] for i in targets))
        cotangents = tuple(_conjugate(gradients[i]) for i in self.defined)
        return [_conjugate(g) for g in pull(cotangents)]

    def _formulas(self, targets, gradients, ins, outs, numbers):
        known = self._named(gradients, ins, outs, numbers)
        found, by_rule = {}, {}
        for name in dict.fromkeys(self.plan.owner[i] for i in targets):
            rule = self.row.grads[name]
            if rule not in by_rule:
                by_rule[rule] = rule(**{word: known[word] for word in self.row.needs[name]})
            result = by_rule[rule]
            result = result[name] if isinstance(result, dict) else result
            members = [i for i, owner in enumerate(self.plan.owner) if owner == name]
            pieces = result if isinstance(result, tuple | list) else (result,)
            found.update((i, piece) for i, piece in zip(members, pieces, strict=True) if i in targets)
        return found

    def _named(self, gradients, ins, outs, numbers) -> dict:
        """Everything a formula may name."""
        row, k = self.row, self.kernel
        spec, params = k.spec
        n = len(row.operands)
        full = [ins.get(i) for i in range(len(k.ins))]
        operands, values = row_function.place(spec[:n], spec[n:], (*full, *numbers), len(k.ins))
        shapes, _ = row_function.place(spec[:n], spec[n:], (*(a.sds for a in k.ins), *numbers), len(k.ins))
        known = dict(zip(row.params, row_function.unwrap(row, params), strict=True))
        opmath = _opmath(k)
        defaults = {a.name: a.default for a in row.schema.args if a.is_number}
        for name, value, shape, kind in zip(row.operands, operands, shapes, spec, strict=False):
            known[name] = row_function.scalar(value, kind, opmath) if isinstance(kind, type) else value
            known[f"{name}_aval"] = shape
        for name, value, kind in zip(row.numbers, values, spec[n:], strict=True):
            known[name] = row_function.scalar(*row_function.given(value, kind, defaults[name]), opmath)
        for i in range(len(k.outs)):
            known[f"g{i}"] = gradients.get(i)
            known[f"result{i}"] = outs.get(i)
        known["g"], known["result"] = known["g0"], known["result0"]
        return known


def _opmath(k):
    """The dtype of numbers beside the results' gradients."""
    for a in (*k.outs, *k.ins):
        if a.dtype.category >= dt.FLOAT:
            return promotion.scalar_dtype(a.dtype)
    return None


def _conjugate(x):
    return lax.conj(x) if jnp.issubdtype(x.dtype, jnp.complexfloating) else x


def fit(gradient, target):
    """A gradient in the operand's shape and dtype: broadcasting is undone by a sum."""
    if gradient is None:
        return lax.full(target.shape, 0, target.dtype.np)
    gradient = jnp.asarray(lean.raw(gradient))
    if gradient.dtype == jax.dtypes.float0:
        return lax.full(target.shape, 0, target.dtype.np)
    if not target.dtype.is_complex and jnp.issubdtype(gradient.dtype, jnp.complexfloating):
        gradient = gradient.real
    shape = tuple(target.shape)
    if gradient.shape != shape:
        extra = gradient.ndim - len(shape)
        axes = (*range(extra), *(extra + i for i, size in enumerate(shape)
                                 if size == 1 and gradient.shape[extra + i] != 1))
        if axes:
            gradient = sums.total(gradient, axes)
        if gradient.shape != shape and math.prod(gradient.shape) == math.prod(shape):
            gradient = gradient.reshape(shape)
        if gradient.shape != shape:
            gradient = jnp.broadcast_to(gradient, shape)
    return lax.convert_element_type(gradient, target.dtype.np)


def resized(kernel: Kernel, ins: tuple) -> Kernel:
    """A gradient of a row as that of operands of other sizes.

    Args:
        kernel: the gradient, see `made_of`.
        ins: the avals of the row's operands.
    """
    function: Any = kernel.function
    forward = function.plan.kernel
    spec, params = forward.spec
    again = of_row(forward.row, spec, ins, forward.numbers, params, forward.device)
    return _backward_kernel(plan(again, function.plan.needed), function.targets, function.defined)


def made_of(kernel: Kernel):
    """(Plan, the results that have a gradient) that a backward kernel is made of; None for any other kernel."""
    function = kernel.function
    return (function.plan, function.defined) if isinstance(function, _Backward) else None
