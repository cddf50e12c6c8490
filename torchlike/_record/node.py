"""Nodes of the autograd graph: what a backward pass needs of one operation. State and naming;
the walk over them is in `torchlike/autograd/engine.py`.
"""

import re
import threading
import weakref
from sys import _getframe

from torchlike._compile.gradients import places
from torchlike._ops.table import ROWS, Row, node_name
from torchlike._record import site as sites

_CLASSES: dict = {}
_OF_ENGINE = ("AccumulateGrad", "CopyBackwards", "CopySlices", "NotImplemented")  # not made from formulas in PyTorch
_ACCUMULATORS = threading.RLock()  # two threads that use a leaf for the first time make one AccumulateGrad


class Node:
    """https://pytorch.org/docs/stable/autograd.html#torch.autograd.graph.Node

    ``edges``: for each array operand None or (Node, output number). ``saved``: see `saved.py`;
    None once freed. ``seq``: the larger, the earlier in backward. ``hooks`` is None or a NodeHooks.
    ``child, token``: the instruction in the prefix tree and the trace it was recorded in. ``site``: the
    line of the user's program that made it, see site.py; ``freed``: that of the backward call that freed it.
    ``within``, set only where a result is saved: the CopySlices of which this Node is the ``fn``, weakly.
    """

    __slots__ = ("__weakref__", "_metadata", "child", "edges", "freed", "hooks", "numbers", "plan", "saved", "seq",
                 "site", "token", "within")
    n_outputs = 1
    replayable = True  # its backward is its kernel's instruction and nothing else

    def __init__(self, plan, edges, saved, numbers, seq, child=None, token=None):
        self.plan = plan
        self.edges = edges
        self.saved = saved
        self.numbers = numbers
        self.seq = seq
        self.child = child
        self.token = token
        self.hooks = None
        if child is None:
            self.site = sites.here()
            return
        try:
            frame = _getframe(child.frames)  # where the user's frame was the last time: a look, not a walk
        except ValueError:
            self.site = child.site = sites.at_instruction(child)
            return
        code = frame.f_code
        self.site = child.site = (code, frame.f_lasti) if code is child.code else sites.at_instruction(child)

    def __repr__(self):
        return f"<{self.__class__.__name__} object at {id(self):#x}>"

    def made_from(self, view) -> bool:
        """Whether this is a write (a CopySlices) that `view`, a tensor, has its values from."""
        return False

    def name(self) -> str:
        """The class name, as PyTorch gives it."""
        name = self.__class__.__name__
        return f"torch::autograd::{name}" if name in _OF_ENGINE else name

    @property
    def next_functions(self) -> tuple:
        """For each differentiable input (Node, output number), or (None, 0)."""
        edges = [None if i is None else self.edges[i] for i in places(self.plan.kernel)]
        return tuple((None, 0) if edge is None else (edge[0].public, edge[1]) for edge in edges)

    @property
    def metadata(self) -> dict:
        """A dictionary for the user's own notes."""
        try:
            return self._metadata
        except AttributeError:
            self._metadata = {}
            return self._metadata

    @property
    def public(self):
        """What users see of this Node: itself; for a custom Function its ctx."""
        return self

    def _sequence_nr(self) -> int:
        return self.seq

    def output_aval(self, i):
        """Shape and dtype of result `i`, which its gradient must have."""
        return self.plan.kernel.outs[i]


class NodeHooks:
    """Hooks of one Node: ``pre`` (on its incoming gradients), ``post`` (on what it returns),
    ``tensor`` (those registered on a tensor, by output number), ``retain`` (tensors that retain
    their grad, weakly, by output number).
    """

    __slots__ = ("post", "pre", "retain", "tensor")

    def __init__(self):
        self.pre, self.post, self.tensor, self.retain = {}, {}, {}, {}


def hooks_of(node) -> NodeHooks:
    """The node's hooks, made on first use."""
    if node.hooks is None:
        node.hooks = NodeHooks()
    return node.hooks


class AccumulateGrad(Node):
    """The end of the graph at a leaf: adds to ``variable.grad``."""

    __slots__ = ("variable",)
    replayable = False

    def __init__(self, variable):
        self.variable = variable
        self.plan, self.edges, self.saved, self.numbers = None, (), (), ()
        self.seq = 1 << 63  # runs as soon as it is ready, as in PyTorch
        self.hooks = self.site = self.child = None

    @property
    def next_functions(self):
        return ()

    def output_aval(self, i):
        return self.variable._cell.aval


def accumulate_grad(variable) -> AccumulateGrad:
    """The one AccumulateGrad of a leaf, as long as anybody holds it."""
    reference = variable._acc
    node = reference() if reference is not None else None
    if node is not None:
        return node
    with _ACCUMULATORS:
        reference = variable._acc
        node = reference() if reference is not None else None
        if node is None:
            node = AccumulateGrad(variable)
            variable._acc = weakref.ref(node)
    return node


def node_class(name: str):
    """The Node class of this name; one class a name, so that types compare."""
    found = _CLASSES.get(name)
    if found is None:
        found = _CLASSES[name] = type(name, (Node,), {"__slots__": (), "__module__": "torch.autograd.graph"})
    return found


def class_of(kernel):
    """The Node class for a kernel: PyTorch's name for a row, and X -> XBackward0 for its backward."""
    row = kernel.row
    if row is None:
        return node_class(node_name(kernel.name))
    name = row.node(dict(zip(row.params, kernel.spec[1], strict=True))) if callable(row.node) else row.node
    return node_class(name)


def known_names() -> list:
    """The Node names of all rows with one name."""
    return [row.node for row in ROWS.values() if isinstance(row, Row) and isinstance(row.node, str)]


def short_name(node) -> str:
    """How error texts name a Node: ``MulBackward0`` is ``Mul``."""
    return re.sub(r"Backward0?(?=\d*$)", "", node.name())
