"""Matrix products."""

import math

import numpy as np

from torchlike._compile.plans.table import Fresh, is_half, rule

_INTEGERS = 1 << 20  # products of numbers: numpy multiplies integers without BLAS


@rule("dot_general")
def _dot_general(equation):
    (contracted_a, contracted_b), (batch_a, batch_b) = equation.params["dimension_numbers"]
    a, b = equation.ins
    (out,) = equation.outs
    depth = math.prod(a.shape[i] for i in contracted_a)
    if out.dtype.kind in "iub" and out.size * depth > _INTEGERS:
        raise equation.declined("integers")
    join = np.multiply if depth == 1 else np.matmul  # which adds to 0, and so makes 0.0 of -0.0
    left = _arrange(a.shape, batch_a, contracted_a, last=True)
    right = _arrange(b.shape, batch_b, contracted_b, last=False)
    inside = np.dtype(np.float32) if is_half(out.dtype) else out.dtype
    convert_a, convert_b = a.dtype != inside, b.dtype != inside
    shape, rounds = out.shape, inside != out.dtype

    def product(x, y):
        x = left(x.astype(inside) if convert_a else x)
        y = right(y.astype(inside) if convert_b else y)
        found = join(x, y)
        found = found.reshape(shape)
        return found.astype(out.dtype) if rounds else found

    return Fresh(product)


def _arrange(shape, batch, contracted, last):
    """A function that gives an operand of that shape the dimensions (batch, free, contracted), or with `last` False
    (batch, contracted, free): each of the three is one dimension, and there is no first one without a batch."""
    free = [i for i in range(len(shape)) if i not in batch and i not in contracted]
    order = (*batch, *free, *contracted) if last else (*batch, *contracted, *free)
    sizes = [math.prod(shape[i] for i in part) for part in ((free, contracted) if last else (contracted, free))]
    to = (*((math.prod(shape[i] for i in batch),) if batch else ()), *sizes)
    if order == tuple(range(len(shape))):
        return (lambda x: x) if to == tuple(shape) else (lambda x: x.reshape(to))
    moved = tuple(shape[i] for i in order)
    if moved == to:
        return lambda x: x.transpose(order)
    return lambda x: x.transpose(order).reshape(to)
