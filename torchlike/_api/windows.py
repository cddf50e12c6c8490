"""Windows of a signal: hann_window and its like. https://pytorch.org/docs/stable/torch.html#spectral-ops"""

from __future__ import annotations

from typing import Any

import numpy as np

from torchlike._api.creation import chosen_device
from torchlike._api.types import DeviceLike
from torchlike._base.dtypes import dtype
from torchlike._ops import promotion
from torchlike._ops.numerics import window_functions
from torchlike._record.leaf import leaf
from torchlike._record.tensor import Tensor


def _window(name, function, **defaults):
    def face(window_length: int, periodic: bool = True, *args: Any, dtype: dtype | None = None, layout=None,
             device: DeviceLike | None = None, pin_memory=False, requires_grad: bool = False, **given: Any) -> Tensor:
        if window_length < 0:
            raise RuntimeError(f"{name} requires non-negative window_length, got "
                               f"window_length={window_length}")
        dtype = promotion.default_float[0] if dtype is None else dtype
        if not dtype.is_floating_point:
            raise RuntimeError(f"{name} expects floating point dtypes, got: {dtype}")
        shape = {**defaults, **dict(zip(defaults, args, strict=False)), **given}
        where = window_functions.points(window_length, periodic)
        values = np.ones(1) if window_length == 1 else function(where, **shape)
        return leaf(np.asarray(values).astype(dtype.np), chosen_device(device), requires_grad)

    face.__name__ = face.__qualname__ = name
    face.__doc__ = f"https://pytorch.org/docs/stable/generated/torch.{name}.html"
    return face


hann_window = _window("hann_window", window_functions.hann)
hamming_window = _window("hamming_window", window_functions.hamming, alpha=0.54, beta=0.46)
blackman_window = _window("blackman_window", window_functions.blackman)
bartlett_window = _window("bartlett_window", window_functions.bartlett)
kaiser_window = _window("kaiser_window", window_functions.kaiser, beta=12.0)
FUNCTIONS: dict = {"hann_window": hann_window, "hamming_window": hamming_window, "blackman_window": blackman_window,
                   "bartlett_window": bartlett_window, "kaiser_window": kaiser_window}
