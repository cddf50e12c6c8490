"""Data-parallel training: each rank has a part of every batch, and DistributedDataParallel averages the gradients.

    torchlike run --nproc-per-node 2 ddp.py        (or torchrun)
"""

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

dist.init_process_group("gloo")
torch.manual_seed(0)
x = torch.randn(256, 8)
data = TensorDataset(x, (x.sum(1, keepdim=True) > 0).float())
sampler = DistributedSampler(data, seed=0)
model = DistributedDataParallel(nn.Sequential(nn.Linear(8, 32), nn.GELU(), nn.Linear(32, 1)))
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)

for epoch in range(3):
    sampler.set_epoch(epoch)  # another order, the same on all ranks
    total = torch.zeros(())
    for inputs, labels in DataLoader(data, batch_size=64 // dist.get_world_size(), sampler=sampler):
        loss = nn.functional.binary_cross_entropy_with_logits(model(inputs), labels)
        optimizer.zero_grad()
        loss.backward()  # the gradients are those of the whole batch now
        optimizer.step()
        total += loss.detach()
    dist.all_reduce(total, dist.ReduceOp.AVG)
    if dist.get_rank() == 0:
        print(f"epoch {epoch}: loss {total.item() / 4:.4f}")
dist.destroy_process_group()
