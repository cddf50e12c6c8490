"""Buckets of gradients are sent while the backward pass goes on: what has been sent when the first layer's is made."""

import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import allreduce_hook
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
torch.manual_seed(0)
model = nn.Sequential(*[nn.Linear(400, 400) for _ in range(6)])
alone = nn.Sequential(*[nn.Linear(400, 400) for _ in range(6)])
alone.load_state_dict(model.state_dict())
ddp = DistributedDataParallel(model, bucket_cap_mb=0.5)
if len(sys.argv) > 1:
    ddp.register_comm_hook(None, allreduce_hook)
ledger = dist.group.WORLD.ledger
sent = []
model[0].weight.register_hook(lambda grad: sent.append(ledger._last.number - before))
for step in range(12):
    x = torch.randn(2, 4, 400)  # the same on all ranks
    before = ledger._last.number
    ddp(x[dist.get_rank()]).pow(2).mean().backward()
    alone(x).pow(2).mean().backward()
    pairs = zip(model.parameters(), alone.parameters(), strict=True)
    close = all(torch.allclose(p.grad, q.grad, atol=1e-6) for p, q in pairs)
    print(step, sent[-1] >= 3, close)
    for p in (*model.parameters(), *alone.parameters()):
        p.grad = None
dist.destroy_process_group()
