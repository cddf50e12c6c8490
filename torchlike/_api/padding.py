"""`torch.nn.functional.pad`. https://pytorch.org/docs/stable/generated/torch.nn.functional.pad.html"""

from __future__ import annotations

from collections.abc import Sequence

from torchlike._api.arguments import index_tuple
from torchlike._api.generated import ops
from torchlike._api.joining import cat
from torchlike._modes import autocast
from torchlike._record.bind import number_of
from torchlike._record.tensor import Tensor
from torchlike._record.wrong_calls import checked

_PAD_RANKS = (
    "Supported combinations for non-constant padding:\n  - 2D or 3D input: padding size = 2 (pads last dimension)\n"
    "  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)\n"
    "  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)")


@checked
def pad(input: Tensor, pad: int | Sequence[int], mode: str = "constant", value: float | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.nn.functional.pad.html"""
    pad = index_tuple(pad)
    if len(pad) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if len(pad) > 2 * input.dim():
        raise RuntimeError("Padding length should be less than or equal to two times the input dimension but got padding "
                           f"length {len(pad)} and input of dimension {input.dim()}")
    if mode == "constant":
        if isinstance(value, complex):
            raise TypeError("pad(): argument 'value' (position 4) must be float, not complex")
        return ops.constant_pad_nd(input, pad, 0.0 if value is None else float(number_of(value)))
    if value not in (None, 0):
        raise RuntimeError(f"Padding mode \"{mode}\" doesn't take in value argument")
    n = len(pad) // 2
    if n in (1, 2, 3) and input.dim() in (n + 1, n + 2):
        if mode in ("reflect", "replicate"):
            row = {"reflect": "reflection", "replicate": "replication"}[mode]
            return getattr(ops, f"{row}_pad{n}d")(input, pad)
        if mode == "circular":
            with autocast.off():  # autocast would see `cat`, which PyTorch does not call
                return _circular(input.contiguous(), pad)
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    raise NotImplementedError(f"Padding size {len(pad)} is not supported for {input.dim()}D input tensor.\n{_PAD_RANKS}")


def _circular(input, pad):
    """Wraps around, the first padded dimension first. (PyTorch writes slices into an empty tensor.)"""
    n = len(pad) // 2
    for i in reversed(range(n)):
        dim, low, high = input.dim() - 1 - i, pad[2 * i], pad[2 * i + 1]
        size = input.shape[dim]
        if low > size or high > size:
            raise RuntimeError("Padding value causes wrapping around more than once.")
        if low + high + size < 0:
            raise RuntimeError("Negative padding value is resulting in an empty dimension")
    for i in reversed(range(n)):
        dim, low, high = input.dim() - 1 - i, pad[2 * i], pad[2 * i + 1]
        size = input.shape[dim]
        inside = input.narrow(dim, max(-low, 0), size - max(-low, 0) - max(-high, 0))  # cut off before wrapping
        parts = [inside.narrow(dim, inside.shape[dim] - low, low)] if low > 0 else []
        parts.append(inside)
        if high > 0:
            parts.append(inside.narrow(dim, 0, high))
        input = cat(parts, dim) if len(parts) > 1 else inside
    return input


NN: dict = {"pad": pad}
