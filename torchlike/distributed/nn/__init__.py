"""`torch.distributed.nn`: collectives that autograd follows. https://pytorch.org/docs/stable/distributed.html

`functional.py` has the functions. Each is an `autograd.Function` around a collective of `torch.distributed`, whose backward
pass is the collective that is its transpose; it can be differentiated again.

Start with `functional.py`.
"""

from torchlike.distributed.nn import functional as functional
from torchlike.distributed.nn.functional import all_gather as all_gather
from torchlike.distributed.nn.functional import all_reduce as all_reduce
from torchlike.distributed.nn.functional import all_to_all as all_to_all
from torchlike.distributed.nn.functional import all_to_all_single as all_to_all_single
from torchlike.distributed.nn.functional import broadcast as broadcast
from torchlike.distributed.nn.functional import gather as gather
from torchlike.distributed.nn.functional import reduce as reduce
from torchlike.distributed.nn.functional import reduce_scatter as reduce_scatter
from torchlike.distributed.nn.functional import scatter as scatter
