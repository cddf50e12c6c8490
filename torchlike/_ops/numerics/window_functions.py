"""Window functions, computed on the host in double precision.

https://pytorch.org/docs/stable/generated/torch.hann_window.html and its neighbours.
"""

import numpy as np


def _cosines(weights):
    """A sum of cosines: ``w0 - w1 cos(2 pi t) + w2 cos(4 pi t)``."""

    def window(t):
        return sum((-1) ** k * w * np.cos(2 * np.pi * k * t) for k, w in enumerate(weights))

    return window


def points(length: int, periodic: bool) -> np.ndarray:
    """Where a window is evaluated: `length` points from 0 to 1, the last left out if periodic."""
    count = length + 1 if periodic else length
    return np.arange(length, dtype=np.float64) / max(count - 1, 1)


def hann(t):
    """0.5 - 0.5 cos(2 pi t)."""
    return _cosines((0.5, 0.5))(t)


def hamming(t, alpha, beta):
    """alpha - beta cos(2 pi t)."""
    return _cosines((alpha, beta))(t)


def blackman(t):
    """0.42 - 0.5 cos(2 pi t) + 0.08 cos(4 pi t)."""
    return _cosines((0.42, 0.5, 0.08))(t)


def bartlett(t):
    """A triangle."""
    return 1 - np.abs(2 * t - 1)


def kaiser(t, beta):
    """The modified Bessel function of a half circle."""
    return np.i0(beta * np.sqrt(np.clip(1 - (2 * t - 1) ** 2, 0, None))) / np.i0(beta)
