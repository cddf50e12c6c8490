"""Tensors as parts: a DTensor is what its ranks have, any other tensor one part, and a part lies somewhere in the whole."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np

from torchlike._record.leaf import leaf, to_jax
from torchlike._record.tensor import Tensor
from torchlike.distributed.tensor._dtensor import DTensor
from torchlike.distributed.tensor._utils import compute_local_shape_and_global_offset

_PARTIAL = "Any checkpointing related operations are not supported for DTensor with partial placements!"


@dataclasses.dataclass(frozen=True)
class Part:
    """What a rank has of a tensor.

    Args:
        size: that of the whole.
        dtype: that of the tensor.
        place: (where it begins in each dimension, its sizes).
        tensor: it.
    """

    size: list
    dtype: object
    place: tuple[tuple, tuple]
    tensor: Tensor

    def array(self) -> jax.Array:
        """Its values, as they are now."""
        return to_jax(self.tensor)

    def fill(self, values) -> None:
        """Write other values into it.

        Args:
            values: an array of its sizes.
        """
        self.tensor.copy_(leaf(values, self.tensor.device))


def part_of(x: Tensor) -> Part:
    """What this rank has of a tensor.

    Args:
        x: the tensor.

    Returns:
        its Part.

    Raises:
        RuntimeError: parts of sums.
    """
    if not isinstance(x, DTensor):
        return Part(list(x.shape), x.dtype, ((0,) * x.ndim, tuple(x.shape)), x)
    if any(placement.is_partial() for placement in x.placements):
        raise RuntimeError(_PARTIAL)
    sizes, begins = compute_local_shape_and_global_offset(x.shape, x.device_mesh, x.placements)
    return Part(list(x.shape), x.dtype, (tuple(begins), tuple(sizes)), x._local_tensor)


def overlap(place, other) -> tuple[tuple, tuple] | None:
    """What two parts of a tensor have in common.

    Args:
        place, other: see `Part`.

    Returns:
        where that lies, see `Part`; None where they have nothing in common.
    """
    begins = tuple(max(a, b) for a, b in zip(place[0], other[0], strict=True))
    ends = [min(a + n, b + m) for a, n, b, m in zip(*place, *other, strict=True)]
    if any(begin >= end for begin, end in zip(begins, ends, strict=True)):
        return None
    return begins, tuple(end - begin for begin, end in zip(begins, ends, strict=True))


def _slices(shared, place) -> tuple:
    """What two parts have in common, in one of them."""
    return tuple(slice(begin - at, begin - at + size) for begin, size, at in zip(*shared, place[0], strict=True))


def assembled(place, pieces: list, like: jax.Array) -> jax.Array:
    """A part from those that overlap with it.

    Args:
        place: where it lies.
        pieces: [(the place of one, its array)].
        like: an array of the part's sizes and dtype.

    Returns:
        an array.

    Raises:
        ValueError: some of it is in none of them.
    """
    if len(pieces) == 1 and pieces[0][0] == place:
        return pieces[0][1]
    found, left = np.empty(place[1], like.dtype), int(np.prod(place[1], dtype=int))
    for other, array in pieces:
        shared = overlap(place, other)
        if shared is not None:
            found[_slices(shared, place)] = np.asarray(array)[_slices(shared, other)]
            left -= int(np.prod(shared[1], dtype=int))
    if left > 0:
        raise ValueError(f"{left} elements are not in the checkpoint")
    return jax.device_put(jnp.asarray(found), like.sharding)
