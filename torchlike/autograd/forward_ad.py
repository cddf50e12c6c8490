"""Forward-mode automatic differentiation: a tensor and its tangent travel together.
https://pytorch.org/docs/stable/autograd.html#forward-mode-automatic-differentiation

The tangent of each operator is `jax.jvp` of its row, or the transpose of its gradient, and is recorded
like any other operation: backward passes go through it, and it is compiled with the rest.
"""

import contextlib
import threading
from typing import NamedTuple

from torchlike._base import dtypes as dt
from torchlike._modes import vmap_levels
from torchlike._modes.dual import Level, dual, parts
from torchlike._ops.table import ROWS
from torchlike._record.tensor import Tensor
from torchlike._record.trace import state
from torchlike._record.views import view


class UnpackedDualTensor(NamedTuple):
    """What `unpack_dual` returns.

    Args:
        primal: the value.
        tangent: its tangent, of its shape, or None.
    """

    primal: Tensor
    tangent: Tensor | None


class _Current(threading.local):
    """The level of this thread, None outside."""

    level: Level | None = None


_current = _Current()


def enter_dual_level() -> int:
    """Starts a level; returns its number, 0.
    https://pytorch.org/docs/stable/generated/torch.autograd.forward_ad.enter_dual_level.html

    Raises:
        RuntimeError: inside another one: levels do not nest.
    """
    if _current.level is not None:
        raise RuntimeError("Nested forward mode AD is not supported at the moment")
    _current.level = Level()
    return 0


def exit_dual_level(*, level: int | None = None) -> None:
    """Ends the level: its tangents are gone.
    https://pytorch.org/docs/stable/generated/torch.autograd.forward_ad.exit_dual_level.html

    Args:
        level: its number, 0; None means the present one.

    Raises:
        RuntimeError: there is none, or another is named.
    """
    if _current.level is None:
        raise RuntimeError("Dual level must be a positive number.")
    if level not in (None, 0):
        raise RuntimeError("Trying to exit a dual level that was not the last one that was entered. This is not "
                           "supported.")
    _current.level.active = False
    _current.level = None


class dual_level(contextlib.ContextDecorator):  # noqa: N801 - PyTorch's name
    """``with dual_level():`` a level of forward-mode differentiation. Gives its number, 0.
    https://pytorch.org/docs/stable/generated/torch.autograd.forward_ad.dual_level.html
    """

    def __enter__(self) -> int:
        return enter_dual_level()

    def __exit__(self, *_) -> None:
        exit_dual_level()


def make_dual(tensor: Tensor, tangent: Tensor, *, level: int | None = None) -> Tensor:
    """A tensor with its tangent, for forward-mode differentiation.
    https://pytorch.org/docs/stable/generated/torch.autograd.forward_ad.make_dual.html

    Args:
        tensor: a floating point or complex Tensor without a tangent.
        tangent: a Tensor of its shape.
        level: without effect: there is one.

    Returns:
        A view of `tensor` that has the tangent.

    Raises:
        ValueError: one of them is neither floating point nor complex.
        RuntimeError: outside of a level; another shape; `tensor` has a tangent already.
    """
    if _current.level is None:
        raise RuntimeError("Trying to create a dual Tensor for forward AD but no level exists, make sure to "
                           "enter_dual_level() first.")
    for name, x in (("primal", tensor), ("tangent", tangent)):
        if x.dtype.category < dt.FLOAT:
            raise ValueError(f"Expected {name} to be floating point or complex, but got: {x.dtype}")
    if parts(tensor)[1] is not None:
        raise RuntimeError("Making a dual Tensor based on a Tensor that already has a forward gradient at the same "
                           "level 0 is not supported.")
    if tensor.shape != tangent.shape:
        raise RuntimeError("Trying to set a forward gradient that has a different size than that of the original "
                           f"Tensor, this is not supported. Tensor is of size {list(tensor.shape)} while the given "
                           f"forward gradient is of size {list(tangent.shape)}.")
    if state.thread.frames and any(vmap_levels.batched(parts(x)[0]) for x in (tensor, tangent)):
        raise RuntimeError("Batching rule not implemented for aten::_make_dual; the fallback path doesn't work on out= or "
                           "view ops.")
    return dual_of(tensor, tangent)


def dual_of(tensor, tangent) -> Tensor:
    """`make_dual` of what is known to fit.

    Args:
        tensor: the value: (*).
        tangent: of its shape; it may be a batch of them.

    Returns:
        A view of `tensor` that has the tangent.
    """
    return dual(_alias(tensor), tangent, _current.level)


def _alias(tensor):
    return view(ROWS["view"], parts(tensor)[0], (tuple(tensor.shape),))


def unpack_dual(tensor: Tensor, *, level: int | None = None) -> UnpackedDualTensor:
    """Value and tangent of a dual tensor.
    https://pytorch.org/docs/stable/generated/torch.autograd.forward_ad.unpack_dual.html

    Args:
        tensor: any Tensor.
        level: without effect: there is one.

    Returns:
        (primal, tangent): the primal a view of `tensor`, the tangent None where it has none or outside of a level.

    Raises:
        TypeError: it is no Tensor.
    """
    if _current.level is None:
        return UnpackedDualTensor(tensor, None)
    if not isinstance(tensor, Tensor):
        raise TypeError(f"_unpack_dual(): argument 'dual' (position 1) must be Tensor, not {type(tensor).__name__}")
    tangent = parts(tensor)[1]
    return UnpackedDualTensor(_alias(tensor), tangent)


def __getattr__(name: str):
    """``_current_level``, which packages look at: 0 in a level, -1 outside; it differs from thread to thread."""
    if name == "_current_level":
        return -1 if _current.level is None else 0
    raise AttributeError(f"module 'torch.autograd.forward_ad' has no attribute '{name}'")
