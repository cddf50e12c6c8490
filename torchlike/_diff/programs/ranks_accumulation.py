"""Gradients of small batches, on several ranks: where does the division belong?

A mean over all samples is what one process has. DDP divides the sum over ranks by their number. That is right for losses
that are means over equally many samples on each rank, and whose parts are divided by the number of parts. It is wrong for
sums, and for means over unequal numbers of samples: these have to be weighted.
"""
# torchlike diff: ranks 2
# torchlike diff: same total
# torchlike diff: not one process summed.*.grad: DDP divides by the number of ranks what is no mean
# torchlike diff: not one process uneven.*.grad: the mean of means over unequal numbers of samples is not the mean over all
import contextlib

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

PARTS = 3


def network():
    torch.manual_seed(1)
    return DistributedDataParallel(nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 1)).double())


def accumulate(model, x, y, loss, factor):
    """A backward pass for each part; ranks send at the last one only."""
    for i, (inputs, targets) in enumerate(zip(x.chunk(PARTS), y.chunk(PARTS), strict=True)):
        with contextlib.nullcontext() if i == PARTS - 1 else model.no_sync():
            (loss(model(inputs), targets) * factor).backward()


dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
torch.manual_seed(0)
x = torch.randn(48, 4, dtype=torch.float64)
y = x.sin().sum(1, keepdim=True)
mean, add = nn.MSELoss(), nn.MSELoss(reduction="sum")

equal = slice(rank * 48 // size, (rank + 1) * 48 // size)
even, summed = network(), network()
accumulate(even, x[equal], y[equal], mean, 1 / PARTS)
accumulate(summed, x[equal], y[equal], add, 1.0)

some = slice(rank ** 2 * 48 // size ** 2, (rank + 1) ** 2 * 48 // size ** 2)
uneven, weighted = network(), network()
accumulate(uneven, x[some], y[some], mean, 1 / PARTS)
accumulate(weighted, x[some], y[some], add, size / 48)

with torch.no_grad():
    total = add(weighted(x[some]), y[some]) / 48
dist.all_reduce(total)
ratio = summed.module[0].bias.grad / even.module[0].bias.grad
print("a sum is", ratio.mean().item(), "times the mean, not 48 times")
dist.destroy_process_group()
