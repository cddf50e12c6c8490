"""Pools of regions of images: torchvision's `roi_align`, `roi_pool`, `ps_roi_align` and `ps_roi_pool`.

A region is a grid of cells, and a cell a product of rows and columns: so each is computed from what rows and columns weigh
in it. The position-sensitive ones take another channel for each cell. Boxes are Tensors of shape (k, 5): the number of an
image, x1, y1, x2, y2, multiplied by `spatial_scale`; what comes back is of shape (k, channels, pooled_height, pooled_width).
"""

import math

from torchlike import _api
from torchlike._api.checks import _check
from torchlike._api.type_info import finfo
from torchlike._base import dtypes as dt

_AT_ONCE = 1 << 24  # elements of images that are gathered for boxes
_MANY_CHANNELS = "input channels must be a multiple of pooling height * pooling width"


def roi_align(x, rois, spatial_scale, pooled_height, pooled_width, sampling_ratio, aligned):
    """Boxes of images, resized: the mean of bilinear samples in each cell of a grid.

    Args:
        x: images, a Tensor of shape (n, c, height, width).
        rois, spatial_scale, pooled_height, pooled_width: boxes and their grid, see above.
        sampling_ratio: samples along each side of a cell; what a cell has pixels if it is not above 0.
        aligned: whether coordinates are of pixels' middles.

    Returns:
        A Tensor of shape (k, c, pooled_height, pooled_width).
    """
    _check_boxes("roi_align", x, rois)
    rows, columns = _samples(x, rois, spatial_scale, pooled_height, pooled_width, sampling_ratio, aligned)
    return _by_boxes(lambda x, rows, columns: (_api.einsum("kph,kchw,kqw->kcpq", rows, x, columns),),
                     x[0].numel(), x, rois, rows, columns)[0]


def ps_roi_align(x, rois, spatial_scale, pooled_height, pooled_width, sampling_ratio):
    """`roi_align` of another channel for each cell, aligned.

    Args:
        x: images, a Tensor of shape (n, c * pooled_height * pooled_width, height, width).
        rois, spatial_scale, pooled_height, pooled_width, sampling_ratio: as for `roi_align`.

    Returns:
        A Tensor of shape (k, c, pooled_height, pooled_width), nan where a box has no samples, and the int32 numbers of the
        channels, of the same shape.
    """
    _check_boxes("ps_roi_align", x, rois)
    rows, columns = _samples(x, rois, spatial_scale, pooled_height, pooled_width, sampling_ratio, True)
    values, channels = _position_sensitive(x, rois, rows, columns)
    if sampling_ratio > 0:
        return values, channels
    x1, y1, x2, y2 = (rois[:, 1:].detach() * spatial_scale).unbind(1)
    without_samples = ((y2 - y1) / pooled_height).ceil() * ((x2 - x1) / pooled_width).ceil() == 0
    return _api.where(without_samples[:, None, None, None], math.nan, values), channels


def ps_roi_pool(x, rois, spatial_scale, pooled_height, pooled_width):
    """The mean of the pixels in each cell, of another channel for each. The last row and column of an image are left out.

    Args: as for `ps_roi_align`; corners of boxes are rounded.

    Returns: as for `ps_roi_align`; 0 in a cell without pixels.
    """
    _check_boxes("ps_roi_pool", x, rois)
    x1, y1, x2, y2 = _rounded(rois[:, 1:].detach() * spatial_scale).unbind(1)
    rows = _within(y1, (y2 - y1).clamp(min=1), pooled_height, x.shape[2], x.shape[2] - 1).to(x.dtype)
    columns = _within(x1, (x2 - x1).clamp(min=1), pooled_width, x.shape[3], x.shape[3] - 1).to(x.dtype)
    rows, columns = (line / line.sum(-1, keepdim=True).clamp(min=1) for line in (rows, columns))
    return _position_sensitive(x, rois, rows, columns)


def roi_pool(x, rois, spatial_scale, pooled_height, pooled_width):
    """The largest pixel in each cell.

    Args:
        x: images, a Tensor of shape (n, c, height, width).
        rois, spatial_scale, pooled_height, pooled_width: boxes and their grid, see above; corners are rounded, and lie in
            their box.

    Returns:
        A Tensor of shape (k, c, pooled_height, pooled_width), 0 in a cell without pixels, and the int32 numbers of the
        pixels in their image, -1 there.
    """
    _check_boxes("roi_pool", x, rois)
    x1, y1, x2, y2 = _rounded(rois[:, 1:].detach() * spatial_scale).unbind(1)
    rows = _within(y1, (y2 - y1 + 1).clamp(min=1), pooled_height, x.shape[2], x.shape[2])
    columns = _within(x1, (x2 - x1 + 1).clamp(min=1), pooled_width, x.shape[3], x.shape[3])
    return _by_boxes(_largest, x[0].numel() * max(pooled_height, pooled_width), x, rois, rows, columns)


def _check_boxes(name, x, rois):
    word = "Tensor rois should" if name.startswith("ps_") else "rois must"
    _check(rois.dim() == 2 and rois.size(1) == 5, lambda: f"{word} have shape as Tensor[K, 5]")
    _check(x.dtype is rois.dtype, lambda: "Expected tensor for argument #1 'input' to have the same type as tensor for "
                                          f"argument #2 'rois'; but type {x.type()} does not equal {rois.type()} (while "
                                          f"checking arguments for {name}_forward_kernel)")
    if not x.is_floating_point() or x.dtype is dt.bfloat16:
        raise NotImplementedError(f"\"{name}_forward_kernel\" not implemented for '{x.dtype.scalar_name}'")
    x.size(3)  # IndexError of what is no batch of images


def _by_boxes(function, elements, x, rois, *of_boxes):
    """The Tensors that ``function(images, *of_boxes)`` gives, for some boxes after the other, joined.

    Args:
        function: gets the images that its boxes lie in.
        elements: how many it makes for a box.
        of_boxes: Tensors with a row for each box.
    """
    numbers = rois[:, 0].to(dt.int64)
    step = max(1, _AT_ONCE // max(1, elements))
    found = [function(x[numbers[i:i + step]], *(given[i:i + step] for given in of_boxes))
             for i in range(0, max(1, rois.shape[0]), step)]
    return found[0] if len(found) == 1 else tuple(_api.cat(parts) for parts in zip(*found, strict=True))


def _position_sensitive(x, rois, rows, columns):
    """Sums of pixels weighed by their rows, (k, p, height), and columns, (k, q, width), of a channel for each cell."""
    high, wide = rows.shape[1], columns.shape[1]
    _check(x.shape[1] % (high * wide) == 0, lambda: _MANY_CHANNELS)
    apart = x.unflatten(1, (x.shape[1] // (high * wide), high, wide))
    values, = _by_boxes(lambda x, rows, columns: (_api.einsum("kph,kcpqhw,kqw->kcpq", rows, x, columns),),
                        x[0].numel(), apart, rois, rows, columns)
    channels = _api.arange(x.shape[1], dtype=dt.int32, device=x.device).view(apart.shape[1:4])
    return values, channels.expand(values.shape).clone()


# -- samples between pixels

def _samples(x, rois, spatial_scale, pooled_height, pooled_width, sampling_ratio, aligned):
    """What rows, (k, p, height), and columns, (k, q, width), weigh in the cells' means of samples."""
    corners = rois[:, 1:] * spatial_scale - (0.5 if aligned else 0.0)
    return (_weights(corners[:, 1], corners[:, 3], pooled_height, x.shape[2], sampling_ratio, aligned),
            _weights(corners[:, 0], corners[:, 2], pooled_width, x.shape[3], sampling_ratio, aligned))


def _weights(start, end, cells: int, pixels: int, sampling_ratio: int, aligned: bool):
    """(box, cell, pixel): the weight that a pixel of a line has in a cell."""
    length = end - start if aligned else (end - start).clamp(min=1.0)
    length = length[:, None, None] / cells
    count = length.ceil() if sampling_ratio <= 0 else _api.full_like(length, sampling_ratio)
    most = sampling_ratio if sampling_ratio > 0 else max(1, int(count.max())) if count.numel() else 1
    sample = _api.arange(most, dtype=start.dtype, device=start.device)
    cell = _api.arange(cells, dtype=start.dtype, device=start.device)[:, None]
    places = start[:, None, None] + cell * length + (sample + 0.5) * length / count
    counts = (sample < count) & (places >= -1) & (places <= pixels)
    pixel = _api.arange(pixels, dtype=start.dtype, device=start.device)
    near = (1 - (places.clamp(0, pixels - 1)[..., None] - pixel).abs()).clamp(min=0)
    return _api.where(counts[..., None], near, 0).sum(2) / count.clamp(min=1)


# -- whole pixels

def _rounded(x):
    """To the nearest whole number, halves away from 0, as C does."""
    return x.sign() * (x.abs() + 0.5).floor()


def _within(start, length, cells: int, pixels: int, last: int):
    """(box, cell, pixel): whether a pixel of a line is in a cell; those from `last` on are in none.

    Args:
        start, length: of the box, whole numbers, Tensors of shape (k,).
        cells, pixels: how many.
    """
    cell = _api.arange(cells, dtype=start.dtype, device=start.device)
    side = (length / cells)[:, None]
    first, behind = (cell * side).floor(), ((cell + 1) * side).ceil()
    first, behind = ((edge + start[:, None]).clamp(0, last)[..., None] for edge in (first, behind))
    pixel = _api.arange(pixels, dtype=start.dtype, device=start.device)
    return (pixel >= first) & (pixel < behind)


def _largest(x, rows, columns):
    """(values, places) of the largest pixels of images, (k, c, height, width): first in each row, then among the rows."""
    least = max(finfo(dt.float32).min, finfo(x.dtype).min)
    plain = x.detach()
    plain = _api.where(plain > least, plain, -math.inf)  # nan is never the largest
    of_rows, column = _api.where(columns[:, None, None], plain[:, :, :, None], -math.inf).max(-1)
    largest, row = _api.where(rows[:, None, :, :, None], of_rows[:, :, None], -math.inf).max(3)
    places = row * x.shape[3] + column.gather(2, row)
    values = x.flatten(2).gather(2, places.flatten(2)).view(places.shape)
    inside = rows.any(-1)[:, None, :, None] & columns.any(-1)[:, None, None]
    found = inside & (largest > least)
    values = _api.where(found, values, inside.to(x.dtype) * least + 0.0)  # + 0.0: not -0.0
    return values, _api.where(found, places, -1).to(dt.int32)


POOLS = {"roi_align": roi_align, "roi_pool": roi_pool, "ps_roi_align": ps_roi_align, "ps_roi_pool": ps_roi_pool}
