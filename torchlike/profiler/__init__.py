"""`torch.profiler`: https://pytorch.org/docs/stable/profiler.html

`profiler.py` has `profile` and its schedules. The times are taken, summed and printed in `torchlike/autograd/profiler.py`
and `torchlike/autograd/_profiler/`, where PyTorch's older `torch.autograd.profiler` needs them too.

While a profile is open, operations run one by one instead of as one program, so that each has a time of its own. Only
programs import this package. Start with `profiler.py`.
"""

from torchlike.autograd.profiler import kineto_available as kineto_available
from torchlike.autograd.profiler import record_function as record_function
from torchlike.autograd.profiler_util import DeviceType as DeviceType
from torchlike.profiler.profiler import ProfilerAction as ProfilerAction
from torchlike.profiler.profiler import ProfilerActivity as ProfilerActivity
from torchlike.profiler.profiler import _KinetoProfile as _KinetoProfile
from torchlike.profiler.profiler import profile as profile
from torchlike.profiler.profiler import schedule as schedule
from torchlike.profiler.profiler import supported_activities as supported_activities
from torchlike.profiler.profiler import tensorboard_trace_handler as tensorboard_trace_handler
