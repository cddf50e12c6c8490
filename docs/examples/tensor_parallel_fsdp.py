"""Two dimensions: layers divided over the ranks of a machine (tensor parallel), parameters sharded over machines (FSDP).

    torchlike run --nproc-per-node 4 tensor_parallel_fsdp.py        (or torchrun)
"""

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

dist.init_process_group("gloo")
torch.manual_seed(0)
mesh = init_device_mesh("cpu", (dist.get_world_size() // 2, 2), mesh_dim_names=("data", "model"))


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        return x + self.down(nn.functional.gelu(self.up(self.norm(x))))


model = nn.Sequential(*[Block(16) for _ in range(2)])
for block in model:
    parallelize_module(block, mesh["model"], {"up": ColwiseParallel(), "down": RowwiseParallel()})
    fully_shard(block, mesh=mesh["data"])
fully_shard(model, mesh=mesh["data"])
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
if dist.get_rank() == 0:
    print(tuple(model[0].up.weight.shape), "of which here", tuple(model[0].up.weight.to_local().shape))

for step in range(4):
    torch.manual_seed(100 * step + mesh.get_local_rank("data"))  # ranks that share a model have the same batch
    x = torch.randn(8, 16)
    loss = (model(x) - x.flip(1)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    average = loss.detach().clone()
    dist.all_reduce(average, dist.ReduceOp.AVG)
    if dist.get_rank() == 0:
        print(f"step {step}: loss {average.item():.4f}")
dist.destroy_process_group()
