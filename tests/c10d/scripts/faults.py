"""One fault, named on the command line; each rank prints the error that it gets, and after how long."""

import datetime
import os
import signal
import sys
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

fault = sys.argv[1]
start = time.monotonic()


def told(error):
    print(f"{time.monotonic() - start:.1f} s: {error}", flush=True)
    sys.exit()


def kill(*_):
    os.kill(os.getpid(), signal.SIGKILL)


class Deadly(torch.autograd.Function):
    """Kills rank 1 in the pass that is named."""

    @staticmethod
    def forward(ctx, x):
        if fault == "killed in forward" and dist.get_rank() == 1 and step == 2:
            kill()
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        if fault == "killed in backward" and dist.get_rank() == 1 and step == 2:
            kill()
        return grad


if fault == "late" and os.environ["RANK"] == "2":
    sys.exit()  # a rank that never comes
if fault == "world size" and os.environ["RANK"] == "1":
    os.environ["WORLD_SIZE"] = "4"
try:
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=6))
except (RuntimeError, ValueError) as error:
    told(error)
rank, size = dist.get_rank(), dist.get_world_size()
dist.all_reduce(torch.ones(2))
start = time.monotonic()
try:
    if fault.startswith("killed in"):
        net = DistributedDataParallel(nn.Linear(2, 2))
        for step in range(4):  # noqa: B007 - Deadly reads it
            Deadly.apply(net(torch.ones(3, 2))).sum().backward()
    if fault == "models":
        DistributedDataParallel(nn.Linear(2, 2 + (rank == 1)))
    if fault == "killed" and rank == size - 1:
        os.kill(os.getpid(), signal.SIGKILL)
    if fault == "first killed" and rank == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    if fault == "stalled" and rank == 1:
        time.sleep(15)
    if fault == "order":
        for step in range(3):
            if rank == 1 and step == 2:
                dist.broadcast(torch.ones(4), 0)
            dist.all_reduce(torch.ones(4))
    if fault == "shapes":
        dist.all_reduce(torch.ones(4 + (rank == 1)))
    if fault == "silent":
        for _ in range(100):
            dist.all_reduce(torch.ones(4), dist.ReduceOp.MAX if rank == 1 else dist.ReduceOp.SUM)
            time.sleep(0.1)
    if fault == "left" and rank == 1:
        dist.destroy_process_group()
        time.sleep(4)
        sys.exit()
    if fault == "raised" and rank == 1:
        raise ValueError("mine")
    for _ in range(3):
        dist.all_reduce(torch.ones(3))
    print("no error", flush=True)
except RuntimeError as error:
    told(error)
