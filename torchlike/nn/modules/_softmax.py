"""Layers that normalise along a dimension; `activation` is their public home.

https://pytorch.org/docs/stable/nn.html#non-linear-activations-other
"""

from torchlike._record.tensor import Tensor
from torchlike.nn import functional as F
from torchlike.nn.modules.module import Module


class _AlongDim(Module):
    """A normalisation along `dim`; None picks one, with a warning."""

    def __init__(self, dim: int | None = None):
        super().__init__()
        self.dim = dim

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class Softmin(_AlongDim):
    """`Softmax` of -x.
    https://pytorch.org/docs/stable/generated/torch.nn.Softmin.html

    Args:
        As for `Softmax`.

    Shape:
        (*) to (*).
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.softmin(input, self.dim, _stacklevel=5)


class Softmax(_AlongDim):
    """exp(x) / sum(exp(x)) along a dimension.
    https://pytorch.org/docs/stable/generated/torch.nn.Softmax.html

    Args:
        dim: the dimension along which the result sums to 1. None is deprecated: it warns and takes 0 for inputs of 0, 1
            or 3 dimensions, else 1.

    Shape:
        (*) to (*).
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.softmax(input, self.dim, _stacklevel=5)


class LogSoftmax(_AlongDim):
    """log(softmax(x)) along a dimension, computed without overflow.
    https://pytorch.org/docs/stable/generated/torch.nn.LogSoftmax.html

    Args:
        As for `Softmax`.

    Shape:
        (*) to (*).
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.log_softmax(input, self.dim, _stacklevel=5)


class Softmax2d(Module):
    """`Softmax` over the channels of an image.
    https://pytorch.org/docs/stable/generated/torch.nn.Softmax2d.html

    Shape:
        (N, C, H, W) or (C, H, W), to the same; ValueError for other numbers of dimensions.
    """

    def forward(self, input: Tensor) -> Tensor:
        if input.dim() not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead")
        return F.softmax(input, -3)
