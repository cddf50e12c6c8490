"""`torch.distributed._tensor`: the old name of `torch.distributed.tensor`, which packages still import.

All of it is in `torchlike/distributed/tensor/__init__.py`: names for annotations and ``isinstance``, and placements.
There are no process groups, so what would make a DTensor refuses when it is called.

Programs import this package, nothing inside torchlike does.
"""

from torchlike._base.absent_modules import supply as _supply
from torchlike.distributed.tensor import *  # noqa: F403 - another name for the same

_supply()
