"""Dropout layers. https://pytorch.org/docs/stable/nn.html#dropout-layers"""

from torchlike._record.tensor import Tensor
from torchlike.nn import functional as F
from torchlike.nn.modules.module import Module

__all__ = ["AlphaDropout", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "FeatureAlphaDropout"]


class _DropoutNd(Module):
    """Holds `p` (ValueError outside [0, 1]) and `inplace`; does nothing in evaluation mode."""

    def __init__(self, p: float = 0.5, inplace: bool = False):
        super().__init__()
        if p < 0 or p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p = p
        self.inplace = inplace

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_DropoutNd):
    """In training, zeroes elements with probability `p` and multiplies the others by 1 / (1 - p).
    https://pytorch.org/docs/stable/generated/torch.nn.Dropout.html

    Args:
        p: the probability, from 0 to 1.
        inplace: whether to overwrite the input.

    Shape:
        (*) to (*).

    Raises:
        ValueError: `p` is not in [0, 1].
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout(input, self.p, self.training, self.inplace)


class Dropout1d(_DropoutNd):
    """`Dropout` of whole channels of sequences.
    https://pytorch.org/docs/stable/generated/torch.nn.Dropout1d.html

    Args:
        As for `Dropout`.

    Shape:
        (N, C, L) or (C, L), to the same.

    Raises:
        As for `Dropout`.
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout1d(input, self.p, self.training, self.inplace)


class Dropout2d(_DropoutNd):
    """`Dropout` of whole channels of images.
    https://pytorch.org/docs/stable/generated/torch.nn.Dropout2d.html

    Args:
        As for `Dropout`.

    Shape:
        (N, C, H, W) to the same; (N, C, L) with a warning.

    Raises:
        As for `Dropout`.
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout2d(input, self.p, self.training, self.inplace)


class Dropout3d(_DropoutNd):
    """`Dropout` of whole channels of volumes.
    https://pytorch.org/docs/stable/generated/torch.nn.Dropout3d.html

    Args:
        As for `Dropout`.

    Shape:
        (N, C, D, H, W) or (C, D, H, W), to the same.

    Raises:
        As for `Dropout`.
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout3d(input, self.p, self.training, self.inplace)


class AlphaDropout(_DropoutNd):
    """`Dropout` that keeps mean and variance of SELU's output.
    https://pytorch.org/docs/stable/generated/torch.nn.AlphaDropout.html

    Args:
        As for `Dropout`; `inplace` has no effect, as in PyTorch.

    Shape:
        (*) to (*).

    Raises:
        As for `Dropout`.
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.alpha_dropout(input, self.p, self.training)


class FeatureAlphaDropout(_DropoutNd):
    """`AlphaDropout` of whole channels, which are dimension 1.
    https://pytorch.org/docs/stable/generated/torch.nn.FeatureAlphaDropout.html

    Args:
        As for `AlphaDropout`.

    Shape:
        (N, C, *) to the same.

    Raises:
        As for `Dropout`.
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.feature_alpha_dropout(input, self.p, self.training)
