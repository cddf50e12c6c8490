"""The end of a backward pass at a leaf: its gradient is added to ``.grad``."""

import threading
from sys import getrefcount

from torchlike._compile.avals import is_dense
from torchlike._ops.table import ROWS
from torchlike._record.bind import bind
from torchlike._record.cell import Storage
from torchlike._record.inplace import write
from torchlike._record.node import node_class
from torchlike._record.tensor import wrap
from torchlike._record.trace import state
from torchlike.autograd.hooks import run_post_accumulate_hooks, run_tensor_hooks

_ADD = "add"
_LEAVES = threading.RLock()  # several threads may accumulate into one leaf


def accumulate(node, grads) -> list:
    """Add to the leaf's ``.grad``; steals the gradient where nobody else can see it.

    Hooks run even where no gradient has arrived (None).
    """
    variable = node.variable
    if variable._edge is None:  # it was frozen after the forward pass
        return []
    if node.hooks is None and variable._hooks:  # else they ran before the Node's own hooks
        grads[0] = run_tensor_hooks(variable._hooks, grads[0])
    if grads[0] is not None:
        with _LEAVES:
            _add_to(variable, grads)
    if variable._post_hooks:
        run_post_accumulate_hooks(variable._post_hooks, variable)
    return []


def _add_to(variable, grads) -> None:
    t = state.trace
    if variable._grad is None:
        variable._grad = _first_grad(grads, t.thread.grad)
    elif t.thread.grad:
        variable._grad = bind(ROWS[_ADD], (variable._grad, grads[0]), (None,), ())
    else:
        total = bind(ROWS[_ADD], (variable._grad, grads[0]), (None,), ())
        write(variable._grad, total, None)


def _first_grad(grads, keep_graph):
    """The gradient in the list `grads` for a leaf that has none: itself if nobody else holds it."""
    if keep_graph:
        kept = bind(ROWS["clone"], (grads[0],), (), (None,))
        if kept._edge is not None:
            kept._edge[0].__class__ = node_class("CopyBackwards")
        return kept
    holders, cell_holders = _holders(grads)
    if holders <= _UNSHARED[0] and cell_holders <= _UNSHARED[1]:
        cell = grads[0]._cell
        if cell.base is None and cell.array is None and is_dense(cell.aval.shape, cell.aval.strides):
            return wrap(cell)
    return wrap(bind(ROWS["clone"], (grads[0],), (), (None,))._cell)


def _holders(box):
    """How many hold the tensor in a list, and how many its Cell, in this Python's way of counting."""
    return getrefcount(box[0]), getrefcount(box[0]._cell)


def _measure_unshared():
    """What `_holders` says of a tensor that only the list holds, whose Cell is only in a trace."""
    values = [Storage(None, 0, None)]
    return _holders([wrap(values[0])])


_UNSHARED = _measure_unshared()
