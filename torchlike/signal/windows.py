"""Window functions: https://pytorch.org/docs/stable/signal.html

Computed on the host in float64 and rounded once. ``sym=False`` gives the window of M + 1 points without its last.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np

from torchlike._base import device as dev
from torchlike._base import dtypes as dt
from torchlike._base.settings import strided
from torchlike._ops import promotion
from torchlike._record.leaf import leaf
from torchlike._record.tensor import Tensor

__all__ = ["bartlett", "blackman", "cosine", "exponential", "gaussian", "general_cosine", "general_hamming", "hamming",
           "hann", "kaiser", "nuttall"]


def _window(name: str, values: Callable, M: int, sym: bool, dtype, layout, device, requires_grad: bool) -> Tensor:  # noqa: N803
    """The window ``values(n, last)``, of n = 0 ... M - 1 and the largest n of the symmetric one; errors say `name`."""
    dtype = promotion.default.dtype if dtype is None else dtype
    if M < 0:
        raise ValueError(f"{name} requires non-negative window length, got M={M}")
    if layout is not strided:
        raise ValueError(f"{name} is implemented for strided tensors only, got: {layout}")
    if dtype not in (dt.float32, dt.float64):
        raise ValueError(f"{name} expects float32 or float64 dtypes, got: {dtype}")
    made = values(np.arange(M, dtype=np.float64), max(M - 1 if sym else M, 1))
    made = np.ones(1, dtype.np) if M == 1 else made.astype(dtype.np)
    return leaf(made, dev.get_default_device() if device is None else dev.device(device), requires_grad)


def _cosines(*amplitudes: float) -> Callable:
    """The values of a sum of cosines with alternating signs."""
    def values(n, last):
        return sum((-1) ** k * value * np.cos(2 * math.pi * k * n / last) for k, value in enumerate(amplitudes))

    return values


def bartlett(M: int, *, sym: bool = True, dtype=None, layout=strided, device=None,  # noqa: N803
             requires_grad: bool = False) -> Tensor:
    """The Bartlett window, a triangle: 1 - |2 n / (M - 1) - 1|.
    https://pytorch.org/docs/stable/generated/torch.signal.windows.bartlett.html

    Args:
        M: how many points.
        sym: whether the window is symmetric, for filters; else it is periodic, for spectra.
        dtype: float32 or float64; None means the default dtype.
        layout: only `torch.strided`.
        device: of the tensor; None means the default device.
        requires_grad: whether it requires grad.

    Returns:
        (M), computed on the host in float64 and rounded once.

    Raises:
        ValueError: a negative M, another dtype or layout.
    """
    def values(n, last):
        return 1 - np.abs(2 * n / last - 1)

    return _window("bartlett", values, M, sym, dtype, layout, device, requires_grad)


def blackman(M: int, *, sym: bool = True, dtype=None, layout=strided, device=None,  # noqa: N803
             requires_grad: bool = False) -> Tensor:
    """The Blackman window, a sum of three cosines.
    https://pytorch.org/docs/stable/generated/torch.signal.windows.blackman.html

    Args:
        M, sym, dtype, layout, device, requires_grad: as for `bartlett`.

    Returns:
        (M), computed on the host in float64 and rounded once.

    Raises:
        ValueError: a negative M, another dtype or layout.
    """
    return _window("general_cosine", _cosines(0.42, 0.5, 0.08), M, sym, dtype, layout, device, requires_grad)


def cosine(M: int, *, sym: bool = True, dtype=None, layout=strided, device=None,  # noqa: N803
           requires_grad: bool = False) -> Tensor:
    """Half a wave of the sine.
    https://pytorch.org/docs/stable/generated/torch.signal.windows.cosine.html

    Args:
        M, sym, dtype, layout, device, requires_grad: as for `bartlett`.

    Returns:
        (M), computed on the host in float64 and rounded once.

    Raises:
        ValueError: a negative M, another dtype or layout.
    """
    def values(n, last):
        return np.sin((n + 0.5) * math.pi / (last + 1))

    return _window("cosine", values, M, sym, dtype, layout, device, requires_grad)


def exponential(M: int, *, center: float | None = None, tau: float = 1.0, sym: bool = True, dtype=None,  # noqa: N803
                layout=strided, device=None, requires_grad: bool = False) -> Tensor:
    """exp(-|n - center| / tau).
    https://pytorch.org/docs/stable/generated/torch.signal.windows.exponential.html

    Args:
        center: the index of the peak; None means the middle, which a symmetric window requires.
        tau: the decay, more than 0.
        M, sym, dtype, layout, device, requires_grad: as for `bartlett`.

    Returns:
        (M), computed on the host in float64 and rounded once.

    Raises:
        ValueError: a negative M, another dtype or layout, a `center` of a symmetric window, or a `tau` that is not positive.
    """
    def values(n, last):
        if sym and center is not None:
            raise ValueError("Center must be None for symmetric windows")
        if tau <= 0:
            raise ValueError(f"Tau must be positive, got: {tau} instead.")
        return np.exp(-np.abs(n - (last / 2 if center is None else center)) / tau)

    return _window("exponential", values, M, sym, dtype, layout, device, requires_grad)


def gaussian(M: int, *, std: float = 1.0, sym: bool = True, dtype=None, layout=strided, device=None,  # noqa: N803
             requires_grad: bool = False) -> Tensor:
    """exp(-((n - middle) / std)^2 / 2).
    https://pytorch.org/docs/stable/generated/torch.signal.windows.gaussian.html

    Args:
        std: the standard deviation, more than 0.
        M, sym, dtype, layout, device, requires_grad: as for `bartlett`.

    Returns:
        (M), computed on the host in float64 and rounded once.

    Raises:
        ValueError: a negative M, another dtype or layout, a `std` that is not positive.
    """
    def values(n, last):
        if std <= 0:
            raise ValueError(f"Standard deviation must be positive, got: {std} instead.")
        return np.exp(-(((n - last / 2) / std) ** 2) / 2)

    return _window("gaussian", values, M, sym, dtype, layout, device, requires_grad)


def general_cosine(M: int, *, a: Sequence[float], sym: bool = True, dtype=None, layout=strided, device=None,  # noqa: N803
                   requires_grad: bool = False) -> Tensor:
    """A sum of cosines with alternating signs.
    https://pytorch.org/docs/stable/generated/torch.signal.windows.general_cosine.html

    Args:
        a: their amplitudes, a list or tuple that is not empty.
        M, sym, dtype, layout, device, requires_grad: as for `bartlett`.

    Returns:
        (M), computed on the host in float64 and rounded once.

    Raises:
        ValueError: a negative M, another dtype or layout, an empty `a`.
        TypeError: `a` is no list or tuple.
    """
    def values(n, last):
        if not isinstance(a, list | tuple):
            raise TypeError("Coefficients must be a list/tuple")
        if not a:
            raise ValueError("Coefficients cannot be empty")
        return _cosines(*a)(n, last)

    return _window("general_cosine", values, M, sym, dtype, layout, device, requires_grad)


def general_hamming(M: int, *, alpha: float = 0.54, sym: bool = True, dtype=None, layout=strided,  # noqa: N803
                    device=None, requires_grad: bool = False) -> Tensor:
    """alpha - (1 - alpha) cos(2 pi n / (M - 1)).
    https://pytorch.org/docs/stable/generated/torch.signal.windows.general_hamming.html

    Args:
        alpha: the constant part.
        M, sym, dtype, layout, device, requires_grad: as for `bartlett`.

    Returns:
        (M), computed on the host in float64 and rounded once.

    Raises:
        ValueError: a negative M, another dtype or layout.
    """
    return _window("general_cosine", _cosines(alpha, 1.0 - alpha), M, sym, dtype, layout, device, requires_grad)


def hamming(M: int, *, sym: bool = True, dtype=None, layout=strided, device=None,  # noqa: N803
            requires_grad: bool = False) -> Tensor:
    """The Hamming window, 0.54 - 0.46 cos(2 pi n / (M - 1)).
    https://pytorch.org/docs/stable/generated/torch.signal.windows.hamming.html

    Args:
        M, sym, dtype, layout, device, requires_grad: as for `bartlett`.

    Returns:
        (M), computed on the host in float64 and rounded once.

    Raises:
        ValueError: a negative M, another dtype or layout.
    """
    return _window("general_cosine", _cosines(0.54, 0.46), M, sym, dtype, layout, device, requires_grad)


def hann(M: int, *, sym: bool = True, dtype=None, layout=strided, device=None,  # noqa: N803
         requires_grad: bool = False) -> Tensor:
    """The Hann window, (1 - cos(2 pi n / (M - 1))) / 2.
    https://pytorch.org/docs/stable/generated/torch.signal.windows.hann.html

    Args:
        M, sym, dtype, layout, device, requires_grad: as for `bartlett`.

    Returns:
        (M), computed on the host in float64 and rounded once.

    Raises:
        ValueError: a negative M, another dtype or layout.
    """
    return _window("general_cosine", _cosines(0.5, 0.5), M, sym, dtype, layout, device, requires_grad)


def kaiser(M: int, *, beta: float = 12.0, sym: bool = True, dtype=None, layout=strided, device=None,  # noqa: N803
           requires_grad: bool = False) -> Tensor:
    """The Kaiser window, made of the modified Bessel function of order 0.
    https://pytorch.org/docs/stable/generated/torch.signal.windows.kaiser.html

    Args:
        beta: the shape, at least 0; larger ones are narrower.
        M, sym, dtype, layout, device, requires_grad: as for `bartlett`.

    Returns:
        (M), computed on the host in float64 and rounded once.

    Raises:
        ValueError: a negative M, another dtype or layout, a negative `beta`.
    """
    def values(n, last):
        if beta < 0:
            raise ValueError(f"beta must be non-negative, got: {beta} instead.")
        return np.i0(beta * np.sqrt(np.maximum(1 - (2 * n / last - 1) ** 2, 0))) / np.i0(beta)

    return _window("kaiser", values, M, sym, dtype, layout, device, requires_grad)


def nuttall(M: int, *, sym: bool = True, dtype=None, layout=strided, device=None,  # noqa: N803
            requires_grad: bool = False) -> Tensor:
    """The Nuttall window, a sum of four cosines.
    https://pytorch.org/docs/stable/generated/torch.signal.windows.nuttall.html

    Args:
        M, sym, dtype, layout, device, requires_grad: as for `bartlett`.

    Returns:
        (M), computed on the host in float64 and rounded once.

    Raises:
        ValueError: a negative M, another dtype or layout.
    """
    values = _cosines(0.3635819, 0.4891775, 0.1365995, 0.0106411)
    return _window("general_cosine", values, M, sym, dtype, layout, device, requires_grad)
