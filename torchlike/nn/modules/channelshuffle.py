"""Mixing groups of channels. https://pytorch.org/docs/stable/generated/torch.nn.ChannelShuffle.html"""

from torchlike._record.tensor import Tensor
from torchlike.nn import functional as F
from torchlike.nn.modules.module import Module

__all__ = ["ChannelShuffle"]


class ChannelShuffle(Module):
    """Deals the channels out: the first of each group, then the second of each, and so on.
    https://pytorch.org/docs/stable/generated/torch.nn.ChannelShuffle.html

    Args:
        groups: how many groups of neighbouring channels; RuntimeError when called unless it divides C.

    Shape:
        (N, C, *) to the same.
    """

    def __init__(self, groups: int):
        super().__init__()
        self.groups = groups

    def forward(self, input: Tensor) -> Tensor:
        return F.channel_shuffle(input, self.groups)

    def extra_repr(self) -> str:
        return f"groups={self.groups}"
