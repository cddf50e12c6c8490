"""`ShapeProp`: what the values of a Graph are like. https://pytorch.org/docs/stable/fx.html#torch.fx.Interpreter"""

from typing import Any, NamedTuple

from torchlike._base import settings
from torchlike._base.dtypes import dtype
from torchlike._base.size import Size
from torchlike._record.tensor import Tensor
from torchlike.fx.interpreter import Interpreter
from torchlike.fx.node import Node, map_aggregate


class TensorMetadata(NamedTuple):
    """What a Tensor is like.

    Args:
        shape, dtype, requires_grad, stride: the Tensor's.
        memory_format: in which it is contiguous, or None.
        is_quantized, qparams: False and an empty dict.
    """

    shape: Size
    dtype: dtype
    requires_grad: bool
    stride: tuple
    memory_format: Any
    is_quantized: bool
    qparams: dict


def metadata_of(x: Tensor) -> TensorMetadata:
    """What a Tensor is like.

    Args:
        x: the Tensor.

    Returns:
        the facts.
    """
    formats = (settings.contiguous_format, settings.channels_last, settings.channels_last_3d)
    found = next((each for each in formats if x.is_contiguous(memory_format=each)), None)
    return TensorMetadata(x.shape, x.dtype, x.requires_grad, x.stride(), found, False, {})


class ShapeProp(Interpreter):
    """Runs a GraphModule and writes into each Node's `meta` what its value is like: ``tensor_meta`` and ``type``.

    Args:
        gm: the GraphModule.
        fake_mode: without effect.
    """

    def __init__(self, gm, fake_mode=None):
        super().__init__(gm)

    def run_node(self, n: Node):
        result = super().run_node(n)
        found = []

        def note(value):
            if isinstance(value, Tensor):
                found.append(value)
                return metadata_of(value)
            return value

        meta = map_aggregate(result, note)
        if found:
            n.meta["tensor_meta"] = meta
        n.meta["type"] = type(result)
        return result

    def propagate(self, *args):
        """Runs the Graph.

        Args:
            *args: the arguments.

        Returns:
            What the Graph returns.
        """
        return self.run(*args)
