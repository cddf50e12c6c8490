"""What packages use of `torch._dynamo.utils`."""

import functools
import sys
import warnings

from torchlike._base.patching import patched
from torchlike._dynamo import config

__all__ = ["disable_cache_limit", "is_compile_supported", "warn_once"]


@functools.lru_cache(maxsize=1024)
def warn_once(msg, stacklevel=1) -> None:
    """Warns, the first time that it is called so.

    Args:
        msg: the text.
        stacklevel: as for `warnings.warn`, from the caller on.
    """
    warnings.warn(msg, stacklevel=stacklevel + 1)


def is_compile_supported(device_type) -> bool:
    """Whether `torch.compile` takes functions of tensors on such a device: everywhere, since everything is compiled.

    Args:
        device_type: not looked at.

    Returns:
        True.
    """
    return True


def disable_cache_limit():
    """A block in which functions may be compiled anew as often as they like; here nothing counts it.

    Returns:
        a context manager.
    """
    return patched(config, {"recompile_limit": sys.maxsize, "accumulated_recompile_limit": sys.maxsize}, None, {})
