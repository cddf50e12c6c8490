"""The history of what rules of sparse tensors compute: Nodes with a function for their gradient."""

import contextlib
from collections.abc import Callable
from typing import Any

from torchlike._base import errors
from torchlike._record.history import edge_of
from torchlike._record.saved import changed
from torchlike._record.tensor import Tensor
from torchlike._record.trace import state
from torchlike.autograd.node import FreeNode

_CLASSES: dict = {}


class RuleNode(FreeNode):
    """The Node of a result that a rule computed.

    Args:
        inputs: the tensors that have a gradient, or None.
        out: the result.
        pull: from the gradient of the result to those of the inputs.
        reads: the tensors that `pull` reads, which nobody may write to before.
    """

    __slots__ = ("pull", "reads")

    def __init__(self, inputs, out, pull, reads):
        super().__init__(tuple(None if x is None or x._edge is None else edge_of(x) for x in inputs), (out._cell.aval,))
        self.pull, self.reads = pull, [(x._cell, x._cell.version, x._edge) for x in reads]

    def release(self) -> None:
        self.pull = None

    def backward(self, grads) -> list:
        """The gradients of the inputs.

        Args:
            grads: a list with the gradient of the result.

        Returns:
            For each input its gradient, or None.

        Raises:
            RuntimeError: what it saved has been freed, or was written to.
        """
        pull = self.pull
        if pull is None:
            raise RuntimeError(errors.FREED)
        for cell, version, edge in self.reads:
            if cell.version != version:
                raise changed(cell, version, edge)
        found = pull(grads[0])
        return list(found) if isinstance(found, tuple) else [found]


def _class_of(name) -> type[RuleNode]:
    found = _CLASSES.get(name)
    if found is None:
        found = _CLASSES[name] = type(name, (RuleNode,), {"__slots__": (), "__module__": "torch.autograd.graph"})
    return found


def needs_grad(inputs) -> bool:
    """Whether a result of these tensors (or None) gets a history."""
    return state.thread.grad and any(x is not None and x._edge is not None for x in inputs)


@contextlib.contextmanager
def recording(wanted: bool):
    """A context with or without history. Unlike `no_grad` it is nothing that the user did, for `explain`."""
    thread = state.thread
    before, thread.grad = thread.grad, wanted
    try:
        yield
    finally:
        thread.grad = before


def recorded(name: str, inputs: tuple, compute: Callable[[], Tensor], pull: Callable[[Tensor], Any],
             reads: tuple = ()) -> Tensor:
    """What `compute` returns, with a history where one of the inputs requires grad.

    Args:
        name: PyTorch's name of the Node.
        inputs, pull, reads: see `RuleNode`.
        compute: makes a new Tensor, without arguments and without history.
    """
    with recording(False):
        out = compute()
    if needs_grad(inputs):
        out._view = None
        out._edge = (_class_of(name)(inputs, out, pull, reads), 0)
    return out
