"""Mixing groups of channels. https://pytorch.org/docs/stable/generated/torch.nn.ChannelShuffle.html"""

from torchlike._record.tensor import Tensor
from torchlike.nn import functional as F
from torchlike.nn.modules.module import Module

__all__ = ["ChannelShuffle"]


class ChannelShuffle(Module):
    """(N, C, *): channel i of each of `groups` groups comes next to those of the others.

    RuntimeError unless `groups` divides C.
    """

    def __init__(self, groups: int):
        super().__init__()
        self.groups = groups

    def forward(self, input: Tensor) -> Tensor:
        return F.channel_shuffle(input, self.groups)

    def extra_repr(self) -> str:
        return f"groups={self.groups}"
