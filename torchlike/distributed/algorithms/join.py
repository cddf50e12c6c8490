"""`torch.distributed.algorithms.join`, see `_c10d/join.py`."""

from torchlike._c10d.join import Join as Join
from torchlike._c10d.join import Joinable as Joinable
from torchlike._c10d.join import JoinHook as JoinHook
