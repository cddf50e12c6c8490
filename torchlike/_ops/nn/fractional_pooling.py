"""Fractional max pooling: windows of one size at steps that a random number spreads over the input.

https://pytorch.org/docs/stable/generated/torch.nn.FractionalMaxPool2d.html (Graham 2014, "Fractional Max-Pooling").
"""

import itertools
import math

import jax.numpy as jnp

from torchlike._ops.nn.pooling import put_flat
from torchlike._ops.rules import HALVES, is_float, rounded, scalar_name, wide
from torchlike._ops.table import op


def _rounded(x, dtype):
    """x as PyTorch's kernel keeps it between two operations; XLA would leave the rounding out."""
    return rounded(x, dtype) if dtype in HALVES else x


def _starts(sample, size, out, kernel):
    """The first coordinate of each of `out` windows: (N, C) random numbers give (N, C, out)."""
    last = jnp.full((*sample.shape, 1), size - kernel, jnp.int32)
    if out <= 1:
        return last[..., :out]
    dtype, u = sample.dtype, wide(sample)
    step = _rounded(jnp.asarray(size - kernel, u.dtype) / (out - 1), dtype)
    turns = _rounded(jnp.arange(out - 1, dtype=u.dtype) + u[..., None], dtype)
    at = _rounded(turns * step, dtype).astype(jnp.int32)
    first = _rounded(u * step, dtype).astype(jnp.int32)
    return jnp.concatenate([at - first[..., None], last], -1)


def _windows(x, samples, kernel, out, order):
    """Flat positions (N, C, *out, kernel elements) of what each window holds."""
    n = len(kernel)
    sizes = x.shape[2:]
    base = jnp.zeros((*x.shape[:2], *(1,) * n), jnp.int32)
    for d in range(n):
        starts = _starts(samples[..., order[d]], sizes[d], out[d], kernel[d])
        shape = [*x.shape[:2], *(out[d] if i == d else 1 for i in range(n))]
        base = base + starts.reshape(shape) * math.prod(sizes[d + 1:])
    offsets = [sum(a * math.prod(sizes[d + 1:]) for d, a in enumerate(at)) for at in itertools.product(*map(range, kernel))]
    return base[..., None] + jnp.asarray(offsets, jnp.int32)


def _largest(x, positions):
    """(maxima, their flat positions): of equal elements the first, of NaNs the last, as in PyTorch's loop."""
    n, c = x.shape[:2]
    flat = x.reshape(n, c, math.prod(x.shape[2:]))
    held = jnp.take_along_axis(flat, positions.reshape(n, c, -1), -1).reshape(positions.shape)
    bad = held != held
    last_bad = held.shape[-1] - 1 - jnp.argmax(bad[..., ::-1], -1)
    pick = jnp.where(bad.any(-1), last_bad, jnp.argmax(held, -1))[..., None]
    return (jnp.take_along_axis(held, pick, -1)[..., 0],
            jnp.take_along_axis(positions, pick, -1)[..., 0].astype(jnp.int64))


def _check_samples(x, samples, n, batch):
    if samples.dtype != x.dtype:
        raise RuntimeError("Expect _random_samples to have the same dtype as input")
    if samples.ndim != 3:
        raise RuntimeError(f"Expect _random_samples to have 3 dimensions, got {samples.ndim}")
    if samples.shape[0] < batch:
        raise RuntimeError("Expect _random_samples.size(0) no less then input batch size.")
    if samples.shape[1] != x.shape[-n - 1]:
        raise RuntimeError("Expect _random_samples.size(1) equals to input channel size.")
    if samples.shape[2] != n:
        raise RuntimeError(f"Expect _random_samples.size(2) equals to {n}; got {samples.shape[2]}.")


def _check(x, samples, kernel, out, n, name):
    ints = "Ints" if n == 2 else "three Ints"
    for word, value in (("kernel_size", kernel), ("output_size", out)):
        if len(value) not in (1, n):
            raise RuntimeError(f"fractional_max_pool{n}d: {word} must either be a single Int or tuple of {ints}")
    if x.ndim not in (n + 1, n + 2):
        raise RuntimeError(f"{name}(): Expected {n + 1}D or {n + 2}D tensor, but got: {list(x.shape)}")
    for dim in range(x.ndim - n - 1, x.ndim):
        if not x.shape[dim]:
            raise RuntimeError(f"{name}(): Expected input to have non-zero size for non-batch dimensions, but got"
                               f"{list(x.shape)} with dimension {dim} being empty.")
    words = ("time", "height", "width")[-n:]
    for word, size, k, o in zip(words, x.shape[-n:], kernel * n, out * n, strict=False):
        if o + k - 1 > size:
            raise RuntimeError(f"{name}(): pool {word} {k} too large relative to input {word} {size}")
    _check_samples(x, samples, n, x.shape[0] if x.ndim == n + 2 else 1)
    if not is_float(x):
        raise NotImplementedError(f"\"fractional_max_pool{n}d_out_frame\" not implemented for '{scalar_name(x)}'")


def _rows(n):
    name = f"fractional_max_pool{n}d"
    order = (1, 0) if n == 2 else (0, 1, 2)  # which random number is that of a dimension

    def gradient(g0, self, result1):
        return None if g0 is None else put_flat(wide(g0), result1, self.shape, n)

    @op(f"{name}(Tensor self, int[{n}] kernel_size, int[{n}] output_size, Tensor random_samples) -> (Tensor, Tensor)",
        node=f"FractionalMaxPool{n}DBackward0", method=False, function=False, grads={"self": gradient},
        autocast={"cpu": "fp32"})
    def function(x, samples, *, kernel_size, output_size):
        """(N, C, *) or (C, *) and numbers (N, C, dimensions) in [0, 1) to maxima and their flat positions."""
        _check(x, samples, kernel_size, output_size, n, name if n == 2 else f"{name}_out")
        kernel = kernel_size * n if len(kernel_size) == 1 else kernel_size
        out = output_size * n if len(output_size) == 1 else output_size
        batch = x if x.ndim == n + 2 else x[None]
        if 0 in (*batch.shape, *out):
            shape = (*x.shape[:-n], *out)
            return jnp.zeros(shape, x.dtype), jnp.zeros(shape, jnp.int64)
        best, at = _largest(batch, _windows(batch, samples[:batch.shape[0]], kernel, out, order))
        return (best, at) if x.ndim == n + 2 else (best[0], at[0])

    return function


_rows(2)
_rows(3)
