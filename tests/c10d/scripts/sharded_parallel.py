"""`fully_shard` of modules that tensor parallelism has divided, on a mesh of 2 x 2; each line is compared with PyTorch's."""

import warnings

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

warnings.simplefilter("ignore")
dist.init_process_group("gloo")
mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("data", "model"))
rank = mesh.get_local_rank("data")


def told(name, f):
    try:
        found = f()
    except Exception as error:  # noqa: BLE001 - what it raises is compared
        found = f"{type(error).__name__}: {str(error)[:300]}"
    print(name, found, flush=True)


def short(x):
    return [f"{v:.7f}" for v in (x.detach().double() + 1e-12).reshape(-1).tolist()[:6]]


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = nn.Linear(4, 8), nn.Linear(8, 4)

    def forward(self, x):
        return x + self.down(torch.tanh(self.up(x)))


model = nn.Sequential(Block(), Block(), nn.Linear(4, 3)).double()
with torch.no_grad():
    for i, p in enumerate(model.parameters()):
        p.copy_(((torch.arange(p.numel()) * 7 + i) % 11 - 5).reshape(p.shape) / 9)
for block in model[:2]:
    parallelize_module(block, mesh["model"], {"up": ColwiseParallel(), "down": RowwiseParallel()})
    told("fully_shard", lambda b=block: type(fully_shard(b, mesh=mesh["data"])).__name__)
told("root", lambda: type(fully_shard(model, mesh=mesh["data"])).__name__)
told("placements", lambda: [([str(q) for q in p.placements], p.device_mesh.mesh_dim_names, tuple(p.shape),
                             tuple(p.to_local().shape)) for p in model.parameters()])
told("parts", lambda: [short(p.to_local()) for p in model.parameters()])
optimizer = torch.optim.Adam(model.parameters(), 0.05)
for i in range(4):
    optimizer.zero_grad()
    loss = model(((torch.arange(8).reshape(2, 4) * 5 + rank * 3 + i) % 7).double() / 4 - 0.6).square().mean()
    told("loss", lambda loss=loss: (short(loss), loss.backward()))
    told("gradients", lambda: [([str(q) for q in p.grad.placements], short(p.grad.to_local())) for p in model.parameters()])
    told("step", lambda: (optimizer.step(), [short(p.to_local()) for p in model.parameters()]))
told("moments", lambda: [([str(q) for q in v.placements], short(v.to_local())) for s in optimizer.state.values()
                         for v in s.values() if v.ndim])
told("whole", lambda: [(name, tuple(p.shape), short(p.full_tensor())) for name, p in model.state_dict().items()])
told("loaded", lambda: model.load_state_dict(model.state_dict()))
dist.barrier()
dist.destroy_process_group()
