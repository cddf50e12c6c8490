"""One saved tensor by itself: what custom Functions and checkpointed regions keep.

(The Nodes of rows keep theirs flat, see `torchlike/_record/saved.py`.)
"""

from typing import Any

from torchlike._base import errors
from torchlike._record.history import regenerate
from torchlike._record.saved import Packed, changed
from torchlike._record.tensor import STALE, wrap
from torchlike._record.trace import state

HOOKED = ("Calling register_hooks on a saved tensor whose hooks have already been set. Hint: only one pair of hooks is "
          "allowed at a time.")
NOTHING = "Calling register_hooks on a saved tensor with value None is forbidden"


class SavedVariable:
    """A tensor with the version it has now, or what the active pack hook made of it.

    Args:
        tensor: the Tensor.
        node: the Node that saves it. A result of that Node is kept by its Cell, since the tensor would hold the Node; it
            gets its edge back when it is unpacked.

    Raises:
        RuntimeError: it is an inference tensor.
    """

    __slots__ = ("kept", "number", "version", "view")

    def __init__(self, tensor, node=None):
        if tensor._cell.inference:
            raise RuntimeError(errors.INFERENCE_SAVED)
        edge = tensor._edge
        own = node is not None and edge is not None and len(edge) == 2 and edge[0] is node
        self.number = edge[1] if own else None
        self.view = tensor._view
        self.version = tensor._cell.version
        hooks = state.thread.hooks
        if hooks:
            edge = regenerate(tensor) if edge is STALE else edge
            self.kept = Packed(tensor, hooks[-1], None if own else edge)
        else:
            self.kept = tensor._cell if own else tensor

    def unpack(self, node=None):
        """The tensor again. Raises RuntimeError if it has been written to since.

        Args:
            node: the Node that saved it.

        Returns:
            The Tensor.
        """
        kept: Any = self.kept  # Packed, the Cell of a result, or a Tensor
        if kept.__class__ is Packed:
            tensor = kept.get()
            return tensor if self.number is None else self._own(tensor._cell, node)
        if self.number is not None:
            self._check(kept, (node, self.number))
            return self._own(kept, node)
        if kept._edge is STALE:
            regenerate(kept)  # a view that may not be used any more is told so first
        self._check(kept._cell, kept._edge)
        return kept

    def register_hooks(self, hooks, node) -> None:
        """Keeps what the pack hook of the pair makes of the tensor, whatever was written to it by now.

        Args:
            hooks: (pack hook, unpack hook).
            node: the Node that saved it.

        Raises:
            RuntimeError: there is a pair already.
        """
        if self.kept.__class__ is Packed:
            raise RuntimeError(HOOKED)
        tensor = self.kept if self.number is None else self._own(self.kept, node)
        self.kept = Packed(tensor, hooks, tensor._edge if self.number is None else None)

    def _check(self, cell, edge):
        if cell.version != self.version:
            raise changed(cell, self.version, edge)

    def _own(self, cell, node):
        tensor = wrap(cell)
        tensor._edge, tensor._view = (node, self.number), self.view
        return tensor


class SavedTensor:
    """One of ``grad_fn._raw_saved_tensors`` of a custom Function, which may get saved-tensor hooks of its own.
    https://pytorch.org/docs/stable/notes/autograd.html#hooks-for-saved-tensors

    Args:
        variable: the `SavedVariable`, or None.
        node: the Node that saved it.
    """

    def __init__(self, variable, node):
        self._variable, self._node = variable, node

    def register_hooks(self, pack_hook, unpack_hook) -> None:
        """Keeps what a function makes of the tensor in its place.

        Args:
            pack_hook, unpack_hook: as for `saved_tensors_hooks`.

        Raises:
            RuntimeError: it has hooks already, or is None.
        """
        if self._variable is None:
            raise RuntimeError(NOTHING)
        self._variable.register_hooks((pack_hook, unpack_hook), self._node)


def freed() -> RuntimeError:
    """The error for saved tensors that are gone."""
    return RuntimeError(errors.FREED)
