"""What holds for a thread whatever it records: gradient modes, hooks on saved tensors, observers, transforms.

The recording itself is a Trace (`trace.py`), which leads to its thread's state by ``trace.thread``.
"""

import itertools
from typing import Protocol

from torchlike._record import explain_log

# Numbers of Nodes, one sequence for all threads: a Node's operands always have smaller ones.
SEQUENCE = itertools.count()


class Observer(Protocol):
    """Is told of each new Node: anomaly mode, the log of a checkpoint, the functional engine, hooks on new Nodes.

    ``detects_anomaly``: whether it keeps the stack that PyTorch's error texts then point to.
    ``sees_all``: whether it is told of Nodes without an operation of their own, too: `AccumulateGrad` and `CopySlices`.
    """

    detects_anomaly: bool
    sees_all: bool

    def node_made(self, node, tensors: tuple, outs: tuple, numbers: tuple) -> None:
        """`node` was recorded for an operation on `tensors` and Python `numbers`, whose results are `outs`."""
        ...


class Engine(Protocol):
    """Runs backward passes in the place of `torchlike.autograd.engine`."""

    def run_backward(self, roots: list, grads: list, keep: bool, captures: dict | None, create_graph: bool,
                     targets: set | None) -> dict:
        """The gradients that are captured, by position; others are accumulated into the leaves.

        Args:
            roots: edges, (Node, output number).
            grads: the gradient Tensor of each root.
            keep: whether the graph can be used again.
            captures: {Node: {output number: position}}, or None.
            create_graph: whether the gradients have a history.
            targets: where nothing is captured, the Nodes of the leaves to accumulate into; None: all.
        """
        ...


class ThreadState:
    """The modes of one thread.

    Attributes:
        grad: whether operations join the graph.
        asked: the grad mode that was asked for under inference mode, where `grad` is off.
        inference: whether results are inference tensors.
        hooks: pairs of saved-tensor hooks, the innermost last. Who sets them sets `plain_graph`.
        observers: Observers, the innermost first; `told` is where they are kept.
        plain_graph: whether there are neither: recording looks at this alone.
        engine: the Engine of backward passes, None for PyTorch's order of Nodes.
        frames: the transforms of `torchlike.func` that are running, the innermost last, see `tracers.py`.
        handlers: of operations, the first one to be asked first, see `dispatch.py`.
        compiled_calls: how many calls are running whose traces are compiled before their first run (`torch.compile`).
        expected: checks of values that are not computed yet, see `deferred_checks.py`.
        past: the last traces, for `explain`.
    """

    __slots__ = ("asked", "compiled_calls", "engine", "expected", "frames", "grad", "handlers", "hooks", "inference", "past",
                 "plain_graph", "told")

    def __init__(self):
        self.grad, self.asked, self.inference, self.plain_graph = True, False, False, True
        self.hooks: tuple = ()
        self.told: tuple[Observer, ...] = ()
        self.engine: Engine | None = None
        self.frames: tuple = ()
        self.handlers: tuple = ()
        self.compiled_calls = 0
        self.expected: list = []
        self.past = explain_log.new_past()

    @property
    def observers(self) -> tuple[Observer, ...]:
        """Observers, the innermost first."""
        return self.told

    @observers.setter
    def observers(self, observers: tuple[Observer, ...]) -> None:
        self.told, self.plain_graph = observers, not (observers or self.hooks)

    def tell(self, node, outs: tuple) -> None:
        """Tell the Observers that see all of a Node without an operation of its own.

        Args:
            node: the Node.
            outs: the Tensors that it belongs to.
        """
        for observer in () if self.plain_graph else self.told:
            if observer.sees_all:
                observer.node_made(node, (), outs, ())
