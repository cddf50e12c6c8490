"""An Engine that runs backward passes as the usual one does, and keeps what came to each Node and what left it."""

import contextlib
import dataclasses
from collections.abc import Iterator
from typing import Any

import jax.numpy as jnp

from torchlike._base.settings import preserve_format, strided
from torchlike._compile.kernels import TracedKernel, cache
from torchlike._ops.table import ROWS
from torchlike._record.bind import bind, bind_kernel
from torchlike._record.tensor import Tensor
from torchlike._record.trace import state
from torchlike.autograd.engine import run_here
from torchlike.autograd.saved_attributes import saved_tensors

_UNDER_WAY = 256  # gradients whose copies are remembered: they are held meanwhile


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


class Recorder:
    """The Engine. ``ran``: a `Ran` for each Node, in order; ``count``: how many passes there were."""

    def __init__(self):
        self.ran: list[Ran] = []
        self.count = 0
        self._depth = 0
        self._sent: dict = {}  # {id of a gradient under way: (the gradient, its version, its copy)}

    def run_backward(self, roots, grads, keep, captures, create_graph, targets):
        """The pass, as `torchlike.autograd.engine` runs it."""
        number, self.count = self.count, self.count + 1
        self._depth += 1
        try:
            return run_here(roots, grads, keep, create_graph, captures, targets, self._watcher(number))
        finally:
            self._depth -= 1

    def _send(self, g):
        """The copy of a gradient that leaves a Node, and most often arrives as it is."""
        if g is None:
            return None
        copy = kept(g)
        if len(self._sent) > _UNDER_WAY:
            self._sent.clear()
        self._sent[id(g)] = g, g._cell.version, copy
        return copy

    def _copy(self, g):
        found = None if g is None else self._sent.pop(id(g), None)
        return kept(g) if found is None or found[0] is not g or found[1] != g._cell.version else found[2]

    def _watcher(self, number):
        return lambda evaluate: self._watched(evaluate, number)

    def _watched(self, evaluate, number):
        def watched(task, node, buffer):
            came = node.in_order(dict(buffer or {}))
            made = Ran(node, number, self._depth - 1, [*map(self._copy, came)])
            made.saved = {name: kept(x) for name, x in saved_tensors(node).items()}
            if node.is_leaf:
                made.before = kept(node.variable._grad)
            self.ran.append(made)
            task.grads = None
            results = evaluate(task, node, buffer)
            if task.grads is not None and any(a is not b for a, b in zip(task.grads, came, strict=False)):
                made.used = [*map(kept, task.grads)]
            made.left = [*map(self._send, results or ())]
            if node.is_leaf:
                made.after = kept(node.variable._grad)
            return results

        return watched


@contextlib.contextmanager
def recording(made: Recorder) -> Iterator[None]:
    """A block whose backward passes on this thread a Recorder runs."""
    thread = state.thread
    before, thread.engine = thread.engine, made
    try:
        yield
    finally:
        thread.engine = before


def kept(x):
    """A copy of a tensor's value that nobody writes to, of which `torchlike.explain` knows nothing.

    Args:
        x: a Tensor, or None.

    Returns:
        A Tensor, or None.
    """
    if x is None:
        return None
    thread = state.thread
    before, thread.grad = thread.grad, False
    try:
        if x._cell.layout is not strided or state.open is None:
            return bind(ROWS["clone"], (x,), (), (preserve_format,))
        return bind_kernel(_copy_kernel(x._cell.aval), (x,), ())[0]
    finally:
        thread.grad = before


def _copy_kernel(aval):
    """A copy that is no operator's: `explain` takes it for none of the program's uses."""
    return cache.intern(("kept", aval), lambda: TracedKernel(
        "kept", lambda array: (jnp.array(array),), (aval,), (), aval.device))
