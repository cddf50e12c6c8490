"""Where boxes lie: Sugiyama's layers, by igraph, for each open module by itself and then as one box of that around it.

igraph is what lays out in Python: maintained, with wheels for all systems and no program to install beside it, and fast
(5 000 boxes in 0.2 s). Graphviz has to be installed apart; grandalf has had no release since 2023.
"""

import importlib
from typing import NamedTuple

from torchlike._base.errors import UnsupportedError
from torchlike._draw.view import Box, View

GAP_X, GAP_Y, INSIDE, TITLE = 24, 34, 14, 22  # pixels: between boxes, around those of an open one, of its title
LINE, LETTER, LEAST = 15, 6.7, 64  # of a line of text, of a letter, of the narrowest box


class Place(NamedTuple):
    """Where a box lies: its left upper corner, and its size, in pixels."""

    x: float
    y: float
    width: float
    height: float


def laid_out(view: View, rooms: dict) -> dict:
    """{key: Place} of every box.

    Args:
        view: the View.
        rooms: {key: (letters of the longest line, lines)} of what is written in each closed box.

    Raises:
        UnsupportedError: igraph is not installed.
    """
    inside: dict = {}
    for box in view.each():
        for inner in box.boxes or ():
            inside[inner.key] = box.key
    places: dict = {}
    sizes: dict = {}
    _arrange(view.boxes, "", view.arrows, inside, rooms, sizes, places)
    _shift(view.boxes, 0.0, 0.0, places)
    return places


def _arrange(boxes: list[Box], around: str, arrows, inside, rooms, sizes, places) -> tuple:
    """Places the boxes of one level, beginning at (0, 0); (width, height) of all."""
    for box in boxes:
        if box.boxes is not None:
            width, height = _arrange(box.boxes, box.key, arrows, inside, rooms, sizes, places)
            sizes[box.key] = max(width, LETTER * len(box.title)) + 2 * INSIDE, height + 2 * INSIDE + TITLE
        else:
            letters, lines = rooms[box.key]
            sizes[box.key] = max(LEAST, LETTER * letters + 18), LINE * lines + 12
    own = {box.key: i for i, box in enumerate(boxes)}
    pairs = set()
    for start, end, _ in arrows:
        a, b = _at_level(start, around, inside), _at_level(end, around, inside)
        if a in own and b in own and a != b:
            pairs.add((own[a], own[b]))
    coordinates = _layers(len(boxes), sorted(pairs))
    return _placed(boxes, coordinates, sizes, places)


def _at_level(key, around, inside):
    """The box of a level in which a box lies."""
    while key is not None and inside.get(key, "") != around:
        key = inside.get(key)
    return key


def _layers(count, pairs) -> list:
    """(x, layer) of each."""
    if count <= 1:
        return [(0.0, 0)] * count
    try:
        igraph = importlib.import_module("igraph")
    except ImportError:
        raise UnsupportedError("an SVG without the package igraph: pip install igraph (or torchlike[draw]); "
                               ".dot() and .mermaid() need none") from None
    made, found, right = igraph.Graph(count, pairs, directed=True), [(0.0, 0)] * count, 0.0
    # What hangs together at a time: igraph 1.0 reads past an array's end, and may end the process, where a graph does not.
    for part in made.connected_components(mode="weak"):
        places = made.subgraph(part).layout_sugiyama(maxiter=100)[: len(part)]
        for vertex, (x, y) in zip(part, places, strict=True):
            found[vertex] = x + right, round(y)
        right += max(x for x, _ in places) + 1
    return found


def _placed(boxes, coordinates, sizes, places) -> tuple:
    layers: dict = {}
    for box, (x, layer) in zip(boxes, coordinates, strict=True):
        layers.setdefault(layer, []).append((x, box.key))
    unit = max((sizes[box.key][0] for box in boxes if box.boxes is None), default=LEAST) + GAP_X
    top, left, right = 0.0, 0.0, 0.0
    for layer in sorted(layers):
        end = float("-inf")
        for x, key in sorted(layers[layer]):
            width, height = sizes[key]
            start = max(x * unit - width / 2, end + GAP_X)
            places[key] = Place(start, top, width, height)
            end = start + width
            left, right = min(left, start), max(right, end)
        top += max(sizes[key][1] for _, key in layers[layer]) + GAP_Y
    for box in boxes:
        places[box.key] = places[box.key]._replace(x=places[box.key].x - left)
    return right - left, max(top - GAP_Y, 0.0)


def _shift(boxes, x, y, places) -> None:
    """From places within a module to those on the page."""
    for box in boxes:
        own = places[box.key]
        places[box.key] = own._replace(x=own.x + x, y=own.y + y)
        if box.boxes is not None:
            _shift(box.boxes, own.x + x + INSIDE, own.y + y + INSIDE + TITLE, places)
