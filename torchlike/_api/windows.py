"""Windows of a signal: hann_window and its like. https://pytorch.org/docs/stable/torch.html#spectral-ops"""

from __future__ import annotations

import numpy as np

from torchlike._api.creation import chosen_device
from torchlike._api.from_data import as_dtype
from torchlike._api.options import check_options
from torchlike._api.types import DeviceLike
from torchlike._base.dtypes import dtype
from torchlike._ops import promotion
from torchlike._ops.numerics import window_functions
from torchlike._record.leaf import leaf
from torchlike._record.tensor import Tensor
from torchlike._record.wrong_calls import judged


@judged
def hann_window(window_length: int, periodic: bool = True, *,
                dtype: dtype | None = None, layout=None, device: DeviceLike | None = None, pin_memory=False,
                requires_grad: bool = False) -> Tensor:
    """The Hann window, a raised cosine. https://pytorch.org/docs/stable/generated/torch.hann_window.html"""
    if pin_memory is not False or layout is not None or requires_grad.__class__ is not bool:
        check_options(pin_memory)
    return _made("hann_window", window_functions.hann, window_length, periodic, dtype, device, requires_grad)


@judged
def hamming_window(window_length: int, periodic: bool = True, alpha: float = 0.54, beta: float = 0.46, *,
                   dtype: dtype | None = None, layout=None, device: DeviceLike | None = None, pin_memory=False,
                   requires_grad: bool = False) -> Tensor:
    """The Hamming window alpha - beta cos. https://pytorch.org/docs/stable/generated/torch.hamming_window.html"""
    if pin_memory is not False or layout is not None or requires_grad.__class__ is not bool:
        check_options(pin_memory)
    return _made("hamming_window", window_functions.hamming, window_length, periodic, dtype, device, requires_grad,
                 alpha=alpha, beta=beta)


@judged
def blackman_window(window_length: int, periodic: bool = True, *,
                    dtype: dtype | None = None, layout=None, device: DeviceLike | None = None, pin_memory=False,
                    requires_grad: bool = False) -> Tensor:
    """The Blackman window. https://pytorch.org/docs/stable/generated/torch.blackman_window.html"""
    if pin_memory is not False or layout is not None or requires_grad.__class__ is not bool:
        check_options(pin_memory)
    return _made("blackman_window", window_functions.blackman, window_length, periodic, dtype, device, requires_grad)


@judged
def bartlett_window(window_length: int, periodic: bool = True, *,
                    dtype: dtype | None = None, layout=None, device: DeviceLike | None = None, pin_memory=False,
                    requires_grad: bool = False) -> Tensor:
    """The Bartlett window, a triangle. https://pytorch.org/docs/stable/generated/torch.bartlett_window.html"""
    if pin_memory is not False or layout is not None or requires_grad.__class__ is not bool:
        check_options(pin_memory)
    return _made("bartlett_window", window_functions.bartlett, window_length, periodic, dtype, device, requires_grad)


@judged
def kaiser_window(window_length: int, periodic: bool = True, beta: float = 12.0, *,
                  dtype: dtype | None = None, layout=None, device: DeviceLike | None = None, pin_memory=False,
                  requires_grad: bool = False) -> Tensor:
    """The Kaiser window. https://pytorch.org/docs/stable/generated/torch.kaiser_window.html"""
    if pin_memory is not False or layout is not None or requires_grad.__class__ is not bool:
        check_options(pin_memory)
    return _made("kaiser_window", window_functions.kaiser, window_length, periodic, dtype, device, requires_grad, beta=beta)


def _made(name, function, length, periodic, dtype, device, requires_grad, **shape):
    if length < 0:
        raise RuntimeError(f"{name} requires non-negative window_length, got window_length={length}")
    dtype = promotion.default.dtype if dtype is None else as_dtype(dtype, name)
    if not dtype.is_floating_point:
        raise RuntimeError(f"{name} expects floating point dtypes, got: {dtype}")
    values = np.ones(1) if length == 1 else function(window_functions.points(length, periodic), **shape)
    return leaf(np.asarray(values).astype(dtype.np), chosen_device(device), requires_grad)


FUNCTIONS: dict = {"hann_window": hann_window, "hamming_window": hamming_window, "blackman_window": blackman_window,
                   "bartlett_window": bartlett_window, "kaiser_window": kaiser_window}
