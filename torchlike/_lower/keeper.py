"""Keeping, while a program runs, the values of operands that `lower` could not find again later."""

import weakref

from torchlike._ops.table import ROWS
from torchlike._record.bind import bind
from torchlike._record.cell import storage_of
from torchlike._record.history import edge_of
from torchlike._record.tensor import wrap
from torchlike._record.trace import state

_KEPT = weakref.WeakKeyDictionary()  # Node: {place of an operand: the cell of its value}
_READ = weakref.WeakKeyDictionary()  # Node of a custom Function: {place of an operand: (token of the trace, slot)}


class Keeper:
    """An Observer that keeps, for each Node, the values of the operands that no gradient flows to, and those of leaves."""

    detects_anomaly = sees_all = False

    def __init__(self):
        self.outputs = weakref.WeakKeyDictionary()  # of custom Functions: the results of their forward
        self._leaves = weakref.WeakKeyDictionary()  # the cell of a leaf: where its value was, and a copy of that

    def node_made(self, node, tensors, outs, numbers) -> None:
        """Keeps them; of a view without history that may be written to, its base instead.

        Args:
            node: the Node.
            tensors: its operands.
            outs: its results.
            numbers: its Python numbers.
        """
        if node.plan is None:
            self.outputs[node] = [self.constant(x) for x in outs]
            _READ[node] = dict(self._places_read(node, tensors))
        self.keep(node, tensors)
        first = tensors[0] if tensors else None
        if first is not None and first._view is not None and first._view.base._edge is None:
            _KEPT[node]["base"] = self.constant(first._view.base)

    def keep(self, node, tensors) -> None:
        """Keeps the values of operands.

        Args:
            node: the Node.
            tensors: its operands; those with an edge that is no leaf's are left out.
        """
        pairs = enumerate(zip(node.edges, tensors, strict=True))
        _KEPT[node] = {i: self.constant(x) if edge is None else self._of_leaf(x) for i, (edge, x) in pairs
                       if edge is None or edge[0].is_leaf}

    def _places_read(self, node, tensors):
        """(place, (token, slot)) of the operands with a history that a custom Function has read, and not written to."""
        for i, (edge, x) in enumerate(zip(node.edges, tensors, strict=True)):
            if edge is not None and edge_of(x) == edge:
                self.constant(x)
                if x._cell.trace is state.trace:
                    yield i, (state.trace.token, x._cell.slot)

    @staticmethod
    def constant(x):
        """The value of a tensor now, in a cell of its own: it may be written to later.

        Args:
            x: the Tensor.

        Returns:
            The cell.
        """
        return undisturbed(lambda: bind(ROWS["clone"], (wrap(x._cell),), (), (None,))._cell)

    def _of_leaf(self, x):
        """The same for a leaf, which many operations read: one copy of each value that it has."""
        storage = storage_of(x._cell)
        place = None if storage.trace is None else getattr(storage.trace, "token", None), storage.slot, storage.array
        known = self._leaves.get(x._cell)
        if known is None or any(mine is not now for mine, now in zip(known[0], place, strict=True)):
            known = self._leaves[x._cell] = place, self.constant(x)
        return known[1]


def kept(node, place):
    """What a Keeper has kept of an operand.

    Args:
        node: the Node that read it.
        place: that of the operand, or "base" for the base of a view that was written to.

    Returns:
        The cell of its value then, or None.
    """
    return _KEPT.get(node, {}).get(place)


def read_by(node) -> dict:
    """Where a Keeper has seen a custom Function read its operands.

    Args:
        node: its Node.

    Returns:
        {place of an operand: (token of the trace, slot)}.
    """
    return _READ.get(node, {})


def undisturbed(call):
    """What a function returns that records without history, unnoticed by observers and engines.

    Args:
        call: a function without arguments.

    Returns:
        Its result.
    """
    thread = state.thread
    before = thread.grad, thread.observers, thread.engine
    thread.grad, thread.observers, thread.engine = False, (), None
    try:
        return call()
    finally:
        thread.grad, thread.observers, thread.engine = before
