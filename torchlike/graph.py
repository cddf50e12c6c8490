"""The live autograd graph: what it takes, and how it looks."""

from torchlike._draw.drawing import Drawing as Drawing
from torchlike._draw.drawing import draw as draw
from torchlike._explain.saved import Held as Held
from torchlike._explain.saved import Saved as Saved
from torchlike._explain.saved import held_by
from torchlike._record.history import edge_of
from torchlike._record.tensor import Tensor


def bytes(loss: Tensor) -> Held:
    """What the graph behind a tensor holds for backward, by Node and source line. PyTorch has nothing like it.

    Memory that several Nodes share (also through views) counts once, at the one that was recorded first. That of leaves
    that require grad counts not at all: their owner holds it. Bytes are those of shape and dtype: a value that is recorded
    and has not been computed takes none yet, and may never (XLA fuses it away).

    Args:
        loss: the Tensor to start from.

    Returns:
        A `Held`, the largest first.

    Raises:
        RuntimeError: the tensor has no graph.
    """
    if loss._edge is None:
        raise RuntimeError("element 0 of tensors does not require grad and does not have a grad_fn")
    return held_by([edge_of(loss)[0]])
