"""Gradients that are sent while the backward pass goes on, from hooks: is it what DDP does?

A hook behind a parameter's accumulation starts its all-reduce, and the program waits when `backward()` has returned. That
gives DDP's gradients, as long as there is one backward pass a step. With two, what has been added up over the ranks is added
up once more: the first batch counts as often as there are ranks. An average may be averaged again, a sum not summed again.
"""
# torchlike diff: ranks 2
# torchlike diff: not one process resummed.*: the sums of the first batch are summed again with those of the second
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def network():
    torch.manual_seed(1)
    return nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 1)).double()


def send_early(model, works):
    for parameter in model.parameters():
        parameter.register_post_accumulate_grad_hook(
            lambda p: works.append(dist.all_reduce(p.grad, async_op=True)))


def finish(works):
    while works:
        works.pop().wait()


dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
torch.manual_seed(0)
x = torch.randn(3, 2, 24, 4, dtype=torch.float64)  # steps, batches of a step, samples
y = x.sin().sum(-1, keepdim=True)
mine = slice(rank * 24 // size, (rank + 1) * 24 // size)
by_hand, averaged, resummed, parallel = network(), network(), network(), DistributedDataParallel(network())
works = []
for model in (by_hand, averaged, resummed):
    send_early(model, works)
losses = []
for step in range(3):
    for model in (by_hand, averaged, resummed, parallel):
        model.zero_grad()
    for batch in range(2):
        inputs, targets = x[step, batch, mine], y[step, batch, mine]
        (nn.functional.mse_loss(averaged(inputs), targets) / 2).backward()
        finish(works)
        for p in averaged.parameters():
            p.grad /= size
        (nn.functional.mse_loss(resummed(inputs), targets) / 2).backward()
        finish(works)
    inputs, targets = x[step, :, mine].flatten(0, 1), y[step, :, mine].flatten(0, 1)
    loss = nn.functional.mse_loss(parallel(inputs), targets)
    loss.backward()
    nn.functional.mse_loss(by_hand(inputs), targets).backward()
    finish(works)
    with torch.no_grad():
        for model in (by_hand, resummed):
            for p in model.parameters():
                p.grad /= size
        for model in (by_hand, averaged, resummed, parallel):
            for p in model.parameters():
                p -= 0.1 * p.grad
    losses.append(loss.item())
pairs = list(zip(by_hand.parameters(), parallel.parameters(), strict=True))
print("by hand as DDP:", all(torch.allclose(p, q, rtol=1e-12) for p, q in pairs))
dist.destroy_process_group()
