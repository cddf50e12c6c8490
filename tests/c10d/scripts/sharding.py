"""What takes memory on each rank, in bytes: a model of equal blocks, each divided apart. Under torchlike only."""

import gc
import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel, fully_shard
from torch.distributed.fsdp.wrap import ModuleWrapPolicy

from torchlike._record.cell import Storage

WIDTH, BLOCKS, ROWS = 256, 6, 4
dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
torch.manual_seed(0)


def live():
    """The arrays that cells have: what a trace has not computed yet is not among them, what it holds is run before."""
    gc.collect()
    arrays = {id(x.array): x.array.nbytes for x in gc.get_objects() if isinstance(x, Storage) and x.array is not None}
    return sum(arrays.values())


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner, self.outer = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        seen.append(live())
        x = x + self.outer(torch.tanh(self.inner(x)))
        if x.requires_grad:
            x.register_hook(lambda g: seen.append(live()))
        return x


seen: list[int] = []
model = nn.Sequential(*(Block() for _ in range(BLOCKS)))
whole = sum(p.numel() * 4 for p in model.parameters())
block = whole // BLOCKS
if sys.argv[1] == "fully_shard":
    for part in model:
        fully_shard(part)
    fully_shard(model)
else:
    model = FullyShardedDataParallel(model, auto_wrap_policy=ModuleWrapPolicy({Block}), sync_module_states=True,
                                     use_orig_params=sys.argv[1] == "apart")
parameters = live()
optimizer = torch.optim.Adam(model.parameters())
x = torch.ones(ROWS, WIDTH) * (rank + 1)
for _ in range(3):
    optimizer.zero_grad()
    seen.clear()
    model(x).square().mean().backward()
    optimizer.step()
    torch.tensor(0.0).item()
sum(p.detach().sum() for p in model.parameters())
dist.barrier()
print("whole", whole, "block", block, "parameters", parameters, "most", max(seen), "after", live())
dist.destroy_process_group()
