"""`torch.distributed.pipelining`: the layers of a model on several ranks, and batches in parts that go through them.
https://pytorch.org/docs/stable/distributed.pipelining.html

A schedule is a list of actions for each rank: the forward or backward pass of a stage with a microbatch. `_orders.py` makes
these lists, `_executor.py` runs one, with the messages in `_messages.py`; `stage.py` is a module with the microbatches that
it has seen, and `_backward.py` its backward pass. `schedules.py` has PyTorch's classes, `microbatch.py` divides batches,
`_metadata.py` is what stages tell one another of tensors, `_mapping.py` which rank has which stage, and `_pipe.py` divides a
module by its Graph, which `_tracing.py` records.

Only programs import this package. Start with `_orders.py` and `_executor.py`.
"""

from torchlike._api.homes import name_below as _name_below
from torchlike.distributed.pipelining import microbatch as microbatch
from torchlike.distributed.pipelining import schedules as schedules
from torchlike.distributed.pipelining import stage as stage
from torchlike.distributed.pipelining._pipe import Pipe as Pipe
from torchlike.distributed.pipelining._pipe import pipeline as pipeline
from torchlike.distributed.pipelining._tracing import SplitPoint as SplitPoint
from torchlike.distributed.pipelining._tracing import pipe_split as pipe_split
from torchlike.distributed.pipelining.schedules import Schedule1F1B as Schedule1F1B
from torchlike.distributed.pipelining.schedules import ScheduleDualPipeV as ScheduleDualPipeV
from torchlike.distributed.pipelining.schedules import ScheduleGPipe as ScheduleGPipe
from torchlike.distributed.pipelining.schedules import ScheduleInterleaved1F1B as ScheduleInterleaved1F1B
from torchlike.distributed.pipelining.schedules import ScheduleInterleavedZeroBubble as ScheduleInterleavedZeroBubble
from torchlike.distributed.pipelining.schedules import ScheduleLoopedBFS as ScheduleLoopedBFS
from torchlike.distributed.pipelining.schedules import ScheduleZBVZeroBubble as ScheduleZBVZeroBubble
from torchlike.distributed.pipelining.stage import PipelineStage as PipelineStage
from torchlike.distributed.pipelining.stage import build_stage as build_stage

_name_below(".distributed.pipelining")
