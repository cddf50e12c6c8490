"""Fourier transforms: numpy's are those of pocketfft, as XLA's are."""

import numpy as np

from torchlike._compile.plans.table import Equation, Fresh, rule

_TRANSFORMS = {"FFT": np.fft.fftn, "IFFT": np.fft.ifftn, "RFFT": np.fft.rfftn, "IRFFT": np.fft.irfftn}


@rule("fft")
def _fft(equation: Equation):
    """Over the last dimensions, as many as there are lengths."""
    transform = _TRANSFORMS[equation.params["fft_type"].name]
    lengths = tuple(equation.params["fft_lengths"])
    axes = tuple(range(-len(lengths), 0))
    (out,) = equation.outs
    if out.size == 0 or equation.ins[0].size == 0:
        return Fresh(lambda x: np.zeros(out.shape, out.dtype))
    return Fresh(lambda x: transform(x, lengths, axes).astype(out.dtype, copy=False))
