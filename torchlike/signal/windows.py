"""Window functions: https://pytorch.org/docs/stable/signal.html

Computed on the host in float64 and rounded once. ``sym=False`` gives the window of M + 1 points without its last.
"""

import inspect
import math

import numpy as np

from torchlike._base import device as dev
from torchlike._base import dtypes as dt
from torchlike._base.settings import strided
from torchlike._ops import promotion
from torchlike._record.leaf import leaf

_TEXT = """{summary}
https://pytorch.org/docs/stable/generated/torch.signal.windows.{name}.html

Args:
    M: how many points.{own}
    sym: whether the window is symmetric, for filters; else it is periodic, for spectra.
    dtype: float32 or float64; None means the default dtype.
    layout: only `torch.strided`.
    device: of the tensor; None means the default device.
    requires_grad: whether it requires grad.

Returns:
    (M), computed on the host in float64 and rounded once.

Raises:
    ValueError: a negative M, another dtype or layout, or an argument out of range.
"""


def _points(count, sym):
    """n = 0 ... M - 1, and the largest n of the symmetric window."""
    return np.arange(count, dtype=np.float64), max(count - 1 if sym else count, 1)


def _window(checked_by, values):
    """A window function from ``values(n, last, **shape)``; `checked_by` names it in errors."""
    shape = [p for p in inspect.signature(values).parameters.values() if p.kind is p.KEYWORD_ONLY]
    name = values.__name__.removeprefix("_")

    def face(M, *, sym=True, dtype=None, layout=strided, device=None, requires_grad=False, **given):  # noqa: N803
        dtype = promotion.default_float[0] if dtype is None else dtype
        if M < 0:
            raise ValueError(f"{checked_by} requires non-negative window length, got M={M}")
        if layout is not strided:
            raise ValueError(f"{checked_by} is implemented for strided tensors only, got: {layout}")
        if dtype not in (dt.float32, dt.float64):
            raise ValueError(f"{checked_by} expects float32 or float64 dtypes, got: {dtype}")
        if name == "exponential" and sym and given.get("center") is not None:
            raise ValueError("Center must be None for symmetric windows")
        n, last = _points(M, sym)
        made = values(n, last, **given)
        made = np.ones(1, dtype.np) if M == 1 else made.astype(dtype.np)
        return leaf(made, dev.get_default_device() if device is None else dev.device(device), requires_grad)

    common = [p for p in inspect.signature(face).parameters.values() if p.kind is not p.VAR_KEYWORD]
    face.__signature__ = inspect.Signature([common[0], *shape, *common[1:]])
    face.__name__ = face.__qualname__ = name
    summary, _, own = inspect.getdoc(values).partition("\n\n")
    face.__doc__ = _TEXT.format(summary=summary, name=name, own=("\n" + own).replace("\n", "\n    ") if own else "")
    return face


def _exponential(n, last, *, center=None, tau=1.0):
    """exp(-|n - center| / tau).

    center: the index of the peak; None means the middle, which a symmetric window requires.
    tau: the decay, more than 0.
    """
    if tau <= 0:
        raise ValueError(f"Tau must be positive, got: {tau} instead.")
    return np.exp(-np.abs(n - (last / 2 if center is None else center)) / tau)


def _cosine(n, last):
    """Half a wave of the sine."""
    return np.sin((n + 0.5) * math.pi / (last + 1))


def _gaussian(n, last, *, std=1.0):
    """exp(-((n - middle) / std)^2 / 2).

    std: the standard deviation, more than 0.
    """
    if std <= 0:
        raise ValueError(f"Standard deviation must be positive, got: {std} instead.")
    return np.exp(-(((n - last / 2) / std) ** 2) / 2)


def _kaiser(n, last, *, beta=12.0):
    """The Kaiser window, made of the modified Bessel function of order 0.

    beta: the shape, at least 0; larger ones are narrower.
    """
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta} instead.")
    return np.i0(beta * np.sqrt(np.maximum(1 - (2 * n / last - 1) ** 2, 0))) / np.i0(beta)


def _cosines(n, last, a):
    return sum((-1) ** k * value * np.cos(2 * math.pi * k * n / last) for k, value in enumerate(a))


def _general_cosine(n, last, *, a):
    """A sum of cosines with alternating signs.

    a: their amplitudes, a list or tuple (TypeError for others).
    """
    if not isinstance(a, list | tuple):
        raise TypeError("Coefficients must be a list/tuple")
    if not a:
        raise ValueError("Coefficients cannot be empty")
    return _cosines(n, last, a)


def _general_hamming(n, last, *, alpha=0.54):
    """alpha - (1 - alpha) cos(2 pi n / (M - 1)).

    alpha: the constant part.
    """
    return _cosines(n, last, [alpha, 1.0 - alpha])


def _hamming(n, last):
    """The Hamming window, 0.54 - 0.46 cos(2 pi n / (M - 1))."""
    return _cosines(n, last, [0.54, 0.46])


def _hann(n, last):
    """The Hann window, (1 - cos(2 pi n / (M - 1))) / 2."""
    return _cosines(n, last, [0.5, 0.5])


def _blackman(n, last):
    """The Blackman window, a sum of three cosines."""
    return _cosines(n, last, [0.42, 0.5, 0.08])


def _nuttall(n, last):
    """The Nuttall window, a sum of four cosines."""
    return _cosines(n, last, [0.3635819, 0.4891775, 0.1365995, 0.0106411])


def _bartlett(n, last):
    """The Bartlett window, a triangle: 1 - |2 n / (M - 1) - 1|."""
    return 1 - np.abs(2 * n / last - 1)


_COSINES = (_general_cosine, _general_hamming, _hamming, _hann, _blackman, _nuttall)
_OTHERS = (_exponential, _cosine, _gaussian, _kaiser, _bartlett)
_MADE = [*(_window("general_cosine", f) for f in _COSINES), *(_window(f.__name__[1:], f) for f in _OTHERS)]
globals().update({f.__name__: f for f in _MADE})
__all__ = sorted(f.__name__ for f in _MADE)  # noqa: PLE0605 - names are data
