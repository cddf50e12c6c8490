"""Runs a program and keeps what it did, in order: one `Frame` for each operation, Node and step."""

import contextlib
import dataclasses
import importlib
import io
import sys
import threading
from collections.abc import Callable
from typing import Any

from torchlike._diff.recorder import LEAF, STEP, Event, Recording, recorded
from torchlike._draw.functional import Line, functional_form
from torchlike._draw.groups import group
from torchlike._draw.picture import Picture, picture_of
from torchlike._explain.saved import saved_cells
from torchlike._lower.graph import ordered
from torchlike._lower.names import Names, user_frames
from torchlike._record import explain_log
from torchlike._record.cell import storage_of
from torchlike._record.history import edge_of
from torchlike._record.tensor import Tensor
from torchlike._record.trace import state
from torchlike._step.recording import Ran, Recorder, kept
from torchlike.autograd.engine import run_here
from torchlike.utils._pytree import tree_leaves

FORWARD, BACKWARD, LEAVES, OPTIMIZER = "forward", "backward", "leaf", "optimizer"
MOST = 4000  # frames that are kept
KINDS = ("parameters", "gradients", "saved", "optimizer")  # of memory


@dataclasses.dataclass(eq=False)
class Frame:
    """One thing that a program did.

    Args:
        kind: FORWARD, BACKWARD, LEAVES (a leaf at its first use) or OPTIMIZER.
        memory: bytes that parameters, gradients, what is saved for backward and the optimizer's state take after it.
        event: of all but BACKWARD, what the recorder has.
        ran: of BACKWARD, the Node that ran.
        nodes: of FORWARD, the Nodes that it made.
        graph: of BACKWARD, which of the graphs its pass goes through.
    """

    kind: str
    memory: tuple
    event: Event | None = None
    ran: Ran | None = None
    nodes: list = dataclasses.field(default_factory=list)
    graph: int = -1


@dataclasses.dataclass(eq=False)
class Graph:
    """The graph of one backward pass, as it was when that was called.

    Args:
        picture: its Nodes.
        names: the user's.
        file, line: where the pass was called; None where that is not known.
        functional: the lines of its jaxpr, or one that says why there is none; None for a graph as there was before.
    """

    picture: Picture
    names: Names
    file: str | None
    line: int | None
    functional: list[Line] | None = None


class Film(Recording):
    """The recording of a run: operations as `Recording` has them, and Nodes, in one order.

    ``frames``; ``graphs``: one for each backward pass; ``printed``: (number of frames before, text); ``left_out``: how many
    frames were not kept.

    Args:
        torch: the module that the program knows as torch.
    """

    def __init__(self, torch):
        super().__init__(torch)
        self.frames: list[Frame] = []
        self.graphs: list[Graph] = []
        self.printed: list[tuple[int, str]] = []
        self.left_out = 0
        self.paths: dict = {}  # {Node: the modules that were running}
        self.leaves: dict[int, Tensor] = {}
        self._running: list = []  # paths of modules
        self._named: dict = {}  # {id of a module: (path, module)}
        self._new: list = []  # Nodes since the last frame
        self._held: dict = {}  # {Node: (bytes that it saved first, the Storages)}
        self._storages: set = set()
        self._state = 0
        self.loss: Tensor | None = None  # that of the call of backward which is running
        self._thread = threading.get_ident()  # modules and optimizers tell of every thread

    @property
    def is_full(self) -> bool:
        """Whether it keeps no more."""
        return len(self.frames) >= MOST

    # what the recorder calls

    def operation(self, function, args: tuple, kwargs: dict):
        """Runs a function and records it, unless the film is full: a long program then runs as it would.

        Args:
            function, args, kwargs: as for `Recording.operation`.

        Returns:
            What the function returns.
        """
        if self.is_full:
            self.left_out += 1
            return function(*args, **kwargs)
        self.loss = args[0] if args and isinstance(args[0], Tensor) and self.name_of(function) == "backward" else None
        return super().operation(function, args, kwargs)

    def add(self, event: Event, made: list, is_known: bool = True) -> None:
        """Records an event, and its frame.

        Args:
            event, made, is_known: as for `Recording.add`.
        """
        super().add(event, made, is_known)
        if event.name in (LEAF, STEP):
            for x in made:
                self._see(x)
        if not is_known:  # memory without numbers
            return
        kind = {LEAF: LEAVES, STEP: OPTIMIZER}.get(event.name, FORWARD)
        self.keep(Frame(kind, self.memory(), event, nodes=self._taken() if kind == FORWARD else []))

    @staticmethod
    def copy(x):
        """The value of a tensor as it is now: a copy that `explain` does not see.

        Args:
            x: the Tensor.

        Returns:
            A Tensor.
        """
        return kept(x)

    def listen(self, x, event: Event, number: int) -> None:
        """Gradients are seen where they arrive.

        Args:
            x, event, number: as for `Recording.listen`.
        """

    def step(self, optimizer, *unused) -> None:
        """After a step of an optimizer: its parameters.

        Args:
            optimizer: the optimizer.
            *unused: what its hook is called with besides.
        """
        if self.is_full or threading.get_ident() != self._thread:
            return
        self._state = sum(x._cell.aval.nbytes for x in tree_leaves(dict(optimizer.state)) if isinstance(x, Tensor))
        super().step(optimizer, *unused)

    def keep(self, frame: Frame) -> None:
        """Adds a frame, unless there are too many.

        Args:
            frame: the Frame.
        """
        if len(self.frames) < MOST:
            self.frames.append(frame)
        else:
            self.left_out += 1

    def _see(self, x) -> None:
        if x.is_leaf and x.requires_grad:
            self.leaves.setdefault(id(x), x)

    def _taken(self) -> list:
        found, self._new = self._new, []
        return found

    # memory

    def memory(self) -> tuple:
        """Bytes of each of `KINDS` now."""
        leaves = list(self.leaves.values())
        gradients = sum(x._grad._cell.aval.nbytes for x in leaves if x._grad is not None)
        return sum(x._cell.aval.nbytes for x in leaves), gradients, sum(size for size, _ in self._held.values()), self._state

    def node_made(self, node, tensors, outs, numbers) -> None:
        """An Observer's: a Node that has been recorded.

        Args:
            node, tensors, outs, numbers: as for `torchlike._record.thread.Observer`.
        """
        if self.is_full:
            return
        self.paths[node] = self._running[-1] if self._running else ()
        self._new.append(node)
        own = {id(storage_of(x._cell)) for x in self.leaves.values()} | {
            id(storage_of(x._cell)) for x in tensors if x.is_leaf and x.requires_grad}
        new = {id(storage): storage for storage in map(storage_of, saved_cells(node))
               if id(storage) not in own and id(storage) not in self._storages}
        self._storages.update(new)
        self._held[node] = sum(storage.aval.nbytes for storage in new.values()), new

    detects_anomaly = sees_all = False

    def released(self, node) -> None:
        """A backward pass has freed what a Node saved.

        Args:
            node: the Node.
        """
        _, storages = self._held.pop(node, (0, ()))
        self._storages.difference_update(storages)

    # modules

    def enter(self, module, inputs) -> None:
        """A module is called.

        Args:
            module: the Module.
            inputs: what it is called with.
        """
        if threading.get_ident() != self._thread:
            return
        if id(module) not in self._named:
            start = self._running[-1] if self._running else ()
            for name, each in module.named_modules():
                self._named.setdefault(id(each), ((*start, *filter(None, name.split("."))), each))
        self._running.append(self._named[id(module)][0])

    def leave(self, module, inputs, result) -> None:
        """A module returns.

        Args:
            module: the Module.
            inputs, result: what it was called with, and what it gives.
        """
        if self._running and threading.get_ident() == self._thread:
            self._running.pop()


class _Passes(Recorder):
    """The Engine that adds a frame for each Node of a backward pass."""

    def __init__(self, film: Film):
        super().__init__()
        self._film, self._keep = film, False
        self._forms: set = set()  # of the graphs whose jaxpr is known

    def run_backward(self, roots, grads, keep, captures, create_graph, targets):
        """The pass, whose graph is looked at first."""
        film, before = self._film, self._keep
        if film.is_full:
            return run_here(roots, grads, keep, create_graph, captures, targets)
        order = ordered(roots)
        names = Names(user_frames(), order)
        picture = picture_of(roots, names)
        group(picture, names, film.paths if any(film.paths.get(node) for node in order) else None)
        for node in order:
            if node.is_leaf:
                film._see(node.variable)
        file, line = _line_of(film)
        film.graphs.append(Graph(picture, names, file, line, self._functional(picture, roots)))
        self._keep = keep
        try:
            return super().run_backward(roots, grads, keep, captures, create_graph, targets)
        finally:
            self._keep = before

    def _functional(self, picture: Picture, roots) -> list[Line] | None:
        """The jaxpr of the graph, the first time that there is such a graph."""
        form = tuple((item.title, item.form, item.line) for item in picture.items)
        if form in self._forms:
            return None
        self._forms.add(form)
        loss = self._film.loss
        if loss is None or loss._edge is None or [edge_of(loss)] != list(roots):
            return [Line("a jaxpr is written for loss.backward() of one tensor", None)]
        try:
            with explain_log.unnoticed(state.trace):
                return functional_form(loss, user_frames())
        except RuntimeError as error:
            return [Line(f"no functional form: {error}", None)]

    def _watched(self, evaluate, number):
        inner = super()._watched(evaluate, number)

        def watched(task, node, buffer):
            count = len(self.ran)
            try:
                return inner(task, node, buffer)
            finally:
                if not self._keep:
                    self._film.released(node)
                self._film.keep(Frame(BACKWARD, self._film.memory(), ran=self.ran[count], graph=number))

        return watched


def _line_of(film) -> tuple:
    """(file, line) of the program that calls a backward pass."""
    found = film.place(sys._getframe(2), "backward")
    return found if found is not None else (None, None)


class _Tee(io.TextIOBase):
    """Standard output that also keeps what is written, by frame."""

    def __init__(self, film: Film, target):
        self._film, self._target = film, target

    def write(self, text: str) -> int:
        """As of a file."""
        self._film.printed.append((len(self._film.frames), text))
        return self._target.write(text) if self._target is not None else len(text)

    def flush(self) -> None:
        """As of a file."""
        if self._target is not None:
            self._target.flush()


def filmed(run: Callable[[], Any], torch, echo: bool = True) -> tuple[Film, Any, BaseException | None]:
    """Runs a program under the film.

    Args:
        run: the program, without arguments.
        torch: the module that it knows as torch.
        echo: whether what it prints is also printed.

    Returns:
        (the Film, what `run` returned, the exception that it raised or None).
    """
    film = Film(torch)
    modules = importlib.import_module(f"{torch.__name__}.nn.modules.module")
    thread, passes = state.thread, _Passes(film)
    handles = [modules.register_module_forward_pre_hook(film.enter),
               modules.register_module_forward_hook(film.leave, always_call=True)]
    before = thread.observers, thread.engine
    thread.observers, thread.engine = (*before[0], film), passes
    result, error = None, None
    try:
        with recorded(film), contextlib.redirect_stdout(_Tee(film, sys.stdout if echo else None)):
            result = run()
    except SystemExit as end:
        error = end if end.code else None
    except Exception as problem:  # noqa: BLE001 - how a program ends is part of the page
        error = problem
    finally:
        thread.observers, thread.engine = before
        for handle in handles:
            handle.remove()
    return film, result, error
