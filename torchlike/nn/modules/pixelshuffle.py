"""Trading channels for resolution. https://pytorch.org/docs/stable/nn.html#vision-layers"""

from torchlike._record.tensor import Tensor
from torchlike.nn import functional as F
from torchlike.nn.modules.module import Module

__all__ = ["PixelShuffle", "PixelUnshuffle"]


class PixelShuffle(Module):
    """Turns channels into resolution, as sub-pixel convolutions need it.
    https://pytorch.org/docs/stable/generated/torch.nn.PixelShuffle.html

    Args:
        upscale_factor: r.

    Shape:
        (*, C r^2, H, W) to (*, C, H r, W r).
    """

    def __init__(self, upscale_factor: int):
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Tensor) -> Tensor:
        return F.pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self) -> str:
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """The inverse of `PixelShuffle`.
    https://pytorch.org/docs/stable/generated/torch.nn.PixelUnshuffle.html

    Args:
        downscale_factor: r.

    Shape:
        (*, C, H r, W r) to (*, C r^2, H, W).
    """

    def __init__(self, downscale_factor: int):
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: Tensor) -> Tensor:
        return F.pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self) -> str:
        return f"downscale_factor={self.downscale_factor}"
