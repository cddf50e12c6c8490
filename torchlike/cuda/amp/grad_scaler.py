"""The deprecated form of `torch.amp.GradScaler` for 'cuda': https://pytorch.org/docs/stable/amp.html"""

import warnings

from torchlike.amp import grad_scaler
from torchlike.amp.grad_scaler import OptState as OptState

__all__ = ["GradScaler"]


class GradScaler(grad_scaler.GradScaler):
    """The deprecated form of ``torch.amp.GradScaler("cuda", ...)``, which warns.
    https://pytorch.org/docs/stable/amp.html

    Args:
        init_scale, growth_factor, backoff_factor, growth_interval, enabled: as for `torch.amp.GradScaler`.
    """

    def __init__(self, init_scale: float = 2.0**16, growth_factor: float = 2.0, backoff_factor: float = 0.5,
                 growth_interval: int = 2000, enabled: bool = True) -> None:
        warnings.warn("`torch.cuda.amp.GradScaler(args...)` is deprecated. Please use `torch.amp.GradScaler('cuda', "
                      "args...)` instead.", FutureWarning, stacklevel=2)
        super().__init__("cuda", init_scale, growth_factor, backoff_factor, growth_interval, enabled)
