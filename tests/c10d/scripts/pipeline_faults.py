"""A stage that fails in the middle of a step, as the command line says; each rank prints its error, and after how long."""

import datetime
import os
import signal
import sys
import time

import torch
import torch.distributed as dist
from torch.distributed.pipelining import PipelineStage, Schedule1F1B

fault = sys.argv[1]
dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=20))
rank, size = dist.get_rank(), dist.get_world_size()


class Part(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.calls = torch.nn.Linear(3, 3), 0

    def forward(self, x):
        self.calls += 1
        if rank == 1 and self.calls == 3:
            if fault == "raises":
                raise ValueError("no such batch")
            if fault == "is killed":
                os.kill(os.getpid(), signal.SIGKILL)
            if fault == "another shape":
                x = x[:1]
            if fault == "another dtype":
                x = self.layer.double()(x.double())
                return x
        return self.layer(x)


def loss(output, target):
    if fault == "loss" and rank == size - 1 and part.calls == 2:
        raise ZeroDivisionError("no loss")
    return (output - target).square().mean()


part = Part()
schedule = Schedule1F1B(PipelineStage(part, rank, size, torch.device("cpu")), 6, loss_fn=loss)
start = time.monotonic()
try:
    if rank == 0:
        schedule.step(torch.ones(12, 3))
    elif rank == size - 1:
        schedule.step(target=torch.ones(12, 3))
    else:
        schedule.step()
except RuntimeError as error:
    print(f"{time.monotonic() - start:.1f} s: {error}", flush=True)
    time.sleep(3)  # others get their error from the ledger, not by the end of this process
except ZeroDivisionError as error:
    print(f"{time.monotonic() - start:.1f} s: here {error}", flush=True)
    time.sleep(3)
