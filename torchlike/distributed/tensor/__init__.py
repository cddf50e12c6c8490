"""`torch.distributed.tensor`: https://pytorch.org/docs/stable/distributed.tensor.html

Names for annotations and ``isinstance``: no tensor is a DTensor, and what makes one refuses when it is called. How a
tensor would lie on a mesh can be said (`placement_types.py`). To spread arrays over devices use `jax.sharding`.

Only programs import this package, and this file is all of it but the placements.
"""

import functools as _functools

from torchlike._base import absent as _absent
from torchlike._base.absent_modules import supply as _supply
from torchlike._base.errors import UnsupportedError as _UnsupportedError
from torchlike.distributed.tensor.placement_types import Partial as Partial
from torchlike.distributed.tensor.placement_types import Placement as Placement
from torchlike.distributed.tensor.placement_types import Replicate as Replicate
from torchlike.distributed.tensor.placement_types import Shard as Shard

_REASON = "torch.distributed.tensor is not supported: tensors are not spread over processes; see jax.sharding"
_fails = _functools.partial(_absent.failing, module=__name__, error=_UnsupportedError, text=_REASON)

DTensor = _absent.uninstantiable("DTensor", __name__, _UnsupportedError, _REASON, methods=("from_local",))
distribute_module = _fails("distribute_module")
distribute_tensor = _fails("distribute_tensor")
empty = _fails("empty")
full = _fails("full")
ones = _fails("ones")
rand = _fails("rand")
randn = _fails("randn")
zeros = _fails("zeros")

_supply()
