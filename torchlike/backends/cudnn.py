"""`torch.backends.cudnn`: switches that programs set. https://pytorch.org/docs/stable/backends.html#torch-backends-cudnn

XLA calls cuDNN where it finds it faster, whatever is set here; only `allow_tf32` has an effect. The settings are kept
and reported.
"""

import contextlib
import sys
import types

from torchlike._compile.backends.xla_cuda import CONVOLUTIONS, tf32_allowed
from torchlike.backends._tf32 import allow

enabled = True
benchmark = False
benchmark_limit = None
deterministic = False


class _Module(types.ModuleType):
    @property
    def allow_tf32(self) -> bool:
        """Whether float32 convolutions on a GPU may use TensorFloat32; True at first, as in PyTorch."""
        return tf32_allowed[CONVOLUTIONS]

    @allow_tf32.setter
    def allow_tf32(self, value):
        allow(CONVOLUTIONS, value)


_own = sys.modules[__name__]
_own.__class__ = _Module


def is_available() -> bool:
    """False: torchlike does not call cuDNN itself."""
    return False


def version() -> None:
    """None, as in PyTorch without cuDNN."""


def is_acceptable(tensor) -> bool:
    """Whether cuDNN takes a tensor: it takes none.

    Args:
        tensor: any Tensor.

    Returns:
        False.
    """
    return False


_FLAGS = ("enabled", "benchmark", "benchmark_limit", "deterministic", "allow_tf32")


@contextlib.contextmanager
def flags(enabled=False, benchmark=False, benchmark_limit=10, deterministic=False, allow_tf32=True):
    """All settings for a block; those that are not given are PyTorch's defaults for it.
    https://pytorch.org/docs/stable/backends.html#torch-backends-cudnn

    Args:
        enabled, benchmark, benchmark_limit, deterministic: kept and reported.
        allow_tf32: whether float32 convolutions on a GPU may use TensorFloat32; RuntimeError if it is no bool.

    Yields:
        None.
    """
    before = [getattr(_own, name) for name in _FLAGS]
    _set((enabled, benchmark, benchmark_limit, deterministic, allow_tf32))
    try:
        yield
    finally:
        _set(before)


def _set(values) -> None:
    for name, value in zip(_FLAGS, values, strict=True):
        setattr(_own, name, value)

