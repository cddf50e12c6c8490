"""Ranks that take steps of their own and average parameters now and then: is that training on all samples?

After every step it is, with plain gradient descent: an average of steps is a step with the averaged gradient. After several
steps it is not: from the second on each rank's gradient is one at its own parameters. The averages are the same on all
ranks, but other than what one process has, the more so the more the ranks' samples differ.
"""
# torchlike diff: ranks 2
# torchlike diff: by rank often.*.grad, seldom.*.grad: gradients stay on their ranks
# torchlike diff: not one process seldom.*: local steps are taken at each rank's own parameters
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.algorithms.model_averaging.averagers import PeriodicModelAverager
from torch.nn.parallel import DistributedDataParallel

STEPS = 12


def network():
    torch.manual_seed(1)
    return nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 1)).double()


def trained(model, x, y, averager=None):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(STEPS):
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
        if averager is not None:
            averager.average_parameters(model.parameters())
    return model


def drift(model):
    pairs = zip(model.parameters(), synced.module.parameters(), strict=True)
    return max((p.detach() - q.detach()).abs().max().item() for p, q in pairs)


dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
torch.manual_seed(0)
x = torch.randn(40, 4, dtype=torch.float64)
x = x[x[:, 0].argsort()]  # each rank has another part of the space
y = x.sin().sum(1, keepdim=True)
mine = slice(rank * 40 // size, (rank + 1) * 40 // size)
synced = trained(DistributedDataParallel(network()), x[mine], y[mine])
often = trained(network(), x[mine], y[mine], PeriodicModelAverager(1))
seldom = trained(network(), x[mine], y[mine], PeriodicModelAverager(4, warmup_steps=3))
print("averages after every step are DDP:", drift(often) < 1e-12)
print(f"after every fourth they are off by {drift(seldom):.2g}")
dist.destroy_process_group()
