"""`torch.distributed.algorithms`: ways to train with many processes.

`join.py` is for ranks with different numbers of inputs, `ddp_comm_hooks/` has what may send the gradients of a
`DistributedDataParallel`, compressed say, `model_averaging/` what averages parameters now and then, `_checkpoint/` modules
that are computed again for the backward pass.

Start with `ddp_comm_hooks/`.
"""

from torchlike._base.absent_modules import supply as _supply
from torchlike.distributed.algorithms.join import Join as Join
from torchlike.distributed.algorithms.join import Joinable as Joinable
from torchlike.distributed.algorithms.join import JoinHook as JoinHook

_supply()
