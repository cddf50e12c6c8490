"""`step_backward`: the one public function, and the `Steps` that it gives."""

import contextlib
import linecache
import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, overload

from torchlike._lower.graph import ordered
from torchlike._lower.names import Names, user_frames
from torchlike._record.history import edge_of
from torchlike._record.site import place
from torchlike._record.tensor import Tensor
from torchlike._record.trace import state
from torchlike._step.formulas import Vjp, vjp_of
from torchlike._step.recording import Ran, Recorder, recording
from torchlike._step.terminal import browse
from torchlike._step.values import described, is_finite, norm_of
from torchlike.autograd.engine import backward


class Sent(NamedTuple):
    """A gradient that leaves a Node.

    Args:
        operand: what PyTorch's schema calls the operand that it is the gradient of.
        gradient: a Tensor, None where none is needed.
        to: the step that it goes to; None where that Node does not run in this pass.
        name: that of the Node it goes to.
        formula: how it is computed of ``g``, the gradient that came.
    """

    operand: str
    gradient: Tensor | None
    to: int | None
    name: str
    formula: str


class Step:
    """One Node of a backward pass. ``str()`` of it is for reading.

    Args:
        index: its place in the pass.
        ran: what was recorded.
        names: the user's.
        places: {Node: its place}.

    ``name``: the Node's; ``file``, ``line``: of the forward call that made it, None where that is not known; ``node``;
    ``depth``: 1 and more in the pass of a checkpoint, which runs inside of another Node.
    """

    def __init__(self, index: int, ran: Ran, names: Names, places: dict):
        self.index, self.node, self.depth = index, ran.node, ran.depth
        self.name = ran.node.name().removeprefix("torch::autograd::")
        self.file, self.line, _ = place(ran.node.site)
        self._ran, self._names, self._places = ran, names, places

    @property
    def label(self) -> str:
        """What the program calls the leaf; "" of any other Node."""
        return self._names.of_leaf(self.node.variable) if self.node.is_leaf else ""

    @property
    def source(self) -> str:
        """The line of the program, without its indentation; "" where it is not known."""
        return linecache.getline(self.file, self.line).strip() if self.file is not None else ""

    @property
    def arrived(self) -> list:
        """The gradient that came in for each result of the operation, a Tensor or None, before hooks."""
        return self._ran.arrived

    @property
    def used(self) -> list:
        """The same after hooks: what the Node computed with."""
        return self._ran.used or self._ran.arrived

    @property
    def saved(self) -> dict:
        """{name: Tensor} of what the forward pass had saved for this Node: PyTorch's names, but ``x`` for ``self``."""
        return {"x" if name == "self" else name: x for name, x in self._ran.saved.items()}

    @property
    def vjp(self) -> Vjp:
        """The local derivative: ``code``, a function in JAX, and ``formulas``, by operand."""
        return vjp_of(self.node, tuple(i for i, g in enumerate(self.used) if g is not None))

    @property
    def sent(self) -> list[Sent]:
        """What goes where: one for each operand that leads on."""
        vjp, found = self.vjp, []
        for i, edge in enumerate(self.node.edges):
            if edge is None:
                continue
            g = self._ran.left[i] if i < len(self._ran.left) else None
            operand = vjp.operands[i] if i < len(vjp.operands) else f"input {i}"
            name = edge[0].name().removeprefix("torch::autograd::")
            name = f"{name} of {self._names.of_leaf(edge[0].variable)}" if edge[0].is_leaf else name
            found.append(Sent(operand, g, self._places.get(edge[0]), name, vjp.formulas.get(operand, "")))
        return found

    @property
    def accumulated(self) -> tuple:
        """Of a leaf ``.grad`` before and after this step; (None, None) of any other Node."""
        return self._ran.before, self._ran.after

    @property
    def norm(self) -> float:
        """The Euclidean norm of all that left the Node, of a leaf of what came to it; 0 where that is nothing."""
        return norm_of(self._ran.left if not self.node.is_leaf else self.used)

    @property
    def arrived_norm(self) -> float:
        """The Euclidean norm of all that came in."""
        return norm_of(self.arrived)

    @property
    def is_finite(self) -> bool:
        """Whether no number of what left the Node (or came to the leaf) is nan or infinite."""
        return math.isfinite(self.norm)

    def __str__(self):
        where = f"  {self.file}:{self.line}" if self.file is not None else ""
        lines = [f"step {self.index}: {self.name}{f' of {self.label}' if self.label else ''}{where}"]
        lines += [f"    {self.source}"] if self.source else []
        for i, g in enumerate(self.arrived):
            lines.append(f"  came in, g{i if len(self.arrived) > 1 else ''}: {described(g)}")
        if self._ran.used is not None:
            lines += [f"  after hooks: {described(g)}" for g in self.used]
        lines += [f"  saved, {name}: {described(x)}" for name, x in self.saved.items()]
        if self.vjp.code:
            lines += ["  computes", *(f"    {line}" for line in self.vjp.code.splitlines())]
        for sent in self.sent:
            to = f"step {sent.to}, {sent.name}" if sent.to is not None else f"{sent.name}, which does not run"
            formula = f" = {sent.formula}" if sent.formula else ""
            lines.append(f"  goes to {to}: d {sent.operand}{formula}: {described(sent.gradient)}")
        if self.node.is_leaf:
            lines.append(f"  {self.label}.grad: {described(self.accumulated[0])}, then {described(self.accumulated[1])}")
        return "\n".join(lines)

    def __repr__(self):
        return f"<step {self.index}: {self.name}{f' of {self.label}' if self.label else ''}>"


class Steps(Sequence):
    """The steps of a backward pass, in the order in which its Nodes ran: a sequence, and a place in it.

    Where the pass raised an error, ``error`` is that, and a loop over the steps raises it at its end.

    Args:
        steps: a list of `Step`.
        error: the exception of the pass, or None.
        names: the user's.
    """

    def __init__(self, steps: list, error: BaseException | None, names: Names):
        self._steps, self.error, self._names = steps, error, names
        self.position = 0  # the place of the step to look at

    def __len__(self):
        return len(self._steps)

    @overload
    def __getitem__(self, index: int) -> Step: ...

    @overload
    def __getitem__(self, index: slice) -> list[Step]: ...

    def __getitem__(self, index):
        return self._steps[index]

    def __iter__(self) -> Iterator[Step]:
        yield from self._steps
        if self.error is not None:
            raise self.error

    def __repr__(self):
        return f"<{len(self)} steps of a backward pass, at step {self.position}>"

    @property
    def current(self) -> Step:
        """The step at ``position``."""
        return self._steps[self.position]

    def forward(self, count: int = 1) -> Step:
        """Goes on by so many steps, at most to the last one.

        Args:
            count: how many; negative numbers go back, at most to the first.

        Returns:
            The step that is reached.
        """
        self.position = min(max(self.position + count, 0), len(self) - 1)
        return self.current

    def back(self, count: int = 1) -> Step:
        """Goes back by so many steps. See `forward`."""
        return self.forward(-count)

    def until(self, when: str | int | Callable[[Step], bool], *, norm: float | None = None,
              back: bool = False) -> Step | None:
        """Goes on to the next step that a breakpoint stops at.

        Args:
            when: part of the name of a Node or of a leaf; "nan" stops where a number that is not finite leaves a Node first;
                an int is a line of the program; a function of a `Step` says True to stop; "" is any step.
            norm: stop only where the norm of what leaves is above this.
            back: search towards the first step.

        Returns:
            The step, or None, and then the position stays.
        """
        places = range(self.position - 1, -1, -1) if back else range(self.position + 1, len(self))
        for i in places:
            step = self._steps[i]
            if self._stops(step, when) and (norm is None or not step.norm <= norm):
                self.position = i
                return step
        return None

    @staticmethod
    def _stops(step, when) -> bool:
        if callable(when):
            return bool(when(step))
        if isinstance(when, int):
            return step.line == when
        if when == "nan":
            return not step.is_finite and all(is_finite(g) for g in step.used)
        return when in step.name or when in step.label

    def browse(self) -> None:
        """Goes through the steps by keys, in a terminal; elsewhere they are printed."""
        browse(self)

    def grads(self, index: int | None = None) -> dict:
        """What leaves have accumulated when a step is done.

        Args:
            index: the place of the step; None is ``position``.

        Returns:
            {name: ``.grad``, a Tensor or None} of every leaf of the pass.
        """
        index = self.position if index is None else index
        found: dict = {}
        for i, step in enumerate(self._steps):
            if step.node.is_leaf:
                before, after = step.accumulated
                if i <= index:
                    found[step.label] = after
                else:
                    found.setdefault(step.label, before)
        return found


def step_backward(tensor: Tensor, gradient: Tensor | None = None, retain_graph: bool | None = None,
                  create_graph: bool = False) -> Steps:
    """Runs ``tensor.backward()``, and gives what each Node did: to loop over, or to go through back and forth.

    The pass does all that `backward` does: hooks are called, ``.grad`` of the leaves grow, the graph is freed. Each `Step`
    has the gradients that came in, what the Node had saved, its local derivative as code and as formulas, what goes where,
    and of a leaf what it has accumulated; values are copies as they were then. An error of the pass is raised by a loop over
    the steps, behind the last one that was done. Not in PyTorch.

    Args:
        tensor: the Tensor to start from.
        gradient, retain_graph, create_graph: as for `torch.Tensor.backward`.

    Returns:
        The `Steps`.

    Raises:
        TypeError: `tensor` is no Tensor.
        RuntimeError: it has no graph, or `gradient` does not fit.
    """
    if not isinstance(tensor, Tensor):
        raise TypeError(f"step_backward(): argument 'tensor' must be Tensor, not {type(tensor).__name__}")
    if tensor._edge is None:
        raise RuntimeError("element 0 of tensors does not require grad and does not have a grad_fn")
    names = Names(user_frames(), ordered([edge_of(tensor)]))
    error, recorder = None, Recorder()
    with recording(recorder):
        try:
            backward(tensor, gradient, retain_graph, create_graph)
        except Exception as problem:
            if not recorder.ran:
                raise
            error = problem
    return steps_of(recorder.ran, error, names)


def steps_of(ran: list, error: BaseException | None, names: Names) -> Steps:
    """The `Steps` of Nodes that ran.

    Args:
        ran: a `Ran` for each.
        error: what the pass raised, or None.
        names: the user's.
    """
    places = {each.node: i for i, each in enumerate(ran)}
    return Steps([Step(i, each, names, places) for i, each in enumerate(ran)], error, names)


class _Each(Recorder):
    """Gives the Steps of each outermost pass, when it has ended, to a function."""

    def __init__(self, ended):
        super().__init__()
        self._ended = ended

    def run_backward(self, roots, grads, keep, captures, create_graph, targets):
        """The pass, and then the function; the pass's error is raised after it."""
        if self._depth:
            return super().run_backward(roots, grads, keep, captures, create_graph, targets)
        names, error, found = Names(user_frames(), ordered(roots)), None, {}
        self.ran = []
        try:
            found = super().run_backward(roots, grads, keep, captures, create_graph, targets)
        except Exception as problem:  # noqa: BLE001 - raised below
            error = problem
        ran, self.ran = self.ran, []
        thread = state.thread
        thread.engine = None  # what the function does is no part of the program
        try:
            self._ended(steps_of(ran, error, names))
        finally:
            thread.engine = self
        if error is not None:
            raise error
        return found


@contextlib.contextmanager
def each_pass(ended: Callable[[Steps], object]) -> Iterator[None]:
    """A block in which each backward pass on this thread gives its Steps to a function when it has ended.

    Args:
        ended: the function; passes inside of others are part of these.
    """
    with recording(_Each(ended)):
        yield


@contextlib.contextmanager
def stopping(stop: str | None = None, norm: float | None = None) -> Iterator[None]:
    """A block whose backward passes on this thread are shown when each has run, the outermost ones.

    Args:
        stop: where to begin: part of a name, the number of a line, or "nan"; None is the first step.
        norm: begin where the norm of what leaves a Node is above this.
    """
    when = int(stop) if stop is not None and stop.isdigit() else stop or ""

    def ended(steps: Steps) -> None:
        if (stop is not None or norm is not None) and len(steps):
            steps.position = -1
            if steps.until(when, norm=norm) is None:
                steps.position = 0
        browse(steps)

    with each_pass(ended):
        yield
