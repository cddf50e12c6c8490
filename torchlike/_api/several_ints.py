"""Methods that take a list of ints as separate arguments, too: ``x.broadcast_to(2, 3)``. The functions want one list."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from torchlike._api.arguments import varargs
from torchlike._api.shapes import broadcast_to as _broadcast_to
from torchlike._api.shapes import dsplit as _dsplit
from torchlike._api.shapes import hsplit as _hsplit
from torchlike._api.shapes import vsplit as _vsplit
from torchlike._record.tensor import Tensor
from torchlike._record.wrong_calls import judged


def _listed(function: Callable, self: Tensor, given: tuple, named: dict[str, Any]):
    """What the function gives for a list of separate ints, or for its usual arguments."""
    if len(given) > 1 and hasattr(given[0], "__index__"):
        return function(self, varargs(given), **named)
    return function(self, *given, **named)


def broadcast_to(self: Tensor, *given: int | Sequence[int], **named: Any) -> Tensor:
    """`torch.broadcast_to`."""
    if not given and not named:
        raise TypeError('broadcast_to() missing 1 required positional arguments: "size"')
    return _listed(_broadcast_to, self, given, named)


@judged
def hsplit(self: Tensor, *given: int | Sequence[int], **named: Any) -> tuple[Tensor, ...]:
    """`torch.hsplit`."""
    return _listed(_hsplit, self, given, named)


@judged
def vsplit(self: Tensor, *given: int | Sequence[int], **named: Any) -> tuple[Tensor, ...]:
    """`torch.vsplit`."""
    return _listed(_vsplit, self, given, named)


@judged
def dsplit(self: Tensor, *given: int | Sequence[int], **named: Any) -> tuple[Tensor, ...]:
    """`torch.dsplit`."""
    return _listed(_dsplit, self, given, named)


METHODS: dict = {"broadcast_to": broadcast_to, "hsplit": hsplit, "vsplit": vsplit, "dsplit": dsplit}
