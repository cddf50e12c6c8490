"""`torch.distributed.optim`: optimizers of several ranks. https://pytorch.org/docs/stable/distributed.optim.html

`zero_redundancy_optimizer.py` has one whose state lies on the ranks in parts, `post_localSGD_optimizer.py` one that averages
parameters now and then. Those for RPC are names that refuse.

Only programs import this package. Start with `zero_redundancy_optimizer.py`.
"""

from torchlike._api.homes import name_below as _name_below
from torchlike._base import absent as _absent
from torchlike.distributed.optim.post_localSGD_optimizer import PostLocalSGDOptimizer as PostLocalSGDOptimizer
from torchlike.distributed.optim.zero_redundancy_optimizer import ZeroRedundancyOptimizer as ZeroRedundancyOptimizer

DistributedOptimizer, as_functional_optim = (
    _absent.refusing(name, __name__, f"torch.distributed.optim.{name} is not supported: there is no RPC")
    for name in ("DistributedOptimizer", "as_functional_optim"))

_name_below(".distributed.optim")
