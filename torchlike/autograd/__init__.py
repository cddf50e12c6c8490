"""`torch.autograd`: https://pytorch.org/docs/stable/autograd.html"""

from torchlike._tensor import Tensor as Variable
from torchlike.autograd import anomaly as anomaly_mode
from torchlike.autograd import function as function
from torchlike.autograd import grad_mode as grad_mode
from torchlike.autograd.anomaly import detect_anomaly as detect_anomaly
from torchlike.autograd.anomaly import set_detect_anomaly as set_detect_anomaly
from torchlike.autograd.engine import backward as backward
from torchlike.autograd.engine import grad as grad
from torchlike.autograd.function import Function as Function
from torchlike.autograd.grad_mode import enable_grad as enable_grad
from torchlike.autograd.grad_mode import inference_mode as inference_mode
from torchlike.autograd.grad_mode import no_grad as no_grad
from torchlike.autograd.grad_mode import set_grad_enabled as set_grad_enabled

__all__ = ["Function", "Variable", "anomaly_mode", "backward", "detect_anomaly", "enable_grad", "function", "grad",
           "grad_mode", "inference_mode", "no_grad", "set_detect_anomaly", "set_grad_enabled"]
