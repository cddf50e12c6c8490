"""Sharded training (FSDP2): each rank keeps a part of every parameter, gradient and moment, and gathers a block to run it.

    torchlike run --nproc-per-node 2 fsdp.py        (or torchrun)
"""

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard

dist.init_process_group("gloo")
torch.manual_seed(0)


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        return x + self.down(nn.functional.gelu(self.up(self.norm(x))))


model = nn.Sequential(nn.Linear(8, 32), *[Block(32) for _ in range(3)], nn.Linear(32, 1))
for layer in model:
    if isinstance(layer, Block):
        fully_shard(layer)  # gathered for its own forward and backward pass only
fully_shard(model)
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
mine = sum(p.to_local().numel() for p in model.parameters())
if dist.get_rank() == 0:
    print(f"{mine} of {sum(p.numel() for p in model.parameters())} parameters are here: {type(model[1].up.weight).__name__}")

for step in range(4):
    torch.manual_seed(100 * step + dist.get_rank())  # each rank has its own batch
    x = torch.randn(32, 8)
    loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0).full_tensor()
    optimizer.step()
    average = loss.detach().clone()
    dist.all_reduce(average, dist.ReduceOp.AVG)
    if dist.get_rank() == 0:
        print(f"step {step}: loss {average.item():.4f} norm {norm.item():.2f}")
dist.destroy_process_group()
