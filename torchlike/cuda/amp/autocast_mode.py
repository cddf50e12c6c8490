"""The deprecated forms of `torch.amp` for 'cuda': https://pytorch.org/docs/stable/amp.html"""

import warnings

from torchlike._base import dtypes
from torchlike.amp import autocast_mode

__all__ = ["autocast", "custom_bwd", "custom_fwd"]


class autocast(autocast_mode.autocast):  # noqa: N801 - PyTorch's name
    """The deprecated form of ``torch.amp.autocast("cuda", ...)``, which warns.
    https://pytorch.org/docs/stable/amp.html

    Args:
        enabled, dtype, cache_enabled: as for `torch.amp.autocast`.
    """

    def __init__(self, enabled: bool = True, dtype=dtypes.float16, cache_enabled: bool = True):
        warnings.warn("`torch.cuda.amp.autocast(args...)` is deprecated. Please use `torch.amp.autocast('cuda', args...)` "
                      "instead.", FutureWarning, stacklevel=2)
        super().__init__("cuda", enabled=enabled, dtype=dtype, cache_enabled=cache_enabled)


def custom_fwd(fwd=None, *, cast_inputs=None):
    """The deprecated form of ``torch.amp.custom_fwd(..., device_type="cuda")``, which warns.

    Args:
        fwd, cast_inputs: as for `torch.amp.custom_fwd`.

    Returns:
        The method.
    """
    warnings.warn("`torch.cuda.amp.custom_fwd(args...)` is deprecated. Please use `torch.amp.custom_fwd(args..., "
                  "device_type='cuda')` instead.", FutureWarning, stacklevel=2)
    return autocast_mode.custom_fwd(fwd, device_type="cuda", cast_inputs=cast_inputs)


def custom_bwd(bwd):
    """The deprecated form of ``torch.amp.custom_bwd(..., device_type="cuda")``, which warns.

    Args:
        bwd: the method.

    Returns:
        The method.
    """
    warnings.warn("`torch.cuda.amp.custom_bwd(args...)` is deprecated. Please use `torch.amp.custom_bwd(args..., "
                  "device_type='cuda')` instead.", FutureWarning, stacklevel=2)
    return autocast_mode.custom_bwd(bwd, device_type="cuda")
