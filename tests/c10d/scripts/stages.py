"""What a stage and a schedule refuse, in one process that has all stages; each line is compared with PyTorch's."""

import tempfile
import warnings

import torch
import torch.distributed as dist
from torch.distributed import pipelining
from torch.distributed.pipelining import schedules
from torch.distributed.pipelining.schedules import get_schedule_class

warnings.simplefilter("ignore")
dist.init_process_group("gloo", rank=0, world_size=1, store=dist.HashStore())
cpu = torch.device("cpu")


def told(name, f):
    try:
        found = f()
    except Exception as error:  # noqa: BLE001 - what it raises is compared
        found = f"{type(error).__name__}: {error}"
    print(name, " ".join(str(found).split()), flush=True)


def plain(x):
    if isinstance(x, torch.Tensor):
        return [round(v, 6) for v in x.flatten().tolist()]
    return [plain(value) for value in x] if isinstance(x, list | tuple) else x


class Doubling(torch.nn.Module):
    """Fails, or returns something else, when it is told to."""

    def __init__(self):
        super().__init__()
        self.weight, self.kind = torch.nn.Parameter(torch.full((3,), 2.0)), None

    def forward(self, x, *, flag=None):
        if self.kind == "raises":
            raise ValueError("on purpose")
        found = x * self.weight
        return {"list": [found], "number": (found, 3), "dict": {"a": found}, "more": (found, x[:1]),
                "none": (found, None)}.get(self.kind, found)


def stage(index=0, count=1, module=None, **options):
    return pipelining.PipelineStage(module or Doubling(), index, count, cpu, **options)


def loss(output, target, weight=1.0):
    return (output - target).square().mean() * weight


def schedule(name="GPipe", count=1, microbatches=2, loss_fn=loss, **options):
    cls = get_schedule_class(name)
    stages = [stage(i, count) for i in range(count)]
    return cls(stages[0] if issubclass(cls, schedules.PipelineScheduleSingle) else stages, microbatches, loss_fn=loss_fn,
               **options)


def stages_of(made):
    return made._stages if hasattr(made, "_stages") else [made._stage]


x, y = torch.arange(12.0).reshape(4, 3) / 10, torch.ones(4, 3)
told("beyond", lambda: stage(2, 2))
told("attributes", lambda: [(s.stage_index, s.num_stages, s.group_rank, s.group_size, s.is_first, s.is_last, s.has_backward,
                             s.stage_index_to_group_rank, s.log_prefix) for s in (stage(0, 2), stage(1, 2))])
for what, given in (("number", 3), ("none in it", (x, None)), ("number in it", (x, 3)), ("list", [x]), ("dict", {"a": x})):
    told(f"input {what}", lambda given=given: stage(input_args=given) and 1)
    told(f"grad {what}", lambda given=given: stage(input_grads=given) and 1)
told("1F1B", lambda: schedule("1F1B", 1, 0) and 1)
told("interleaved", lambda: schedule("Interleaved1F1B", 2, 3).number_of_rounds)
told("ZBV", lambda: schedule("ZBVZeroBubble", 3))
told("DualPipeV", lambda: schedule("DualPipeV", 2, 1))
told("DualPipeV of three", lambda: schedule("DualPipeV", 3, 6))
for name in ("gpipe", "1f1b", "INTERLEAVED1F1B", "ZBVZeroBubble", "PipelineScheduleSingle", "pipelineschedulemulti", "none"):
    told(name, lambda name=name: get_schedule_class(name).__name__)
try:
    schedules.PipelineScheduleSingle(stage(), 2)
except TypeError as error:
    print("abstract", str(error)[:63])

for name, count in (("GPipe", 1), ("LoopedBFS", 2), ("ZBVZeroBubble", 2), ("InterleavedZeroBubble", 3)):
    made = schedule(name, count)
    losses = [7]
    told(f"{name} step", lambda m=made, v=losses: (plain(m.step(x, target=y, losses=v)), plain(v)))
    told("gradients", lambda m=made: [plain(s.submod.weight.grad) for s in stages_of(m)])
    told("again", lambda m=made: (plain(m.step(x, target=y, return_outputs=False, loss_kwargs={"weight": 2.0}))))
    told("gradients", lambda m=made: [plain(s.submod.weight.grad) for s in stages_of(m)])
    told("two rows too few", lambda m=made: m.step(x[:1], target=y))
    told("target too short", lambda m=made: m.step(x, target=y[:1]))
    told("losses", lambda m=made: m.step(x, target=y, losses=()))
    with torch.no_grad():
        told("no_grad", lambda m=made: m.step(x, target=y))
    told("another flag", lambda m=made: plain(m.step(x, target=y, flag=3)))
    stages_of(made)[-1].submod.kind = "raises"
    told("raises", lambda m=made: m.step(x, target=y))
    stages_of(made)[-1].submod.kind = None
    told("goes on", lambda m=made: plain(m.step(x, target=y)))
made = schedule()
told("no target", lambda: made.step(x))
told("number as input", lambda: schedule().step(3, target=y))
told("no batch", lambda: schedule(loss_fn=None).step(x[:0]))
for kind in ("list", "dict", "number", "none"):
    made = schedule(loss_fn=None)
    stages_of(made)[0].submod.kind = kind
    told(f"gives {kind}", lambda made=made: plain(made.step(x)))
made = schedule(loss_fn=None)
told("no loss", lambda: (plain(made.step(x)), made.step(x).requires_grad))
told("losses without loss", lambda: made.step(x, losses=[]))
made = schedule()
told("eval", lambda: (plain(made.eval(x, target=y)), made._has_backward, made.eval(x, target=y).requires_grad))
told("eval without target", lambda: made.eval(x))
made = schedule("LoopedBFS", 2)
told("summed", lambda: (made.step(x, target=y), [plain(s.submod.weight.grad) for s in made._stages])[1])
made = schedule("LoopedBFS", 2, scale_grads=False)
told("not scaled", lambda: (made.step(x, target=y), [plain(s.submod.weight.grad) for s in made._stages])[1])
leaf = x.clone().requires_grad_()
told("input's gradient", lambda: (schedule("GPipe", 1).step(leaf, target=y).requires_grad, plain(leaf.grad)))
made = schedules.ScheduleGPipe(stage(), 2, loss_fn=loss, args_chunk_spec=(pipelining.microbatch.TensorChunkSpec(1),),
                               output_merge_spec=pipelining.microbatch.TensorChunkSpec(1))
stages_of(made)[0].submod.weight = torch.nn.Parameter(torch.ones(2))
told("other dims", lambda: plain(made.step(x[:, :2].T.contiguous().repeat(2, 1)[:2], target=torch.ones(2, 2))))
made = schedules._PipelineScheduleRuntime([stage(i, 2) for i in range(2)], 2, loss_fn=loss)
with tempfile.TemporaryDirectory() as folder:
    with open(f"{folder}/order.csv", "w") as file:
        file.write("0F0,1F0,1I0,0I0,,0F1,1F1,1W0,1B1,0B1,0W0\n")
    told("loaded", lambda: made._load_csv(f"{folder}/order.csv", format="compute_only"))
    told("its step", lambda: (plain(made.step(x, target=y)), [plain(s.submod.weight.grad) for s in made._stages]))
    told("odd format", lambda: made._load_csv(f"{folder}/order.csv", format="odd"))
    other = schedule("LoopedBFS", 2)
    other._dump_csv(f"{folder}/dumped.csv", format="compute_only")
    made._load_csv(f"{folder}/dumped.csv", format="compute_only")
    told("dumped", lambda: plain(made.step(x, target=y)))
dist.destroy_process_group()
