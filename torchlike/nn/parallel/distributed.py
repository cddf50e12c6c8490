"""`torch.nn.parallel.distributed`: what needs a process group."""

from torchlike._base.errors import NO_PROCESS_GROUP
from torchlike.nn.modules.module import Module

__all__ = ["DistributedDataParallel"]


class DistributedDataParallel(Module):
    """Refused as in PyTorch without a process group: torchlike never has one, see `torch.distributed`.
    https://pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html

    Args:
        module, args, kwargs: not looked at.

    Raises:
        ValueError: always.
    """

    def __init__(self, module, *args, **kwargs):
        raise ValueError(NO_PROCESS_GROUP)
