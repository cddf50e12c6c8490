"""The data of the page: a film as plain values, as `web/data.ts` declares them."""

import itertools
import linecache
import math
import os
from typing import Any

import numpy as np

from torchlike._diff.recorder import array
from torchlike._explain.report import explained
from torchlike._record.tensor import Tensor
from torchlike._step.steps import Step, steps_of
from torchlike.nn.modules.module import Module
from torchlike.show.film import BACKWARD, KINDS, LEAVES, Film, Frame

_NUMBERS = 24  # of a tensor that are shown
_NAMED = 40  # tensors that are explained
_LARGE = 1 << 53  # integers beyond are written as text: JavaScript's numbers are floats
_PRINTED = 20_000  # characters


class Pool:
    """A list of values without repetition: the place of each is what is written elsewhere."""

    def __init__(self):
        self.values: list = []
        self._places: dict = {}

    def place(self, value) -> int:
        """The place of a value, which is added if it is new.

        Args:
            value: what `repr` tells apart.

        Returns:
            The place in ``values``.
        """
        key = repr(value)
        if key not in self._places:
            self._places[key] = len(self.values)
            self.values.append(value)
        return self._places[key]


class Writer:
    """Makes the data of one film.

    Args:
        film: the Film, whose program has ended.
        program: the path of the program, which is shown first.
    """

    def __init__(self, film: Film, program: str):
        self.film = film
        self.tensors, self.codes, self.graphs, self.files = Pool(), Pool(), Pool(), Pool()
        self.files.place(program)
        self.functional: dict[int, list] = {}  # {place of a graph: (text, place of the Node) of each line of its jaxpr}
        self._known: dict[int, int] = {}  # {id of a Tensor of the film: its place}
        self._steps: dict[int, tuple[Step, int]] = {}  # {number of the frame: (Step, place of its pass's first frame)}
        self._places_of_frames = {id(frame): i for i, frame in enumerate(film.frames)}

    def written(self, variables: dict, error: BaseException | None, error_line: int | None) -> dict:
        """All of the data.

        Args:
            variables: what the program left.
            error: what it raised, or None.
            error_line: the line of the program.

        Returns:
            A dictionary of plain values.
        """
        named = self._named(variables)  # first: to look at values is a reason to `explain`, too
        self._number_steps()
        graph_of = [self._graph(graph) for graph in self.film.graphs]
        by_event = {id(frame.event): i for i, frame in enumerate(self.film.frames) if frame.event is not None}
        order = [by_event.get(id(event)) for event in self.film.events]
        frames = [self._frame(i, frame, order, graph_of) for i, frame in enumerate(self.film.frames)]
        return {
            "program": os.path.basename(self.files.values[0]),
            "frames": frames, "leftOut": self.film.left_out, "kinds": list(KINDS),
            "graphs": self.graphs.values, "jaxprs": [self.functional.get(i, []) for i in range(len(self.graphs.values))],
            "tensors": self.tensors.values, "codes": self.codes.values,
            "files": [{"name": os.path.basename(path), "lines": [line.rstrip("\n") for line in linecache.getlines(path)]}
                      for path in self.files.values],
            "printed": self._printed(), "named": named,
            "error": None if error is None else {"kind": type(error).__name__, "text": str(error), "line": error_line},
        }

    def _number_steps(self) -> None:
        """The Steps of each pass, with the user's names as they were there."""
        ran = [(i, frame) for i, frame in enumerate(self.film.frames) if frame.kind == BACKWARD]
        for graph, group in itertools.groupby(ran, key=lambda item: item[1].graph):
            members = list(group)
            steps = steps_of([frame.ran for _, frame in members], None, self.film.graphs[graph].names)
            for (i, _), step in zip(members, steps, strict=True):
                self._steps[i] = step, members[0][0]

    # frames

    def _frame(self, i: int, frame: Frame, order: list, graph_of: list) -> dict:
        if frame.kind == BACKWARD:
            return self._step(i, frame, graph_of)
        event = frame.event
        assert event is not None
        found: dict[str, Any] = {"kind": frame.kind, "name": event.name.strip("()"), "memory": frame.memory,
                                 **self._place(*event.place)}
        if event.label:
            found["label"] = event.label
        if frame.kind != LEAVES and event.inputs:
            found["reads"] = [order[number] for number, _ in event.inputs if order[number] is not None]
        found["values"] = [self.tensor(x) for x in event.values]
        if event.decided is not None:
            found["decided"] = str(event.decided)
        if frame.nodes:
            found["nodes"] = [node.name().removeprefix("torch::autograd::") for node in frame.nodes]
        return found

    def _step(self, i: int, frame: Frame, graph_of: list) -> dict:
        step, start = self._steps[i]
        graph, places = graph_of[frame.graph]
        vjp = step.vjp
        found = {"kind": frame.kind, "name": step.name, "memory": frame.memory, "graph": graph, "pass": frame.graph,
                 "node": places.get(step.node), **self._place(step.file, step.line),
                 "arrived": [self.tensor(g) for g in step.arrived],
                 "sent": [{"operand": sent.operand, "formula": sent.formula, "name": sent.name,
                           "to": None if sent.to is None else start + sent.to, "value": self.tensor(sent.gradient)}
                          for sent in step.sent],
                 "norm": _number(step.arrived_norm)}
        if any(a is not b for a, b in zip(step.used, step.arrived, strict=False)):
            found["used"] = [self.tensor(g) for g in step.used]
        if step.saved:
            found["saved"] = {name: self.tensor(x) for name, x in step.saved.items()}
        if vjp.code:
            found["code"] = self.codes.place(vjp.code)
        if step.depth:
            found["depth"] = step.depth
        if step.node.is_leaf:
            found["label"] = step.label
            found["grad"] = [self.tensor(g) for g in step.accumulated]
        return found

    def _place(self, file, line) -> dict:
        if file is None or not linecache.getlines(file):
            return {}
        return {"file": self.files.place(file), "line": line}

    # graphs

    def _graph(self, graph) -> tuple:
        """(place of the graph's data, {Node: its place in it}). Passes through equal graphs share it."""
        items = graph.picture.items
        nodes = [{"title": item.title, "name": item.node.name().removeprefix("torch::autograd::"), "form": item.form,
                  "path": list(item.path), "bytes": item.bytes, "saved": [form for form, _ in item.saved],
                  **({"leaf": True} if item.is_leaf else {}), **self._place(item.file, item.line)} for item in items]
        data = {"nodes": nodes, "arrows": [list(arrow) for arrow in graph.picture.arrows]}
        place, places = self.graphs.place(data), {item.node: i for i, item in enumerate(items)}
        if graph.functional is not None:
            self.functional[place] = [[line.text, places.get(line.node)] for line in graph.functional]
        return place, places

    # tensors

    def tensor(self, x) -> int | None:
        """The place of a tensor's data.

        Args:
            x: a Tensor, which the film or the program holds, or None.

        Returns:
            The place in ``tensors``; None of None.
        """
        if x is None:
            return None
        if id(x) not in self._known:
            self._known[id(x)] = self.tensors.place(self._described(x))
        return self._known[id(x)]

    def _described(self, x: Tensor) -> dict:
        found = {"dtype": str(x.dtype).removeprefix("torch."), "shape": list(x.shape)}
        values = array(x.detach(), self.film.torch)
        return found if values is None else {**found, **_numbers(values)}

    # the rest

    def _printed(self) -> list:
        found, count = [], 0
        for frame, parts in itertools.groupby(self.film.printed, key=lambda item: item[0]):
            text = "".join(part for _, part in parts)
            count += len(text)
            if count > _PRINTED:
                found.append([frame, "[what else was printed is left out]\n"])
                break
            found.append([frame, text])
        return found

    def _named(self, variables: dict) -> list:
        """Tensors of the program's variables, and why their gradients are what they are."""
        found = list(itertools.islice(_tensors(variables, self.film), _NAMED))
        why = list(map(str, explained(x for _, x in found)))
        return [{"name": name, "value": self.tensor(x), "requiresGrad": x.requires_grad, "isLeaf": x.is_leaf,
                 "grad": self.tensor(x._grad), "why": text} for (name, x), text in zip(found, why, strict=True)]


def _tensors(variables: dict, film: Film):
    """(name, Tensor) of variables, those of modules with their names, and then of other leaves that gradients went to."""
    seen = set()
    leaves = film.leaves.values()
    for name, value in variables.items():
        if name.startswith("__"):
            continue
        inner = [(name, value)] if isinstance(value, Tensor) else [
            (f"{name}.{part}", x) for part, x in value.named_parameters()] if isinstance(value, Module) else []
        for label, x in inner:
            if id(x) not in seen:
                seen.add(id(x))
                yield label, x
    if film.graphs:
        yield from ((film.graphs[-1].names.of_leaf(x), x) for x in leaves if id(x) not in seen)


def _numbers(x: np.ndarray) -> dict:
    """The first numbers of an array, and of longer ones what describes all."""
    flat = x.reshape(-1)
    found: dict[str, Any] = {"numbers": [_number(v) for v in flat[:_NUMBERS].tolist()]}
    if flat.size > _NUMBERS and flat.dtype.kind in "fiub":
        wide = flat if flat.dtype.char in "fd" else flat.astype(np.float64)  # float32 is exact enough to be shown
        with np.errstate(all="ignore"):
            found["range"] = [_number(float(x)) for x in (wide.min(), wide.max(), np.linalg.norm(wide))]
    if flat.dtype.kind in "fc" and not np.isfinite(flat).all():
        found["bad"] = int((~np.isfinite(flat)).sum())
    return found


def _number(value):
    """A number that JSON can have: nan, infinities, complex numbers and very large integers are texts."""
    if isinstance(value, complex):
        return f"{value.real:.4g}{value.imag:+.4g}j"
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if abs(value) < _LARGE else str(value)
    return float(f"{value:.6g}") if math.isfinite(value) else str(value)
