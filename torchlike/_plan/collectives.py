"""What is sent: collectives, and how much of it goes over the wire.

In a ring of n an all-reduce sends 2 (n - 1) / n of its bytes from each device, an all-gather and a reduce-scatter
(n - 1) / n of the whole tensor.
"""

import dataclasses

from torchlike._plan.mesh import Axis, group_size

ALL_REDUCE, ALL_GATHER, REDUCE_SCATTER, BROADCAST, SEND = "all-reduce", "all-gather", "reduce-scatter", "broadcast", "send"
_RING = {ALL_REDUCE: lambda n: 2 * (n - 1) / n, ALL_GATHER: lambda n: (n - 1) / n, REDUCE_SCATTER: lambda n: (n - 1) / n,
         BROADCAST: lambda n: (n - 1) / n, SEND: lambda n: 1.0}


@dataclasses.dataclass(frozen=True)
class Collective:
    """The collectives of one kind and one group in a step.

    Args:
        kind: one of the names above.
        axes: along which its group is.
        count: how many there are.
        bytes: of all the tensors that are reduced, gathered (what is there after it) or sent.
        waits: whether the computation cannot go on before it is done.
    """

    kind: str
    axes: tuple[Axis, ...]
    count: int
    bytes: float
    waits: bool = False

    @property
    def group(self) -> str:
        """The names of its axes."""
        return "+".join(axis.name for axis in self.axes)

    @property
    def wire(self) -> float:
        """Bytes that a device sends."""
        return ring(self.kind, group_size(self.axes), self.bytes)


def ring(kind: str, n: int, size: float) -> float:
    """Bytes that each of n devices sends in a ring.

    Args:
        kind: of collective.
        n: how many devices there are.
        size: bytes of the tensor.
    """
    return _RING[kind](n) * size
