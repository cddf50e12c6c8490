"""The settings of autocast that the torch namespace has: https://pytorch.org/docs/stable/amp.html"""

import warnings

from torchlike._base.device import known_type
from torchlike._base.dtypes import dtype as _Dtype
from torchlike._modes import autocast

_UNKNOWN = "unknown device type for autocast in get_autocast_dispatch_key_from_device_type"
_OVERLOADS = ("set_autocast_enabled() received an invalid combination of arguments - got (), but expected one of:\n"
              " * (str device_type, bool enabled)\n * (bool enabled)\n")
_KINDS = {str: "str", bool: "bool", _Dtype: "torch.dtype"}


def _check(function, name, position, value, kind) -> None:
    if not isinstance(value, kind):
        raise TypeError(f"{function}(): argument '{name}' (position {position}) must be {_KINDS[kind]}, not "
                        f"{type(value).__name__}")


def _check_only(name, value, kind) -> None:
    if not isinstance(value, kind):
        article = f"a {_KINDS[kind]}"
        raise TypeError(f"{name} must be {article} (got {type(value).__name__})")


def _settable(device_type) -> str:
    kind = known_type(device_type)
    if kind not in autocast.DEVICE_TYPES:
        raise RuntimeError(_UNKNOWN)
    return kind


def is_autocast_available(device_type: str) -> bool:
    """Whether autocast knows a device type. Only 'cpu' and 'cuda' have tensors here.
    https://pytorch.org/docs/stable/amp.html#torch.amp.autocast_mode.is_autocast_available

    Args:
        device_type: a name.

    Returns:
        a bool.
    """
    _check("_is_autocast_available", "device_type", 1, device_type, str)
    return known_type(device_type) in autocast.DEVICE_TYPES


def is_autocast_enabled(device_type="cuda") -> bool:
    """Whether autocast is on, in this thread.

    Args:
        device_type: a name.

    Returns:
        a bool.

    Raises:
        RuntimeError: an unknown device type.
    """
    _check("is_autocast_enabled", "device_type", 1, device_type, str)
    return _settable(device_type) in autocast.settings.enabled


def set_autocast_enabled(*args, **kwargs) -> None:
    """Switches autocast on or off, in this thread.

    Args:
        args, kwargs: ``(device_type, enabled)``, or only ``enabled`` for 'cuda'.

    Raises:
        TypeError: arguments of other types.
        RuntimeError: an unknown device type.
    """
    given = {**dict(zip(("device_type", "enabled") if len(args) + len(kwargs) > 1 else ("enabled",), args, strict=False)),
             **kwargs}
    if "enabled" not in given:
        raise TypeError(_OVERLOADS)
    device_type = given.get("device_type", "cuda")
    _check("set_autocast_enabled", "device_type", 1, device_type, str)
    _check("set_autocast_enabled", "enabled", len(given), given["enabled"], bool)
    kinds = {_settable(device_type)}
    autocast.enable(autocast.settings.enabled | kinds if given["enabled"] else autocast.settings.enabled - kinds)


def get_autocast_dtype(device_type) -> _Dtype:
    """The lower precision that autocast uses: float16 on 'cuda' and bfloat16 on 'cpu', unless it was set.

    Args:
        device_type: a name.

    Returns:
        a dtype.

    Raises:
        RuntimeError: an unknown device type.
    """
    _check("get_autocast_dtype", "device_type", 1, device_type, str)
    found = autocast.settings.dtypes.get(known_type(device_type))
    if found is None:
        raise RuntimeError("unsupported scalarType")
    return found


def set_autocast_dtype(device_type, dtype) -> None:
    """Sets the lower precision that autocast uses.

    Args:
        device_type: a name.
        dtype: the dtype.
    """
    _check("set_autocast_dtype", "device_type", 1, device_type, str)
    _check("set_autocast_dtype", "dtype", 2, dtype, _Dtype)
    autocast.settings.dtypes = {**autocast.settings.dtypes, known_type(device_type): dtype}


def autocast_increment_nesting() -> int:
    """Counts one autocast region more, and returns how many there are."""
    autocast.settings.nesting += 1
    return autocast.settings.nesting


def autocast_decrement_nesting() -> int:
    """Counts one autocast region less, and returns how many there are."""
    autocast.settings.nesting -= 1
    return autocast.settings.nesting


def clear_autocast_cache() -> None:
    """Forgets the casts of parameters."""
    autocast.settings.cache.clear()


def is_autocast_cache_enabled() -> bool:
    """Whether a parameter is cast only once in a region."""
    return autocast.settings.cache_enabled


def set_autocast_cache_enabled(enabled, /) -> None:
    """Sets whether a parameter is cast only once in a region.

    Args:
        enabled: a bool.
    """
    _check_only("enabled", enabled, bool)
    autocast.settings.cache_enabled = enabled


# -- the deprecated ones for one device type

def _deprecated(old, new) -> None:
    warnings.warn(f"torch.{old} is deprecated. Please use torch.{new} instead.", DeprecationWarning, stacklevel=3)


def is_autocast_cpu_enabled() -> bool:
    """The deprecated form of `is_autocast_enabled` for 'cpu', which warns."""
    _deprecated("is_autocast_cpu_enabled()", "is_autocast_enabled('cpu')")
    return is_autocast_enabled("cpu")


def set_autocast_cpu_enabled(enabled, /) -> None:
    """The deprecated form of `set_autocast_enabled` for 'cpu', which warns.

    Args:
        enabled: a bool.
    """
    _check_only("enabled", enabled, bool)
    _deprecated("set_autocast_cpu_enabled(enabled)", "set_autocast_enabled('cpu', enabled)")
    set_autocast_enabled("cpu", enabled)


def get_autocast_cpu_dtype() -> _Dtype:
    """The deprecated form of `get_autocast_dtype` for 'cpu', which warns."""
    _deprecated("get_autocast_cpu_dtype()", "get_autocast_dtype('cpu')")
    return get_autocast_dtype("cpu")


def set_autocast_cpu_dtype(dtype, /) -> None:
    """The deprecated form of `set_autocast_dtype` for 'cpu', which warns.

    Args:
        dtype: the dtype.
    """
    _check_only("dtype", dtype, _Dtype)
    _deprecated("set_autocast_cpu_dtype(dtype)", "set_autocast_dtype('cpu', dtype)")
    set_autocast_dtype("cpu", dtype)


def get_autocast_gpu_dtype() -> _Dtype:
    """The deprecated form of `get_autocast_dtype` for 'cuda', which warns."""
    _deprecated("get_autocast_gpu_dtype()", "get_autocast_dtype('cuda')")
    return get_autocast_dtype("cuda")


def set_autocast_gpu_dtype(dtype, /) -> None:
    """The deprecated form of `set_autocast_dtype` for 'cuda', which warns.

    Args:
        dtype: the dtype.
    """
    _check_only("dtype", dtype, _Dtype)
    _deprecated("set_autocast_gpu_dtype(dtype)", "set_autocast_dtype('cuda', dtype)")
    set_autocast_dtype("cuda", dtype)
