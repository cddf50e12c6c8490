"""DTensors on a mesh of two dimensions: from every placement to every other, gradients, copies, optimizers, modules."""

import copy
import io
import itertools
import warnings

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_module, distribute_tensor
from torch.distributed.tensor.experimental import implicit_replication, local_map

warnings.simplefilter("ignore")  # PyTorch's, of functions that it will change
dist.init_process_group("gloo")
size, rank = dist.get_world_size(), dist.get_rank()
mesh = init_device_mesh("cpu", (2, size // 2), mesh_dim_names=("dp", "tp"))
line = init_device_mesh("cpu", (size,))
torch.set_default_dtype(torch.float64)
torch.manual_seed(0)
VALUES = torch.arange(30.).reshape(5, 6)
PLACES = [*itertools.product((Shard(0), Shard(1), Replicate()), repeat=2)]


def shown(x):
    if isinstance(x, DTensor):
        local = [round(v, 8) for v in x.to_local().detach().flatten().tolist()[:6]]
        return str(x.placements), tuple(x.shape), local, [round(v, 8) for v in x.full_tensor().flatten().tolist()[:6]]
    return [round(v, 8) for v in x.detach().flatten().tolist()[:6]] if isinstance(x, torch.Tensor) else x


def tell(name, function):
    try:
        found = function()
    except (RuntimeError, ValueError) as error:
        found = f"{type(error).__name__}: {error}"
    print(name, [shown(x) for x in found] if type(found) in (list, tuple) else shown(found))


def leaf():
    return distribute_tensor(VALUES, mesh, (Shard(0), Shard(1))).requires_grad_()


for place in PLACES:
    x = distribute_tensor(VALUES, mesh, place)
    tell(f"{place}", lambda: [x, x.sum(), x.max(), x + leaf()])
    for other in PLACES:
        tell(f"{place} to {other}", lambda: x.redistribute(placements=other))
part = DTensor.from_local(torch.ones(4, 6) * (rank + 1), mesh, (Partial(), Shard(1)))
tell("parts", lambda: [part.redistribute(placements=p) for p in ((Shard(1), Shard(1)), (Shard(0), Replicate()))])
tell("both", lambda: DTensor.from_local(torch.ones(2, 3) * (rank + 1), mesh, (Shard(0), Shard(0))))


def gradient(function):
    x = leaf()
    function(x).sum().backward()
    return x.grad


tell("gradients", lambda: [gradient(f) for f in (lambda x: x * 2, lambda x: x.to_local()**2, lambda x: x.full_tensor()**2)])
tell("of parts", lambda: gradient(lambda x: x.full_tensor(grad_placements=[Partial(), Partial()])**2))


def local_gradient(*placements):
    x = torch.ones(2, 3, requires_grad=True)
    (DTensor.from_local(x, mesh, placements).redistribute(placements=(Shard(0), Replicate()))**2).sum().backward()
    return x.grad


tell("of a local tensor", lambda: [local_gradient(Shard(0), Replicate()), local_gradient(Partial(), Replicate())])


def saved():
    file = io.BytesIO()
    torch.save({"x": leaf()}, file)
    file.seek(0)
    return torch.load(file, weights_only=False)["x"]


tell("copies", lambda: [copy.deepcopy(leaf()), saved(), leaf().detach()])
parameter = nn.Parameter(leaf().detach())
tell("parameter", lambda: [type(parameter).__name__, isinstance(parameter, nn.Parameter), parameter.is_leaf])
for name, options in (("SGD", {"momentum": 0.9}), ("AdamW", {}), ("Adagrad", {})):
    one = nn.Parameter(leaf().detach().clone())
    optimizer = getattr(torch.optim, name)([one], lr=0.1, **options)
    for _ in range(2):
        optimizer.zero_grad()
        ((one * 0.3)**2).sum().backward()
        optimizer.step()
    tell(name, lambda: [one, sorted(k for k, v in optimizer.state[one].items() if isinstance(v, DTensor))])
parameter.grad = leaf().detach()
tell("clipped", lambda: [torch.nn.utils.clip_grad_norm_([parameter], 2.0).full_tensor(), parameter.grad])


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(6, 4), nn.Linear(4, 2)
        self.register_buffer("ones", torch.ones(3))

    def forward(self, x):
        return self.b(self.a(x).relu())


def divide(name, module, on):
    if name == "a":
        for key, value in list(module.named_parameters()):
            module.register_parameter(key, nn.Parameter(distribute_tensor(value, on, [Shard(0)])))


def distributed():
    model = distribute_module(Model(), line, divide, lambda m, i, on: distribute_tensor(i[0], on, [Replicate()]),
                              lambda m, o, on: o.full_tensor())
    y = model(torch.ones(3, 6))
    y.sum().backward()
    again = copy.deepcopy(model)
    again.load_state_dict({name: value * 0 + 1 for name, value in model.state_dict().items()})
    return [y, model.a.bias.grad, model.b.weight.grad, type(model.ones).__name__, again.a.weight, again.b.bias]


tell("module", distributed)
tell("local_map", lambda: local_map(torch.mm, [Partial()], ([Shard(1)], [Shard(0)]), device_mesh=line)(
    distribute_tensor(torch.ones(2, size), line, [Shard(1)]), distribute_tensor(torch.ones(size, 2), line, [Shard(0)])))
with implicit_replication():
    tell("implicit", lambda: leaf() + torch.ones(5, 6))
dist.destroy_process_group()
