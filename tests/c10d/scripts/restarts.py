"""Trains with dropout and saves every fourth step; in its first life rank 1 kills itself at the step that is an argument."""

import os
import pathlib
import signal
import sys

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
from torch.nn.parallel import DistributedDataParallel

folder, last, left_out = pathlib.Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
torch.manual_seed(rank)  # other samples and masks on each rank
layers = torch.nn.Sequential(torch.nn.Linear(4, 64), torch.nn.Dropout(0.2), torch.nn.Linear(64, 1))
model = DistributedDataParallel(layers)
optimizer = torch.optim.Adam(model.parameters(), lr=0.05)


def state(step):
    of_model, of_optimizer = get_state_dict(model, optimizer)
    found = {"model": of_model, "optimizer": of_optimizer, "step": step, f"generator {rank}": torch.get_rng_state()}
    return {name: value for name, value in found.items() if name.split()[0] not in left_out}


first = 0
if (folder / ".metadata").exists():
    saved = state(0)
    dcp.load(saved, checkpoint_id=folder)
    set_state_dict(model, optimizer, model_state_dict=saved["model"], optim_state_dict=saved["optimizer"])
    torch.set_rng_state(saved.get(f"generator {rank}", torch.get_rng_state()))
    first = saved["step"] + 1
for step in range(first, 12):
    x = torch.randn(32, 4)
    optimizer.zero_grad()
    loss = (model(x) - x.sum(1, keepdim=True)).square().mean()
    loss.backward()
    optimizer.step()
    total = loss.detach()
    dist.all_reduce(total)
    if rank == 0:
        print(step, (total / size).item().hex(), flush=True)
    if step % 4 == 3:
        dcp.save(state(step), checkpoint_id=folder)
    if rank == 1 and step == last and os.environ["TORCHELASTIC_RESTART_COUNT"] == "0":
        os.kill(os.getpid(), signal.SIGKILL)
dist.destroy_process_group()
