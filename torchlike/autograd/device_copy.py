"""Moves between devices, which are not recorded: the value goes at once, and a Node of its own is its history."""

from torchlike._compile import avals
from torchlike._compile.backends.meta import NO_DATA
from torchlike._compile.backends.registry import backend_of
from torchlike._record.cell import Storage
from torchlike._record.history import edge_of
from torchlike._record.tensor import Tensor, wrap
from torchlike._record.trace import computed, state
from torchlike.autograd.node import FreeNode


def to_device(x: Tensor, target) -> Tensor:
    """The copy of a tensor on another device, with history.

    Args:
        x: (*), of any dtype.
        target: the device.

    Returns:
        (*), of the same dtype.

    Raises:
        NotImplementedError: it is on 'meta' and has no values.
    """
    home = backend_of(x._cell.aval.device)
    home.check_reachable()
    if not home.has_values:
        raise NotImplementedError(NO_DATA)
    array = backend_of(target).place(computed(x._cell))
    out = wrap(Storage(None, -1, avals.aval(array.shape, x._cell.aval.dtype, target), array))
    if x._edge is not None and state.thread.grad:
        out._edge = (DeviceCopy(x, out), 0)
    return out


class DeviceCopy(FreeNode):
    """The history of a move between devices: the gradient moves back to ``home``.

    Args:
        x: the tensor.
        out: its copy.
    """

    __slots__ = ("home",)

    def __init__(self, x, out):
        super().__init__((edge_of(x),), (out._cell.aval,))
        self.home = x._cell.aval.device

    def backward(self, grads) -> list:
        return [None if grads[0] is None else to_device(grads[0], self.home)]


DeviceCopy.__name__ = DeviceCopy.__qualname__ = "ToCopyBackward0"  # as users see it
