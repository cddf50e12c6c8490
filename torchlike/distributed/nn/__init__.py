"""`torch.distributed.nn`: collectives that autograd follows. https://pytorch.org/docs/stable/distributed.html

There is never a process group here, so each of them raises PyTorch's ValueError for a missing group.
`functional.py` has the functions, made by `torchlike/distributed/distributed_c10d.py`.

Programs that only import these names, or that call them after asking `is_available`, run unchanged.
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
