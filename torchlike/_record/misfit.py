"""Tensors whose dimensions were changed in place without history (``t_()`` under no_grad): their Node expects another
shape than the gradients that come."""

from torchlike._ops.table import ROWS
from torchlike._record.bind import bind
from torchlike._record.node import Node
from torchlike._record.thread import next_sequence


class Misfit(Node):
    """Stands before the Node of such a tensor and sums or refuses what arrives, as PyTorch's engine does."""

    __slots__ = ("aval",)
    replayable = False

    def __init__(self, edge, aval):
        Node.__init__(self, None, (edge,), (), (), next_sequence())
        self.aval = aval

    def name(self):
        return self.edges[0][0].name()

    @property
    def public(self):
        return self.edges[0][0].public

    def output_aval(self, i):
        return self.aval

    def backward(self, grads) -> list:
        node, number = self.edges[0]
        g, wanted = grads[number], tuple(node.output_aval(number).shape)
        shape = tuple(g._cell.aval.shape)
        lead = len(shape) - len(wanted)
        if lead < 0 or any(want not in (1, size) for size, want in zip(shape[lead:], wanted, strict=True)):
            raise RuntimeError(f"invalid gradient at index 0 - got {list(shape)} but expected shape compatible with "
                               f"{list(wanted)}")
        dims = (*range(lead), *(lead + i for i, want in enumerate(wanted) if want == 1 != shape[lead + i]))
        g = bind(ROWS["sum.dim_IntList"], (g,), (), (dims, True, None)) if dims else g
        return [bind(ROWS["view"], (g,), (), (wanted,)) if lead else g]
