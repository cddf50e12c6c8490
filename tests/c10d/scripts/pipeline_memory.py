"""How many activations of a stage are in memory at most, by schedule: counted by the arrays themselves. And that the threads
of messages end with the group."""

import gc
import threading
import weakref

import torch
import torch.distributed as dist
from torch.distributed.pipelining import PipelineStage, Schedule1F1B, ScheduleGPipe

dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()


class Part(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second, self.kept, self.most = torch.nn.Linear(3, 5), torch.nn.Linear(5, 3), [], 0

    def forward(self, x):
        hidden = torch.tanh(self.first(x))
        hidden.sum().item()  # it is computed now, and in memory while the backward pass needs it
        self.kept.append(weakref.ref(hidden._cell))
        self.most = max(self.most, sum(ref() is not None for ref in self.kept))
        return self.second(hidden)


gc.disable()  # what keeps nothing alive but a ring would be counted as well
for cls in (ScheduleGPipe, Schedule1F1B):
    part = Part()
    schedule = cls(PipelineStage(part, rank, size, torch.device("cpu")), 8, loss_fn=torch.nn.functional.mse_loss)
    for _ in range(2):
        part.kept.clear()
        schedule.step(*([torch.ones(16, 3)] if rank == 0 else []), target=torch.ones(16, 3) if rank == size - 1 else None)
        left = sum(ref() is not None for ref in part.kept)
    print(cls.__name__, part.most, left, flush=True)
dist.destroy_process_group()
print("threads", sum(thread.name == "torchlike-line" for thread in threading.enumerate()))
