"""`torch._check` and its kind: conditions of programs and packages, with PyTorch's errors where they do not hold."""

import warnings
from collections.abc import Callable

from torchlike._base import dtypes as dt
from torchlike._record.tensor import Tensor
from torchlike._record.torch_function import handle_torch_function, has_torch_function_unary

_UNTOLD = ("Expected cond to be True, but got False. (Could this error message be improved? If so, please report an "
           "enhancement request to PyTorch.)")


def _check_with(error_type: type[Exception], cond: bool, message: Callable | None) -> None:
    """``error_type(message())`` unless `cond`, which is a bool."""
    if isinstance(cond, Tensor):
        raise TypeError("cond must be a bool, but got a Tensor. For tensor conditions, use torch._check_tensor_all() to "
                        "assert that all elements are true.")
    if not isinstance(cond, bool):
        raise TypeError(f"cond must be a bool, but got {type(cond)}")
    if not cond:
        raise error_type(_told(message))


def _told(message: Callable | None) -> str:
    if message is None:
        return _UNTOLD
    if not callable(message):
        raise TypeError("message must be a callable")
    return str(message())


def _check(cond, message=None) -> None:
    """RuntimeError unless `cond`."""
    _check_with(RuntimeError, cond, message)


def _check_index(cond, message=None) -> None:
    """IndexError unless `cond`."""
    _check_with(IndexError, cond, message)


def _check_value(cond, message=None) -> None:
    """ValueError unless `cond`."""
    _check_with(ValueError, cond, message)


def _check_type(cond, message=None) -> None:
    """TypeError unless `cond`."""
    _check_with(TypeError, cond, message)


def _check_not_implemented(cond, message=None) -> None:
    """NotImplementedError unless `cond`."""
    _check_with(NotImplementedError, cond, message)


def _check_is_size(i, message=None, *, max=None) -> None:
    """RuntimeError if `i` is negative or greater than `max`. PyTorch has deprecated it."""
    warnings.warn("_check_is_size will be removed in a future PyTorch release along with guard_size_oblivious. "
                  "    Use _check(i >= 0) instead.", FutureWarning, stacklevel=2)
    _check(i >= 0, message)
    if max is not None:
        _check(i <= max, message)


def _check_tensor_all_with(error_type: type[Exception], cond, message=None) -> None:
    """``error_type(message())`` unless all elements of `cond`, a tensor of bools, are true."""
    if not isinstance(cond, Tensor):
        raise TypeError(f"cond must be a tensor, but got {type(cond)}")
    if cond.dtype is not dt.bool_:
        raise TypeError(f"cond tensor must have dtype torch.bool, but got {cond.dtype}")
    _check_with(error_type, bool(cond.all()), message)


def _check_tensor_all(cond, message=None) -> None:
    """RuntimeError unless all elements of `cond`, a tensor of bools, are true."""
    _check_tensor_all_with(RuntimeError, cond, message)


def _assert_async(input, assert_msg="Expected Tensor with single nonzero value, but got zero") -> None:
    """RuntimeError unless the one element of a tensor is true. It is looked at at once, as PyTorch does on the CPU."""
    if not bool(input):
        raise RuntimeError(assert_msg)


def _assert(condition, message) -> None:
    """Python's ``assert``, for tensors too, and seen by ``__torch_function__``."""
    if type(condition) is not Tensor and has_torch_function_unary(condition):
        return handle_torch_function(_assert, (condition,), condition, message)
    assert condition, message
    return None


def _assert_async(x, message: str = "Expected Tensor with single nonzero value, but got zero") -> None:
    """RuntimeError where a tensor of one element is zero: at once."""
    if not x:
        raise RuntimeError(message)
