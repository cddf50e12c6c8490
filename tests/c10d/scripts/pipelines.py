"""A model in stages, by one schedule after the other: losses, outputs and gradients are PyTorch's, and so is the order in
which each rank computes. Each line is compared."""

import datetime
import warnings

import torch
import torch.distributed as dist
from torch.distributed import pipelining
from torch.distributed.pipelining import PipelineStage
from torch.distributed.pipelining.schedules import get_schedule_class

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
        return [round(v, 9) for v in x.flatten().tolist()]
    if isinstance(x, dict):
        return {key: plain(value) for key, value in x.items()}
    return [plain(value) for value in x] if isinstance(x, list | tuple) else x


class Part(torch.nn.Module):
    """A stage that passes on what needs no gradient, and counts what its stage keeps."""

    def __init__(self, index):
        super().__init__()
        self.first, self.second = torch.nn.Linear(3, 4, dtype=torch.float64), torch.nn.Linear(4, 3, dtype=torch.float64)
        with torch.no_grad():
            for i, p in enumerate(self.parameters()):
                p.copy_(torch.arange(p.numel(), dtype=torch.float64).reshape(p.shape).mul_(0.7 + i).add_(index).sin_())
        self.index, self.seen, self.most, self.stage = index, [], 0, None

    def forward(self, x, mask, *, scale=None):
        if self.stage is not None:
            self.most = max(self.most, len(self.stage.fwd_cache))
        x = torch.tanh(self.first(x) * mask)
        self.seen.append("F")
        if x.requires_grad:
            x.register_hook(lambda g: self.seen.append("B"))
        x = self.second(x)
        return x if scale is None else x * scale, mask


class Last(Part):
    """One output."""

    def forward(self, x, mask, *, scale=None):
        return super().forward(x, mask, scale=scale)[0]


def parts_of(style, local):
    count = size * local
    place = {"loop": [rank + size * i for i in range(local)], "v": [rank, count - 1 - rank]}[style]
    made = []
    for index in place:
        part = (Last if index == count - 1 else Part)(index)
        part.stage = PipelineStage(part, index, count, torch.device("cpu"))
        made.append(part)
    return made


def run(name, style, local, microbatches, scale_grads=True, **options):
    parts = parts_of(style, local)
    stages = [part.stage for part in parts]
    cls = get_schedule_class(name)
    is_single = issubclass(cls, pipelining.schedules.PipelineScheduleSingle)
    loss = torch.nn.functional.mse_loss
    schedule = cls(stages[0] if is_single else stages, microbatches, loss_fn=loss, scale_grads=scale_grads, **options)
    rows = 2 * microbatches
    x = torch.linspace(-1, 1, rows * 3, dtype=torch.float64).reshape(rows, 3)
    mask = (torch.arange(rows * 4).reshape(rows, 4) % 3 > 0).to(torch.float64)
    target = torch.linspace(0, 1, rows * 3, dtype=torch.float64).reshape(rows, 3)
    scale = torch.linspace(1, 2, rows, dtype=torch.float64)[:, None]
    for number in range(2):
        for part in parts:
            part.zero_grad()
            part.seen.clear()
        losses = []
        args = (x + number, mask) if any(stage.is_first for stage in stages) else ()
        has_target = any(stage.is_last for stage in stages)
        out = schedule.step(*args, target=target if has_target else None, losses=losses, scale=scale)
        print(name, microbatches, "step", number, plain(losses), plain(out), out is not None and out.requires_grad)
        for part in parts:
            print(part.index, "gradients", plain([p.grad for p in part.parameters()]))
            if number:
                print(part.index, "order", "".join(part.seen), "most", part.most)
    if style == "v":
        return  # PyTorch's eval fails there
    with torch.no_grad():
        args = (x, mask) if any(stage.is_first for stage in stages) else ()
        losses = []
        told("eval", lambda: (plain(schedule.eval(*args, target=target, losses=losses, scale=scale)), plain(losses)))


for name, microbatches in (("GPipe", 1), ("GPipe", 5), ("1F1B", size), ("1F1B", size + 3)):
    run(name, "loop", 1, microbatches)
for name, microbatches in (("LoopedBFS", 3), ("Interleaved1F1B", size * 2), ("Interleaved1F1B", size + 1),
                           ("InterleavedZeroBubble", size * 2)):
    run(name, "loop", 2, microbatches)
run("ZBVZeroBubble", "v", 2, size * 2 + 1)
run("DualPipeV", "v", 2, size * 2 + 1)
run("GPipe", "loop", 1, 2, scale_grads=False)


def replicated(name, local, microbatches):
    """Two pipelines of two ranks: their stages are averaged by DDP."""
    pipes, copies = [dist.new_group([i, i + 2]) for i in range(2)], [dist.new_group([i, i + 1]) for i in (0, 2)]
    which, place = rank % 2, rank // 2
    parts = [(Last if i == 2 * local - 1 else Part)(i) for i in range(place, 2 * local, 2)]
    models = [torch.nn.parallel.DistributedDataParallel(part, process_group=copies[place]) for part in parts]
    first, others = ((torch.ones(2, 3, dtype=torch.float64, requires_grad=need), torch.ones(2, 4, dtype=torch.float64))
                     for need in (False, True))  # without them PyTorch runs a replica more often than DDP allows
    stages = [PipelineStage(model, part.index, 2 * local, torch.device("cpu"), group=pipes[which],
                            input_args=others if part.index else first,
                            output_args=others[:1] if part.index == 2 * local - 1 else others)
              for model, part in zip(models, parts, strict=True)]
    schedule = get_schedule_class(name)(stages[0] if local == 1 else stages, microbatches,
                                        loss_fn=torch.nn.functional.mse_loss)
    x = torch.linspace(-1 - which, 1, microbatches * 6, dtype=torch.float64).reshape(-1, 3)
    mask = torch.ones(len(x), 4, dtype=torch.float64)
    for number in range(2):
        for part in parts:
            part.zero_grad()
        losses = []
        schedule.step(*((x, mask) if place == 0 else ()), target=x + number if place else None, losses=losses)
        print(name, "replicated", plain(losses), [plain([p.grad for p in part.parameters()]) for part in parts])


if size == 4:
    for name, local, microbatches in (("GPipe", 1, 3), ("1F1B", 1, 4), ("Interleaved1F1B", 2, 4)):
        replicated(name, local, microbatches)
dist.destroy_process_group()
