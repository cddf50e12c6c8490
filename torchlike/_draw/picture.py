"""What is drawn: the Nodes of a graph, and what is known of each."""

import dataclasses
import linecache
from typing import Any

from torchlike._explain.saved import saved_cells
from torchlike._lower.graph import ordered
from torchlike._lower.names import Names
from torchlike._record.cell import storage_of
from torchlike._record.site import place
from torchlike._step.values import form_of


@dataclasses.dataclass(eq=False)
class Item:
    """One Node.

    Args:
        node: the Node.
        title: its name, without "Backward0"; of a leaf the program's name for it.
        is_leaf: whether it is a leaf.
        form: dtype and shape of its result.
        file, line, source: the line of the program; None and "" where that is not known.
        saved: (dtype and shape, bytes) of each tensor that it keeps for backward.
        bytes: how much these take, what several Nodes share counted once.
        path: the modules and loops that it is in, the outermost first.
        norm: the norm of the gradient that came to it; None where no pass was watched.
    """

    node: Any
    title: str
    is_leaf: bool
    form: str
    file: str | None
    line: int | None
    source: str
    saved: list
    bytes: int
    path: tuple = ()
    norm: float | None = None


@dataclasses.dataclass(eq=False)
class Picture:
    """``items`` in the order in which they ran, leaves where they are used first; ``arrows``: (from, to), places of items,
    in the direction of the forward pass."""

    items: list[Item]
    arrows: list[tuple[int, int]]


def picture_of(edges, names: Names) -> Picture:
    """The Picture of the graph that begins at some edges.

    Args:
        edges: (Node, output number) of each.
        names: the user's.
    """
    order = _in_order(ordered(edges))
    places = {node: i for i, node in enumerate(order)}
    counted = {id(storage_of(node.variable._cell)) for node in order if node.is_leaf}
    items = [_item(node, names, counted) for node in order]
    arrows = [(places[following[0]], i) for i, node in enumerate(order) for following in node.edges
              if following is not None]
    return Picture(items, list(dict.fromkeys(arrows)))


def _in_order(nodes) -> list:
    """Each leaf just before the first Node that uses it."""
    found: dict = {}
    for node in nodes:
        if not node.is_leaf:
            found.update(dict.fromkeys(edge[0] for edge in node.edges if edge is not None and edge[0].is_leaf))
            found[node] = None
    found.update(dict.fromkeys(nodes))  # a leaf that is the root
    return list(found)


def _item(node, names, counted) -> Item:
    file, line, _ = place(node.site)
    saved, size = [], 0
    for cell in () if node.is_leaf else saved_cells(node):
        storage = storage_of(cell)
        if id(storage) not in counted:
            counted.add(id(storage))
            size += storage.aval.nbytes
        saved.append((form_of(cell.aval), cell.aval.nbytes))
    title = names.of_leaf(node.variable) if node.is_leaf else node.short_name().removeprefix("torch::autograd::")
    aval = next((aval for i in range(node.n_outputs) if (aval := node.output_aval(i)) is not None), None)
    source = linecache.getline(file, line).strip() if file is not None and line is not None else ""
    return Item(node, title, node.is_leaf, "" if aval is None else form_of(aval), file, line, source, saved, size)
