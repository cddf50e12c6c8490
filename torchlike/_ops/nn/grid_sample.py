"""Values of images at given points: ``grid_sampler_2d`` and ``grid_sampler_3d``.

https://pytorch.org/docs/stable/generated/torch.nn.functional.grid_sample.html. A corner outside the image counts 0 with
padding 0 (zeros); with 1 (border) and 2 (reflection) the point itself is brought inside. At a border the gradient is that
of the inside, as PyTorch has it.
"""

import itertools

import jax.numpy as jnp

from torchlike._ops.nn.upsample import CUBIC, cubic_far, cubic_near
from torchlike._ops.rules import cpp_name, wide
from torchlike._ops.table import op

BILINEAR, NEAREST, BICUBIC = range(3)


def _unnormalised(x, size, align_corners):
    """From -1 ... 1 to pixels."""
    return (x + 1) / 2 * (size - 1) if align_corners else ((x + 1) * size - 1) / 2


def _clipped(x, size):
    return jnp.where(x <= 0, 0.0, jnp.where(x >= size - 1, size - 1.0, x)).astype(x.dtype)


def _reflected(x, low, high):
    """Folded into low ... high, which are doubled to stay whole."""
    if low == high:
        return jnp.zeros_like(x)
    start, span = low / 2, (high - low) / 2
    distance = jnp.abs(x - start)
    extra = jnp.fmod(distance, span)
    flips = jnp.floor(distance / span)
    return jnp.where(flips % 2 == 0, extra + start, span - extra + start)


def _inside(x, size, padding, align_corners):
    if padding == 1:
        return _clipped(x, size)
    if padding == 2:
        low, high = (0, 2 * (size - 1)) if align_corners else (-1, 2 * size - 1)
        return _clipped(_reflected(x, low, high), size)
    return x


def _at(image, places, padded):
    """image (N, C, *in) at whole places, one (N, *out) for each dimension; 0 outside where `padded`."""
    sizes = image.shape[2:]
    good = None
    index = []
    for place, size in zip(places, sizes, strict=True):
        ok = (place >= 0) & (place < size)
        good = ok if good is None else good & ok
        index.append(jnp.clip(jnp.nan_to_num(place), 0, max(size - 1, 0)).astype(jnp.int32))
    batch = jnp.arange(image.shape[0]).reshape(-1, *[1] * (index[0].ndim - 1))
    values = jnp.moveaxis(image, 1, -1)[(batch, *index)]  # (N, *out, C)
    values = jnp.where(good[..., None], values, 0) if padded else values
    return jnp.moveaxis(values, -1, 1)


def _bilinear(image, points):
    total = 0
    lows = [jnp.floor(p) for p in points]
    for corner in itertools.product((0, 1), repeat=len(points)):
        weight = 1
        for p, low, side in zip(points, lows, corner, strict=True):
            weight = weight * (p - low if side else low + 1 - p)
        total = total + _at(image, [low + side for low, side in zip(lows, corner, strict=True)], True) * weight[:, None]
    return total


def _cubic_weights(t):
    return cubic_far(t + 1, CUBIC), cubic_near(t, CUBIC), cubic_near(1 - t, CUBIC), cubic_far(2 - t, CUBIC)


def _bicubic(image, raw, padding, align_corners):
    lows = [jnp.floor(p) for p in raw]
    weights = [_cubic_weights(p - low) for p, low in zip(raw, lows, strict=True)]
    total = 0
    for i, j in itertools.product(range(4), repeat=2):
        places = [_inside(low + k - 1, size, padding, align_corners)
                  for low, k, size in zip(lows, (i, j), image.shape[2:], strict=True)]
        total = total + _at(image, [jnp.round(p) for p in places], padding == 0) * (weights[0][i] * weights[1][j])[:, None]
    return total


def _sample(image, grid, mode, padding, align_corners):
    kind = image.dtype
    image, grid = wide(image), wide(grid)
    sizes = image.shape[2:]
    raw = [_unnormalised(grid[..., len(sizes) - 1 - d], size, align_corners) for d, size in enumerate(sizes)]
    if mode == BICUBIC:
        return _bicubic(image, raw, padding, align_corners).astype(kind)
    points = [_inside(p, size, padding, align_corners) for p, size in zip(raw, sizes, strict=True)]
    if mode == NEAREST:
        return _at(image, [jnp.round(p) for p in points], True).astype(kind)
    return _bilinear(image, points).astype(kind)


def _check(x, grid, rank):
    name = "grid_sampler()"
    if x.dtype != grid.dtype:
        raise RuntimeError(f"{name}: expected input and grid to have same dtype, but input has {cpp_name(x)} and grid has "
                           f"{cpp_name(grid)}")
    if x.shape[0] != grid.shape[0]:
        raise RuntimeError(f"{name}: expected grid and input to have same batch size, but got input with sizes "
                           f"{list(x.shape)} and grid with sizes {list(grid.shape)}")
    if grid.shape[-1] != x.ndim - 2:
        raise RuntimeError(f"{name}: expected grid to have size {x.ndim - 2} in last dimension, but got grid with sizes "
                           f"{list(grid.shape)}")
    if x.ndim != rank + 2 or grid.ndim != x.ndim:
        raise RuntimeError(f"{name}: expected {rank + 2}D input and grid with same number of dimensions, but got input with "
                           f"sizes {list(x.shape)} and grid with sizes {list(grid.shape)}")
    if 0 in x.shape[2:]:
        raise RuntimeError(f"{name}: expected input to have non-empty spatial dimensions, but input has sizes "
                           f"{list(x.shape)} with dimension {2 + x.shape[2:].index(0)} being empty")


for _rank in (2, 3):
    def _sampler(x, grid, *, interpolation_mode, padding_mode, align_corners, rank=_rank):
        _check(x, grid, rank)
        if interpolation_mode == BICUBIC and rank != 2:
            raise RuntimeError("grid_sampler(): bicubic interpolation only supports 4D input")
        return _sample(x, grid, interpolation_mode, padding_mode, align_corners)

    op(f"grid_sampler_{_rank}d(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) "
       "-> Tensor", _sampler,
       grads={"input": "input grid", "grid": "input grid"}, node=f"GridSampler{_rank}DBackward0", method=False, out=False,
       autocast={"cpu": "fp32"}, doc="The values of images at the points of `grid`, by interpolation.")
