"""`draw`: the one public function, and the `Drawing` that it gives."""

import math
import os
import pathlib

from torchlike._draw.functional import functional_form
from torchlike._draw.groups import group
from torchlike._draw.picture import Picture, picture_of
from torchlike._draw.svg import Column, svg
from torchlike._draw.texts import dot, mermaid
from torchlike._draw.view import Box, View, view_of
from torchlike._lower.graph import ordered
from torchlike._lower.names import Names, user_frames
from torchlike._record.history import edge_of
from torchlike._record.site import is_own_file
from torchlike._record.tensor import Tensor
from torchlike._step.steps import Steps

_MOST = 60  # boxes, unless a depth is asked for
_COLD, _WARM = (233, 240, 250), (222, 120, 92)  # of the smallest and the largest gradient


class Drawing:
    """A picture of a graph. In a notebook it is shown as it is.

    ``picture``: the Nodes and what is known of them; ``view``: the boxes that are drawn.

    Args:
        picture, view: see there.
        backward: whether the backward pass stands beside the graph.
        functional: the lines of the functional form, to stand beside it; [] for none.
    """

    def __init__(self, picture: Picture, view: View, backward: bool, functional: list):
        self.picture, self.view = picture, view
        self._backward, self._functional = backward, functional
        self._closed = [box for box in view.each() if box.boxes is None]

    def svg(self) -> str:
        """The picture as SVG, which needs nothing else. UnsupportedError where igraph, which places boxes, is missing."""
        columns = [Column("forward" if self._backward or self._functional else "", self._lines(False), self._colours())]
        if self._backward:
            columns.append(Column("backward", self._lines(True), self._colours(), is_back=True))
        owner = {self.picture.items[place].node: box.key for box in self._closed for place in box.places}
        functional = [(line.text, owner.get(line.node)) for line in self._functional]
        leaves = {box.key for box in self._closed if box.item is not None and self.picture.items[box.item].is_leaf}
        return svg(self.view, columns, {box.key: self._hint(box) for box in self._closed}, leaves, functional)

    def dot(self) -> str:
        """The graph in Graphviz's language."""
        return dot(self.view, self._lines(False), self._colours())

    def mermaid(self) -> str:
        """The graph as a mermaid flowchart, which GitHub and notebooks show."""
        return mermaid(self.view, self._lines(False), self._colours())

    def save(self, path: str | os.PathLike) -> None:
        """Writes the picture to a file.

        Args:
            path: its name, which ends in .svg, .dot, .gv, .mmd or .md (mermaid in Markdown).

        Raises:
            ValueError: it ends in something else.
        """
        target = pathlib.Path(path)
        writers = {".svg": self.svg, ".dot": self.dot, ".gv": self.dot, ".mmd": self.mermaid,
                   ".md": lambda: f"```mermaid\n{self.mermaid()}```\n"}
        if target.suffix not in writers:
            raise ValueError(f"a drawing is written to {', '.join(writers)}, not to '{target.suffix}'")
        target.write_text(writers[target.suffix](), encoding="utf-8")

    def _repr_svg_(self) -> str:
        return self.svg()

    def __repr__(self):
        count = sum(not item.is_leaf for item in self.picture.items)
        return f"<drawing of {count} Nodes as {len(self._closed)} boxes; .svg(), .dot(), .mermaid(), .save(path)>"

    # -- what is written in boxes

    def _lines(self, is_back: bool) -> dict:
        return {box.key: self._lines_of(box, is_back) for box in self._closed}

    def _lines_of(self, box: Box, is_back: bool) -> list:
        items = [self.picture.items[place] for place in box.places]
        last = items[-1]
        title = box.title if box.count == 1 else f"{box.title}: {box.count} times"
        norm = _norm(items)
        if is_back:
            return [title, last.form if norm is None else f"{last.form}  norm {norm:.3g}"]
        size = sum(item.bytes for item in items)
        found = [title, last.form]
        if box.item is None:
            found.append(f"{sum(not item.is_leaf for item in items)} Nodes")
        elif last.line is not None and last.file is not None:
            found.append(f"{os.path.basename(last.file)}:{last.line}")
        found += [f"saved: {_amount(size)}"] if size else []
        return found + ([f"gradient: norm {norm:.3g}"] if norm is not None and not self._backward else [])

    def _hint(self, box: Box) -> str:
        if box.item is None:
            return box.title
        item = self.picture.items[box.item]
        where = f"{item.file}:{item.line}" if item.file is not None and not is_own_file(item.file) else ""
        saved = [f"saved: {form} ({_amount(size)})" for form, size in item.saved]
        return "\n".join(text for text in (item.node.name(), item.form, where, item.source, *saved) if text)

    def _colours(self) -> dict:
        norms = {box.key: norm for box in self._closed
                 if (norm := _norm([self.picture.items[place] for place in box.places])) is not None}
        logs = [math.log(norm) for norm in norms.values() if 0 < norm < math.inf]
        low, high = min(logs, default=0.0), max(logs, default=0.0)
        return {key: _colour(norm, low, high) for key, norm in norms.items()}


def _norm(items) -> float | None:
    """The norm of the gradient that came to the last of some Nodes."""
    return next((item.norm for item in reversed(items) if item.norm is not None), None)


def _colour(norm, low, high) -> str:
    if norm == 0:
        return "#ffffff"
    if not math.isfinite(norm):
        return "#e23ad0"
    share = (math.log(norm) - low) / (high - low) if high > low else 0.5
    return "#" + "".join(f"{round(a + share * (b - a)):02x}" for a, b in zip(_COLD, _WARM, strict=True))


def _amount(size: float) -> str:
    """Bytes for reading."""
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} GB"


def draw(loss: Tensor, *, depth: int | None = None, steps: Steps | None = None, backward: bool = False,
         jaxpr: bool = False, modules: dict | None = None) -> Drawing:
    """The graph behind a tensor as a picture: SVG, DOT or mermaid. Not in PyTorch.

    A box is a Node: its name, the form of its result, the line of the program, what it keeps for backward (bytes that
    several share are counted once). Modules are boxes around theirs, by the names of their parameters; equal ones that
    follow each other, and turns of loops, are one box that says how many. Arrows lead from operands to results.

    Args:
        loss: a Tensor with a graph; it is not changed, and no gradient is computed.
        depth: how deep modules are open: 0 draws each of the outermost closed. None opens as many as leave the picture
            readable (at most 60 boxes).
        steps: what `torchlike.step_backward` gave for this graph: boxes are coloured by the norms of gradients.
        backward: whether the backward pass is drawn beside it.
        jaxpr: whether the functional form is written beside it; a click on a line marks its Node.
        modules: {Node: names of the modules that it is in, the outermost first}, where they are known; None finds them by
            the parameters' names.

    Returns:
        A `Drawing`: ``svg()``, ``dot()``, ``mermaid()``, ``save(path)``. SVG needs the package igraph
        (``pip install 'torchlike[draw]'``).

    Raises:
        TypeError: `loss` is no Tensor.
        RuntimeError: it has no graph.
    """
    if not isinstance(loss, Tensor):
        raise TypeError(f"draw(): argument 'loss' must be Tensor, not {type(loss).__name__}")
    if loss._edge is None:
        raise RuntimeError("element 0 of tensors does not require grad and does not have a grad_fn")
    found, edge = user_frames(), edge_of(loss)
    names = Names(found, ordered([edge]))
    picture = picture_of([edge], names)
    norms = {step.node: step.arrived_norm for step in (steps[:] if steps is not None else ())}
    for item in picture.items:
        item.norm = norms.get(item.node)
    group(picture, names, modules)
    functional = functional_form(loss, found) if jaxpr else []
    return Drawing(picture, view_of(picture, depth, _MOST), backward, functional)
