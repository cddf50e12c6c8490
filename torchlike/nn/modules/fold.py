"""Windows as columns, and back. https://pytorch.org/docs/stable/generated/torch.nn.Unfold.html"""

from torchlike._record.tensor import Tensor
from torchlike.nn import functional as F
from torchlike.nn.modules.module import Module

__all__ = ["Fold", "Unfold"]


class _Windows(Module):
    def __init__(self, kernel_size, dilation, padding, stride):
        super().__init__()
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def extra_repr(self) -> str:
        return (f"kernel_size={self.kernel_size}, dilation={self.dilation}, padding={self.padding}, "
                f"stride={self.stride}")


class Unfold(_Windows):
    """The sliding blocks of an image as columns.
    https://pytorch.org/docs/stable/generated/torch.nn.Unfold.html

    Args:
        As for `unfold`.

    Shape:
        (N, C, H, W) or (C, H, W), to (N, C KH KW, L) or (C KH KW, L).
    """

    def __init__(self, kernel_size, dilation=1, padding=0, stride=1):
        super().__init__(kernel_size, dilation, padding, stride)

    def forward(self, input: Tensor) -> Tensor:
        return F.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)


class Fold(_Windows):
    """The sum of sliding blocks in their places: the transpose of `Unfold`.
    https://pytorch.org/docs/stable/generated/torch.nn.Fold.html

    Args:
        As for `fold`.

    Shape:
        (N, C KH KW, L) or (C KH KW, L), to (N, C, *output_size) or (C, *output_size).
    """

    def __init__(self, output_size, kernel_size, dilation=1, padding=0, stride=1):
        super().__init__(kernel_size, dilation, padding, stride)
        self.output_size = output_size

    def forward(self, input: Tensor) -> Tensor:
        return F.fold(input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}, {super().extra_repr()}"
