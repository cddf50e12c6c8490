"""The deprecated forms of `torch.amp` for 'cpu': https://pytorch.org/docs/stable/amp.html"""

from torchlike.cpu.amp.autocast_mode import autocast as autocast
from torchlike.cpu.amp.grad_scaler import GradScaler as GradScaler
