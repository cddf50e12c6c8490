"""`torch.autocast` and what custom Functions need under it: https://pytorch.org/docs/stable/amp.html"""

import collections.abc
import functools
import warnings

import numpy as np

from torchlike._base import dtypes
from torchlike._compile.backends.registry import accelerators
from torchlike._modes import autocast as casting
from torchlike._record.tensor import Tensor
from torchlike.amp import _settings
from torchlike.amp._settings import is_autocast_available

__all__ = ["autocast", "autocast_decorator", "custom_bwd", "custom_fwd", "is_autocast_available"]

_SUPPORTED = (dtypes.bfloat16, dtypes.float16)
_NO_CALLABLE = (
    "autocast()(func) requires a callable, but got {}. Did you mean to use autocast as a context manager? For example:\n"
    "    with torch.autocast(device_type=...):\n        output = model(input)")


def autocast_decorator(autocast_instance, func):
    """A function that runs inside an autocast region.

    Args:
        autocast_instance: the region.
        func: the function.

    Returns:
        The new function.
    """
    @functools.wraps(func)
    def inside(*args, **kwargs):
        with autocast_instance:
            return func(*args, **kwargs)

    return inside


class autocast:  # noqa: N801 - PyTorch's name
    """A context and decorator in which operators run in the dtype that PyTorch chooses for them: products in `dtype`,
    losses and the like in float32. Casts of parameters are shared until the outermost region ends. Differs from
    PyTorch: a backward pass that runs inside is not cast. PyTorch casts there, too, and advises against it.
    https://pytorch.org/docs/stable/amp.html#torch.autocast

    Args:
        device_type: "cpu" or "cuda".
        dtype: float16 or bfloat16; None means the default of the device type.
        enabled: whether the region casts.
        cache_enabled: whether a parameter is cast only once; None keeps the present setting.

    Raises:
        RuntimeError: an unknown device type.
    """

    def __init__(self, device_type: str, dtype=None, enabled: bool = True, cache_enabled: bool | None = None):
        _check_type(device_type)
        self.fast_dtype = _settings.get_autocast_dtype(device_type) if dtype is None else dtype
        self.device = device_type
        if not is_autocast_available(device_type):
            raise RuntimeError(f"User specified an unsupported autocast device_type '{device_type}'")
        self._cache_enabled = _settings.is_autocast_cache_enabled() if cache_enabled is None else cache_enabled
        self._enabled = enabled and self._possible()

    def _possible(self) -> bool:
        if self.device == "cuda":
            if not accelerators():
                warnings.warn("CUDA is not available or torch_xla is imported. Disabling autocast.", stacklevel=3)
                return False
        elif self.fast_dtype not in _SUPPORTED:
            name = self.device.upper()
            warnings.warn(f"In {name} autocast, but the target dtype is not supported. Disabling autocast.\n{name} Autocast "
                          f"only supports dtypes of {', '.join(map(str, _SUPPORTED))} currently.", stacklevel=3)
            return False
        return True

    def __enter__(self):
        self.prev_cache_enabled = _settings.is_autocast_cache_enabled()
        self.prev = _settings.is_autocast_enabled(self.device)
        self.prev_fastdtype = _settings.get_autocast_dtype(self.device)
        depth = casting.settings.nesting
        try:
            _settings.set_autocast_enabled(self.device, self._enabled)
            _settings.set_autocast_dtype(self.device, self.fast_dtype)
            _settings.set_autocast_cache_enabled(self._cache_enabled)
            _settings.autocast_increment_nesting()
        except BaseException:  # Ctrl-C, say: `__exit__` is not called then
            self._restore(depth)
            raise
        return self

    def _restore(self, depth) -> None:
        """As before, in so many regions. It may be called again when it was interrupted."""
        casting.set_nesting(depth)
        _settings.set_autocast_enabled(self.device, self.prev)
        _settings.set_autocast_dtype(self.device, self.prev_fastdtype)
        _settings.set_autocast_cache_enabled(self.prev_cache_enabled)

    def __exit__(self, exc_type, exc_val, exc_tb):
        depth = casting.settings.nesting - 1
        try:
            self._restore(depth)
        except BaseException:
            self._restore(depth)
            raise
        return False

    def __call__(self, func):
        if not callable(func):
            raise TypeError(_NO_CALLABLE.format(type(func).__name__))
        return autocast_decorator(self, func)


def _check_type(device_type) -> None:
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")


# -- custom Functions

def _cast(value, device_type, dtype):
    """The tensors in `value`, also those in containers, in another dtype where autocast may cast them."""
    if isinstance(value, Tensor):
        return value.to(dtype) if casting.eligible(value, device_type) else value
    if isinstance(value, str | bytes | np.ndarray):
        return value
    if isinstance(value, collections.abc.Mapping):
        return {_cast(key, device_type, dtype): _cast(x, device_type, dtype) for key, x in value.items()}
    if isinstance(value, collections.abc.Iterable):
        parts = (_cast(x, device_type, dtype) for x in value)
        return type(value)(parts) if isinstance(value, list | tuple) else parts
    return value


def custom_fwd(fwd=None, *, device_type: str, cast_inputs=None):
    """Decorates `forward` of a custom Function, so that `custom_bwd` knows how it ran.
    https://pytorch.org/docs/stable/amp.html#torch.amp.custom_fwd

    Args:
        fwd: the method; None gives a decorator.
        device_type: "cpu" or "cuda".
        cast_inputs: under autocast, a dtype to cast the inputs to; the method then runs without autocast.

    Returns:
        The method.
    """
    _check_type(device_type)
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @functools.wraps(fwd)
    def forward(*args, **kwargs):
        ctx, on = args[0], _settings.is_autocast_enabled(device_type)
        ctx._dtype = _settings.get_autocast_dtype(device_type)
        ctx._fwd_used_autocast = on and cast_inputs is None
        if not on or cast_inputs is None:
            return fwd(*args, **kwargs)
        with autocast(device_type, enabled=False):
            return fwd(*_cast(args, device_type, cast_inputs), **_cast(kwargs, device_type, cast_inputs))

    return forward


def custom_bwd(bwd=None, *, device_type: str):
    """Decorates `backward` of a custom Function, so that it runs with autocast as it was in `forward`.
    https://pytorch.org/docs/stable/amp.html#torch.amp.custom_bwd

    Args:
        bwd: the method; None gives a decorator.
        device_type: "cpu" or "cuda".

    Returns:
        The method.
    """
    _check_type(device_type)
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)

    @functools.wraps(bwd)
    def backward(*args, **kwargs):
        ctx = args[0]
        with autocast(device_type, enabled=ctx._fwd_used_autocast, dtype=ctx._dtype):
            return bwd(*args, **kwargs)

    return backward
