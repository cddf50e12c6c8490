"""`torch.autograd`: https://pytorch.org/docs/stable/autograd.html"""

from torchlike._record.node_factory import nodes
from torchlike._record.tensor import Tensor as Variable  # noqa: F401 - the old name
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
from torchlike.autograd.grad_mode import enable_grad as enable_grad
from torchlike.autograd.grad_mode import enforce_grad_layout_policy as enforce_grad_layout_policy
from torchlike.autograd.grad_mode import inference_mode as inference_mode
from torchlike.autograd.grad_mode import is_multithreading_enabled as is_multithreading_enabled
from torchlike.autograd.grad_mode import no_grad as no_grad
from torchlike.autograd.grad_mode import set_grad_enabled as set_grad_enabled
from torchlike.autograd.grad_mode import set_multithreading_enabled as set_multithreading_enabled
from torchlike.autograd.gradcheck import GradcheckError as GradcheckError
from torchlike.autograd.gradcheck import gradcheck as gradcheck
from torchlike.autograd.gradcheck import gradgradcheck as gradgradcheck
from torchlike.autograd.profiler import kineto_available as kineto_available
from torchlike.autograd.profiler_util import DeviceType as DeviceType
from torchlike.autograd.special_nodes import RecordedNodes

nodes.supply(RecordedNodes)
