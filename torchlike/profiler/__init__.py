"""`torch.profiler`: https://pytorch.org/docs/stable/profiler.html"""

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
