"""The operations of a step, as a handler of the thread sees them when they are recorded."""

import collections

from torchlike import ops
from torchlike._plan.facts import ROOT, Operation
from torchlike._plan.parameters import bytes_of
from torchlike._record import dispatch
from torchlike._record.tensor import Tensor
from torchlike.utils.flop_counter import flop_registry, sdpa_flop_count

_ATTENTION = "scaled_dot_product"
# Two products forward; backward five: one of them again, and four gradients.
_ATTENTION_BACKWARD = 2.5
# What is done to each part of a split dimension alone, though it is neither pointwise nor a view.
_ALIKE = frozenset({"clone", "_to_copy", "contiguous", "_unsafe_view", "reshape", "bmm", "native_dropout", "dropout",
                    "masked_fill", "where"})
_HEADS = 4  # dimensions of the scores of heads: a softmax of them is along another one than is split


class Operations(dispatch.Handler):
    """Notes what each operation is, and has it done.

    ``known``: {number of a Node: its `Operation`} until a pass asks for it; ``boundary``: the bytes of the largest tensor
    that a block has returned.

    Args:
        units: {module: the name of its block}.
    """

    def __init__(self, units: dict):
        self.known: dict[int, Operation] = {}
        self.boundary = 0
        self._units = units
        self._inside: list[str] = [ROOT]
        self._without: collections.Counter = collections.Counter()  # FLOPs by dtype
        self._backward: dict[int, int] = {}  # FLOPs of the backward pass of a Node, by its number
        self._passing: dict[int, Operation] = {}

    def enter(self, module, inputs) -> None:
        """A hook for before each module."""
        self._inside.append(self._units.get(module, self._inside[-1]))

    def leave(self, module, inputs, output) -> None:
        """A hook for after each module."""
        if len(self._inside) > 1:
            self._inside.pop()
        if module in self._units:
            first = output[0] if isinstance(output, tuple | list) and output else output
            self.boundary = max(self.boundary, bytes_of(first) if isinstance(first, Tensor) else 0)

    def handle(self, operation):
        """The operation is done by whoever is next."""
        with dispatch.removed(self):
            result = operation.run()
        first = result[0] if isinstance(result, tuple | list) and result else result
        if operation.row is not None and isinstance(first, Tensor):
            self._note(operation, first)
        return result

    def _note(self, operation, first) -> None:
        name = operation.name.partition(".")[0]
        tensors = [x for x in operation.operands if isinstance(x, Tensor)]
        flops, backward = _flops(name, operation, tensors, first)
        node = first.grad_fn
        dtype = first.dtype.name
        if node is None:
            self._without[dtype] += flops
            return
        row = operation.row
        alike = row.layout == "pointwise" or row.view is not None or name in _ALIKE or _ATTENTION in name or (
            "softmax" in name and first.dim() >= _HEADS)
        made = Operation(node.seq, name, self._inside[-1], (), alike, tuple(tuple(x.shape) for x in tensors),
                         tuple(first.shape), first.dtype.itemsize, dtype, flops)
        self.known[node.seq] = made
        if backward:
            self._backward[node.seq] = backward

    def expect(self, passing: list[Operation]) -> None:
        """A pass over these begins."""
        self._passing = {operation.number: operation for operation in passing}

    def ran(self, number: int) -> None:
        """A Node has run."""
        flops = self._backward.get(number, 0)
        operation = self._passing.get(number)
        if operation is not None:
            operation.backward_flops += flops
        elif number in self.known:
            self._without[self.known[number].dtype] += flops

    def others(self) -> dict[str, int]:
        """{dtype: FLOPs} of what is in no pass: without gradients, or computed again by a checkpoint."""
        found = collections.Counter(self._without)
        for operation in self.known.values():
            found[operation.dtype] += operation.flops
        return {dtype: flops for dtype, flops in found.items() if flops}


def _flops(name, operation, tensors, first) -> tuple[int, int]:
    """(forward, backward) of an operation, by the rules of `torch.utils.flop_counter`, with attention."""
    if _ATTENTION in name:
        number = sdpa_flop_count(*(tuple(x.shape) for x in tensors[:3]))
        return number, int(number * _ATTENTION_BACKWARD)
    formula = flop_registry.get(getattr(ops.aten, name, None))
    if formula is None:
        return 0, 0
    shapes = [tuple(x.shape) if isinstance(x, Tensor) else x for x in operation.args]
    number = formula(*shapes, out_shape=tuple(first.shape))
    factors = operation.operands[:2] if name == "convolution" else operation.operands[-2:]
    return number, number * sum(isinstance(x, Tensor) and x.requires_grad for x in factors)
