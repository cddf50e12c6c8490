"""Values of tensors for reading: as text, and what breakpoints ask of them."""

import math

import numpy as np

from torchlike._base.dtypes import float32
from torchlike._base.errors import UnsupportedError
from torchlike._ops.table import ROWS
from torchlike._record.bind import bind
from torchlike._record.leaf import host
from torchlike._record.tensor import Tensor
from torchlike._record.trace import state

_SHOWN = 12  # numbers of a tensor that are printed


def form_of(aval) -> str:
    """For instance ``float32[2, 3]``."""
    return f"{str(aval.dtype).removeprefix('torch.')}{list(aval.shape)}"


def described(x: Tensor | None) -> str:
    """A tensor in one line: dtype, shape, and its numbers, or the range of many."""
    if x is None:
        return "None"
    form = form_of(x._cell.aval)
    values = _array(x)
    if values is None:
        return form
    if values.size <= _SHOWN:
        return f"{form} {np.array2string(values, precision=4, separator=', ', threshold=_SHOWN).replace(chr(10), '')}"
    sizes = np.abs(values)
    norm = np.linalg.norm(values.ravel().astype(np.complex128))
    return f"{form} of sizes from {sizes.min():.4g} to {sizes.max():.4g}, norm {norm:.4g}"


def norm_of(gradients) -> float:
    """The Euclidean norm of all numbers of some tensors; those that are None count nothing."""
    arrays = [_array(g) for g in gradients if g is not None]
    return math.sqrt(sum(_squared(x.ravel()) for x in arrays if x is not None))


def _squared(x: np.ndarray) -> float:
    """The sum of the squares of sizes, in double precision: a norm that float32 cannot hold is no infinity."""
    parts = x.view(x.real.dtype) if x.dtype.kind == "c" else x
    return float(np.einsum("i,i->", parts, parts, dtype=np.float64))  # no copy of large arrays in double precision


def is_finite(x) -> bool:
    """Whether no number of a tensor is nan or infinite; True of None."""
    values = None if x is None else _array(x)
    return values is None or bool(np.isfinite(values).all())


def _array(x):
    """The numbers of a tensor; None where numpy cannot show them."""
    thread = state.thread
    before, thread.grad = thread.grad, False
    try:
        if x._cell.aval.dtype.np.kind not in "?iufc":  # bfloat16 and its kind
            x = bind(ROWS["_to_copy"], (x,), (), (float32,))
        return host(x._cell)
    except (NotImplementedError, UnsupportedError, RuntimeError):
        return None
    finally:
        thread.grad = before
