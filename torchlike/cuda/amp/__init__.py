"""The deprecated forms of `torch.amp` for 'cuda'. https://pytorch.org/docs/stable/amp.html

`autocast`, `custom_fwd`, `custom_bwd` and `GradScaler` are those of `torchlike.amp` with the device type filled in, and
warn as PyTorch's do. `torch.cuda` imports this package and nothing else does.
Start with `torchlike/amp/autocast_mode.py`, which has the code.
"""

from torchlike.cuda.amp.autocast_mode import autocast as autocast
from torchlike.cuda.amp.autocast_mode import custom_bwd as custom_bwd
from torchlike.cuda.amp.autocast_mode import custom_fwd as custom_fwd
from torchlike.cuda.amp.common import amp_definitely_not_available as amp_definitely_not_available
from torchlike.cuda.amp.grad_scaler import GradScaler as GradScaler

__all__ = ["GradScaler", "amp_definitely_not_available", "autocast", "custom_bwd", "custom_fwd"]
