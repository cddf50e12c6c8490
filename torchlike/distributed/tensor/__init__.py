"""`torch.distributed.tensor`: tensors whose parts lie on the ranks of a mesh.
https://pytorch.org/docs/stable/distributed.tensor.html

`_dtensor.py` has the class, `_api.py` what makes them. An operator goes to `_dispatch.py`: its rule (`_rules/`) lists how it
can be computed by parts, `_choice.py` chooses among that, `_redistribute.py` moves the operands, and each rank computes with
what it has; the gradient of each follows from the same rule. `parallel/` divides modules. Only programs import this package.
Start with `_dispatch.py`.
"""

from torchlike._api.homes import name_below as _name_below
from torchlike._base.absent_modules import supply as _supply
from torchlike.distributed.tensor._api import distribute_module as distribute_module
from torchlike.distributed.tensor._api import distribute_tensor as distribute_tensor
from torchlike.distributed.tensor._api import empty as empty
from torchlike.distributed.tensor._api import full as full
from torchlike.distributed.tensor._api import linspace as linspace
from torchlike.distributed.tensor._api import logspace as logspace
from torchlike.distributed.tensor._api import ones as ones
from torchlike.distributed.tensor._api import rand as rand
from torchlike.distributed.tensor._api import randn as randn
from torchlike.distributed.tensor._api import zeros as zeros
from torchlike.distributed.tensor._dtensor import DTensor as DTensor
from torchlike.distributed.tensor.placement_types import Partial as Partial
from torchlike.distributed.tensor.placement_types import Placement as Placement
from torchlike.distributed.tensor.placement_types import Replicate as Replicate
from torchlike.distributed.tensor.placement_types import Shard as Shard

_supply()
_name_below(".distributed.tensor")
