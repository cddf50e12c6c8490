"""What a DTensor is, without its values: a mesh, placements, and the form of the whole tensor."""

import dataclasses
import functools
import math
from typing import NamedTuple

from torchlike._base.size import Size
from torchlike.distributed.device_mesh import DeviceMesh
from torchlike.distributed.tensor.placement_types import Placement, Shard, _StridedShard

_SHORT = {"torch.float": "f", "torch.bfloat": "bf", "torch.int": "i", "torch.uint": "u", "torch.complex": "c",
          "torch.bool": "b"}


class TensorMeta(NamedTuple):
    """The form of a whole tensor."""

    shape: tuple
    stride: tuple
    dtype: object


@dataclasses.dataclass(frozen=True, eq=False)
class DTensorSpec:
    """How a tensor lies on a mesh. Two are equal if their meshes have the same process groups, too: what is kept for a spec
    does not outlive them.

    Args:
        mesh: the DeviceMesh.
        placements: one for each of its dimensions.
        tensor_meta: the form of the whole tensor.
    """

    mesh: DeviceMesh
    placements: tuple[Placement, ...]
    tensor_meta: TensorMeta

    def __hash__(self) -> int:
        return self._hash

    @functools.cached_property
    def _hash(self) -> int:
        return hash((self.mesh, self.placements, self.tensor_meta))

    def __eq__(self, other) -> bool:
        return self is other or (
            isinstance(other, DTensorSpec) and self.placements == other.placements
            and self.tensor_meta == other.tensor_meta and self.mesh == other.mesh
            and self.mesh._groups == other.mesh._groups)

    def __reduce__(self):
        return DTensorSpec, (self.mesh, self.placements, self.tensor_meta)  # hashes are of this process

    @property
    def device_mesh(self) -> DeviceMesh:
        """The mesh."""
        return self.mesh

    @property
    def shape(self) -> Size:
        """The sizes of the whole tensor."""
        return Size(self.tensor_meta.shape)

    @property
    def ndim(self) -> int:
        """How many dimensions it has."""
        return len(self.tensor_meta.shape)

    @property
    def stride(self) -> tuple:
        """The strides of the whole tensor."""
        return self.tensor_meta.stride

    @property
    def numel(self) -> int:
        """How many elements the whole tensor has."""
        return math.prod(self.tensor_meta.shape)

    @property
    def num_shards(self) -> int:
        """Into how many parts it is divided."""
        return math.prod(n for n, p in zip(self.mesh.shape, self.placements, strict=True) if p.is_shard())

    def placed(self, placements) -> "DTensorSpec":
        """The same tensor, placed otherwise.

        Args:
            placements: one for each dimension of the mesh.

        Returns:
            a spec.
        """
        return DTensorSpec(self.mesh, tuple(placements), self.tensor_meta)

    def __str__(self) -> str:
        placed = "".join(map(str, self.placements))
        return f"Spec({_short(self.tensor_meta.dtype)}{list(self.tensor_meta.shape)}({placed}))"


def _short(dtype) -> str:
    text = str(dtype)
    return next((short + text.removeprefix(name) for name, short in _SHORT.items() if text.startswith(name)), text)


def part(shape: tuple, placements, sizes: tuple, place) -> tuple[list, list]:
    """What one place of a mesh has of a tensor.

    Args:
        shape: the sizes of the whole tensor.
        placements: one for each dimension of the mesh; the first dimension divides first, a `_StridedShard` last.
        sizes: those of the mesh.
        place: an index for each dimension of the mesh; None for a rank outside, which has nothing.

    Returns:
        (its sizes, where it begins in each dimension).
    """
    found, offsets = list(shape), [0] * len(shape)
    if place is None:
        return [0] * len(found), offsets
    divided = [each for each in zip(placements, sizes, place, strict=True) if isinstance(each[0], Shard | _StridedShard)]
    for placement, size, index in sorted(divided, key=lambda each: isinstance(each[0], _StridedShard)):
        dim = placement.dim
        found[dim], start = Shard(dim).local_shard_size_and_offset(found[dim], size, index)
        offsets[dim] = offsets[dim] + start if found[dim] else shape[dim]
    return found, offsets


@functools.lru_cache(1024)
def local_shape(spec: DTensorSpec) -> tuple:
    """The sizes of what this rank has."""
    return tuple(part(spec.tensor_meta.shape, spec.placements, spec.mesh.shape, spec.mesh.get_coordinate())[0])


def contiguous_stride(shape) -> tuple:
    """The strides of a contiguous tensor."""
    found, step = [], 1
    for size in reversed(shape):
        found.append(step)
        step *= max(1, size)
    return tuple(reversed(found))
