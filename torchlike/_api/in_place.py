"""In-place forms that are more than a write of the row's result: comparisons, and tensors that become a view."""

import weakref

from torchlike._api.sparse.rules import put
from torchlike._base.settings import strided
from torchlike._modes.dual import parts
from torchlike._ops.all import ROWS
from torchlike._ops.table import node_name
from torchlike._record.bind import bind
from torchlike._record.cell import counter_of, storage_of
from torchlike._record.inplace import check_inference, check_writable, inplace, rebase
from torchlike._record.node_factory import nodes
from torchlike._record.site import count_write
from torchlike._record.tensor import STALE, Tensor
from torchlike._record.trace import state
from torchlike._record.views import mark_stale
from torchlike.autograd.special_nodes import ReshapedInPlace

_T = ROWS["t"]


def compare(row, self, other) -> Tensor:
    """`eq_` and the like: the answers as 0 and 1, whose gradient is zero."""
    thread = state.thread
    if not thread.grad or (self._edge is None and getattr(other, "_edge", None) is None):
        return inplace(row, (self, other))
    check_writable(self, True)
    node = bind(ROWS[row.write.stand_in], (self, other))._edge[0]
    node.rename(node_name(row.name).removesuffix("0") + ("1" if isinstance(other, Tensor) else "0"))
    thread.grad = False
    try:
        inplace(row, (self, other))
    finally:
        thread.grad = True
    rebase(self, node)
    mark_stale(storage_of(self._cell), counter_of(self._cell))
    return self


def become_view(row, self, name, *args) -> Tensor:
    """`t_`, `squeeze_` and the like: the tensor becomes the view that its method `name` makes, by the row `row`."""
    if self._cell.layout is not strided:
        put(self, getattr(self, name)(*args))
        return self
    if self._cell.handler is not None:
        for part in parts(self):
            if part is not None:
                become_view(row, part, name, *args)
        return self
    check_writable(self, False, uniform=True)
    if row is _T and self._cell.aval.ndim > 2:
        raise RuntimeError(f"t_() expects a tensor with <= 2 dimensions, but self is {self._cell.aval.ndim}D")
    out = getattr(self, name)(*args)
    edge = out._edge if self._edge is not None and state.thread.grad else None
    recorded = edge is not None
    if recorded:
        nodes.in_place(edge[0], row, False)
    elif self._edge is not None and len(self._edge) == 2 and self._cell.aval.shape != out._cell.aval.shape:
        edge = (ReshapedInPlace(self._edge, out._cell.aval), self._edge[1])
    cell = out._cell
    count_write(cell)
    if self._view is not None:
        cell.owner = weakref.ref(self)
    mark_stale(storage_of(cell), counter_of(cell))
    self._cell = cell
    if edge is not None and (recorded or self._edge is not STALE):
        self._edge = edge  # with no call in between: an interruption finds the old tensor, or all of the new one
    check_inference(cell)
    return self
