"""A model divided by `parallelize_module`, with whole sequences and with divided ones, beside the same model on one rank."""

import copy
import warnings

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    PrepareModuleInput,
    PrepareModuleOutput,
    RowwiseParallel,
    SequenceParallel,
    loss_parallel,
    parallelize_module,
)

warnings.simplefilter("ignore")  # PyTorch's, of functions that it will change
dist.init_process_group("gloo")
mesh = init_device_mesh("cpu", (dist.get_world_size(),))
torch.set_default_dtype(torch.float64)


class Block(nn.Module):
    def __init__(self, width=8, heads=4):
        super().__init__()
        self.width = width // heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.q, self.k, self.v, self.out = (nn.Linear(width, width) for _ in range(4))
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        y = self.norm1(x)
        q, k, v = (f(y).unflatten(-1, (-1, self.width)).transpose(1, 2) for f in (self.q, self.k, self.v))
        y = (q @ k.transpose(-1, -2) / 2).softmax(-1) @ v
        x = x + self.out(y.transpose(1, 2).flatten(2))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.norm, self.head = nn.Embedding(12, 8), nn.LayerNorm(8), nn.Linear(8, 12)
        self.layers = nn.ModuleList(Block() for _ in range(2))

    def forward(self, x):
        x = self.embedding(x)
        for layer in self.layers:
            x = layer(x)
        return self.head(self.norm(x))


OF_SEQUENCES = {name: ColwiseParallel(input_layouts=Shard(1)) for name in ("q", "k", "v", "up")}
OF_SEQUENCES.update({name: RowwiseParallel(output_layouts=Shard(1)) for name in ("out", "down")})
OF_SEQUENCES.update({name: SequenceParallel() for name in ("norm1", "norm2")})
PLANS = {
    "whole": {**{f"layers.*.{name}": ColwiseParallel() for name in ("q", "k", "v", "up")},
              **{f"layers.*.{name}": RowwiseParallel() for name in ("out", "down")}},
    "sequences": {"embedding": RowwiseParallel(input_layouts=Replicate(), output_layouts=Shard(1)),
                  "norm": SequenceParallel(),
                  "head": ColwiseParallel(input_layouts=Shard(1), output_layouts=Shard(-1), use_local_output=False),
                  **{f"layers.*.{name}": style for name, style in OF_SEQUENCES.items()}},
}


def whole(x):
    return x.full_tensor() if isinstance(x, DTensor) else x


def told(x):
    return [round(v, 7) + 0.0 for v in whole(x).detach().flatten().tolist()[:4]]


for name, plan in PLANS.items():
    torch.manual_seed(1)
    one = Model()
    model = parallelize_module(copy.deepcopy(one), mesh, plan)
    optimizer, other = (torch.optim.AdamW(m.parameters(), lr=0.05, foreach=False) for m in (model, one))
    for step in range(3):
        torch.manual_seed(step)
        x, y = torch.randint(0, 12, (2, 6)), torch.randint(0, 12, (12,))
        if name == "sequences":
            with loss_parallel():
                loss = F.cross_entropy(model(x).flatten(0, 1), distribute_tensor(y, mesh, [Replicate()]))
                loss.backward()
        else:
            loss = F.cross_entropy(model(x).flatten(0, 1), y)
            loss.backward()
        alone = F.cross_entropy(one(x).flatten(0, 1), y)
        alone.backward()
        is_close = abs(whole(loss) - alone).item() < 1e-9
        print(name, step, f"{whole(loss).item():.9f}", getattr(loss, "placements", None), is_close)
        if not step:
            for key, p in model.named_parameters():
                print(key, getattr(p, "placements", None), getattr(p.grad, "placements", None),
                      [] if key.endswith("k.bias") else told(p.grad))  # that of keys is zero but for rounding
        for each in (optimizer, other):
            each.step()
            each.zero_grad()
    print(max((whole(a) - b).abs().max().item() for a, b in zip(model.parameters(), one.parameters(), strict=True)) < 1e-8)
    print([(key, str(getattr(v, "placements", None)), tuple(v.shape)) for key, v in model.state_dict().items()][:9])


def refused(function):
    try:
        print(function())
    except (TypeError, ValueError, AssertionError, NotImplementedError, RuntimeError) as error:
        print(type(error).__name__, error)


print(ColwiseParallel(), RowwiseParallel(), SequenceParallel())
print(PrepareModuleInput(input_layouts=Shard(0), desired_input_layouts=Replicate()))
refused(lambda: parallelize_module(nn.Conv2d(1, 1, 1), mesh, ColwiseParallel()))
refused(lambda: parallelize_module(nn.Linear(2, 2), mesh, 3))
refused(lambda: parallelize_module(nn.Linear(2, 2), None, ColwiseParallel()))
refused(lambda: PrepareModuleInput(input_layouts=Shard(0), desired_input_layouts=None))
refused(lambda: PrepareModuleOutput(output_layouts=(Shard(0),), desired_output_layouts=(Replicate(), Replicate())))
two = PrepareModuleInput(input_layouts=(Shard(0),) * 2, desired_input_layouts=(Replicate(),) * 2)
refused(lambda: parallelize_module(nn.Linear(2, 2), mesh, two)(torch.ones(2, 2)))
prepared = parallelize_module(nn.Linear(2, 2), mesh, PrepareModuleInput(
    input_layouts=Shard(0), desired_input_layouts=Replicate(), use_local_output=True))
refused(lambda: tuple(prepared(torch.ones(1, 2)).shape))
given = parallelize_module(nn.Linear(2, 2), mesh, PrepareModuleOutput(
    output_layouts=Replicate(), desired_output_layouts=Shard(0)))
refused(lambda: tuple(given(torch.ones(4, 2)).shape))
dist.destroy_process_group()
