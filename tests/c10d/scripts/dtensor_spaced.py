"""DTensors of linspace and logspace, which PyTorch has since 2.14: how they lie, and the whole."""

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Partial, Replicate, Shard, linspace, logspace

mesh = init_device_mesh("cpu", (dist.get_world_size(),) if dist.is_initialized() else (2,))
for placement in (Replicate(), Shard(0), Partial()):
    x = linspace(0, 1, 5, device_mesh=mesh, placements=[placement], requires_grad=True)
    print(x.shape, x.dtype, x.requires_grad, x.to_local().tolist(), x.full_tensor().tolist(), flush=True)
x = logspace(0, torch.tensor(2.0), 3, dtype=torch.float64, device_mesh=mesh, placements=[Shard(0)])
print(x.to_local().tolist(), x.full_tensor().tolist(), flush=True)
x = logspace(0, 3, 4, 2, device_mesh=mesh)
print(x.placements, x.to_local().tolist(), flush=True)
dist.destroy_process_group()
