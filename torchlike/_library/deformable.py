"""torchvision's `deform_conv2d`: a convolution whose kernel's pixels are moved, each by an offset of its own."""

import math

from torchlike import _api
from torchlike._api.checks import _check
from torchlike._base import dtypes as dt


def deform_conv2d(x, weight, offset, mask, bias, stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w, groups,
                  offset_groups, use_mask):
    """A deformable convolution (https://arxiv.org/abs/1703.06211), with factors (https://arxiv.org/abs/1811.11168).

    Args:
        x: images, a Tensor of shape (n, c, height, width).
        weight: (o, c / groups, kernel height, kernel width).
        offset: (n, 2 * offset_groups * kernel height * kernel width, out height, out width): how far each pixel of the
            kernel is moved down and to the right, for each group of channels.
        mask: (n, offset_groups * kernel height * kernel width, out height, out width), if `use_mask`.
        bias: (o,).
        stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w: of the convolution.
        groups, offset_groups: into which channels are split for `weight` and for `offset`.
        use_mask: whether there is a mask.

    Returns:
        A Tensor of shape (n, o, out height, out width).
    """
    steps = ((stride_h, pad_h, dilation_h), (stride_w, pad_w, dilation_w))
    size = _checked_size(x, weight, offset, mask, steps, groups, offset_groups, use_mask)
    n, kernel = x.shape[0], weight.shape[2:]
    moved = offset.reshape(n, offset_groups, *kernel, 2, *size)
    down, right = (_places(axis, steps[axis], kernel, size, x) + moved[:, :, :, :, axis] for axis in (0, 1))
    pixels = _between(x.unflatten(1, (offset_groups, x.shape[1] // offset_groups)), down, right)
    if use_mask:
        pixels = pixels * mask.reshape(n, offset_groups, 1, *kernel, *size)
    one = math.prod(weight.shape[1:])
    pixels = pixels.reshape(n, groups, one, size[0] * size[1])
    made = _api.einsum("gok,ngkp->ngop", weight.reshape(groups, weight.shape[0] // groups, one), pixels)
    return made.reshape(n, weight.shape[0], *size) + bias.view(1, weight.shape[0], 1, 1)


_EXPECTED = ("Expected {} to be true, but got false.  (Could this error message be improved?  If so, please report an "
             "enhancement request to PyTorch.)")


def _checked_size(x, weight, offset, mask, steps, groups, offset_groups, use_mask) -> tuple:
    """(out height, out width). RuntimeError where shapes do not fit."""
    words = ("input_c", "offset_c", "!use_mask || mask_c", "weight_c")
    for word, value in zip(words, (x, offset, mask if use_mask else x, weight), strict=True):
        _check(value.dim() == 4, lambda word=word: _EXPECTED.format(f"{word}.ndimension() == 4"))
    for word, i, least in (("weight", None, 1), ("stride", 0, 1), ("pad", 1, 0), ("dilation", 2, 1)):
        given = weight.shape[2:] if i is None else [step[i] for step in steps]
        _check(min(given) >= least, lambda word=word, given=given: f"{word}_h: {given[0]} {word}_w: {given[1]}")
    _check(weight.shape[1] * groups == x.shape[1],
           lambda: _EXPECTED.format("weight_c.size(1) * n_weight_grps == input_c.size(1)"))
    _check(weight.shape[0] % groups == 0, lambda: _EXPECTED.format("weight_c.size(0) % n_weight_grps == 0"))
    _check(x.shape[1] % offset_groups == 0, lambda: _EXPECTED.format("input_c.size(1) % n_offset_grps == 0"))
    kernel = weight.shape[2:]
    size = tuple((n + 2 * pad - (dilation * (k - 1) + 1)) // stride + 1
                 for n, k, (stride, pad, dilation) in zip(x.shape[2:], kernel, steps, strict=True))
    parts = offset_groups * kernel[0] * kernel[1]
    _check_map("offset", offset, x, 2 * parts, size)
    if use_mask:
        _check_map("mask", mask, x, parts, size)
    _check(min(size) > 0, lambda: f"Calculated output size too small - out_h: {size[0]} out_w: {size[1]}")
    return size


def _check_map(word, given, x, channels, size):
    """RuntimeError unless `given` has so many `channels`, the images of `x` and the `size` of what comes out."""
    _check(given.shape[1] == channels, lambda: f"{word}.shape[1] is not valid: got: {given.shape[1]} expected: {channels}")
    _check(given.shape[0] == x.shape[0], lambda: f"invalid batch size of {word}")
    _check(tuple(given.shape[2:]) == size,
           lambda: f"{word} output dims: {tuple(given.shape[2:])} - computed output dims: {size}")
    _check(given.dtype is x.dtype,
           lambda: f"expected scalar type {x.dtype.scalar_name} but found {given.dtype.scalar_name}")


def _places(axis, step, kernel, size, like):
    """Where the kernel's pixels lie along an axis, unmoved: (kernel height, kernel width, out height, out width) or 1."""
    stride, padding, dilation = step
    pixel, out = (_api.arange(n, dtype=like.dtype, device=like.device) for n in (kernel[axis], size[axis]))
    places = (pixel * dilation - padding)[:, None] + out * stride
    return places[:, None, :, None] if axis == 0 else places[None, :, None]


def _between(images, y, x):
    """Bilinear samples of images that are 0 outside.

    Args:
        images: (n, groups, channels, height, width).
        y, x: places, (n, groups, *); gradients of these are differences of neighbours.

    Returns:
        A Tensor of shape (n, groups, channels, *).
    """
    height, width = images.shape[3:]
    top, left = y.detach().floor(), x.detach().floor()
    found = 0.0
    for row, by_rows in ((top, 1 - (y - top)), (top + 1, y - top)):
        for column, by_columns in ((left, 1 - (x - left)), (left + 1, x - left)):
            inside = (row >= 0) & (row < height) & (column >= 0) & (column < width)
            place = (row.clamp(0, height - 1) * width + column.clamp(0, width - 1)).to(dt.int64)
            at = place.flatten(2)[:, :, None].expand(*images.shape[:3], -1)
            pixels = images.flatten(3).gather(3, at).view(*images.shape[:3], *y.shape[2:])
            found = found + pixels * _api.where(inside, by_rows * by_columns, 0)[:, :, None]
    return found
