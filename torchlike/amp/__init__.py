"""Mixed precision: https://pytorch.org/docs/stable/amp.html"""

from torchlike.amp.autocast_mode import autocast as autocast
from torchlike.amp.autocast_mode import custom_bwd as custom_bwd
from torchlike.amp.autocast_mode import custom_fwd as custom_fwd
from torchlike.amp.autocast_mode import is_autocast_available as is_autocast_available
from torchlike.amp.grad_scaler import GradScaler as GradScaler

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd", "is_autocast_available"]
