"""What operators make of DTensors: placements, this rank's part, the whole, and the same of gradients."""

import warnings

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor

warnings.simplefilter("ignore")  # PyTorch warns of random operators on CPUs
dist.init_process_group("gloo")
mesh = init_device_mesh("cpu", (dist.get_world_size(),))
torch.set_default_dtype(torch.float64)
torch.manual_seed(0)
VALUES, WEIGHT, BIAS = torch.randn(4, 6), torch.randn(6, 8), torch.randn(8)
ROWS, COLUMNS, WHOLE = [Shard(0)], [Shard(1)], [Replicate()]


def shown(x):
    if isinstance(x, DTensor):
        whole = [round(v, 8) + 0.0 for v in x.full_tensor().detach().flatten().tolist()[:5]]
        return str(x.placements), tuple(x.shape), tuple(x.to_local().shape), whole
    return x


def tell(name, function):
    try:
        found = function()
    except (RuntimeError, ValueError, IndexError, TypeError) as error:
        found = f"{type(error).__name__}: {error}"
    print(name, [shown(x) for x in found] if type(found) in (list, tuple) else shown(found))


def placed(values, placements):
    return distribute_tensor(values, mesh, placements).requires_grad_(values.is_floating_point())


def with_gradients(function, *leaves):
    out = function(*leaves)
    (out.sum() if out.ndim else out).backward()
    return [out, *[leaf.grad for leaf in leaves]]


for rows in (ROWS, COLUMNS, WHOLE):
    for columns in (ROWS, COLUMNS, WHOLE):
        tell(f"mm {rows} {columns}", lambda: with_gradients(torch.mm, placed(VALUES, rows), placed(WEIGHT, columns)))
        tell(f"linear {rows} {columns}", lambda: with_gradients(
            lambda x, w, b: F.linear(x, w.t(), b).relu(), placed(VALUES, rows), placed(WEIGHT, columns),
            placed(BIAS, WHOLE)))

target = placed(torch.tensor([0, -100, -100, 3]), ROWS)
OPERATORS = {
    "softmax": lambda x: x.softmax(-1)**2, "log_softmax": lambda x: x.log_softmax(0) * x, "gelu": F.gelu, "silu": F.silu,
    "layer_norm": lambda x: F.layer_norm(x, (6,))**2, "mean": lambda x: x.mean(), "norm": lambda x: x.norm(),
    "amax": lambda x: x.amax(1), "max": lambda x: x.max(1)[0], "view": lambda x: x.view(2, 2, 6)**2,
    "t": lambda x: x.t() * 2, "cat": lambda x: torch.cat([x, x], 1)**2, "stack": lambda x: torch.stack([x, x])**2,
    "select": lambda x: x[:, 1]**2, "slice": lambda x: x[1:3]**2,
    "expand": lambda x: x.unsqueeze(0).expand(3, 4, 6)**2, "sum": lambda x: x.sum(0)**2, "prod": lambda x: x.prod(),
    "cumsum": lambda x: x.cumsum(1)**2, "where": lambda x: torch.where(x > 0, x, x * 2), "clamp": lambda x: x.clamp(-1, 1),
    "logsumexp": lambda x: x.logsumexp(1), "l1": lambda x: F.l1_loss(x, x.detach() * 2), "roll": lambda x: x.roll(1, 1)**2,
    "sort": lambda x: x.sort(1)[0]**2, "topk": lambda x: x.topk(2, 1)[0]**2, "normalize": F.normalize,
    "masked_fill": lambda x: x.masked_fill(x > 0, 0.), "in_place": lambda x: x.clone().mul_(2).add_(1),
    "repeat": lambda x: x.repeat(1, 2)**2, "twice": lambda x: torch.autograd.grad((x**3).sum(), x, create_graph=True)[0]**2,
}
for place in (ROWS, COLUMNS):
    for name, function in OPERATORS.items():
        tell(f"{name} {place}", lambda: with_gradients(function, placed(VALUES, place)))
tell("cross_entropy", lambda: with_gradients(lambda x: F.cross_entropy(x, target), placed(VALUES, ROWS)))
tell("summed", lambda: with_gradients(lambda x: F.cross_entropy(x, target, reduction="sum"), placed(VALUES, ROWS)))

part = DTensor.from_local(torch.ones(4, 6), mesh, [Partial()])
for name, function in {"add": lambda a, b: a + b, "mul": lambda a, b: a * b, "mm": lambda a, b: a @ b.t()}.items():
    for other in (part, *[placed(VALUES, place) for place in (ROWS, COLUMNS, WHOLE)]):
        tell(f"{name} {other.placements}", lambda: function(part, other))
        tell(f"{name} {other.placements} first", lambda: function(other, part))
tell("unary", lambda: [-part, part * 2, part / 2, part + 1, part.relu(), part.sum(), part.mean(), torch.zeros_like(part)])
tell("mixed", lambda: part + torch.ones(4, 6))
tell("number", lambda: part + torch.tensor(1.0))
tell("inner", lambda: part.redistribute(placements=ROWS).redistribute(placements=[Partial()]))
tell("dimension", lambda: placed(VALUES, [Shard(2)]))
tell("placements", lambda: placed(VALUES, [Shard(0), Shard(1)]))
tell("no leaf", lambda: distribute_tensor(VALUES.requires_grad_() * 2, mesh, ROWS))
tell("uneven", lambda: [placed(torch.arange(5.), ROWS) + 1, placed(torch.arange(5.), ROWS).redistribute(placements=WHOLE)])
tell("local", lambda: DTensor.from_local(VALUES.detach(), mesh, [Shard(5)]))
text = repr(placed(torch.arange(4.), ROWS))
print(text, part._spec)
dist.destroy_process_group()
