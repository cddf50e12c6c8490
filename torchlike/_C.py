"""What packages use of `torch._C`."""  # noqa: N999 - PyTorch's name

import threading

from torchlike._record.torch_function import Switch
from torchlike._record.torch_function import disabled_torch_function_impl as _disabled_torch_function_impl
from torchlike._record.torch_function import local as _local

__all__ = ["DisableTorchFunction", "DisableTorchFunctionSubclass", "_disabled_torch_function_impl", "_log_api_usage_once"]


class DisableTorchFunctionSubclass(Switch):
    """``with``: no class takes calls over, in this thread; modes do."""

    def __init__(self):
        super().__init__("classes_off")


class DisableTorchFunction(Switch):
    """``with``: neither classes nor modes take calls over, in this thread."""

    def __init__(self):
        super().__init__("all_off")


class _Below(threading.local):
    depth = 0


_below = _Below()


class _AutoDispatchBelowAutograd:
    """``with``: operators that `torch.library` has registered run without their gradients, in this thread."""

    def __enter__(self) -> None:
        _below.depth += 1

    def __exit__(self, *exception) -> None:
        _below.depth -= 1


def _is_below_autograd() -> bool:
    """Whether a block of `_AutoDispatchBelowAutograd` is open, in this thread."""
    return _below.depth > 0


def _is_torch_function_enabled() -> bool:
    """Whether classes may take calls over, in this thread."""
    return not (_local.classes_off or _local.all_off)


def _is_torch_function_mode_enabled() -> bool:
    """Whether a mode takes calls over, in this thread."""
    return bool(_local.modes) and not _local.all_off


def _log_api_usage_once(event) -> None:
    """Nothing is logged, as in PyTorch without PYTORCH_API_USAGE_STDERR."""
