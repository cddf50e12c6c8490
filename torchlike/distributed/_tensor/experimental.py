"""`torch.distributed._tensor.experimental`: the old name of `torch.distributed.tensor.experimental`."""

from torchlike.distributed.tensor.experimental import *  # noqa: F403 - another name for the same
