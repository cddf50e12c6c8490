"""FSDP, of both kinds, with copies of the parts, on a mesh of 2 x 2; each line is compared with PyTorch's."""

import warnings

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FullyShardedDataParallel, ShardingStrategy, fully_shard
from torch.distributed.fsdp.wrap import ModuleWrapPolicy
from torch.utils.checkpoint import checkpoint

warnings.simplefilter("ignore")
dist.init_process_group("gloo")
rank = dist.get_rank()


def told(name, f):
    try:
        found = f()
    except Exception as error:  # noqa: BLE001 - what it raises is compared
        found = f"{type(error).__name__}: {error}"
    print(name, found, flush=True)


def parts(tensors):
    return [None if x is None else ([str(p) for p in x.placements], tuple(x.to_local().shape), [
        f"{v:.7f}" for v in (x.to_local().double() + 1e-12).flatten().tolist()[:4]]) for x in tensors]


def network(**how):
    model = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 3)).double()
    with torch.no_grad():
        for i, p in enumerate(model.parameters()):
            p.copy_(((torch.arange(p.numel()) * 7 + i) % 11 - 5).reshape(p.shape) / 9)
    fully_shard(model[0], **how)
    return fully_shard(model, **how)


def backward(model, i=0):
    loss = model(((torch.arange(6).reshape(2, 3) * 5 + rank * 3 + i) % 7).double() / 4 - 0.6).square().mean()
    loss.backward()
    return f"{loss.item():.8f}"


def trained(model):
    optimizer = torch.optim.Adam(model.parameters(), 0.05)
    losses = []
    for i in range(5):
        optimizer.zero_grad()
        losses.append(backward(model, i))
        optimizer.step()
    return losses, parts([p.grad for p in model.parameters()]), list(model.state_dict()), parts(model.state_dict().values())


mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("copies", "parts"))
told("without names", lambda: network(mesh=init_device_mesh("cpu", (2, 2))))
told("three", lambda: network(mesh=init_device_mesh("cpu", (2, 2, 1), mesh_dim_names=("a", "b", "c"))))
told("hybrid", lambda: trained(network(mesh=mesh)))
told("all four", lambda: trained(network()))
told("two", lambda: trained(network(mesh=mesh["parts"])))
model = network(mesh=mesh)
model.set_requires_all_reduce(False)
told("here only", lambda: (backward(model), parts([p.grad for p in model.parameters()])))
model.set_requires_all_reduce(True)
told("all", lambda: (backward(model, 1), parts([p.grad for p in model.parameters()])))


class Older(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = nn.Linear(3, 5), nn.Linear(5, 3)

    def forward(self, x):
        return self.two(checkpoint(self.one, x, use_reentrant=False).tanh())


def older(**how):
    model = Older().double()
    with torch.no_grad():
        for i, p in enumerate(model.parameters()):
            p.copy_(((torch.arange(p.numel()) * 7 + i) % 11 - 5).reshape(p.shape) / 9)
    return FullyShardedDataParallel(model, auto_wrap_policy=ModuleWrapPolicy({nn.Linear}), **{
        "device_id": torch.device("cpu"), **how})


def trained_older(model):
    optimizer = torch.optim.Adam(model.parameters(), 0.05)
    losses = []
    for i in range(5):
        optimizer.zero_grad()
        losses.append(backward(model, i))
        optimizer.step()
    return losses, [(name, tuple(p.shape), [f"{v:.7f}" for v in (p + 1e-12).flatten().tolist()[:4]])
                    for name, p in model.state_dict().items()], [tuple(p.shape) for p in model.parameters()]


for strategy in (ShardingStrategy.HYBRID_SHARD, ShardingStrategy._HYBRID_SHARD_ZERO2):
    for apart in (False, True):
        told(f"{strategy} {apart}", lambda s=strategy, a=apart: trained_older(older(
            sharding_strategy=s, device_mesh=mesh, use_orig_params=a)))
groups = [dist.new_group(ranks) for ranks in ([0, 1], [2, 3], [0, 2], [1, 3])]
mine = groups[dist.get_rank() // 2], groups[2 + dist.get_rank() % 2]
told("groups", lambda: trained_older(older(sharding_strategy=ShardingStrategy.HYBRID_SHARD, process_group=mine)))
told("a number", lambda: older(sharding_strategy=ShardingStrategy.HYBRID_SHARD, process_group=3))
told("three dimensions", lambda: older(sharding_strategy=ShardingStrategy.HYBRID_SHARD, device_mesh=mesh["parts"]))
told("mesh", lambda: trained_older(older(device_mesh=mesh["parts"])))
told("all", lambda: trained_older(older()))
with torch.device("meta"):
    model = Older().double()
told("meta", lambda: [(name, tuple(p.shape), p.device.type) for name, p in FullyShardedDataParallel(
    model, device_id=torch.device("cpu"), use_orig_params=True).named_parameters()])
dist.barrier()
dist.destroy_process_group()
