"""The graph of a backward pass as plain numbers, and what it has saved."""

from collections.abc import Iterable, Iterator
from typing import Any

from torchlike._explain.saved import saved_cells
from torchlike._plan.facts import Operation, Source
from torchlike._record.cell import Cell, storage_of
from torchlike._record.saved import Packed
from torchlike._record.tensor import Tensor
from torchlike.autograd.accumulate import AccumulateGrad
from torchlike.autograd.node import Node
from torchlike.autograd.reachable import reachable
from torchlike.utils._recompute import Frame


def operations(roots: Iterable[Node], places: dict, known: dict, owned: Iterable[Cell]) -> list[Operation]:
    """The Nodes behind some, in the order of recording, with what each was the first to save.

    Args:
        roots: the Nodes.
        places: {id of a parameter: its place}.
        known: {number of a Node: the `Operation` that was seen when it was made}; others get a plain one.
        owned: Cells whose memory is somebody else's: parameters and buffers.
    """
    counted = {id(storage_of(cell)) for cell in owned}
    nodes = reachable(roots)
    counted.update(id(storage_of(node.variable._cell)) for node in nodes if node.__class__ is AccumulateGrad)
    found = []
    for node in sorted((x for x in nodes if x.__class__ is not AccumulateGrad), key=lambda node: node.seq):
        operation = known.pop(node.seq, None) or Operation(node.seq, node.name())
        operation.name = node.name()
        operation.inputs = tuple(_source(edge, places) for edge in node.edges)
        operation.saved = sum(_first(_cells(node), counted))
        found.append(operation)
    return found


def _source(edge, places) -> Source | None:
    if edge is None:
        return None
    node = edge[0]
    if node.__class__ is AccumulateGrad:
        return Source(None, places.get(id(node.variable), -1))
    return Source(node.seq, None)


def _first(cells, counted: set) -> Iterator[int]:
    """The bytes of each memory that has not been counted."""
    for cell in cells:
        storage = storage_of(cell)
        if id(storage) not in counted:
            counted.add(id(storage))
            yield storage.aval.nbytes


def _cells(node) -> Iterator[Cell]:
    """What a Node saves; where a checkpoint saves in its place, the inputs from which that computes again."""
    yield from saved_cells(node)
    for x in node.saved or ():
        frame = getattr(x.unpack, "__self__", None) if x.__class__ is Packed else None
        if isinstance(frame, Frame):
            yield from _inputs(frame)


def _inputs(frame) -> Iterator[Cell]:
    for x in frame.args:
        kept: Any = getattr(x, "kept", None)
        if isinstance(kept, Tensor | Cell):
            yield kept._cell if isinstance(kept, Tensor) else kept
