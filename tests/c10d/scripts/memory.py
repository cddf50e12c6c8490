"""A thousand steps: how many MB each rank has more after the last 800 of them, and whether the ranks still agree."""

import resource

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 2**20


dist.init_process_group("gloo")
net = DistributedDataParallel(nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10)))
adam = torch.optim.Adam(net.parameters())
x, y = torch.randn(16, 64), torch.randint(0, 10, (16,))
early = 0.0
for step in range(1000):
    adam.zero_grad()
    loss = nn.functional.cross_entropy(net(x), y)
    loss.backward()
    adam.step()
    if step % 50 == 0:
        dist.all_reduce(loss.detach())
        dist.all_gather_object([None] * dist.get_world_size(), step)
    if step == 200:
        early = resident()
total = sum(p.double().sum() for p in net.parameters()).reshape(1)
both = [torch.zeros(1, dtype=torch.float64) for _ in range(dist.get_world_size())]
dist.all_gather(both, total)
print("agree", all(torch.equal(one, both[0]) for one in both), "more", round(resident() - early, 1))
dist.destroy_process_group()
