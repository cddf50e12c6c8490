"""The gradients of a `DistributedDataParallel`, in buckets: which there are, and what a communication hook is given."""

from collections.abc import Container, Iterable

from torchlike._c10d.flat import unflattened
from torchlike._record.tensor import Tensor

FIRST, CAP = 1 << 20, 25 << 20  # bytes: the first bucket is small, so that something is sent early


def buckets_of(params: list, order: Iterable[int], cap: int, first: int,
               alone: Container[int] = ()) -> list[list[int]]:
    """The places of parameters by bucket.

    Args:
        params: the parameters.
        order: their places, in the order in which they are put into buckets.
        cap: how many bytes of gradients a bucket has, or the size of one that is larger.
        first: the same for the first one.
        alone: the places of those that have a bucket each.

    Returns:
        a list for each bucket, in the order in which they are full. A bucket has one dtype.
    """
    found: list[list[int]] = []
    filling: dict = {}
    for place in order:
        p = params[place]
        if place in alone:
            found.append([place])
            continue
        bucket, size = filling.get(p.dtype, ([], 0))
        bucket.append(place)
        size += p.numel() * p.dtype.itemsize
        if size >= (cap if found else first):
            found.append(bucket)
            filling.pop(p.dtype, None)
        else:
            filling[p.dtype] = bucket, size
    return found + [bucket for bucket, _ in filling.values()]


class GradBucket:
    """What a communication hook of `DistributedDataParallel` is given: the gradients of some parameters as one tensor.
    https://pytorch.org/docs/stable/ddp_comm_hooks.html#torch.distributed.GradBucket

    Args:
        index: its number.
        parameters: the parameters.
        buffer: their gradients one after the other.
        is_last: whether it is the last one of this backward pass.
    """

    def __init__(self, index: int, parameters: list, buffer: Tensor, is_last: bool):
        self._index, self._parameters, self._buffer, self._is_last = index, parameters, buffer, is_last

    def index(self) -> int:
        """Its number: 0 is the one whose gradients are made first."""
        return self._index

    def buffer(self) -> Tensor:
        """The gradients, one-dimensional."""
        return self._buffer

    def set_buffer(self, buffer: Tensor) -> None:
        """Put another tensor in its place.

        Args:
            buffer: of the same size.
        """
        self._buffer = buffer

    def gradients(self) -> list[Tensor]:
        """The gradient of each parameter, with its shape: copies."""
        return list(unflattened(self._buffer, self._parameters))

    def parameters(self) -> list[Tensor]:
        """The parameters."""
        return list(self._parameters)

    def is_last(self) -> bool:
        """Whether it is the last one of this backward pass."""
        return self._is_last

