"""`torch.autograd`: https://pytorch.org/docs/stable/autograd.html"""

from torchlike.autograd.engine import backward as backward
from torchlike.autograd.engine import grad as grad
from torchlike.autograd.grad_mode import enable_grad as enable_grad
from torchlike.autograd.grad_mode import inference_mode as inference_mode
from torchlike.autograd.grad_mode import no_grad as no_grad
from torchlike.autograd.grad_mode import set_grad_enabled as set_grad_enabled
