"""Numbers at equal steps: arange, linspace, logspace. https://pytorch.org/docs/stable/torch.html#creation-ops"""

from __future__ import annotations

import math
import operator
import warnings
from collections.abc import Callable
from typing import Any

from torchlike._api.creation import chosen_device, finished, number
from torchlike._api.from_data import as_dtype
from torchlike._api.options import check_options
from torchlike._api.out import made_into
from torchlike._api.types import DeviceLike, Number
from torchlike._base import dtypes as dt
from torchlike._base.dtypes import dtype
from torchlike._modes import intercept
from torchlike._modes.slices import slice_by_slice
from torchlike._ops import promotion
from torchlike._ops.all import ROWS
from torchlike._record.bind import bind
from torchlike._record.tensor import Tensor
from torchlike._record.wrong_calls import checked, judged


def _bounds(start, end, step):
    for value in (start, end, step):
        if isinstance(value, complex):
            raise RuntimeError("value cannot be converted to type double without overflow")
    if not step:
        raise RuntimeError("step must be nonzero")
    if not (math.isfinite(start) and math.isfinite(end)):
        raise RuntimeError(f"unsupported range: {start:g} -> {end:g}")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")


def _count(start, end, step, whole) -> int:
    if whole:
        sign = (step > 0) - (step < 0)
        return max((end - start + step - sign) // step, 0)
    return math.ceil((end - start) / step)


@intercept.named("arange.default")
def arange(*args: Any, start: Number | None = 0, end: Number | None = None, step: Number | None = 1,
           out: Tensor | None = None, dtype: dtype | None = None, layout=None, device: DeviceLike | None = None,
           pin_memory=False, requires_grad: bool = False) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.arange.html"""
    if pin_memory is not False or layout is not None or requires_grad.__class__ is not bool:
        check_options(pin_memory)
    if out is not None:
        return made_into(out, "arange", arange, *args, start=start, end=end, step=step, dtype=dtype, layout=layout,
                         device=device, requires_grad=requires_grad)
    place = min(len(args), 2)
    if len(args) == 1 and end is None:
        args = (start, *args)
    start, end, step = (*args, *(start, end, step)[len(args):])
    if end is None:
        raise TypeError('arange() missing 1 required positional arguments: "end"')
    start, end, step = (number("arange", v, i, word) for v, i, word in
                        ((start, 1, "start"), (end, place, "end"), (step, 3, "step")))
    if dtype is None:
        whole = all(isinstance(v, int) for v in (start, end, step))
        dtype = dt.int64 if whole else promotion.default.dtype
    else:
        dtype = as_dtype(dtype, "arange")
    _bounds(start, end, step)
    if dtype.category not in (dt.INT, dt.FLOAT):
        raise NotImplementedError(f"\"arange_cpu\" not implemented for '{dtype.scalar_name}'")
    return finished(_counted(start, end, step, dtype, chosen_device(device)), requires_grad)


def _counted(start, end, step, dtype, device):
    if dtype is dt.int64:
        start, end, step = int(start), int(end), int(step)
        if not step:
            raise ValueError("step must be nonzero")
    elif dtype.category == dt.INT:
        count = _count(start, end, step, False)
        return bind(ROWS["_arange"], (), (int(start), int(step)), (count, dtype, device))
    count = _count(start, end, step, dtype is dt.int64)
    if dtype.category == dt.FLOAT:
        start, step = float(start), float(step)
    return bind(ROWS["_arange"], (), (start, step), (count, dtype, device))


@checked
def range_(start: Number = 0, end: Number | None = None, step: Number = 1, *, out: Tensor | None = None,
           dtype: dtype | None = None, layout=None, device: DeviceLike | None = None, requires_grad: bool = False) -> Tensor:
    """`arange` with the end included; deprecated in PyTorch too."""
    warnings.warn("torch.range is deprecated and will be removed in a future release because its behavior is "
                  "inconsistent with Python's range builtin. Instead, use torch.arange, which produces "
                  "values in [start, end).", UserWarning, stacklevel=2)
    if out is not None:
        return made_into(out, "range", _inclusive, start, end, step, dtype=dtype, layout=layout, device=device,
                         requires_grad=requires_grad)
    return _inclusive(start, end, step, dtype=dtype, device=device, requires_grad=requires_grad)


def _inclusive(start, end, step, dtype, device, requires_grad=False):
    if end is None:
        start, end = 0, start
    _bounds(start, end, step)
    dtype = promotion.default.dtype if dtype is None else dtype
    if dtype.category not in (dt.INT, dt.FLOAT):
        raise NotImplementedError(f"\"range_cpu\" not implemented for '{dtype.scalar_name}'")
    count = math.floor((end - start) / step) + 1
    kind: Callable[[Any], Any] = float if dtype.category > dt.INT else int
    made = bind(ROWS["_arange"], (), (kind(start), kind(step)), (count, dtype, chosen_device(device)))
    return finished(made, requires_grad)


def _ends(name, start, end, steps, dtype):
    if not hasattr(steps, "__index__"):
        raise TypeError(f"{name}() received an invalid combination of arguments - got ({type(start).__name__}, "
                        f"{type(end).__name__}, {type(steps).__name__}), but expected one of:\n"
                        " * (Number start, Number end, int steps, *, Tensor out = None)\n")
    if operator.index(steps) < 0:
        raise RuntimeError("number of steps must be non-negative")
    for word, value in (("start", start), ("end", end)):
        if isinstance(value, Tensor) and value._cell.aval.ndim:
            raise RuntimeError(f"{name} only supports 0-dimensional start and end tensors, but got {word} "
                               f"with {value._cell.aval.ndim} dimension(s).")
    start, end = (v.detach() if isinstance(v, Tensor) else v for v in (start, end))  # these may require grad, as in PyTorch
    start, end = number(name, start, 1, "start"), number(name, end, 2, "end")
    if dtype is None:
        dtype = promotion.default.dtype
        if isinstance(start, complex) or isinstance(end, complex):
            dtype = dtype.to_complex()
    elif (isinstance(start, complex) or isinstance(end, complex)) and not dtype.is_complex:
        raise RuntimeError(f"torch.{name}(): inferred dtype {promotion.default.dtype.to_complex().cpp_name} can't be safely "
                           f"cast to passed dtype {dtype.scalar_name}")
    dtype = as_dtype(dtype, name)
    if dtype is dt.bool_ and operator.index(steps):
        raise NotImplementedError(f"\"{name}_cpu\" not implemented for 'Bool'")
    return start, end, dtype


@judged
@intercept.named("linspace.default")
@slice_by_slice(None)
def linspace(start: Tensor | Number, end: Tensor | Number, steps: int, *, out: Tensor | None = None,
             dtype: dtype | None = None, layout=None, device: DeviceLike | None = None, pin_memory=False,
             requires_grad: bool = False) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.linspace.html"""
    if pin_memory is not False or layout is not None or requires_grad.__class__ is not bool:
        check_options(pin_memory)
    if out is not None:
        return made_into(out, "linspace", linspace, start, end, steps, dtype=dtype, layout=layout, device=device,
                         requires_grad=requires_grad)
    start, end, dtype = _ends("linspace", start, end, steps, dtype)
    made = bind(ROWS["_linspace"], (), (start, end), (steps, dtype, chosen_device(device)))
    return finished(made, requires_grad)


@judged
@intercept.named("logspace.default")
@slice_by_slice(None)
def logspace(start: Tensor | Number, end: Tensor | Number, steps: int, base: float = 10.0, *, out: Tensor | None = None,
             dtype: dtype | None = None, layout=None, device: DeviceLike | None = None, pin_memory=False,
             requires_grad: bool = False) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.logspace.html"""
    if pin_memory is not False or layout is not None or requires_grad.__class__ is not bool:
        check_options(pin_memory)
    if out is not None:
        return made_into(out, "logspace", logspace, start, end, steps, base, dtype=dtype, layout=layout, device=device,
                         requires_grad=requires_grad)
    start, end, dtype = _ends("logspace", start, end, steps, dtype)
    made = bind(ROWS["_logspace"], (), (start, end, base), (steps, dtype, chosen_device(device)))
    return finished(made, requires_grad)


FUNCTIONS: dict = {"arange": arange, "range": range_, "linspace": linspace, "logspace": logspace}
