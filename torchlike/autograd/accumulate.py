"""The ends of the graph: Nodes that add a gradient to a leaf's ``.grad``."""

import threading
import weakref
from sys import getrefcount

from torchlike._base.forkable import forkable
from torchlike._base.settings import contiguous_format, strided
from torchlike._compile import avals
from torchlike._compile.avals import is_dense
from torchlike._ops.table import ROWS
from torchlike._record.bind import bind
from torchlike._record.cell import Storage
from torchlike._record.inplace import cast, inplace, write
from torchlike._record.tensor import Tensor, wrap
from torchlike._record.trace import state
from torchlike._record.views import detach
from torchlike.autograd.hooks import run_post_accumulate_hooks, run_tensor_hooks
from torchlike.autograd.node import Node

_ACCUMULATORS = forkable(threading.RLock())  # two threads that use a leaf for the first time make one AccumulateGrad
_LEAVES = forkable(threading.RLock())  # several threads may accumulate into one leaf


class AccumulateGrad(Node):
    """The end of the graph at a leaf: adds to its ``.grad``.

    Args:
        variable: the leaf.
    """

    __slots__ = ("variable",)
    replayable = False
    is_leaf = True
    wants_undefined = True  # for the hooks
    n_outputs = 1

    def __init__(self, variable):
        self.variable = variable
        self.plan, self.edges, self.saved, self.numbers = None, (), (), ()
        self.seq = 1 << 63  # runs as soon as it is ready, as in PyTorch
        self.hooks = self.site = self.child = None

    @property
    def next_functions(self) -> tuple:
        return ()

    def output_aval(self, i):
        return self.variable._cell.aval

    def result_places(self, results):
        return range(len(results))

    def in_dtype(self, grad):
        """The gradient in the dtype that the leaf's is to have.

        Args:
            grad: a Tensor or None.

        Returns:
            a Tensor, or None.
        """
        dtype = dtype_of_gradient(self.variable)
        if grad is None or dtype is None or grad._cell.aval.dtype is dtype:
            return grad
        return bind(ROWS["_to_copy"], (grad,), (), (dtype,))

    def backward(self, grads) -> list:
        """Adds to the leaf's ``.grad``; steals the gradient where nobody else can see it.

        Hooks run even where no gradient has arrived (None).

        Args:
            grads: a list with the gradient, or None.

        Returns:
            An empty list.
        """
        variable = self.variable
        if variable._edge is None:  # it was frozen after the forward pass
            return []
        if variable._grad_dtype is not False:
            grads[0] = self.in_dtype(grads[0])
        if self.hooks is None and variable._hooks:  # else they ran before the Node's own hooks
            grads[0] = run_tensor_hooks(variable._hooks, grads[0])
        if grads[0] is not None:
            with _LEAVES:
                _add_to(variable, grads)
        if variable._post_hooks:
            run_post_accumulate_hooks(variable._post_hooks, variable)
        return []


def dtype_of_gradient(leaf):
    """The dtype that a leaf's gradient is to have.

    Args:
        leaf: a Tensor.

    Returns:
        a dtype; None means any.
    """
    return leaf._cell.aval.dtype if leaf._grad_dtype is False else leaf._grad_dtype


def accumulate_grad(variable) -> AccumulateGrad:
    """The one `AccumulateGrad` of a leaf, as long as anybody holds it.

    Args:
        variable: the leaf.

    Returns:
        The Node.
    """
    reference = variable._acc
    node = reference() if reference is not None else None
    if node is not None:
        return node
    with _ACCUMULATORS:
        reference = variable._acc
        node = reference() if reference is not None else None
        if node is not None:
            return node
        node = AccumulateGrad(variable)
        variable._acc = weakref.ref(node)
    state.thread.tell(node, (variable,))
    return node


def _add_to(variable, grads) -> None:
    with_grad = state.thread.grad
    if variable._grad is None:
        variable._grad = _first_grad(variable, grads, with_grad)
    elif with_grad or (variable._grad._cell.layout is not strided and grads[0]._cell.layout is strided):
        variable._grad = total(variable._grad, grads[0])  # nothing strided can be added to a sparse one in place
    elif grads[0]._cell.handler is not None:
        inplace(ROWS["add"], (variable._grad, grads[0]), (None,))
    else:
        summed = total(variable._grad, grads[0])
        if variable._grad_dtype is None:  # then the two may differ
            summed = cast(summed, variable._grad._cell.aval.dtype)
        write(variable._grad, summed, None)


def total(first, second):
    """The sum of two gradients.

    Args:
        first, second: Tensors of one shape.

    Returns:
        A Tensor, strided if one of them is.
    """
    if first._cell.layout is not strided:
        first, second = second, first
    return bind(ROWS["add"], (first, second), (None,), ())


def _first_grad(variable, grads, keep_graph):
    """The gradient in the list `grads` for a leaf that has none: itself if it lies in memory as it should and nobody else
    holds it."""
    if keep_graph:
        kept = _in_layout_of(variable._cell, grads[0])
        if kept._edge is not None:
            kept._edge[0].rename("CopyBackwards")
        return kept
    if state.open is None or (grads[0]._cell.handler is not None and grads[0]._cell.layout is strided):
        return detach(grads[0])  # who sees all sees this
    holders, cell_holders = _holders(grads)
    if holders <= _UNSHARED[0] and cell_holders <= _UNSHARED[1]:
        cell = grads[0]._cell
        if cell.layout is not strided:
            return cell.accumulated()
        if cell.base is None:
            cell.aval = _lying_like(variable._cell.aval, cell.aval)  # strides are but said: no value moves
            return wrap(cell)
    return wrap(_in_layout_of(variable._cell, grads[0])._cell)


def _lying_like(leaf, aval):
    """A gradient with the strides that PyTorch promises: the leaf's, contiguous ones where the leaf has gaps."""
    if leaf.contiguous or not is_dense(leaf.shape, leaf.strides):
        return aval if aval.contiguous else avals.aval(tuple(aval.shape), aval.dtype, aval.device)
    if all(n == 1 or a == b for n, a, b in zip(leaf.shape, leaf.strides, aval.strides, strict=True)):
        return aval
    return avals.aval(tuple(aval.shape), aval.dtype, aval.device, leaf.strides)


def _in_layout_of(cell, grad) -> Tensor:
    """A copy of the gradient with these strides, of a sparse one as it is."""
    leaf = cell.aval
    if cell.layout is not strided or grad._cell.layout is not strided:
        return bind(ROWS["clone"], (grad,), (), (None,))
    if leaf.contiguous or not is_dense(leaf.shape, leaf.strides):
        return bind(ROWS["clone"], (grad,), (), (contiguous_format,))
    like = wrap(cell) if leaf.dtype is grad._cell.aval.dtype else bind(ROWS["_to_copy"], (wrap(cell),), (),
                                                                       (grad._cell.aval.dtype,))
    return bind(ROWS["copy"], (like, grad))


def _holders(box):
    """How many hold the tensor in a list, and how many its Cell, in this Python's way of counting."""
    return getrefcount(box[0]), getrefcount(box[0]._cell)


def _measure_unshared():
    """What `_holders` says of a tensor that only the list holds, whose Cell is only in a trace."""
    values = [Storage(None, 0, None)]
    return _holders([wrap(values[0])])


_UNSHARED = _measure_unshared()
