"""Sparse gradients of embeddings, averaged; what each rank prints is compared with PyTorch's."""

import contextlib
import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()


class Net(nn.Module):
    def __init__(self, is_sparse=True):
        super().__init__()
        self.words = nn.Embedding(6, 2, sparse=is_sparse)
        self.bags = nn.EmbeddingBag(5, 2, sparse=is_sparse, mode="sum")
        self.last = nn.Linear(2, 1)

    def forward(self, words, bags):
        found = self.words(words).sum(1)
        return self.last(found if bags is None else found + self.bags(bags))


def told(name, step, p):
    grad = p.grad
    if grad is None:
        print(name, step, None)
        return
    values = [round(v, 9) for v in grad._values().flatten().tolist()]
    print(name, step, grad.layout, grad.is_coalesced(), grad._indices().tolist(), values)


def run(name, accumulates=False, uneven=False):
    torch.manual_seed(0)
    net = DistributedDataParallel(Net().double())
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    with net.join() if uneven else contextlib.nullcontext():
        for step in range(2 + uneven * rank):
            words = torch.tensor([[0, 1 + rank, 1 + rank], [3, 0, rank]])
            bags = torch.tensor([[0, rank], [step, 3]])
            with net.no_sync() if accumulates and step == 0 else contextlib.nullcontext():
                net(words, bags).pow(2).mean().backward()
            told(f"{name} words", step, net.module.words.weight)
            told(f"{name} bags", step, net.module.bags.weight)
            if not (accumulates and step == 0):
                optimizer.step()
                optimizer.zero_grad()
    print(name, [round(p.detach().sum().item(), 9) for p in net.parameters()])


def used_by_one(is_sparse):  # which PyTorch refuses of sparse ones
    torch.manual_seed(0)
    net = DistributedDataParallel(Net(is_sparse).double(), find_unused_parameters=True)
    net(torch.tensor([[0, 2]]), None if rank else torch.tensor([[1, 4]])).sum().backward()
    return net.module.bags.weight.grad


if "unused" in sys.argv:
    print(torch.equal(used_by_one(True).to_dense(), used_by_one(False)))
    sys.exit()
run("all")
run("accumulated", accumulates=True)
run("uneven", uneven=True)
dist.destroy_process_group()
