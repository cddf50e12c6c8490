"""An Engine that runs backward passes as the usual one does, and keeps what came to each Node and what left it."""

import contextlib
import dataclasses
from collections.abc import Iterator
from typing import Any

from torchlike._base.settings import preserve_format
from torchlike._ops.table import ROWS
from torchlike._record.bind import bind
from torchlike._record.site import here
from torchlike._record.tensor import Tensor
from torchlike._record.trace import state
from torchlike.autograd.engine import run_here
from torchlike.autograd.saved_attributes import saved_tensors


@dataclasses.dataclass(eq=False)
class Ran:
    """One Node that ran.

    Args:
        node: the Node.
        number: the place of its pass among all.
        depth: how many passes were running around that one: a checkpoint's own is inside of another.
        arrived: for each result the gradient that came, before hooks, or None.
        used: the same after hooks; None where they are those.
        saved: {name: copy} of the operands and results that it had saved.
        left: for each edge the gradient that went there, or None.
        before, after: of a leaf, ``.grad`` before and after.
    """

    node: Any
    number: int
    depth: int
    arrived: list
    used: list | None = None
    saved: dict = dataclasses.field(default_factory=dict)
    left: list = dataclasses.field(default_factory=list)
    before: Tensor | None = None
    after: Tensor | None = None


@dataclasses.dataclass(eq=False)
class Pass:
    """One backward pass: where it was called, its roots' Nodes, and what it was for: "backward" or "grad"."""

    site: Any
    roots: list
    kind: str
    depth: int
    error: BaseException | None = None


class Recorder:
    """The Engine. ``ran``: a `Ran` for each Node, in order; ``passes``: a `Pass` for each."""

    def __init__(self):
        self.ran: list[Ran] = []
        self.passes: list[Pass] = []
        self._depth = 0

    def run_backward(self, roots, grads, keep, captures, create_graph, targets):
        """The pass, as `torchlike.autograd.engine` runs it."""
        kind = "backward" if captures is None else "grad"
        number = len(self.passes)
        self.passes.append(Pass(here(), [edge[0] for edge in roots], kind, self._depth))
        self._depth += 1
        try:
            return run_here(roots, grads, keep, create_graph, captures, targets, self._watcher(number))
        except BaseException as error:
            self.passes[number].error = error
            raise
        finally:
            self._depth -= 1

    def _watcher(self, number):
        return lambda evaluate: self._watched(evaluate, number)

    def _watched(self, evaluate, number):
        def watched(task, node, buffer):
            came = node.in_order(dict(buffer or {}))
            made = Ran(node, number, self._depth - 1, [*map(_kept, came)])
            made.saved = {name: _kept(x) for name, x in saved_tensors(node).items()}
            if node.is_leaf:
                made.before = _kept(node.variable._grad)
            self.ran.append(made)
            task.grads = None
            results = evaluate(task, node, buffer)
            if task.grads is not None and any(a is not b for a, b in zip(task.grads, came, strict=False)):
                made.used = [*map(_kept, task.grads)]
            made.left = [*map(_kept, results or ())]
            if node.is_leaf:
                made.after = _kept(node.variable._grad)
            return results

        return watched


@contextlib.contextmanager
def recording() -> Iterator[Recorder]:
    """A block whose backward passes on this thread are recorded."""
    thread, made = state.thread, Recorder()
    before, thread.engine = thread.engine, made
    try:
        yield made
    finally:
        thread.engine = before


def _kept(g):
    """A copy that nobody writes to."""
    if g is None:
        return None
    thread = state.thread
    before, thread.grad = thread.grad, False
    try:
        return bind(ROWS["clone"], (g,), (), (preserve_format,))
    finally:
        thread.grad = before
