"""The deprecated forms of `torch.amp` for 'cpu'. https://pytorch.org/docs/stable/amp.html

`autocast` and `GradScaler` are those of `torchlike.amp` with the device type filled in, and warn as PyTorch's do.
`torch.cpu` imports this package and nothing else does.
Start with `torchlike/amp/autocast_mode.py`, which has the code.
"""

from torchlike.cpu.amp.autocast_mode import autocast as autocast
from torchlike.cpu.amp.grad_scaler import GradScaler as GradScaler
