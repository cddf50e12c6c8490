"""Checkpoints of several ranks under torchlike alone: the folder and what is done are arguments."""

import datetime
import os
import signal
import sys
import time

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint import FileSystemWriter

folder, action = sys.argv[1:]
dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=20))
rank, size = dist.get_rank(), dist.get_world_size()


def state_of(step):
    return {"same": torch.full((5000,), float(step)), "step": step, "rank": rank,
            f"own{rank}": torch.full((3,), float(rank))}


class Dying(FileSystemWriter):
    """Ends its process on the last rank, before or after it has written."""

    def write(self, folder, place, arrays):
        if action.endswith("after"):
            super().write(folder, place, arrays)
        if place == size - 1:
            os.kill(os.getpid(), signal.SIGKILL)
        if not action.endswith("after"):
            super().write(folder, place, arrays)


class Failing(FileSystemWriter):
    """Cannot write on the last rank."""

    def write(self, folder, place, arrays):
        if place == size - 1:
            raise OSError("no space")
        super().write(folder, place, arrays)


def attempt(save, *args, **kwargs):
    start = time.monotonic()
    try:
        future = save(*args, **kwargs)
        if future is not None:
            if action.startswith("async"):
                dist.all_reduce(torch.ones(1))  # by it the others learn that one has ended
            future.result()
        print("saved", flush=True)
    except (dcp.CheckpointException, RuntimeError) as error:
        failures = error.failures if isinstance(error, dcp.CheckpointException) else {rank: error}
        print("failed", sorted(failures), round(time.monotonic() - start) < 15, next(iter(failures.values())), flush=True)


if action == "write":
    dcp.save(state_of(1), checkpoint_id=folder)
if action == "read":
    state = {"same": torch.zeros(5000), "step": None, "rank": None, "own1": torch.zeros(3)}
    dcp.load(state, checkpoint_id=folder)
    print(state["same"].unique().tolist(), state["step"], state["rank"], state["own1"].tolist(), flush=True)
if action in ("killed after", "failing", "async killed"):
    dcp.save(state_of(1), checkpoint_id=folder)
    kind = Failing if action == "failing" else Dying
    attempt(dcp.async_save if action.startswith("async") else dcp.save, state_of(2), storage_writer=kind(folder))
if action == "failing":
    attempt(dcp.save, {"x": torch.zeros(3 if rank == 2 else 2)}, checkpoint_id=folder)
if action == "overlap":
    big = {f"x{i}": torch.full((1_000_000,), float(i)) for i in range(8)}
    futures, steps = [dcp.async_save(big, checkpoint_id=f"{folder}/{n}") for n in range(3)], 0
    more = torch.ones(1)
    while more.item():  # all ranks stop together
        more = torch.tensor([0.0 if futures[-1].done() else 1.0])
        dist.all_reduce(more, dist.ReduceOp.MAX)
        steps += 1
    for n, future in enumerate(futures):
        future.result()
        state = {"x7": torch.zeros(1_000_000)}
        dcp.load(state, checkpoint_id=f"{folder}/{n}")
        print(n, state["x7"].mean().item(), flush=True)
    print("steps", steps > 1, flush=True)
if "kill" in action:
    os._exit(0)  # there is nobody to take leave of
dist.destroy_process_group()
