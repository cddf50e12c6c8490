"""`torch.nn.parallel`: one device and one process.
https://pytorch.org/docs/stable/nn.html#dataparallel-layers-multi-gpu-distributed

`data_parallel.py` has `DataParallel`, which works for one GPU; `distributed.py` has what needs a process group, and
refuses. `scatter_gather.py`, `replicate.py` and `parallel_apply.py` have the steps of a `DataParallel` as functions.

Start with `data_parallel.py`.
"""

from torchlike.nn.parallel.data_parallel import DataParallel as DataParallel
from torchlike.nn.parallel.data_parallel import data_parallel as data_parallel
from torchlike.nn.parallel.distributed import DistributedDataParallel as DistributedDataParallel
from torchlike.nn.parallel.parallel_apply import parallel_apply as parallel_apply
from torchlike.nn.parallel.replicate import replicate as replicate
from torchlike.nn.parallel.scatter_gather import gather as gather
from torchlike.nn.parallel.scatter_gather import scatter as scatter
