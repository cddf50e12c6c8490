"""`torch.amp`: mixed precision. https://pytorch.org/docs/stable/amp.html

`autocast_mode.py` has the context manager `autocast` and the decorators for custom Functions, `grad_scaler.py` has
`GradScaler`, and `_settings.py` the switches that PyTorch keeps in the torch namespace (`torch.set_autocast_dtype`, ...).

What autocast does to an operation is not here but in the recorder. `torch.cuda.amp` and `torch.cpu.amp` are deprecated
aliases and import from here. Start with `autocast_mode.py`.
"""

from torchlike.amp.autocast_mode import autocast as autocast
from torchlike.amp.autocast_mode import custom_bwd as custom_bwd
from torchlike.amp.autocast_mode import custom_fwd as custom_fwd
from torchlike.amp.autocast_mode import is_autocast_available as is_autocast_available
from torchlike.amp.grad_scaler import GradScaler as GradScaler

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd", "is_autocast_available"]
