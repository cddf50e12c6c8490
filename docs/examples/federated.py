"""Federated averaging (McMahan et al. 2017): ranks take steps on data of their own, and now and then average their models.

    torchlike run --nproc-per-node 2 federated.py        (or torchrun)
"""

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.utils import parameters_to_vector, vector_to_parameters

dist.init_process_group("gloo")
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))  # the same on all ranks
torch.manual_seed(1 + dist.get_rank())
x = torch.randn(64, 8) + dist.get_rank()  # and each has data that no other sees
y = x.sum(1, keepdim=True).tanh()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

for turn in range(4):
    for _ in range(5):  # local steps: nothing is sent
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    own = parameters_to_vector(model.parameters()).detach()
    average = own.clone()
    dist.all_reduce(average, dist.ReduceOp.AVG)
    vector_to_parameters(average, model.parameters())
    apart = (own - average).norm()
    dist.all_reduce(apart, dist.ReduceOp.MAX)
    if dist.get_rank() == 0:
        print(f"turn {turn}: loss of rank 0 {loss.item():.4f}, a model was {apart.item():.4f} from the average")
dist.destroy_process_group()
