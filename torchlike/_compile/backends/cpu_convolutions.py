"""Convolutions in the forms that XLA's code for the CPU is fast at.

XLA has Eigen multiply where there is one group of many channels, and a plain loop where each channel is a group of its own.
Milliseconds in float32, batch 8, two cores: torch / XLA's convolution / the form chosen here.

- depthwise, 40 channels 7x7 on 56x56: 1.6 / 140 / 2.5; 96 channels 3x3 on 28x28: 0.35 / 34 / 0.36; to the input, with
  stride 2 on 56x56: 9.7 / 72 / 1.3; to the weight, 3x3 on 28x28: 0.70 / 9.5 / 3.2; 160 channels 7x7 on 14x14: 6.8 / 32 /
  5.4
- 1x1, 96 to 24 channels on 56x56: 1.7 / 5.7 / 1.0; 64 to 64 on 28x28: 0.56 / 1.1 / 0.42; on 7x7 Eigen is as fast
- 3 to 16 channels 3x3 on 32x32: 0.19 / 0.72 / 0.35; but 3 to 64 channels 7x7 with stride 2 on 64x64: 1.7 / 2.9 / 4.9.
  Windows that share nothing are copied at once, however large they are: 16x16 of 3 channels on 224x224, batch 4, to 192
  channels, 20 / 5.3 / 5.2; 2x2 of 40 on 56x56 to 80 2.2 / 3.5 / 2.4
- 512 channels 3x3 on 2x2: 2.8 / 118 / 1.5; XLA's plain loop runs wherever the kernel is larger than the input. 256 to 512
  channels 3x3 with stride 2 on 4x4: 1.5 / 4.1 / 0.9
- to the weight of a transposed convolution, 128 to 64 channels 2x2 with stride 2 on 32x32: 6.3 / 520 / 15
"""

import dataclasses
import itertools
import math
from collections.abc import Callable

import jax.numpy as jnp
import numpy as np
from jax import lax

_TAPS = 64  # elements of a kernel: each is a copy, or a term of a sum, which XLA has to compile
_SUMMED = 25  # elements of a depthwise kernel whose gradient is a sum for each
_PLACES = 128  # elements of a channel: below, 1x1 kernels are as fast with Eigen
_FEW = 128  # places of the result, in all samples: up to so many, the windows are copied
_THIN = 32  # products summed for each element of the result: up to so many, the windows are copied


@dataclasses.dataclass(frozen=True)
class _Sizes:
    """Of a convolution of (N, C, *space) with (O, I, *kernel): see `jax.lax.conv_general_dilated`."""

    x: tuple
    w: tuple
    out: tuple
    step: tuple
    dilation: tuple
    spread: tuple
    pads: tuple
    groups: int
    batch_groups: int

    @property
    def taps(self) -> list:
        """The places of the kernel's elements."""
        return [*itertools.product(*map(range, self.w[2:]))]

    @property
    def in_plain_loop(self) -> bool:
        """Whether XLA computes it in a plain loop: where the kernel is larger than the input."""
        return any(k > size for k, size in zip(self.w[2:], self.x[2:], strict=True))

    @property
    def is_for_windows(self) -> bool:
        """Whether copying the windows costs less than it brings."""
        count = math.prod(self.w[2:])
        if count <= _TAPS and (self.in_plain_loop or self.x[0] * math.prod(self.out[2:]) <= _FEW):
            return True
        return count > 1 and math.prod(self.w[1:]) <= _THIN

    @property
    def are_apart(self) -> bool:
        """Whether the windows share nothing."""
        return self.step == self.w[2:] and set(self.pads) == {(0, 0)} and {*self.spread, *self.dilation} == {1}


def form(eqn) -> Callable | None:
    """A function of input and weight that computes the same in another way, if there is a faster one."""
    params = eqn.params
    orders = params["dimension_numbers"]
    x, w, out = (tuple(var.aval.shape[i] for i in order)
                 for var, order in zip((*eqn.invars, *eqn.outvars), orders, strict=True))
    sizes = _Sizes(x, w, out, params["window_strides"], params["rhs_dilation"], params["lhs_dilation"],
                   tuple(params["padding"]), params["feature_group_count"], params["batch_group_count"])
    chosen, dtypes = _chosen(sizes), {var.aval.dtype for var in (*eqn.invars, *eqn.outvars)}
    if chosen is None or 0 in (*sizes.x, *sizes.w, *sizes.out) or len(dtypes) > 1:
        return None
    back = tuple(sorted(range(len(orders[2])), key=orders[2].__getitem__))
    return lambda x, w: chosen(sizes, x.transpose(orders[0]), w.transpose(orders[1])).transpose(back)


def _chosen(sizes) -> Callable | None:
    count = math.prod(sizes.w[2:])
    if sizes.batch_groups > 1:
        alone = sizes.batch_groups == sizes.x[0] == sizes.w[0]
        if not alone or sizes.groups > 1 or math.prod(sizes.out[2:]) > _TAPS:
            return None
        return _depthwise_gradient if math.prod(sizes.out[2:]) <= _SUMMED else _depthwise_gradient_by_bands
    if sizes.groups > 1:
        alone = sizes.groups == sizes.x[1] == sizes.w[0]
        return _depthwise if alone and count <= _TAPS else None
    if count == 1 and math.prod(sizes.x[2:]) >= _PLACES:
        return _pointwise
    if count > 1 and sizes.are_apart:
        return _patches
    if sizes.is_for_windows:
        return _windows
    return _exchanged if sizes.in_plain_loop and set(sizes.step) == {1} else None


def _padded(sizes, x):
    config = [(0, 0, 0), (0, 0, 0), *((lo, hi, s - 1) for (lo, hi), s in zip(sizes.pads, sizes.spread, strict=True))]
    return lax.pad(x, jnp.zeros((), x.dtype), config)


def _seen(x, at, dilation, step, out):
    """What the kernel's element at that place is multiplied by, (N, C, *out)."""
    low = [a * d for a, d in zip(at, dilation, strict=True)]
    high = [lo + s * (m - 1) + 1 for lo, s, m in zip(low, step, out, strict=True)]
    return lax.slice(x, (0, 0, *low), (*x.shape[:2], *high), (1, 1, *step))


def _depthwise(sizes, x, w):
    """Each channel by itself: one loop of XLA's over the sum of the shifted inputs."""
    x, total = _padded(sizes, x), 0
    for at in sizes.taps:
        seen = _seen(x, at, sizes.dilation, sizes.step, sizes.out[2:])
        total = total + seen * w[(slice(None), 0, *at)].reshape(-1, *(1,) * len(at))
    return total


def _depthwise_gradient(sizes, x, g):
    """To the weight: x is (C, N, *space), g (C, N, *places) the kernel, the result (1, C, *kernel)."""
    x, parts = _padded(sizes, x), []
    g = g.reshape(*g.shape[:2], -1)
    for at in itertools.product(*map(range, sizes.out[2:])):
        seen = _seen(x, [a * s for a, s in zip(at, sizes.step, strict=True)], (1,) * len(at), sizes.dilation, sizes.w[2:])
        parts.append(lax.dot_general(seen.reshape(g.shape), g, (((2,), (2,)), ((0, 1), (0, 1)))).sum(1))
    return jnp.stack(parts, -1).reshape(sizes.out)


def _depthwise_gradient_by_bands(sizes, x, g):
    """As above. The products of all elements of a row of x with all of a row of g, of which some diagonals are wanted."""
    x, (*kernel, taps), (*rows, width) = _padded(sizes, x), sizes.out[2:], sizes.w[2:]
    span = x.shape[-1]
    column = np.arange(taps)[:, None] * sizes.step[-1] + np.arange(width) * sizes.dilation[-1]
    diagonals = (np.arange(span)[:, None] == column[:, None, :]).reshape(taps, span * width)
    g, parts = g.reshape(g.shape[0], -1, width), []
    for at in itertools.product(*map(range, kernel)):
        low = [a * s for a, s in zip(at, sizes.step, strict=False)]
        seen = _seen(x, (*low, 0), (1,) * len(sizes.step), (*sizes.dilation[:-1], 1), (*rows, span))
        parts.append(lax.dot_general(seen.reshape(*g.shape[:2], span), g, (((1,), (1,)), ((0,), (0,)))))
    found = jnp.stack(parts, 1).reshape(-1, span * width)
    return (found @ diagonals.T.astype(x.dtype)).reshape(sizes.out)


def _pointwise(sizes, x, w):
    """A product for each sample; what the input is spread and padded by, the result is."""
    n, o, c = sizes.x[0], *sizes.w[:2]
    if set(sizes.step) != {1}:
        x = _seen(_padded(sizes, x), (0,) * len(sizes.step), sizes.dilation, sizes.step, sizes.out[2:])
        sizes = dataclasses.replace(sizes, pads=((0, 0),) * len(sizes.pads), spread=(1,) * len(sizes.pads))
    weights = jnp.broadcast_to(w.reshape(o, c), (n, o, c))
    found = lax.dot_general(weights, x.reshape(n, c, -1), (((2,), (1,)), ((0,), (0,))))
    return _padded(sizes, found.reshape(n, o, *x.shape[2:]))


def _windows(sizes, x, w):
    """All windows side by side, one product with the kernel as it lies in memory. They are copied dimension by dimension:
    XLA compiles a loop for each copy, six for a kernel of 3x3 and not nine."""
    x = jnp.moveaxis(_padded(sizes, x), 1, 0)
    for d in reversed(range(len(sizes.step))):
        axis, last = x.ndim - len(sizes.step) + d, sizes.step[d] * (sizes.out[2 + d] - 1)
        begins = [a * sizes.dilation[d] for a in range(sizes.w[2 + d])]
        x = jnp.stack([lax.slice_in_dim(x, low, low + last + 1, sizes.step[d], axis) for low in begins], 1)
    found = w.reshape(sizes.w[0], -1) @ x.reshape(math.prod(sizes.w[1:]), -1)
    return jnp.moveaxis(found.reshape(sizes.w[0], sizes.x[0], *sizes.out[2:]), 0, 1)


def _patches(sizes, x, w):
    """Windows that share nothing: the input in another order, in one copy."""
    out, kernel = sizes.out[2:], sizes.w[2:]
    pairs = [*zip(out, kernel, strict=True)]
    x = lax.slice(x, (0,) * x.ndim, (*x.shape[:2], *(m * k for m, k in pairs)))
    x = x.reshape(*x.shape[:2], *itertools.chain(*pairs))
    x = x.transpose(0, *range(2, x.ndim, 2), 1, *range(3, x.ndim, 2))
    found = x.reshape(-1, math.prod(sizes.w[1:])) @ w.reshape(sizes.w[0], -1).T
    return jnp.moveaxis(found.reshape(sizes.x[0], *out, sizes.w[0]), -1, 1)


def _exchanged(sizes, x, w):
    """The input as the kernel and the kernel as the input, which gives the result back to front."""
    pads = []
    for n, m, out, (lo, _), s, d in zip(sizes.x[2:], sizes.w[2:], sizes.out[2:], sizes.pads, sizes.spread, sizes.dilation,
                                        strict=True):
        low = out - 1 - lo
        pads.append((low, out - 1 + s * (n - 1) - d * (m - 1) - low))
    found = lax.conv_general_dilated(w, x, sizes.step, pads, sizes.dilation, sizes.spread)
    return lax.rev(found, range(2, found.ndim)).swapaxes(0, 1)
