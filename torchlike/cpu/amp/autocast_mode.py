"""The deprecated forms of `torch.amp` for 'cpu': https://pytorch.org/docs/stable/amp.html"""

import warnings

from torchlike._base import dtypes
from torchlike.amp import autocast_mode

__all__ = ["autocast"]


class autocast(autocast_mode.autocast):  # noqa: N801 - PyTorch's name
    """The deprecated form of ``torch.amp.autocast("cpu", ...)``, which warns.
    https://pytorch.org/docs/stable/amp.html

    Args:
        enabled, dtype, cache_enabled: as for `torch.amp.autocast`.
    """

    def __init__(self, enabled: bool = True, dtype=dtypes.bfloat16, cache_enabled: bool = True):
        warnings.warn("`torch.cpu.amp.autocast(args...)` is deprecated. Please use `torch.amp.autocast('cpu', args...)` "
                      "instead.", FutureWarning, stacklevel=2)
        super().__init__("cpu", enabled=enabled, dtype=dtype, cache_enabled=cache_enabled)
