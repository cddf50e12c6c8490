"""Primitives that arrange elements anew: most are views."""

import numpy as np

from torchlike._compile.plans.table import Constant, Equation, Fresh, Spread, View, rule


@rule("broadcast_in_dim")
def _broadcast_in_dim(equation: Equation):
    shape, places = tuple(equation.params["shape"]), equation.params["broadcast_dimensions"]
    (operand, *dynamic) = equation.ins
    if dynamic:
        raise equation.declined("sizes that are not known")
    narrow = [1] * len(shape)
    for place, size in zip(places, operand.shape, strict=True):
        narrow[place] = size
    return Spread(tuple(narrow), shape)


@rule("reshape")
def _reshape(equation):
    shape, order = equation.outs[0].shape, equation.params.get("dimensions")
    if order is not None:
        return View(lambda x: x.transpose(order).reshape(shape), whole=True)
    return View(lambda x: x.reshape(shape), whole=True)


@rule("squeeze", "expand_dims")
def _reshaped(equation):
    shape = equation.outs[0].shape
    return View(lambda x: x.reshape(shape), whole=True)


@rule("transpose")
def _transpose(equation):
    order = tuple(equation.params["permutation"])
    return View(lambda x: x.transpose(order), whole=True)


@rule("rev")
def _rev(equation):
    turned = equation.params["dimensions"]
    index = tuple(slice(None, None, -1) if i in turned else slice(None) for i in range(equation.ins[0].ndim))
    return View(lambda x: x[index], whole=True)


@rule("slice")
def _slice(equation):
    p = equation.params
    strides = p["strides"] or (1,) * equation.ins[0].ndim
    index = tuple(map(slice, p["start_indices"], p["limit_indices"], strides))
    return View(lambda x: x[index])


@rule("split")
def _split(equation):
    axis, ends = equation.params["axis"], np.cumsum(equation.params["sizes"])[:-1]
    return Fresh(lambda x: tuple(part.copy() for part in np.split(x, ends, axis)))


@rule("concatenate")
def _concatenate(equation):
    axis = equation.params["dimension"]
    return Fresh(lambda *parts: np.concatenate(parts, axis))


@rule("stack")
def _stack(equation):
    axis = equation.params.get("axis", equation.params.get("dimension", 0))
    return Fresh(lambda *parts: np.stack(parts, axis))


@rule("tile")
def _tile(equation):
    counts = equation.params["reps"]
    return Fresh(lambda x: np.tile(x, counts))


@rule("dim_as_value")
def _size(equation):
    return Constant(np.asarray(equation.params["dim"], equation.outs[0].dtype), ())


@rule("iota")
def _iota(equation):
    (out,) = equation.outs
    at = equation.params["dimension"]
    shape = tuple(out.shape[at] if i == at else 1 for i in range(out.ndim))
    if equation.ins:
        raise equation.declined("sizes that are not known")

    line = np.arange(out.shape[at], dtype=np.int64).astype(out.dtype).reshape(shape)
    return Constant(line, out.shape)


@rule("pad")
def _pad(equation):
    """Elements before, after and between; negative numbers take away."""
    config = equation.params["padding_config"]
    (out,) = equation.outs
    to, of = [], []
    for size, total, (before, _, between) in zip(equation.ins[0].shape, out.shape, config, strict=True):
        step = between + 1
        first = max(0, -(before // step)) if before < 0 else 0  # the first element that is inside
        last = min(size, -(-(total - before) // step))
        last = max(first, last)
        of.append(slice(first, last))
        start = before + first * step
        to.append(slice(start, start + max(last - first - 1, 0) * step + (last > first), step))
    to_index, of_index = tuple(to), tuple(of)

    def pad(x, value):
        found = np.full(out.shape, value, out.dtype)
        found[to_index] = x[of_index]
        return found

    return Fresh(pad)
