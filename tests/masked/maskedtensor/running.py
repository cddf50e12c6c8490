"""Expressions about MaskedTensors, evaluated with both libraries."""

import pickle
import typing
import warnings

import numpy as np

from compat import compare
from compat.compare.tolerances import FUNCTION


class Seen(typing.NamedTuple):
    """What there is to compare of a MaskedTensor."""

    data: object
    mask: object
    text: str
    layout: str
    grad: object


def seen(x):
    """A result with everything that is no plain tensor made visible."""
    if isinstance(x, list | tuple):
        return [seen(y) for y in x]
    if type(x).__name__ != "MaskedTensor":
        return x
    node = type(x.grad_fn).__name__ if x.requires_grad else None
    data, mask = x._masked_data, x.get_mask()
    if "sparse" in str(x.layout):
        data, mask = data.to_dense(), mask.to_dense()
    text = repr(x) if data.numel() < 30 and data.dtype.itemsize > 2 else ""
    return Seen(data.masked_fill(~mask, 0), mask, text, str(x.layout), node)


def raised(function, *args):
    """The class and text of what the call raises, None without an error."""
    try:
        function(*args)
    except Exception as error:  # noqa: BLE001 - it is the result
        return type(error).__name__, str(error)
    return None


def names(t):
    """What expressions refer to."""
    masked = t.masked.masked_tensor
    data = t.tensor([[0.5, -1.25, 0.75], [0.25, 2.0, -0.5]])
    mask = t.tensor([[True, False, True], [False, True, True]])
    integers = t.tensor([[3, 0, 5], [2, 7, 1]])
    square = t.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]])
    eye = t.tensor([[True, False, True], [False, True, False], [True, True, False]])
    return {**globals(), "t": t, "M": t.masked, "masked": masked, "data": data, "mask": mask, "integers": integers,
            "mt": masked(data, mask, requires_grad=True), "other": masked(data * 2 + 0.125, mask, requires_grad=True),
            "plain": masked(data, mask), "ints": masked(integers, mask), "bools": masked(integers > 2, mask),
            "coo": masked(data, mask).to_sparse(), "csr": masked(data, mask).to_sparse_csr(),
            "unlike": masked(data, ~mask), "nothing": masked(data, t.zeros(2, 3, dtype=t.bool)), "square": square,
            "sq": masked(square, eye, requires_grad=True), "eye": eye}


def run(expression):
    """A function of the library that evaluates the expression."""
    return lambda t: seen(eval(expression, names(t)))


def checked(expression):
    """The expression gives the same with both libraries."""
    return compare.check(run(expression), tolerance=FUNCTION, types=True)


_ = pickle, warnings, np  # expressions use them
