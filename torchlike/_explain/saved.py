"""What graphs keep alive for backward."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from torchlike._record.cell import Cell, storage_of
from torchlike._record.saved import Packed
from torchlike._record.site import place
from torchlike._record.tensor import Tensor
from torchlike.autograd._function.node import FunctionNode
from torchlike.autograd.accumulate import AccumulateGrad
from torchlike.autograd.node import Node
from torchlike.autograd.reachable import reachable
from torchlike.autograd.special_nodes import CopySlices


class Saved(NamedTuple):
    """What one Node keeps alive.

    Args:
        name: that of the Node.
        file, line, function: where the call stands that made it; None where it is not known.
        bytes: how much memory it is.
        tensors: the (dtype, shape) of each tensor.
    """

    name: str
    file: str | None
    line: int | None
    function: str | None
    bytes: int
    tensors: tuple


class Held(list):
    """The `Saved` of each Node that keeps something alive, the largest first. ``str()`` of it is a table."""

    @property
    def total(self) -> int:
        """All bytes."""
        return sum(saved.bytes for saved in self)

    @property
    def lines(self) -> dict:
        """{(file, line): bytes}, the largest first."""
        found: dict = {}
        for saved in self:
            key = saved.file, saved.line
            found[key] = found.get(key, 0) + saved.bytes
        return dict(sorted(found.items(), key=lambda item: -item[1]))

    def __str__(self):
        rows = [f"{self.total:>14,}  bytes in all"]
        for saved in self:
            where = f"{saved.file}:{saved.line} in {saved.function}" if saved.file is not None else "an unknown line"
            what = ", ".join(f"{dtype} {list(shape)}" for dtype, shape in saved.tensors)
            rows.append(f"{saved.bytes:>14,}  {where}: {saved.name} ({what})")
        return "\n".join(rows)


def held_by(roots: Iterable[Node]) -> Held:
    """What the graphs behind some Nodes hold, see `torchlike.graph.bytes`."""
    nodes = reachable(roots)
    counted = {id(storage_of(node.variable._cell)) for node in nodes if node.__class__ is AccumulateGrad}
    found = []
    for node in sorted(nodes, key=lambda node: node.seq):
        cells = []
        for cell in saved_cells(node):
            storage = storage_of(cell)
            if id(storage) not in counted:
                counted.add(id(storage))
                cells.append(storage)
        if cells:
            found.append(_saved(node, cells))
    return Held(sorted(found, key=lambda saved: -saved.bytes))


def _saved(node, cells) -> Saved:
    file, line, function = place(node.site)
    size = sum(c.aval.nbytes for c in cells)
    return Saved(node.name(), file, line, function, size, tuple((c.aval.dtype, tuple(c.aval.shape)) for c in cells))


def saved_cells(node) -> Iterator[Cell]:
    """The Cells of what a Node saved."""
    if node.__class__ is CopySlices:
        yield from saved_cells(node.fn)
        return
    kept = node.saved or ()
    if isinstance(node, FunctionNode):
        kept = [variable.kept for variable in node.ctx._saved_variables or () if variable is not None]
    for x in kept:
        x = x.value if x.__class__ is Packed else x
        if isinstance(x, Tensor):
            yield x._cell
        elif isinstance(x, Cell):
            yield x
