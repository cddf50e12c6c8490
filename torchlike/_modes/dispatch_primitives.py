"""Kernels done step by step on Tensors: what optimizers compute, for `__torch_dispatch__`.

The values that are no Tensors (hyperparameters, step counts) stay numbers: classes see what happens to parameters.
"""

import operator

import numpy as np

from torchlike._record.tensor import Tensor
from torchlike._record.trace import force


def can_do(kernel) -> bool:
    """Whether all primitives of a kernel, which is one of an optimizer, have a function here."""
    parts = [part for part, _, _ in kernel.split(range(len(kernel.ins)), range(len(kernel.outs)))]
    return all(equation.primitive.name in _FUNCTIONS for part in parts for equation in part.jaxpr.jaxpr.eqns)


def run(kernel, operands, numbers) -> tuple:
    """The results of a kernel that `can_do` has found good, as Tensors.

    Args:
        kernel: the kernel.
        operands: Tensors; those of no dimension that are no wrappers count as numbers.
        numbers: Python numbers.
    """
    found: list = [None] * len(kernel.outs)
    for part, ins, outs in kernel.split(operands, range(len(kernel.outs))):
        for place, result in zip(outs, _steps(part, ins, numbers), strict=True):
            found[place] = result
    return tuple(found)


def _steps(kernel, operands, numbers) -> list:
    jaxpr = kernel.jaxpr.jaxpr
    values = {var: np.asarray(value)[()] for var, value in zip(jaxpr.constvars, kernel.jaxpr.consts, strict=True)}
    values.update(zip(jaxpr.invars, (*map(_value, operands), *numbers), strict=True))

    def read(atom):
        return values[atom] if atom.__class__.__name__ == "Var" else atom.val

    for equation in jaxpr.eqns:
        function = _FUNCTIONS[equation.primitive.name]
        values[equation.outvars[0]] = function(*map(read, equation.invars), **equation.params)
    return [_tensor(read(var), like) for var, like in zip(jaxpr.outvars, operands, strict=False)]


def _value(x):
    """A Tensor, or the number that it holds."""
    return np.asarray(force(x._cell))[()] if x._cell.handler is None and not x._cell.aval.ndim else x


def _tensor(value, like):
    return value if isinstance(value, Tensor) else like.detach().new_full((), float(value))


def _number(x):
    """A number as Tensors take it."""
    return x if isinstance(x, Tensor) else x.item() if hasattr(x, "item") else x


def _binary(function, of_tensors=None):
    def of_values(a, b, **params):
        if isinstance(a, Tensor) or isinstance(b, Tensor):
            return (of_tensors or function)(_number(a), _number(b))
        return function(a, b)

    return of_values


def _unary(of_numbers, of_tensors):
    return lambda x, **params: of_tensors(x) if isinstance(x, Tensor) else of_numbers(x)


def _bound(name, function):
    """The larger or the smaller of two values."""
    def of_tensors(a, b):
        a, b = (a, b) if isinstance(a, Tensor) else (b, a)
        return getattr(a, {"max": "maximum", "min": "minimum"}[name])(b) if isinstance(b, Tensor) \
            else a.clamp(**{"max": {"min": b}, "min": {"max": b}}[name])

    return _binary(function, of_tensors)


def _select(which, if_false, if_true):
    if not isinstance(which, Tensor):
        return if_true if which else if_false
    if isinstance(if_true, Tensor):
        return if_true.where(which, _number(if_false))
    if isinstance(if_false, Tensor):
        return if_false.where(which.logical_not(), _number(if_true))
    return which * _number(if_true) + which.logical_not() * _number(if_false)


def _convert(x, new_dtype, **params):
    return x if isinstance(x, Tensor) else np.asarray(x).astype(new_dtype)[()]


def _broadcast(x, shape, broadcast_dimensions, **params):
    if not isinstance(x, Tensor):
        return x
    kept = [1] * len(shape)
    for dim, size in zip(broadcast_dimensions, x.shape, strict=True):
        kept[dim] = size
    return (x if tuple(x.shape) == tuple(kept[len(kept) - x.ndim:]) else x.reshape(kept)).expand(shape)


def _sum(x, axes, **params):
    return x.sum(axes)


_FUNCTIONS: dict = {
    "add": _binary(operator.add), "sub": _binary(operator.sub), "mul": _binary(operator.mul),
    "div": _binary(operator.truediv), "pow": _binary(operator.pow), "lt": _binary(operator.lt), "gt": _binary(operator.gt),
    "eq": _binary(operator.eq),
    "max": _bound("max", max), "min": _bound("min", min),
    "neg": _unary(operator.neg, operator.neg), "sqrt": _unary(np.sqrt, lambda x: x.sqrt()),
    "abs": _unary(abs, abs), "sign": _unary(np.sign, lambda x: x.sign()),
    "select_n": _select, "convert_element_type": _convert, "broadcast_in_dim": _broadcast, "reduce_sum": _sum,
}
