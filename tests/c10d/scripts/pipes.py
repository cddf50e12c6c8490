"""A module divided by `pipeline`: stages, their parameters, outputs and gradients are PyTorch's. Each line is compared."""

import datetime
import warnings

import torch
import torch.distributed as dist
from torch.distributed.pipelining import (
    Pipe,
    PipelineStage,
    Schedule1F1B,
    ScheduleGPipe,
    SplitPoint,
    build_stage,
    pipe_split,
    pipeline,
)

warnings.simplefilter("ignore")
dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=60))
rank, size = dist.get_rank(), dist.get_world_size()
device = torch.device("cpu")


def told(name, f):
    try:
        found = f()
    except Exception as error:  # noqa: BLE001 - what it raises is compared
        found = f"{type(error).__name__}: {str(error)[:200]}"
    print(name, found, flush=True)


def plain(x):
    if isinstance(x, torch.Tensor):
        return [round(v, 9) for v in x.flatten().tolist()]
    if isinstance(x, dict):
        return {key: plain(value) for key, value in x.items()}
    return [plain(value) for value in x] if isinstance(x, list | tuple) else x


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(4, 4))
        self.norm = torch.nn.LayerNorm(4)

    def forward(self, x):
        return x + torch.tanh(self.norm(x) @ self.weight)


class Model(torch.nn.Module):
    def __init__(self, splits=False):
        super().__init__()
        self.embed, self.head = torch.nn.Linear(3, 4), torch.nn.Linear(4, 2)
        self.blocks = torch.nn.ModuleDict({str(i): Block() for i in range(3)})
        self.splits = splits
        self.double()
        with torch.no_grad():
            for i, p in enumerate(self.parameters()):
                p.copy_(torch.arange(p.numel(), dtype=torch.float64).reshape(p.shape).mul_(0.7).add_(i).sin_())

    def forward(self, x, scale=None):
        x = self.embed(x)
        if scale is not None:
            x = x * scale
        for block in self.blocks.values():
            x = block(x)
            if self.splits:
                pipe_split()
        return self.head(x)


def one(x):
    """The output; PyTorch's Pipe gives it in a tuple when it is called."""
    return plain(x[0] if isinstance(x, list | tuple) else x)


def spec(count):
    places = [("blocks.1", SplitPoint.BEGINNING), ("blocks.2", SplitPoint.BEGINNING), ("head", SplitPoint.BEGINNING)]
    return dict(places[:count - 1])


batch = torch.linspace(-1, 1, 24, dtype=torch.float64).reshape(8, 3)
scale = torch.linspace(1, 2, 8, dtype=torch.float64)[:, None]
target = torch.linspace(0, 1, 16, dtype=torch.float64).reshape(8, 2)
whole = pipeline(Model(), (batch[:2],), {"scale": scale[:2]}, split_spec=spec(size))
told("stages", lambda: (whole.num_stages, whole.info().num_stages, whole.info().has_loss_and_backward))
told("parameters", lambda: [sorted(whole.get_stage_module(i).state_dict()) for i in range(whole.num_stages)])
told("none", lambda: whole.get_stage_module(7))
told("alone", lambda: one(whole(batch[:2], scale=scale[:2])) == plain(Model()(batch[:2], scale[:2])))
told("no scale", lambda: one(pipeline(Model(), (batch[:2],), split_spec=spec(size))(batch[:2])))
told("marks", lambda: pipeline(Model(True), (batch[:2],)).num_stages)
told("tracing", lambda: Pipe.from_tracing(Model(True), (batch[:2],)).num_stages)
told("both", lambda: pipeline(Model(), (batch,), split_spec={}, split_policy=lambda gm: gm))
told("no such", lambda: pipeline(Model(), (batch,), split_spec={"block.1": SplitPoint.END}))
told("nor this", lambda: pipeline(Model(), (batch,), split_spec={"no": SplitPoint.END}))
told("no point", lambda: pipeline(Model(), (batch,), split_spec={"embed": 3}))
told("members", lambda: [(point.name, point.value) for point in SplitPoint])
for build, cls in ((whole.build_stage, ScheduleGPipe),
                   (lambda i, d: build_stage(whole.get_stage_module(i), i, whole.info(), d), Schedule1F1B)):
    stage = build(rank, device)
    schedule = cls(stage, 4, loss_fn=torch.nn.functional.mse_loss)
    for _ in range(2):
        stage.submod.zero_grad()
        losses = []
        out = (schedule.step(batch, scale=scale) if rank == 0 else
               schedule.step(target=target, losses=losses) if rank == size - 1 else schedule.step())
        told(cls.__name__, lambda out=out, losses=losses: (plain(out), plain(losses)))
        told("gradients", lambda s=stage: {name: plain(p.grad) for name, p in sorted(s.submod.named_parameters())})
told("is a stage", lambda: (isinstance(stage, PipelineStage), stage.is_first, stage.is_last, stage.has_backward))
dist.destroy_process_group()
