"""`torch.autograd`: https://pytorch.org/docs/stable/autograd.html

A Node and its kinds are in `node.py` and `special_nodes.py`; the recorder gets those it makes through the factory that is
supplied at the end of this file. `engine.py` has `backward` and `grad`: a pass that was recorded before is replayed
(`replay.py`), any other is walked (`graph_task.py`). `hooks.py` registers and calls hooks; `graph.py`,
`saved_attributes.py` and `saved_variable.py` are what users see of the graph and of what it saves. `function.py` with
`_function/` is `Function`, `forward_ad.py` and `functional.py` are derivatives by other names, `gradcheck.py` with
`_gradcheck/` compares them with differences, `profiler.py` with `_profiler/` times programs. `grad_mode.py` and
`anomaly_mode.py` are the modes.

It stands on the recorder and its handlers (`_record`, `_modes`). `_api` and all packages of PyTorch's may import it.
Start with `node.py`, then `engine.py`.
"""

from torchlike._record.node_factory import nodes
from torchlike._record.torch_function import has_torch_function as has_torch_function
from torchlike.autograd import anomaly_mode as anomaly_mode
from torchlike.autograd import function as function
from torchlike.autograd import functional as functional
from torchlike.autograd import grad_mode as grad_mode
from torchlike.autograd import graph as graph
from torchlike.autograd import profiler as profiler
from torchlike.autograd import profiler_util as profiler_util
from torchlike.autograd.anomaly_mode import detect_anomaly as detect_anomaly
from torchlike.autograd.anomaly_mode import set_detect_anomaly as set_detect_anomaly
from torchlike.autograd.engine import backward as backward
from torchlike.autograd.engine import grad as grad
from torchlike.autograd.function import Function as Function
from torchlike.autograd.grad_mode import _force_original_view_tracking as _force_original_view_tracking
from torchlike.autograd.grad_mode import enable_grad as enable_grad
from torchlike.autograd.grad_mode import enforce_grad_layout_policy as enforce_grad_layout_policy
from torchlike.autograd.grad_mode import inference_mode as inference_mode
from torchlike.autograd.grad_mode import is_multithreading_enabled as is_multithreading_enabled
from torchlike.autograd.grad_mode import is_view_replay_enabled as is_view_replay_enabled
from torchlike.autograd.grad_mode import no_grad as no_grad
from torchlike.autograd.grad_mode import set_grad_enabled as set_grad_enabled
from torchlike.autograd.grad_mode import set_multithreading_enabled as set_multithreading_enabled
from torchlike.autograd.gradcheck import GradcheckError as GradcheckError
from torchlike.autograd.gradcheck import gradcheck as gradcheck
from torchlike.autograd.gradcheck import gradgradcheck as gradgradcheck
from torchlike.autograd.profiler import _disable_profiler as _disable_profiler
from torchlike.autograd.profiler import _profiler_enabled as _profiler_enabled
from torchlike.autograd.profiler import kineto_available as kineto_available
from torchlike.autograd.profiler_util import DeviceType as DeviceType
from torchlike.autograd.profiler_util import ProfilerActivity as ProfilerActivity
from torchlike.autograd.special_nodes import RecordedNodes
from torchlike.autograd.variable import Variable as Variable
from torchlike.autograd.variable import variable as variable

nodes.supply(RecordedNodes)  # from now on the recorder can make Nodes
