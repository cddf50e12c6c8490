"""A second default group in one process, by the store of the first, which rank 0 leaves last and then lets go of."""

import gc
import time

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Shard, distribute_tensor

for turn in range(2):
    dist.init_process_group("gloo")
    x = torch.full((2,), dist.get_rank() + 1.0 + turn)
    dist.all_reduce(x)
    rows = distribute_tensor(torch.ones(3, 2), init_device_mesh("cpu", (2,)), [Shard(0)])  # nothing is kept of old groups
    print(x.tolist(), dist.get_pg_count(), (rows @ rows.t()).full_tensor().sum().item())
    is_late = dist.get_rank() == turn == 0
    time.sleep(0.5 * is_late)
    dist.destroy_process_group()
    del x, rows
    gc.collect()
    time.sleep(0.5 * is_late)
