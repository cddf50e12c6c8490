"""Communication hooks, uneven inputs and averages of parameters; what each rank prints is compared with PyTorch's."""

import warnings

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks import (
    DDPCommHookType,
    default_hooks,
    post_localSGD_hook,
    powerSGD_hook,
    register_ddp_comm_hook,
)
from torch.distributed.algorithms.join import Join
from torch.distributed.algorithms.model_averaging.averagers import PeriodicModelAverager
from torch.nn.parallel import DistributedDataParallel

warnings.simplefilter("ignore")
dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()


def told(name, f):
    try:
        found = f()
    except Exception as error:  # noqa: BLE001 - what it raises is compared
        found = f"{type(error).__name__}: {error}"
    print(name, found, flush=True)


def numbers(*shape, dtype=torch.float64):
    count = 1
    for n in shape:
        count *= n
    values = torch.arange(count) * 7 % 11 + rank * 3
    return (values.reshape(shape).to(dtype) - 5) / 4


def text(values):
    return [[f"{x:.5f}" for x in (v.detach().double() + 1e-9).reshape(-1).tolist()[:6]] for v in values]


def model(dtype=torch.float64, *layers):
    torch.manual_seed(rank)
    return nn.Sequential(nn.Linear(8, 12), nn.Tanh(), nn.Linear(12, 6), *layers).to(dtype)


def trained(net, steps, count=None):
    sgd = torch.optim.SGD(net.parameters(), 0.1)
    for _ in range(steps if count is None else count):
        sgd.zero_grad()
        net(numbers(4, 8, dtype=next(net.parameters()).dtype)).square().mean().backward()
        sgd.step()
    return text(net.state_dict().values())


for name in ("allreduce_hook", "fp16_compress_hook"):
    net = DistributedDataParallel(model(torch.float32))
    net.register_comm_hook(None, getattr(default_hooks, name))
    told(name, lambda net=net: [[f"{float(x):.3f}" for x in v] for v in trained(net, 3)])
net = DistributedDataParallel(model())
net.register_comm_hook(None, default_hooks.fp16_compress_wrapper(default_hooks.allreduce_hook))
told("wrapper", lambda: [[f"{float(x):.3f}" for x in v] for v in trained(net, 3)])
net = DistributedDataParallel(model())
register_ddp_comm_hook(DDPCommHookType.ALLREDUCE, net)
told("by type", lambda: trained(net, 3))
for rank_ in (1, 2):
    for feedback in (True, False):
        net = DistributedDataParallel(model())
        state = powerSGD_hook.PowerSGDState(None, matrix_approximation_rank=rank_, start_powerSGD_iter=2,
                                            min_compression_rate=1, use_error_feedback=feedback)
        net.register_comm_hook(state, powerSGD_hook.powerSGD_hook)
        told(f"power {rank_} {feedback}", lambda net=net: trained(net, 6))
        told("sent", lambda state=state: state.compression_stats())
for averages in (True, False):
    net = DistributedDataParallel(model())
    state = post_localSGD_hook.PostLocalSGDState(None, dist.new_group([rank], use_local_synchronization=True), 1, averages)
    net.register_comm_hook(state, post_localSGD_hook.post_localSGD_hook)
    told(f"local {averages}", lambda net=net: trained(net, 3))
net = DistributedDataParallel(model())
register_ddp_comm_hook(DDPCommHookType.NOOP, net)
told("nothing sent", lambda: trained(net, 3))
told("early", lambda: powerSGD_hook.PowerSGDState(None, start_powerSGD_iter=1))

for options in ({}, {"divide_by_initial_world_size": False}):
    net = DistributedDataParallel(model(torch.float64, nn.BatchNorm1d(6)))
    with net.join(**options):
        trained(net, 0, 2 + 2 * rank)
    told(f"join {options}", lambda net=net: text(net.state_dict().values()))
net = DistributedDataParallel(model(), find_unused_parameters=True)
with Join([net]):
    trained(net, 0, 3 - rank % 2)
told("join unused", lambda: text(net.state_dict().values()))


def thrown():
    net = DistributedDataParallel(model())
    with net.join(throw_on_early_termination=True):
        trained(net, 0, 1 + rank)


told("early end", thrown)
told("no joinables", lambda: Join([]))
torch.manual_seed(rank)
net = nn.Linear(3, 2).double()
averager, sgd = PeriodicModelAverager(period=2, warmup_steps=1), torch.optim.SGD(net.parameters(), 0.1)
for _ in range(4):
    sgd.zero_grad()
    net(numbers(4, 3)).square().mean().backward()
    sgd.step()
    averager.average_parameters(net.parameters())
told("averaged", lambda: text(net.parameters()))
told("no period", lambda: PeriodicModelAverager(0))
dist.destroy_process_group()
