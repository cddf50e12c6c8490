"""Optimizers whose state lies on several ranks, and those that average; each line is compared with PyTorch's."""

import datetime
import warnings

import torch
import torch.distributed as dist
from torch.distributed.algorithms.join import Join
from torch.distributed.algorithms.model_averaging.averagers import PeriodicModelAverager
from torch.distributed.optim import PostLocalSGDOptimizer, ZeroRedundancyOptimizer

warnings.simplefilter("ignore")
dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=60))
rank, size = dist.get_rank(), dist.get_world_size()


def told(name, f):
    try:
        found = f()
    except Exception as error:  # noqa: BLE001 - what it raises is compared
        found = f"{type(error).__name__}: {error}"
    print(name, found, flush=True)


def plain(x):
    if isinstance(x, torch.Tensor):
        return [round(v, 3) for v in x.flatten().tolist()]
    if isinstance(x, dict):
        return {key: plain(value) for key, value in x.items()}
    return [plain(value) for value in x] if isinstance(x, list | tuple) else x


def network():
    net = torch.nn.Sequential(torch.nn.Linear(2, 5), torch.nn.Tanh(), torch.nn.Linear(5, 3), torch.nn.Linear(3, 1))
    with torch.no_grad():
        for i, p in enumerate(net.parameters()):
            p.copy_(torch.arange(float(p.numel())).reshape(p.shape) / 10 - i / 7)
    return net


def step(model, optimizer, number):
    optimizer.zero_grad()
    x = torch.arange(6.0).reshape(3, 2) / 6 + rank + number / 3
    loss = model(x).square().mean()
    loss.backward()
    optimizer.step()
    return round(loss.item(), 3)


for kind, options in ((torch.optim.SGD, {"lr": 0.05, "momentum": 0.9}), (torch.optim.Adam, {"lr": 0.05}),
                      (torch.optim.AdamW, {"lr": 0.05, "weight_decay": 0.1})):
    model = torch.nn.parallel.DistributedDataParallel(network())
    optimizer = ZeroRedundancyOptimizer(model.parameters(), optimizer_class=kind, **options)
    told(f"{kind.__name__} steps", lambda m=model, o=optimizer: [step(m, o, n) for n in range(3)])
    told(f"{kind.__name__} parameters", lambda m=model: plain(list(m.parameters())))
    alone = network()
    wrapped = torch.nn.parallel.DistributedDataParallel(alone)
    other = kind(wrapped.parameters(), **options)
    told("as alone", lambda m=wrapped, o=other: [step(m, o, n) for n in range(3)])
    told("same", lambda m=model, a=alone: all(torch.allclose(p, q) for p, q in zip(m.parameters(), a.parameters(),
                                                                                    strict=True)))
    told("shards", lambda o=optimizer: (len(o.state), [len(g["params"]) for g in o.optim.param_groups]))
    told("not consolidated", lambda o=optimizer: list(o.state_dict()))
    told("consolidate", lambda o=optimizer: o.consolidate_state_dict(to=0))
    told("state", lambda o=optimizer: plain(o.state_dict()) if rank == 0 else None)
    told("no state", lambda o=optimizer: o.state_dict() and 3)
    box = [optimizer.state_dict() if rank == 0 else None]
    dist.broadcast_object_list(box, 0)
    again = ZeroRedundancyOptimizer(model.parameters(), optimizer_class=kind, **options)
    told("load", lambda o=again, saved=box[0]: o.load_state_dict(saved))
    told("goes on", lambda m=model, o=again: (step(m, o, 4), plain(list(m.parameters()))))
    told("rate", lambda o=again: (o.param_groups[0].update(lr=0.5), o.step(), o.optim.param_groups[0]["lr"]))

model = network()
groups = [{"params": [model[0].weight], "lr": 0.5}, {"params": [model[0].bias, model[2].weight]}]
optimizer = ZeroRedundancyOptimizer(groups, optimizer_class=torch.optim.SGD, lr=0.1, parameters_as_bucket_view=True)
told("groups", lambda: [(group["lr"], len(group["params"])) for group in optimizer.param_groups])
optimizer.add_param_group({"params": [model[3].weight, model[3].bias], "lr": 0.7})
told("added", lambda: [(group["lr"], len(group["params"])) for group in optimizer.param_groups])
told("groups here", lambda: [[tuple(p.shape) for p in group["params"]] for group in optimizer.optim.param_groups])
for p in model.parameters():
    p.grad = torch.ones_like(p) * (rank + 1)
told("step", lambda: (optimizer.step(), plain(list(model.parameters()))))
told("closure", lambda: (optimizer.step(lambda: 3.5), plain(list(model.parameters()))))
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.1)
told("scheduler", lambda: (optimizer.step(), scheduler.step(), [round(g["lr"], 4) for g in optimizer.param_groups]))
told("no parameters", lambda: ZeroRedundancyOptimizer([], optimizer_class=torch.optim.SGD, lr=0.1))
told("one tensor", lambda: ZeroRedundancyOptimizer(torch.ones(2), optimizer_class=torch.optim.SGD, lr=0.1))
told("dtypes", lambda: ZeroRedundancyOptimizer([torch.ones(1), torch.ones(1, dtype=torch.float64)],
                                               optimizer_class=torch.optim.SGD, lr=0.1))
told("a number", lambda: ZeroRedundancyOptimizer(3, optimizer_class=torch.optim.SGD, lr=0.1))
told("numbers", lambda: ZeroRedundancyOptimizer([3], optimizer_class=torch.optim.SGD, lr=0.1))
told("no params", lambda: ZeroRedundancyOptimizer([{"lr": 1}], optimizer_class=torch.optim.SGD, lr=0.1))

model = network()
optimizer = PostLocalSGDOptimizer(torch.optim.SGD(model.parameters(), 0.05, momentum=0.9),
                                  PeriodicModelAverager(period=2, warmup_steps=1))
for number in range(4):
    told("local", lambda number=number: step(model, optimizer, number))
    told("averaged", lambda: plain(list(model.parameters())))
told("counter", lambda: (optimizer.state_dict()["step"], list(optimizer.state_dict()), len(optimizer.state)))
told("text", lambda: repr(optimizer))
saved = optimizer.state_dict()
other = PostLocalSGDOptimizer(torch.optim.SGD(model.parameters(), 0.05, momentum=0.9), PeriodicModelAverager(period=2))
told("loaded", lambda: (other.load_state_dict(saved), other.averager.step))
del saved["step"]
told("no counter", lambda: (other.load_state_dict(saved), other.averager.step))
model = torch.nn.parallel.DistributedDataParallel(network())
optimizer = ZeroRedundancyOptimizer(model.parameters(), optimizer_class=torch.optim.SGD, lr=0.1, momentum=0.5)
with Join([model, optimizer]):  # the last: PyTorch's changes how warnings are shown
    told("joined", lambda: [step(model, optimizer, number) for number in range(2 + rank)])
told("after", lambda: plain(list(model.parameters())))
dist.destroy_process_group()
