"""What a step is made of, as plain numbers: nothing here knows Tensors."""

import dataclasses
import math
from typing import NamedTuple

ROOT = ""  # the unit of what is in no block


@dataclasses.dataclass(frozen=True)
class Parameter:
    """One parameter, and what belongs to it.

    Args:
        name: its path in the module.
        unit: the block that it is in, as `fully_shard` would be applied; "" for what is in none.
        shape: its sizes.
        bytes: of itself.
        gradient: bytes of its ``.grad`` after the step; 0 where it has none.
        moments: bytes of what the optimizer keeps for it in its own shape.
        scalars: bytes of what else the optimizer keeps for it.
        dtype: the name of its dtype.
    """

    name: str
    unit: str
    shape: tuple[int, ...]
    bytes: int
    gradient: int
    moments: int
    scalars: int
    dtype: str


class Source(NamedTuple):
    """Where an operand comes from.

    Args:
        node: the number of the Node that made it, or None.
        leaf: the place of the parameter that it is, -1 for another leaf, or None.
    """

    node: int | None
    leaf: int | None


@dataclasses.dataclass
class Operation:
    """A Node of the graph of one backward pass.

    Args:
        number: its place among all.
        name: the Node's.
        unit: the block in which it was made.
        inputs: for each edge its `Source`, or None for what has no history.
        is_split_alike: whether it does the same to each part of a dimension that is split (heads, features).
        shapes: of its operands.
        shape: of its first result.
        itemsize: bytes of an element of its first result.
        dtype: the name of its first result's dtype.
        flops, backward_flops: of its products, forward and as often as the Node ran.
        saved: bytes that it was the first to save for backward.
    """

    number: int
    name: str
    unit: str = ROOT
    inputs: tuple = ()
    is_split_alike: bool = False
    shapes: tuple = ()
    shape: tuple = ()
    itemsize: int = 0
    dtype: str = "float32"
    flops: int = 0
    backward_flops: int = 0
    saved: int = 0

    @property
    def bytes(self) -> int:
        """Of its first result."""
        return self.itemsize * math.prod(self.shape)


@dataclasses.dataclass
class Step:
    """A step of training: from the end of one optimizer's step to the end of the next.

    Args:
        parameters: all of them, once.
        units: the blocks in their order; ROOT is not among them.
        passes: the graph of each backward pass, in the order of recording.
        order: the places of the parameters in the order in which the last pass made their gradients.
        buffers: {dtype: bytes} of buffers.
        boundary: bytes of what one block hands to the next.
        batch: the size of what was fed in along its first dimension; 0 where nothing was.
        other_flops: {dtype: FLOPs} of what left no Node: without gradients, or computed again in a pass.
        tf32: whether the program lets float32 products round their operands.
        traffic: bytes that all operations read and write, each by itself.
    """

    parameters: list[Parameter]
    units: list[str]
    passes: list[list[Operation]]
    order: list[int]
    buffers: dict[str, int]
    boundary: int
    batch: int
    other_flops: dict[str, int]
    tf32: bool
    traffic: int

    @property
    def operations(self) -> list[Operation]:
        """Those of all passes."""
        return [operation for each in self.passes for operation in each]

    @property
    def flops(self) -> int:
        """Of the whole step."""
        return sum(x.flops + x.backward_flops for x in self.operations) + sum(self.other_flops.values())
