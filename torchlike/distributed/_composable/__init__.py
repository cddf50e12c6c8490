"""`torch.distributed._composable`: `fully_shard` under its older home. PyTorch has no page for it.

`fsdp.py` has the names that go with it; all are defined in `torchlike/distributed/fsdp/`, which has more to say. The others
of the package refuse when they are called.

Programs import this package, nothing inside torchlike does. Start with `torchlike/distributed/fsdp/__init__.py`.
"""

from torchlike._base import absent as _absent
from torchlike._base.absent_modules import supply as _supply
from torchlike.distributed.fsdp._fully_shard import fully_shard as fully_shard

_REASON = ("torch.distributed._composable.{} is not supported: there are fully_shard, DistributedDataParallel and "
           "checkpoint_wrapper")
checkpoint, contract, replicate = (_absent.refusing(name, __name__, _REASON.format(name))
                                   for name in ("checkpoint", "contract", "replicate"))
_supply()
