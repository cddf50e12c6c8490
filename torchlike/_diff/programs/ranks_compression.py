"""Gradients that are sent in fewer bytes: how far is that from exact, and is it what one process would do?

Half precision rounds on each rank, before the sum: near to exact, but another number of ranks gives other numbers. PowerSGD
sends products with thin matrices, which is linear: the ranks' average of them is that of the average. So it is far from
exact, and yet the same on any number of ranks. Error feedback, what was left out added to the next step, is linear, too.
"""
# torchlike diff: ranks 2
# torchlike diff: not one process half.*: each rank rounds its gradients to 11 bits, and so is their sum
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks, powerSGD_hook
from torch.nn.parallel import DistributedDataParallel

STEPS = 20


def network():
    torch.manual_seed(1)
    layers = nn.Sequential(nn.Linear(8, 12, bias=False), nn.Tanh(), nn.Linear(12, 6, bias=False))
    return DistributedDataParallel(layers.double())


def low_rank(feedback):
    return powerSGD_hook.PowerSGDState(None, matrix_approximation_rank=1, start_powerSGD_iter=2, min_compression_rate=1,
                                       use_error_feedback=feedback)


def trained(model, x, y):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.2)
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
    return model


def distance(model, other):
    pairs = zip(model.parameters(), other.parameters(), strict=True)
    return sum((p.detach() - q.detach()).square().sum() for p, q in pairs).sqrt()


dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
torch.manual_seed(0)
x = torch.randn(32, 8, dtype=torch.float64)
y = (x @ torch.randn(8, 6, dtype=torch.float64)).sin()
mine = slice(rank * 32 // size, (rank + 1) * 32 // size)
exact, half, low, feedback = (network() for _ in range(4))
half.register_comm_hook(None, default_hooks.fp16_compress_hook)
low.register_comm_hook(low_rank(False), powerSGD_hook.powerSGD_hook)
feedback.register_comm_hook(low_rank(True), powerSGD_hook.powerSGD_hook)
for model in (exact, half, low, feedback):
    trained(model, x[mine], y[mine])
far = {name: distance(model, exact) for name, model in {"half": half, "low": low, "feedback": feedback}.items()}
print("far from exact:", {name: float(f"{value:.2g}") for name, value in far.items()})
print("half is nearest:", far["half"] == min(far.values()))
print("error feedback is nearer than without:", bool(far["feedback"] < far["low"]))
dist.destroy_process_group()
