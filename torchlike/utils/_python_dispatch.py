"""`torch.utils._python_dispatch`, as far as packages ask it: there are no modes of ``__torch_dispatch__``."""

import contextlib

from torchlike._base.errors import UnsupportedError
from torchlike._record.tensor import Tensor


class TorchDispatchMode:
    """Refused when it is entered: a trace of JAX's is recorded, not a stream of aten operators."""

    def __init__(self, _dispatch_key=None):
        self._dispatch_key = _dispatch_key

    def __enter__(self):
        raise UnsupportedError("torch.utils._python_dispatch.TorchDispatchMode is not supported: a trace of JAX's is "
                               "recorded, not a stream of aten operators")

    def __exit__(self, *exception) -> None:
        return None


def is_traceable_wrapper_subclass_type(t: type) -> bool:
    """Whether a class says what tensors it is made of."""
    return issubclass(t, Tensor) and all(hasattr(t, name) for name in ("__tensor_flatten__", "__tensor_unflatten__"))


def is_traceable_wrapper_subclass(t) -> bool:
    """Whether a tensor is of a class that says what tensors it is made of."""
    return is_traceable_wrapper_subclass_type(type(t))


def is_in_torch_dispatch_mode(include_infra_modes: bool = True) -> bool:
    """False: there are no such modes."""
    return False


def any_torch_dispatch_mode_on_stack() -> bool:
    """False: there are no such modes."""
    return False


def _get_current_dispatch_mode() -> None:
    """None: there are no such modes."""


def _get_current_dispatch_mode_stack() -> list:
    """Of such modes there are none."""
    return []


def _disable_current_modes():
    """A block without such modes."""
    return contextlib.nullcontext([])
