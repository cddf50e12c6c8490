"""What packages use of `torch._dynamo.utils`."""

import functools
import warnings

__all__ = ["is_compile_supported", "warn_once"]


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
