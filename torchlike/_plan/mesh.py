"""The mesh: axes of devices, what is spread along each, and how fast the devices of an axis reach each other."""

import dataclasses
import math

from torchlike._plan.devices import Device

DATA, TENSOR, PIPE = "data", "tensor", "pipe"
_ROLES = {"model": TENSOR, "tensor": TENSOR, "tp": TENSOR, "pipe": PIPE, "pp": PIPE}
_FORM = "a mesh is written as data=64,model=8"


class MeshError(ValueError):
    """A mesh that cannot be."""


@dataclasses.dataclass(frozen=True)
class Axis:
    """One axis.

    Args:
        name: the user's.
        size: how many devices are along it.
        stride: how far, in the order of all devices, the next one along it is.
    """

    name: str
    size: int
    stride: int

    @property
    def role(self) -> str:
        """What it is for, by its name: ``TENSOR``, ``PIPE``, or else ``DATA``."""
        return _ROLES.get(self.name, DATA)


@dataclasses.dataclass(frozen=True)
class Mesh:
    """All axes; the last one has neighbours."""

    axes: tuple[Axis, ...]

    @property
    def size(self) -> int:
        """How many devices there are."""
        return math.prod(axis.size for axis in self.axes)

    def of(self, role: str) -> tuple[Axis, ...]:
        """The axes of a role, those of size 1 left out."""
        return tuple(axis for axis in self.axes if axis.role == role and axis.size > 1)

    def __str__(self):
        return ",".join(f"{axis.name}={axis.size}" for axis in self.axes)


def parse(text: str) -> Mesh:
    """A mesh from its text, "data=64,model=8".

    Args:
        text: names and sizes, separated by commas. "model", "tensor" or "tp" is an axis for tensor parallelism, "pipe" or
            "pp" for a pipeline; others are for data.

    Returns:
        The `Mesh`.

    Raises:
        MeshError: it has another form, a name twice, or two axes for tensors or pipelines.
    """
    sizes: dict[str, int] = {}
    for part in text.split(","):
        name, found, size = (piece.strip() for piece in part.partition("="))
        if not (found and name.isidentifier() and size.isdecimal() and int(size) > 0):
            raise MeshError(f"{part!r}: {_FORM}")
        if name in sizes:
            raise MeshError(f"the axis {name!r} is there twice")
        sizes[name] = int(size)
    strides = [math.prod(list(sizes.values())[i + 1:]) for i in range(len(sizes))]
    mesh = Mesh(tuple(Axis(name, size, stride) for (name, size), stride in zip(sizes.items(), strides, strict=True)))
    for role in (TENSOR, PIPE):
        if sum(axis.role == role for axis in mesh.axes) > 1:
            raise MeshError(f"more than one {role} axis: {text}")
    return mesh


def group_size(axes: tuple[Axis, ...]) -> int:
    """How many devices a group along these axes has."""
    return math.prod(axis.size for axis in axes)


def bandwidth(axes: tuple[Axis, ...], device: Device) -> float:
    """Bytes a second with which a device sends in a ring over the group along some axes: inside of a host by its link; else
    the members in a host share its cards, as many as they are.

    Args:
        axes: of the group.
        device: its data sheet.
    """
    inside = 1
    for axis in sorted(axes, key=lambda axis: axis.stride):
        inside *= min(axis.size, max(1, device.per_host // axis.stride))
    if inside >= group_size(axes):
        return device.link
    return min(device.link, device.network * inside)
