"""`torch.nn.parallel`: one device and one process.
https://pytorch.org/docs/stable/nn.html#dataparallel-layers-multi-gpu-distributed

`data_parallel.py` has `DataParallel`, which works for one GPU; `distributed.py` has what needs a process group, and
refuses. Functions that spread tensors over devices are names of `_base/absent_modules.py`; `jax.sharding` does such things.

Start with `data_parallel.py`.
"""

from torchlike.nn.parallel.data_parallel import DataParallel as DataParallel
from torchlike.nn.parallel.data_parallel import data_parallel as data_parallel
from torchlike.nn.parallel.distributed import DistributedDataParallel as DistributedDataParallel
