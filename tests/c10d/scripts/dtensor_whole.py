"""Operators of DTensors against the same of whole tensors, values and gradients, for every placement: says what differs."""

import itertools
import sys

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor

dist.init_process_group("gloo")
size = dist.get_world_size()
mesh = init_device_mesh("cpu", (size,) if size < 4 else (2, size // 2))
torch.set_default_dtype(torch.float64)
torch.manual_seed(0)
VALUES = torch.randn(5, 6)  # five rows: parts of different sizes
INDEX, CLASSES = torch.tensor([[0, 3, 2, 2]]), torch.tensor([0, -100, -100, 3, 1])
WEIGHTS = torch.rand(6)


def everywhere(x):
    return distribute_tensor(x, mesh, [Replicate()] * mesh.ndim)


def by_rows(x):
    return distribute_tensor(x, mesh, [Shard(0)] * mesh.ndim)


# name -> a function of the tensor and of what brings another tensor beside it
OPERATORS = {
    "mse_loss": lambda x, to: F.mse_loss(x, x.detach() * 2),
    "sum_mse": lambda x, to: F.mse_loss(x, x.detach() * 2, reduction="sum"),
    "smooth_l1_loss": lambda x, to: F.smooth_l1_loss(x, x.detach() * 2),
    "huber_loss": lambda x, to: F.huber_loss(x, x.detach() * 2),
    "bce": lambda x, to: F.binary_cross_entropy_with_logits(x, (x.detach() > 0).double()),
    "cross_entropy": lambda x, to: F.cross_entropy(x, to(CLASSES)),
    "none": lambda x, to: F.cross_entropy(x, to(CLASSES), reduction="none"),
    "weighted": lambda x, to: F.cross_entropy(x, to(CLASSES), everywhere(WEIGHTS) if isinstance(x, DTensor) else WEIGHTS),
    "embedding": lambda x, to: F.embedding(to(INDEX), x)**2, "padding": lambda x, to: F.embedding(to(INDEX), x, 2)**2,
    "gather": lambda x, to: x.gather(1, to(torch.arange(5)[:, None]))**2,
    "index": lambda x, to: x[to(torch.tensor([0, 1, 1]))]**2,
    "scatter": lambda x, to: x.scatter(1, to(torch.arange(5)[:, None]), 0.)**2,
    "index_select": lambda x, to: x.index_select(0, to(torch.tensor([0, 4])))**2,
    "rms_norm": lambda x, to: F.rms_norm(x, (6,))**3, "group_norm": lambda x, to: F.group_norm(x, 3)**3,
    "layer_norm": lambda x, to: F.layer_norm(x, (6,), to(WEIGHTS), to(WEIGHTS))**3,
    "batch_norm": lambda x, to: F.batch_norm(x, None, None, training=True)**3,
    "attention": lambda x, to: F.scaled_dot_product_attention(*[x.view(1, 5, 2, 3)] * 3, is_causal=True),
    "conv1d": lambda x, to: F.conv1d(x.unsqueeze(1), to(torch.ones(2, 1, 3)))**2, "pad": lambda x, to: F.pad(x, (1, 1))**2,
    "std": lambda x, to: x.std(), "var": lambda x, to: x.var(1), "mean": lambda x, to: x.mean(),
    "mean0": lambda x, to: x.mean(0)**2, "amax": lambda x, to: x.amax(0), "min": lambda x, to: x.min(),
    "prod": lambda x, to: x.prod(), "glu": lambda x, to: F.glu(x), "norm1": lambda x, to: x.norm(1),
    "norm_inf": lambda x, to: x.norm(float("inf")), "flatten": lambda x, to: x.flatten()**2,
    "unflatten": lambda x, to: x.unflatten(1, (2, 3))**2, "outer": lambda x, to: torch.outer(x[:, 0], x[:, 1]),
    "einsum": lambda x, to: torch.einsum("ij,kj->ik", x, x),
    "bmm": lambda x, to: torch.bmm(x.unsqueeze(0), x.t().unsqueeze(0)), "det": lambda x, to: (x @ x.t()).det(),
    "tril": lambda x, to: x.tril()**2, "flip": lambda x, to: x.flip(0)**2, "split": lambda x, to: x.split([2, 3])[1]**2,
    "unbind": lambda x, to: x.unbind(0)[1]**2, "log_softmax": lambda x, to: x.log_softmax(1)[:, 0],
    "dropout": lambda x, to: F.dropout(x, 0.), "prelu": lambda x, to: F.prelu(x, to(torch.tensor([0.3]))),
    "cumprod": lambda x, to: x.cumprod(1), "sort": lambda x, to: x.sort(0)[0]**2, "pow": lambda x, to: x.abs()**2.5,
    "item": lambda x, to: x * x.detach().sum().item(), "to": lambda x, to: x.float().double()**2,
    "lerp": lambda x, to: x.lerp(x * 2, 0.3), "view_of_write": lambda x, to: x.clone().mul_(3).t() * 2,
    "mv": lambda x, to: x.mv(to(WEIGHTS)), "kron": lambda x, to: torch.kron(x, x),
}


def of_both(function, x, to):
    out = function(x, to)
    (out * out).sum().backward()
    return out, x.grad


def whole(x):
    return x.full_tensor() if isinstance(x, DTensor) else x


chosen = sys.argv[1:] or OPERATORS
places = [*itertools.product((Shard(0), Shard(1), Replicate()), repeat=mesh.ndim)]
count = 0
for name in chosen:
    wanted = of_both(OPERATORS[name], VALUES.clone().requires_grad_(), lambda x: x)
    for place in places:
        for to in (everywhere, by_rows):
            if to is by_rows and place != places[0]:
                continue
            try:
                found = of_both(OPERATORS[name], distribute_tensor(VALUES, mesh, place).requires_grad_(), to)
                close = [torch.allclose(whole(a), b, rtol=1e-9, atol=1e-11) for a, b in zip(found, wanted, strict=True)]
                if not all(close):
                    print(name, place, to.__name__, close)
            except Exception as error:  # noqa: BLE001 - what it is is printed
                print(name, place, to.__name__, type(error).__name__, str(error)[:300])
            count += 1
parts = DTensor.from_local(VALUES / size, mesh, [Partial()] * mesh.ndim)
for name in ("mse_loss", "std", "amax", "einsum", "embedding", "layer_norm"):
    if not torch.allclose(whole(OPERATORS[name](parts, everywhere)), OPERATORS[name](VALUES, lambda x: x)):
        print(name, "of parts differs")
for place in places:
    written = distribute_tensor(VALUES, mesh, place)
    same = written.detach()  # an alias sees what is written
    for function in (torch.Tensor.cumsum_, torch.Tensor.cumprod_):
        function(written, 0)
    if written.placements != place or not torch.allclose(whole(same), VALUES.cumsum(0).cumprod(0)):
        print("in place", place)
for name in () if sys.argv[1:] else ("SGD", "Adam", "Adafactor", "Muon", "Rprop"):
    one = torch.nn.Parameter(distribute_tensor(VALUES, mesh, places[1]))
    alone = torch.nn.Parameter(VALUES.clone())
    pairs = [(x, getattr(torch.optim, name)([x], lr=0.1)) for x in (one, alone)]
    for _ in range(3):
        for x, optimizer in pairs:
            optimizer.zero_grad()
            ((x * 0.3)**2).sum().backward()
            optimizer.step()
    if not torch.allclose(whole(one), alone, rtol=1e-9) or one._version < 3:
        print(name, "differs")
print(count > 100 or len(chosen) < 40)
dist.destroy_process_group()
