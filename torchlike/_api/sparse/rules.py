"""The handler of sparse tensors, and the table of rules that it asks.

A rule is a function that is called with the arguments of the row's schema, by name; it returns a Tensor, or a tuple.
"""

from torchlike._base.settings import sparse_coo, strided
from torchlike._ops.all import ROWS
from torchlike._ops.sparse_rows import ON_VALUES
from torchlike._record.dispatch import Handler, Operation
from torchlike._record.inplace import check_inference, write
from torchlike._record.site import count_write
from torchlike._record.tensor import Tensor

_NOT_THERE = (
    "Could not run 'aten::{}' with arguments from the '{}' backend. This could be because the operator doesn't exist for "
    "this backend, or was omitted during the selective/custom build process (if using custom build). If you are a Facebook "
    "employee using PyTorch on mobile, please visit https://fburl.com/ptmfixes for possible resolutions.")


RULES: dict = {}


def rule(*names):
    """A decorator: the function is the rule of the rows of these names."""
    def add(function):
        RULES.update((ROWS[name], function) for name in names)
        return function

    return add


def not_there(name, x) -> NotImplementedError:
    """PyTorch's error for an operator, by its dispatcher's name, that tensors of the layout of `x` do not have."""
    layout = {strided: "", sparse_coo: "Sparse"}.get(x._cell.layout, "SparseCsr")
    return NotImplementedError(_NOT_THERE.format(name.removesuffix(".default"), layout + x._cell.aval.device.type.upper()))


def check_coo(x, name) -> None:
    """NotImplementedError where `x` is not of layout COO, as the operator of this name is for that alone."""
    if x._cell.layout is not sparse_coo:
        raise not_there(name, x)


class SparseHandler(Handler):
    """Does the operations on sparse tensors, each by its rule."""

    def handle(self, operation: Operation):
        """The result.

        A gradient's kernel that a sparse gradient has reached, for which PyTorch has no formula of sparse tensors, gets the
        dense one.
        """
        row = operation.row
        if row is None:
            return operation.with_operands(tuple(_dense(x) for x in operation.operands)).run()
        named = {**dict(zip(row.operands, operation.operands, strict=True)),
                 **dict(zip(row.numbers, operation.numbers, strict=True)),
                 **dict(zip(row.params, operation.params, strict=True))}
        found = RULES.get(row)
        if found is not None:
            return found(**named)
        raise not_there(operation.name, next(x for x in _flat(operation.operands) if x._cell.layout is not strided))

    def write(self, row, self_, out, before) -> None:
        """Make `self_`, which may be dense, what the sparse tensor `out` is, with its history."""
        if self_._cell.layout is strided:
            dense = out.to_dense()
            write(self_, dense, dense._edge and dense._edge[0])
            return
        if row in ON_VALUES and row is not ROWS["neg"] and self_._cell.layout is sparse_coo and not self_._cell.coalesced:
            raise RuntimeError(f"{row.face}_ requires coalesced input")
        put(self_, out)


def put(x: Tensor, out: Tensor) -> None:
    """The same."""
    check_inference(x._cell)
    count_write(x._cell, None if out._edge is None else out._edge[0])
    x._cell.take(out._cell)
    if out._edge is not None:
        x._edge = out._edge


def _flat(operands):
    for x in operands:
        if isinstance(x, Tensor):
            yield x
        elif isinstance(x, tuple):
            yield from _flat(x)


def _dense(x):
    return x.to_dense() if isinstance(x, Tensor) and x._cell.layout is not strided else x


SPARSE = SparseHandler()
