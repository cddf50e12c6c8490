"""What a sparse tensor is: a cell with the Tensors of its indices and values, and how such tensors are made."""

from torchlike._api.sparse.history import needs_grad, recorded
from torchlike._api.sparse.rules import SPARSE
from torchlike._base.settings import layout as Layout
from torchlike._base.settings import sparse_coo, strided
from torchlike._compile import avals
from torchlike._record.cell import Cell
from torchlike._record.tensor import Tensor, wrap
from torchlike._record.trace import state
from torchlike._record.warning import warn_once

_NOWHERE = -1  # the offset


class SparseCell(Cell):
    """``layout``; ``indices``: a tuple of index Tensors, one of shape (sparse dimensions, nnz) in layout COO, two
    (compressed and plain ones) in the others; ``values``: a Tensor; all without history. ``coalesced``: whether the indices
    of layout COO are known to be sorted and distinct. ``counter``, ``owner``: see `ViewCell`; nothing reads them here.
    """

    __slots__ = ("coalesced", "counter", "indices", "inference", "layout", "owner", "values", "version", "written")
    handler = SPARSE
    array = base = views = None

    def __init__(self, layout, indices, values, aval, coalesced):
        self.trace, self.slot = None, -1
        self.layout, self.indices, self.values = layout, indices, values
        self.aval, self.coalesced = aval, coalesced
        self.version, self.inference = 0, state.thread.inference

    @property
    def primal(self) -> Tensor:
        """What is left without a tangent: itself."""
        return wrap(self)

    def rewrapped(self) -> Tensor:
        """A Tensor of this cell, without history."""
        return wrap(self)

    def with_values(self, values: Tensor) -> Tensor:
        """A Tensor with other values, and their history."""
        return with_values(wrap(self), values)

    def accumulated(self) -> Tensor:
        """A Tensor of the same parts as PyTorch puts it in ``.grad``: not known to be coalesced."""
        is_summed = self.layout is not sparse_coo or self.indices[0]._cell.aval.shape[1] < 2
        return wrap(SparseCell(self.layout, self.indices, self.values, self.aval, is_summed))

    def take(self, other: "SparseCell") -> None:
        """Becomes what another cell is, in place."""
        self.layout, self.indices, self.values = other.layout, other.indices, other.values
        self.aval, self.coalesced = other.aval, other.coalesced


def is_sparse(x) -> bool:
    """Whether something is a Tensor of a sparse layout."""
    return isinstance(x, Tensor) and x._cell.layout is not strided


def is_coo(x) -> bool:
    """Whether something is a Tensor of layout COO."""
    return isinstance(x, Tensor) and x._cell.layout is sparse_coo


def bare(x: Tensor) -> Tensor:
    """The same cell without history, in which transforms see what it came from, unlike in a detached one."""
    return wrap(x._cell)


def made(layout: Layout, indices: tuple, values: Tensor, size, coalesced=False) -> Tensor:
    """A sparse Tensor of these parts, with the history of the values. Nothing is checked.

    Its aval is no strided tensor's: what is planned by the avals of gradients (`torchlike/optim/`) sees the difference.
    """
    if layout is not sparse_coo:
        warn_once(f"Sparse {str(layout)[-3:].upper()} tensor support is in beta state. If you miss a functionality in the "
                  "sparse tensor support, please submit a feature request to https://github.com/pytorch/pytorch/issues.",
                  "beta")
    mine = values._cell.aval
    aval = avals.aval(tuple(size), mine.dtype, mine.device, None, _NOWHERE)
    cell = SparseCell(layout, tuple(map(bare, indices)), bare(values), aval, coalesced)
    if not needs_grad((values,)):
        return wrap(cell)
    node = "SparseCooTensorWithDimsAndTensorsBackward0" if layout is sparse_coo else "SparseCompressedTensorBackward0"
    return recorded(node, (values,), lambda: wrap(cell), lambda g: pattern_values(g, wrap(cell)))


def pattern_values(g: Tensor, like: Tensor) -> Tensor:
    """The values of `g`, of any layout, where the sparse tensor `like` has elements; with history."""
    found = g.sparse_mask(like)
    return recorded("ValuesBackward0", (found,), lambda: bare(values_of(found)), lambda h: with_values(like, h))


def coo(indices: Tensor, values: Tensor, size, coalesced=False) -> Tensor:
    """A Tensor of layout COO, with the history of the values. Nothing is checked."""
    return made(sparse_coo, (indices,), values, size, coalesced)


def with_values(x: Tensor, values: Tensor) -> Tensor:
    """A tensor with the indices and the shape of the sparse tensor `x`, and other values, with their history."""
    cell = x._cell
    return made(cell.layout, cell.indices, values, cell.aval.shape, cell.coalesced)


def indices_of(x: Tensor) -> Tensor:
    """The indices of a tensor of layout COO."""
    return x._cell.indices[0]


def values_of(x: Tensor) -> Tensor:
    """The values of a sparse tensor, without history."""
    return x._cell.values


def nnz_of(x: Tensor) -> int:
    """How many elements are specified; of layouts with blocks, how many blocks; in each batch."""
    cell = x._cell
    return cell.indices[-1]._cell.aval.shape[-1]


def sparse_dims(x: Tensor) -> int:
    """The number of sparse dimensions."""
    cell = x._cell
    return cell.indices[0]._cell.aval.shape[0] if cell.layout is sparse_coo else 2
