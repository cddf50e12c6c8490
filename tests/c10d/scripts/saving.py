"""Checkpoints written and read by several ranks; what each prints is compared with PyTorch's. The folder is an argument."""

import datetime
import sys
import warnings

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp

warnings.simplefilter("ignore")
folder = f"{sys.argv[1]}/{'ours' if 'like' in torch.__file__ else 'theirs'}"
dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=60))
rank, size = dist.get_rank(), dist.get_world_size()
apart = dist.new_group()  # PyTorch saves in the background by a group that nobody else uses


def told(name, f):
    try:
        found = f()
    except dcp.CheckpointException as error:
        causes = {place: each[0] if isinstance(each, tuple) else each for place, each in error.failures.items()}
        found = {place: f"{type(each).__name__}: {each}" for place, each in sorted(causes.items())}
    except Exception as error:  # noqa: BLE001 - what it raises is compared
        found = f"{type(error).__name__}: {error}"
    print(name, found, flush=True)


def saved(state, **how):
    dcp.save(state, **how)


def loaded(state, **how):
    dcp.load(state, **how)
    return {key: value.tolist() if isinstance(value, torch.Tensor) else value for key, value in state.items()}


state = {"same": torch.arange(4.0), "value": 7, "list": [3, "x"], "nested": {"half": torch.ones(2, dtype=torch.bfloat16)},
         f"own{rank}": torch.full((3,), float(rank)), f"object{rank}": {"a": rank}}
told("save", lambda: saved(state, checkpoint_id=f"{folder}/a"))
told("load", lambda: loaded({"same": torch.zeros(4), "value": None, "list": None}, checkpoint_id=f"{folder}/a"))
told("others", lambda: loaded({f"own{(rank + 1) % size}": torch.zeros(3), f"object{(rank + 1) % size}": {"a": None}},
                              checkpoint_id=f"{folder}/a"))
told("missing", lambda: loaded({"nothing": torch.zeros(2)}, checkpoint_id=f"{folder}/a"))
told("missing on one", lambda: loaded({"nothing" if rank == 1 else "same": torch.zeros(4)}, checkpoint_id=f"{folder}/a"))
told("sizes", lambda: loaded({"same": torch.zeros(3 if rank == 0 else 4)}, checkpoint_id=f"{folder}/a"))
told("no id", lambda: saved(state))
if rank == 0:
    told("alone", lambda: saved({"x": torch.ones(2)}, checkpoint_id=f"{folder}/b", no_dist=True))
    told("alone read", lambda: loaded({"x": torch.zeros(2)}, checkpoint_id=f"{folder}/b", no_dist=True))
dist.barrier()
pair = dist.new_group([0, 1])
if rank < 2:
    told("group", lambda: saved({"x": torch.ones(2)}, checkpoint_id=f"{folder}/c", process_group=pair))
    told("group read", lambda: loaded({"x": torch.zeros(2)}, checkpoint_id=f"{folder}/c", process_group=pair))
for step in range(2):
    x = torch.full((1000,), float(step))
    future = dcp.async_save({"x": x, "step": step}, checkpoint_id=f"{folder}/d{step}", process_group=apart)
    x.zero_()
    y = torch.full((2,), 1.0)
    told("meanwhile", lambda y=y: (dist.all_reduce(y), y.tolist()))
    told("async", lambda future=future: future.result() and None)
    told("async read", lambda step=step: sum(loaded({"x": torch.zeros(1000)}, checkpoint_id=f"{folder}/d{step}")["x"]))
torch.manual_seed(0)
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 2))
optimizer = torch.optim.Adam(model.parameters(), 0.1)
model(torch.full((1, 2), rank + 1.0)).sum().backward()
optimizer.step()


class App:
    def __init__(self, module, optimizer):
        self.module, self.optimizer = module, optimizer

    def state_dict(self):
        return {"model": self.module.module.state_dict(), "optimizer": self.optimizer.state_dict(), "epoch": 3}

    def load_state_dict(self, state):
        self.module.module.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        print("app", state["epoch"], flush=True)


told("app save", lambda: saved({"app": App(model, optimizer)}, checkpoint_id=f"{folder}/e"))
before = [p.tolist() for p in model.parameters()]
with torch.no_grad():
    for p in model.parameters():
        p.zero_()
told("app load", lambda: dcp.load({"app": App(model, optimizer)}, checkpoint_id=f"{folder}/e"))
told("app", lambda: [p.tolist() for p in model.parameters()] == before)
dist.destroy_process_group()
