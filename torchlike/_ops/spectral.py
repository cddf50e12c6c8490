"""Fourier transforms: complex to complex, real to complex, complex to real, over any dimensions.

https://pytorch.org/docs/stable/fft.html. `normalization`: 0 none, 1 divided by the square root of the number of
points, 2 by the number. Each gradient is a transform again, unnormalised the same way.
"""

import math

import jax.numpy as jnp

from torchlike._base.errors import wrap_dim
from torchlike._ops.rules import is_complex, scalar_name
from torchlike._ops.table import op


def _scaled(x, sizes, normalization):
    count = math.prod(sizes)
    return x if normalization == 0 else x / (math.sqrt(count) if normalization == 1 else count)


def _c2c(x, dims, normalization, forward):
    transform = jnp.fft.fft if forward else jnp.fft.ifft
    for dim in dims:
        x = transform(x, axis=dim, norm="backward" if forward else "forward")
    return _scaled(x, [x.shape[d] for d in dims], normalization)


def _wrapped(dim, ndim):
    return [wrap_dim(d, ndim) for d in dim]


def check_dtype(x) -> None:
    """RuntimeError for half precision, which the CPU's transforms have not."""
    if jnp.dtype(x.dtype).itemsize < (8 if is_complex(x) else 4):
        raise RuntimeError(f"Unsupported dtype {scalar_name(x)}")


@op("_fft_c2c(Tensor self, int[] dim, int normalization, bool forward) -> Tensor", node="FftC2CBackward0", method=False,
    function=False, grads={"self": lambda g, dim, normalization, forward: _c2c(
        g, _wrapped(dim, g.ndim), normalization, not forward)})
def _fft_c2c(x, *, dim, normalization, forward):
    check_dtype(x)
    return _c2c(x, _wrapped(dim, x.ndim), normalization, forward)


def _r2c_gradient(g, self, dim, normalization, onesided):
    dims = _wrapped(dim, g.ndim)
    if onesided:  # the half that was left out has no gradient
        last = dims[-1]
        widths = [(0, self.shape[d] - g.shape[d] if d == last else 0) for d in range(g.ndim)]
        g = jnp.pad(g, widths)
    return _c2c(g, dims, normalization, False).real


@op("_fft_r2c(Tensor self, int[] dim, int normalization, bool onesided) -> Tensor", node="FftR2CBackward0", method=False,
    function=False, grads={"self": _r2c_gradient})
def _fft_r2c(x, *, dim, normalization, onesided):
    check_dtype(x)
    dims = _wrapped(dim, x.ndim)
    if not onesided:
        return _c2c(x.astype(jnp.result_type(x.dtype, jnp.complex64)), dims, normalization, True)
    *others, last = dims
    y = _c2c(jnp.fft.rfft(x, axis=last), others, 0, True)
    return _scaled(y, [x.shape[d] for d in dims], normalization)


def _c2r_gradient(g, self_aval, dim, normalization, last_dim_size):
    dims = _wrapped(dim, g.ndim)
    *others, last = dims
    y = jnp.fft.rfft(g, axis=last)
    half = self_aval.shape[last]
    place = jnp.arange(half).reshape([-1 if d == last else 1 for d in range(g.ndim)])
    twice = (place > 0) & (place < last_dim_size - half + 1)  # the frequencies that stand for two
    return _scaled(_c2c(jnp.where(twice, 2 * y, y), others, 0, True), [g.shape[d] for d in dims], normalization)


@op("_fft_c2r(Tensor self, int[] dim, int normalization, int last_dim_size) -> Tensor", node="FftC2RBackward0",
    method=False, function=False, grads={"self": _c2r_gradient})
def _fft_c2r(x, *, dim, normalization, last_dim_size):
    check_dtype(x)
    *others, last = _wrapped(dim, x.ndim)
    y = jnp.fft.irfft(_c2c(x, others, 0, False), n=last_dim_size, axis=last, norm="forward")
    return _scaled(y, [*(x.shape[d] for d in others), last_dim_size], normalization)
