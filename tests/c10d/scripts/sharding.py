"""What takes memory on each rank, in bytes: a model of equal blocks, each divided apart. Under torchlike only."""

import gc
import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel, fully_shard
from torch.distributed.fsdp.wrap import ModuleWrapPolicy

from torchlike._record.cell import Storage
from torchlike.distributed.fsdp._whole import Whole

WIDTH, BLOCKS, ROWS, STEPS = 256, 4, 4, 3
dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
torch.manual_seed(0)


def live():
    """The arrays that cells have: what a trace has not computed yet is not among them, what it holds is run before."""
    gc.collect()
    arrays = {id(x.array): x.array.nbytes for x in gc.get_objects() if isinstance(x, Storage) and x.array is not None}
    return sum(arrays.values())


def look(*args):
    """Looks in the last step only: it takes a while."""
    if step == STEPS - 1:
        seen.append(live())


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner, self.outer = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        look()
        x = x + self.outer(torch.tanh(self.inner(x)))
        if x.requires_grad:
            x.register_hook(look)
        return x


seen: list[int] = []
model = nn.Sequential(*(Block() for _ in range(BLOCKS)))
whole = sum(p.numel() * 4 for p in model.parameters())
block = whole // BLOCKS
if sys.argv[1] == "planted":
    Whole.free = lambda self: None  # whole parameters stay
if sys.argv[1] in ("fully_shard", "planted"):
    for part in model:
        fully_shard(part)
    fully_shard(model)
else:
    model = FullyShardedDataParallel(model, auto_wrap_policy=ModuleWrapPolicy({Block}), sync_module_states=True,
                                     use_orig_params=sys.argv[1] == "apart")
parameters = live()
optimizer = torch.optim.Adam(model.parameters())
x = torch.ones(ROWS, WIDTH) * (rank + 1)
for step in range(STEPS):  # noqa: B007 - `look` reads it
    optimizer.zero_grad()
    model(x).square().mean().backward()
    optimizer.step()
    torch.tensor(0.0).item()
sum(p.detach().sum() for p in model.parameters())
dist.barrier()
print("whole", whole, "block", block, "parameters", parameters, "most", max(seen), "after", live())
dist.destroy_process_group()
