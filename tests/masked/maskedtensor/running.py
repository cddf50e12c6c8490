"""Expressions about MaskedTensors, evaluated with both libraries."""

import pickle
import re
import typing
import warnings

import numpy as np

from compat import compare
from compat.compare.tolerances import ROWS


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
        return x.to_dense() if "sparse" in str(getattr(x, "layout", "")) else x
    node = type(x.grad_fn).__name__ if x.requires_grad else None
    data, mask = x._masked_data, x.get_mask()
    if "sparse" in str(x.layout):
        data, mask = data.to_dense(), mask.to_dense()
    text = repr(x) if 0 < data.numel() < 30 and data.dtype.itemsize > 2 and data.abs().max() < 100 else ""
    return Seen(data.masked_fill(~mask, 0), mask, text, str(x.layout), node)


# Of these texts only the beginning is compared: which operator is missing is told by PyTorch's names of operators, and a
# recursion is found wherever it ends.
_BEGINNINGS = re.compile(r"Multiple dispatch failed for|unsupported operand type|maximum recursion depth exceeded|module 'torch' has no attribute '\w+'|"
                         r"(?<=__torch_dispatch__, )aten\.\w+(?=\.default)|\w+\(\)(?= missing| received| got an|: argument)")


_REFUSED = "no operator takes it"


def told(error):
    """The class of an exception, and its text as far as it is compared."""
    text = str(error)
    found = _BEGINNINGS.search(text)
    text = text if found is None else found[0]
    return type(error).__name__, _REFUSED if text.startswith(("Multiple", "unsupported")) else text


def raised(function, *args):
    """The class and text of what the call raises, None without an error."""
    try:
        function(*args)
    except Exception as error:  # noqa: BLE001 - it is the result
        return told(error)
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
    """A function of the library that evaluates the expression; an error is a result."""
    def function(t):
        try:
            return seen(eval(expression, names(t)))
        except Exception as error:  # noqa: BLE001 - it is the result
            return told(error)
    return function


def checked(expression):
    """The expression gives the same with both libraries, and the same warnings, however often."""
    theirs, mine = (compare.outcome(run(expression), package, types=True) for package in compare.PACKAGES)
    found = compare.difference(theirs[0], mine[0], ROWS) or compare.difference(*(_kinds(x[1]) for x in (theirs, mine)), ROWS)
    assert not found, found


def _kinds(warned):
    """The warnings, each once; which operators are missing is told by the error, and those about sparse layouts come once
    a process."""
    return sorted({pair for pair in warned if "is not implemented in __torch_dispatch__" not in pair[1] and not pair[1].startswith("Sparse ")})


_ = pickle, warnings, np  # expressions use them
