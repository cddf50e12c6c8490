"""`torch.distributed._tensor`: the old name of `torch.distributed.tensor`, which packages still import.

All of it is in `torchlike/distributed/tensor/`; `experimental.py` is the old name of a package in that.

Programs import this package, nothing inside torchlike does. Start with `torchlike/distributed/tensor/__init__.py`.
"""

from torchlike._base.absent_modules import supply as _supply
from torchlike.distributed.tensor import *  # noqa: F403 - another name for the same

_supply()
