"""`torch.nn.functional.pad`. https://pytorch.org/docs/stable/generated/torch.nn.functional.pad.html"""

from torchlike import _api
from torchlike import dtypes as dt
from torchlike._tensor import Tensor

_UNSUPPORTED = (
    "Padding size {} is not supported for {}D input tensor.\n"
    "Supported combinations for non-constant padding:\n"
    "  - 2D or 3D input: padding size = 2 (pads last dimension)\n"
    "  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)\n"
    "  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)"
)
_REFLECT_TOO_FAR = (
    "Argument #{}: Padding size should be less than the corresponding input dimension, but got: padding "
    "({}, {}) at dimension {} of input {}"
)
# Where a position outside 0..n-1 finds its value.
_SOURCE = {
    "reflect": lambda i, n: n - 1 - abs(n - 1 - abs(i)),
    "replicate": lambda i, n: min(max(i, 0), n - 1),
    "circular": lambda i, n: i % n,
}


def pad(input: Tensor, pad, mode: str = "constant", value: float | None = None) -> Tensor:
    """Pads the last dimensions: `pad` is (before, after) of the last one, then of the one before it.

    `mode` is "constant" (with `value`, 0 by default), "reflect", "replicate" or "circular"
    (NotImplementedError on another); a negative width cuts off. RuntimeError on widths that do not fit.
    """
    widths = list(pad)
    if len(widths) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if len(widths) > 2 * input.dim():
        raise RuntimeError("Padding length should be less than or equal to two times the input dimension but "
                           f"got padding length {len(widths)} and input of dimension {input.dim()}")
    if mode == "constant":
        return _api.constant_pad_nd(input, widths, 0 if value is None else value)
    if value is not None and value != 0:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    spatial = len(widths) // 2
    if spatial not in (1, 2, 3) or input.dim() not in (spatial + 1, spatial + 2):
        raise NotImplementedError(_UNSUPPORTED.format(len(widths), input.dim()))
    if mode not in _SOURCE:
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    for i in range(spatial):
        before, after = widths[2 * i], widths[2 * i + 1]
        dim = input.dim() - 1 - i
        _check_width(mode, input, dim, before, after, i, spatial)
        if mode == "circular":
            # What a negative width cuts off is gone before the rest is wrapped around.
            kept = input.size(dim) + min(before, 0) + min(after, 0)
            input = input.narrow(dim, max(-before, 0), kept)
            before, after = max(before, 0), max(after, 0)
        input = _pad_dim(input, dim, before, after, _SOURCE[mode])
    return input


def _check_width(mode, input, dim, before, after, i, spatial):
    """RuntimeError where `mode` cannot reach that far; `i` counts from the last dimension."""
    size = input.size(dim)
    if mode == "reflect" and (before >= size or after >= size):
        raise RuntimeError(_REFLECT_TOO_FAR.format(4 + 2 * i, before, after, dim, list(input.shape)))
    if mode == "circular":
        if before > size or after > size:
            raise RuntimeError("Padding value causes wrapping around more than once.")
        if size + before + after < 0:
            raise RuntimeError("Negative padding value is resulting in an empty dimension")
    if mode != "circular" and spatial == 1 and size + before + after < 1:
        raise RuntimeError(f"input (W: {size}) is too small. Calculated output W: {size + before + after}")
    if size + before + after < 0:
        shape = list(input.shape)
        shape[dim] += before + after
        raise RuntimeError(f"Trying to create tensor with negative dimension {shape[dim]}: {shape}")


def _pad_dim(input, dim, before, after, source):
    if before == after == 0:
        return input
    size = input.size(dim)
    rows = [source(i, size) for i in range(-before, size + after)]
    return input.index_select(dim, _api.tensor(rows, dtype=dt.int64, device=input.device))
