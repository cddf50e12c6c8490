"""`torch.distributed.tensor.experimental`: functions of parts, and tensors beside DTensors.
https://pytorch.org/docs/stable/distributed.tensor.html#experimental-features

All of it is in `functions.py`; what is not there refuses by its name.

Only programs import this package.
"""

import functools as _functools

from torchlike._api.homes import name_below as _name_below
from torchlike._base import absent as _absent
from torchlike._base.absent_modules import supply as _supply
from torchlike._base.errors import UnsupportedError as _UnsupportedError
from torchlike.distributed.tensor.experimental.functions import implicit_replication as implicit_replication
from torchlike.distributed.tensor.experimental.functions import local_map as local_map

_fails = _functools.partial(_absent.failing, module=__name__, error=_UnsupportedError)

_OF = "torch.distributed.tensor.experimental"

context_parallel = _fails("context_parallel", text=f"{_OF}.context_parallel is not supported: attention is computed of "
                                                   "whole sequences")
register_sharding = _fails("register_sharding", text=f"{_OF}.register_sharding is not supported: operators without a rule "
                                                     "are computed of the whole")
_supply()
_name_below(".distributed.tensor.experimental")
