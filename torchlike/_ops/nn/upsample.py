"""Resizing of images: nearest, linear and cubic interpolation in one to three dimensions, with antialiasing or not.

https://pytorch.org/docs/stable/generated/torch.nn.functional.interpolate.html. Each dimension is a fixed linear map: the
neighbours of every output point and their weights are known beforehand. The gradient is the transposed map.
"""

import jax
import jax.numpy as jnp
import numpy as np

from torchlike._ops.rules import is_half, scalar_name, wide
from torchlike._ops.table import op

CUBIC = -0.75  # the parameter of the cubic filter, without antialiasing
_MOST_BITS = 22  # of a weight behind the point, for bytes
_MOST = 16  # neighbours that are added up one by one; more are a matrix


def _scale(size, out, align_corners, scale, kind):
    """How far apart output points lie in the input."""
    if align_corners:
        return kind(size - 1) / kind(out - 1) if out > 1 else kind(0)
    return kind(1) / kind(scale) if scale else kind(size) / kind(out)


def _nearest(size, out, scale, exact):
    step = np.float32(_scale(size, out, False, scale, np.float64 if scale else np.float32))
    place = np.arange(out, dtype=np.float32) + np.float32(0.5 if exact else 0)
    return np.minimum(np.floor(place * step).astype(np.int64), size - 1)[:, None], None


def _sources(size, out, align_corners, scale, kind, cubic):
    step = _scale(size, out, align_corners, scale, kind)
    place = np.arange(out).astype(kind)
    if align_corners:
        return place * step
    source = step * (place + kind(0.5)) - kind(0.5)
    return source if cubic else np.maximum(source, kind(0))


def _linear(size, out, align_corners, scale, kind):
    source = _sources(size, out, align_corners, scale, kind, False)
    low = np.minimum(source.astype(np.int64), size - 1)
    weight = np.clip(source - low, 0, 1).astype(kind)
    return np.stack([low, low + (low < size - 1)], 1), np.stack([1 - weight, weight], 1)


def cubic_near(x, a):
    """The cubic filter up to a distance of 1, of numpy or jax arrays."""
    return ((a + 2) * x - (a + 3)) * x * x + 1


def cubic_far(x, a):
    """The same from 1 to 2; beyond it is 0."""
    return (((x - 5) * x + 8) * x - 4) * a


def _cubic_weight(x, a):
    x = np.abs(x)
    return np.where(x <= 1, cubic_near(x, a), np.where(x < 2, cubic_far(x, a), 0))


def _cubic(size, out, align_corners, scale, kind):
    source = _sources(size, out, align_corners, scale, kind, True)
    low = np.floor(source)
    t = source - low
    places = np.clip(low.astype(np.int64)[:, None] + np.arange(-1, 3), 0, size - 1)
    return places, np.stack([_cubic_weight(t - k, CUBIC) for k in range(-1, 3)], 1).astype(kind)


def _smooth(size, out, align_corners, scale, kind, cubic):
    """Antialiasing: the filter is as wide as the step where the image shrinks."""
    step = _scale(size, out, align_corners, scale, kind)
    width = 4 if cubic else 2
    support = width * 0.5 * (step if step >= 1 else 1)
    inverse = 1 / step if step >= 1 else 1.0
    center = step * (np.arange(out) + 0.5)
    first = np.maximum((center - support + 0.5).astype(np.int64), 0)
    count = np.minimum((center + support + 0.5).astype(np.int64), size) - first
    offsets = np.arange(max(int(count.max(initial=1)), 1))
    x = (first[:, None] + offsets - center[:, None] + 0.5) * inverse
    weight = _cubic_weight(x, -0.5) if cubic else np.maximum(1 - np.abs(x), 0)
    weight = np.where(offsets < count[:, None], weight, 0)
    weight = weight / weight.sum(1, keepdims=True)
    return np.minimum(first[:, None] + offsets, size - 1), weight.astype(kind)


def _transposed(places, weights, size):
    """The transposed map of `size` points: XLA's CPU code gathers ten times faster than it scatters."""
    taps = places.shape[1]
    weights = (np.ones(places.shape, np.float32) if weights is None else weights).reshape(-1)
    order = np.argsort(places.reshape(-1), kind="stable")
    order = order[weights[order] != 0]
    count = np.bincount(places.reshape(-1)[order], minlength=size)
    there = np.arange(max(count.max(initial=0), 1)) < count[:, None]
    at = order[np.minimum(np.cumsum(count)[:, None] - count[:, None] + np.arange(there.shape[1]), len(order) - 1)]
    return np.where(there, at // taps, 0), np.where(there, weights[at], 0)


def _by_matrix(x, axis, places, weights):
    matrix = np.zeros((x.shape[axis], len(places)), x.dtype)
    np.add.at(matrix, (places, np.arange(len(places))[:, None]), weights)
    return jnp.moveaxis(jnp.tensordot(x, matrix, (axis, 0)), -1, axis)


def _along(x, axis, places, weights):
    """The map of one dimension."""
    if weights is None:
        return jnp.take(x, places[:, 0], axis=axis)
    if places.shape[1] > _MOST:
        return _by_matrix(x, axis, places, weights)
    shape = [-1 if d == axis % x.ndim else 1 for d in range(x.ndim)]
    total = 0
    for k in range(places.shape[1]):
        total = total + jnp.take(x, places[:, k], axis=axis) * weights[:, k].reshape(shape).astype(x.dtype)
    return total


def _maps(mode, x, output_size, align_corners, scales):
    kind = np.float64 if x.dtype == jnp.float64 else np.float32
    n = len(output_size)
    for d, out in enumerate(output_size):
        size, scale = x.shape[2 + d], None if scales is None else scales[d]
        if mode in ("nearest", "nearest_exact"):
            yield d - n, _nearest(size, out, scale, mode == "nearest_exact")
        elif mode.endswith("_aa"):
            yield d - n, _smooth(size, out, align_corners, scale, kind, "cubic" in mode)
        else:
            yield d - n, (_cubic if "cubic" in mode else _linear)(size, out, align_corners, scale, kind)


def _row(name, mode, rank, node):
    def upsample(x, *, output_size, align_corners, scales):
        if x.ndim != rank + 2:
            raise RuntimeError(f"It is expected input_size equals to {rank + 2}, but got size {x.ndim}")
        if any(s <= 0 for s in (*x.shape[2:], *output_size)):
            raise RuntimeError("Input and output sizes should be greater than 0, but got input "
                               f"({_sizes(x.shape[2:])}) output ({_sizes(output_size)})")
        of_bytes = x.dtype == jnp.uint8 and (rank == 2 or mode.startswith("nearest"))
        if not (jnp.issubdtype(x.dtype, jnp.floating) or of_bytes):
            raise NotImplementedError(f"\"{_kernel_name(mode, rank)}\" not implemented for '{scalar_name(x)}'")
        if mode.endswith("_aa") and is_half(x):
            raise NotImplementedError(f"\"compute_index_ranges_weights\" not implemented for '{scalar_name(x)}'")
        if x.dtype == jnp.uint8 and not mode.startswith("nearest"):
            exact = jax.ShapeDtypeStruct(x.shape, jnp.float64)
            return _of_bytes(x, list(_maps(mode, exact, output_size, align_corners, scales)))
        y = wide(x)
        for axis, (places, weights) in _maps(mode, y, output_size, align_corners, scales):
            y = _along(y, axis, places, weights)
        return y.astype(x.dtype)

    def gradient(g, self_aval, output_size, align_corners, scales):
        maps = _maps(mode, jax.ShapeDtypeStruct(self_aval.shape, wide(g).dtype), output_size, align_corners, scales)
        y = wide(g)
        for axis, (places, weights) in maps:
            y = _along(y, axis, *_transposed(places, weights, self_aval.shape[axis]))
        return y

    upsample.__name__ = name
    op(f"{name}(Tensor self, int[] output_size, bool align_corners, float[]? scales=None) -> Tensor", upsample,
       grads={"self": gradient}, node=node, method=False, function=False, autocast={"cuda": "fp32"}, layout="channels",
       gradient="contiguous" if mode.startswith("cubic") else "",
       doc=f"Images resized to `output_size` by {mode.partition('_')[0]} interpolation over {rank} dimensions.")


def _of_bytes(x, maps):
    """Rows first, then columns, rounded to bytes after each, with PyTorch's weights of 16 bits. All numbers on the way are
    whole ones that float32 has.
    """
    for axis, (places, weights) in reversed(maps):
        weights, bits = _whole(places, weights)
        y = _along(x.astype(jnp.float32), axis, places, weights)
        x = jnp.clip(jnp.floor((y + 2 ** (bits - 1)) / 2 ** bits), 0, 255).astype(jnp.uint8)
    return x


def _whole(places, weights) -> tuple:
    """(whole numbers, by which power of two they are larger than the weights)."""
    weights = weights.copy()
    for k in range(1, weights.shape[1]):  # beyond the border a neighbour is the last one before it
        same = places[:, k] == places[:, k - 1]
        weights[same, k] += weights[same, k - 1]
        weights[same, k - 1] = 0
    most = weights.max()
    bits = next((bits for bits in range(_MOST_BITS) if int(0.5 + most * 2 ** (bits + 1)) >= 2 ** 15), _MOST_BITS)
    return np.trunc(weights * 2 ** bits + np.copysign(0.5, weights)).astype(np.float32), bits


def _sizes(sizes) -> str:
    names = ("W",) if len(sizes) == 1 else ("H", "W") if len(sizes) == 2 else ("D", "H", "W")
    return ", ".join(f"{n}: {s}" for n, s in zip(names, sizes, strict=True))


def _kernel_name(mode, rank) -> str:
    if mode.startswith("nearest"):
        return "compute_indices_weights_nearest" if rank < 3 else "upsample_nearest3d_channels_last"
    return "compute_indices_weights_linear" if "linear" in mode else "compute_indices_weights_cubic"


for _rank in (1, 2, 3):
    _row(f"upsample_nearest{_rank}d", "nearest", _rank, f"UpsampleNearest{_rank}DBackward0")
    _row(f"_upsample_nearest_exact{_rank}d", "nearest_exact", _rank, f"UpsampleNearestExact{_rank}DBackward0")
for _name, _mode, _rank in (("linear1d", "linear", 1), ("bilinear2d", "linear", 2), ("trilinear3d", "linear", 3),
                            ("bicubic2d", "cubic", 2)):
    _row(f"upsample_{_name}", _mode, _rank, f"Upsample{_name.capitalize().replace('d', 'D')}Backward0")
_row("_upsample_bilinear2d_aa", "linear_aa", 2, "UpsampleBilinear2DAaBackward0")
_row("_upsample_bicubic2d_aa", "cubic_aa", 2, "UpsampleBicubic2DAaBackward0")
