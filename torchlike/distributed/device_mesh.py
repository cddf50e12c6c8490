"""`torch.distributed.device_mesh`: ranks as an array, with process groups along its dimensions.
https://pytorch.org/docs/stable/distributed.html#devicemesh
"""

import math
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from torchlike._api.from_data import tensor
from torchlike._c10d import world
from torchlike._c10d.group import ProcessGroup
from torchlike._record.tensor import Tensor
from torchlike.distributed import _mesh_layout as layout

__all__ = ["DeviceMesh", "init_device_mesh"]

_MANY = ("Found the DeviceMesh have {} dimensions",
         "Optional kwarg `mesh_dim` needs to be specified when device_mesh.ndim > 1.")
_MANY_GROUPS = ("If you want to get the list of all the ProcessGroups in the DeviceMesh,"
                "please use `get_all_groups()` instead.")


class _MeshEnv(threading.local):
    """The meshes whose blocks a thread is in."""

    def __init__(self):
        self.mesh_stack: list = []

    def get_current_mesh(self):
        """The innermost one. RuntimeError where there is none."""
        if not self.mesh_stack:
            raise RuntimeError("No device mesh is currently active!")
        return self.mesh_stack[-1]


_mesh_resources = _MeshEnv()


class DeviceMesh:
    """Ranks as an array, with a process group along each dimension. All ranks make it alike.
    https://pytorch.org/docs/stable/distributed.html#torch.distributed.device_mesh.DeviceMesh

    Args:
        device_type: "cpu" or "cuda": a name, the groups move the bytes of both.
        mesh: global ranks, an array or a nested list of them.
        mesh_dim_names: a name for each dimension.
        backend_override: for each dimension (the backend of its groups, its options); None as the default group's.

    Raises:
        TypeError: no mesh. RuntimeError: more ranks than there are. ValueError: a rank twice; there is no default group,
        and no environment to start one by.
    """

    def __init__(self, device_type: str, mesh=None, *, mesh_dim_names=None, backend_override=None,
                 _init_backend: bool = True, _rank: int | None = None):
        if mesh is None:
            raise TypeError("The mesh argument is required except for PRIVATE USAGE ONLY!")
        ranks = np.asarray(mesh.detach().cpu().numpy() if isinstance(mesh, Tensor) else mesh).astype(np.int32)
        self._set(device_type, layout.rows(ranks.shape), tuple(ranks.reshape(-1).tolist()), mesh_dim_names, None)
        override = [(None, None)] * self.ndim if backend_override is None else backend_override
        if len(override) != self.ndim:
            raise ValueError("backend_override should have the same length as the number of mesh dimensions, "
                             f"but got {len(override)} and {self.ndim}.")
        if _init_backend:
            self._start()
            self._groups, self._has_groups = self._made_groups(override), True
        self._rank = world.get_rank() if _rank is None else _rank

    def _set(self, device_type, axes, ranks, names, root) -> None:
        self._device_type, self._axes, self._ranks = device_type, tuple(axes), ranks
        self._mesh_dim_names = tuple(names) if names else None
        self._root_mesh = root
        self._flatten_mapping: dict[str, DeviceMesh] = {}
        self._groups: list[ProcessGroup] = []  # this rank's along each dimension
        self._has_groups = False
        self._rank = -1 if root is None else root._rank

    def _start(self) -> None:
        if not world.is_initialized():
            world.init_process_group()
        if len(self._ranks) > world.get_world_size():
            raise RuntimeError(f"Mesh should not be bigger than default world size {world.get_world_size()}, but found "
                               f"{len(self._ranks)} ranks!")

    def _made_groups(self, override) -> list[ProcessGroup]:
        """This rank's group along each dimension: all ranks make all of them, in one order."""
        found = []
        for i, axis in enumerate(self._axes):
            if self.size(i) == world.get_world_size() and override[i][0] is None:
                found.append(world.default_group())
                continue
            name = self._mesh_dim_names[i] if self._mesh_dim_names else f"dim_{i}"
            made = [world.new_group(members, backend=override[i][0], group_desc=f"mesh_{name}")
                    for members in self._of_all_ranks([axis]).tolist()]
            found += [group for group in made if isinstance(group, ProcessGroup)]
        return found

    def _of_all_ranks(self, axes) -> np.ndarray:
        """The ranks of all meshes of this kind that the root consists of."""
        return np.asarray(self._ranks, np.int32)[layout.copies(axes, len(self._ranks))]

    def _part(self, axes, names, groups) -> "DeviceMesh":
        """A mesh of the same ranks."""
        made = DeviceMesh.__new__(DeviceMesh)
        made._set(self._device_type, axes, self._ranks, names, self._get_root_mesh())
        made._groups, made._has_groups = groups, self._has_groups
        return made

    def _get_root_mesh(self) -> "DeviceMesh":
        return self if self._root_mesh is None else self._root_mesh

    @property
    def device_type(self) -> str:
        """The type of the devices."""
        return self._device_type

    @property
    def mesh(self) -> Tensor:
        """The global ranks. Of a slice those that this rank is among."""
        return tensor(self._own())

    def _own(self) -> np.ndarray:
        every = self._of_all_ranks(self._axes)
        mine = [each for each in every if self._rank in each]
        if not mine and len(every) > 1:
            raise RuntimeError("In order to get the mesh Tensor of a DeviceMesh it needs to either have all its original "
                               "dimensions (e.g., no slicing) or it needs to contain the local rank")
        return mine[0] if mine else every[0]

    @property
    def mesh_dim_names(self) -> tuple[str, ...] | None:
        """The names of the dimensions."""
        return self._mesh_dim_names

    @property
    def ndim(self) -> int:
        """How many dimensions there are."""
        return len(self._axes)

    @property
    def shape(self) -> tuple[int, ...]:
        """How many ranks each dimension has."""
        return tuple(map(layout.size_of, self._axes))

    def size(self, mesh_dim: int | None = None) -> int:
        """How many ranks there are.

        Args:
            mesh_dim: along which dimension; None for all.

        Returns:
            the number.
        """
        return layout.size_of(layout.flattened(self._axes) if mesh_dim is None else self._axes[mesh_dim])

    def get_rank(self) -> int:
        """This process's global rank."""
        return world.get_rank()

    def get_local_rank(self, mesh_dim: int | str | None = None) -> int:
        """This process's rank in the group along a dimension.

        Args:
            mesh_dim: the dimension, or its name; None where there is only one.

        Returns:
            the rank.

        Raises:
            RuntimeError: there are more dimensions. KeyError: no such name. IndexError: this rank is not in the mesh.
        """
        if self.ndim > 1 and mesh_dim is None:
            raise RuntimeError(_MANY[0].format(self.ndim), _MANY[1])
        return world.get_rank(self.get_group(0 if mesh_dim is None else mesh_dim))

    def get_coordinate(self) -> tuple[int, ...] | None:
        """Where this process is in the mesh.

        Returns:
            an index for each dimension; None where it is not in it.
        """
        places = np.argwhere(self._of_all_ranks(self._axes) == self._rank)
        return tuple(places[0, 1:].tolist()) if len(places) else None

    def get_group(self, mesh_dim: int | str | None = None) -> ProcessGroup:
        """This process's group along a dimension.

        Args:
            mesh_dim: the dimension, or its name; None where there is only one.

        Returns:
            the ProcessGroup.

        Raises:
            RuntimeError: there are more dimensions, or no groups. KeyError: no such name. IndexError: this rank is not in
            the mesh.
        """
        if not self._has_groups:
            raise RuntimeError("DeviceMesh process groups not initialized!")
        if self.ndim > 1 and mesh_dim is None:
            raise RuntimeError(_MANY[0].format(self.ndim), _MANY[1], _MANY_GROUPS)
        if mesh_dim in self._get_root_mesh()._flatten_mapping:
            return self._get_root_mesh()._flatten_mapping[str(mesh_dim)].get_group()
        place = self._get_mesh_dim_by_name(mesh_dim) if isinstance(mesh_dim, str) else mesh_dim or 0
        return self._groups[place]

    def _get_mesh_dim_by_name(self, mesh_dim_name: str) -> int:
        if not self._mesh_dim_names:
            raise KeyError("No `mesh_dim_names` found.")
        if mesh_dim_name not in self._mesh_dim_names:
            raise KeyError(f"Mesh dimension '{mesh_dim_name}' does not exist.",
                           f"Available mesh dimensions are: mesh_dim_names={self._mesh_dim_names}")
        return self._mesh_dim_names.index(mesh_dim_name)

    def get_all_groups(self) -> list[ProcessGroup]:
        """This process's group along each dimension.

        Returns:
            a list of ProcessGroups.

        Raises:
            as `get_group`.
        """
        return [self.get_group(i) for i in range(self.ndim)]

    def __getitem__(self, mesh_dim_names: str | tuple[str, ...]) -> "DeviceMesh":
        """The mesh of some of the dimensions. Of the root also of those that have been flattened.

        Args:
            mesh_dim_names: their names, in the order of the mesh.

        Returns:
            a DeviceMesh whose groups are this one's.

        Raises:
            RuntimeError: the dimensions have no names, or one is in another. KeyError: no such name, or another order.
        """
        if not self._mesh_dim_names:
            raise RuntimeError("Cannot slice a DeviceMesh without mesh_dim_names!")
        names = (mesh_dim_names,) if isinstance(mesh_dim_names, str) else tuple(mesh_dim_names)
        if names == self._mesh_dim_names:
            return self
        flat = self._flatten_mapping
        valid = [*self._mesh_dim_names, *flat]
        if any(name not in valid for name in names):
            raise KeyError(f"Invalid mesh_dim_names {names} specified. Valid mesh_dim_names are {valid}.")
        axes = [flat[name]._axes[0] if name in flat else self._axes[self._mesh_dim_names.index(name)] for name in names]
        strides = [axis[0][1] for name, axis in zip(names, axes, strict=True) if axis and name not in flat]
        if strides != sorted(strides, reverse=True):
            raise KeyError(f"Invalid mesh_dim_names {names} specified. Mesh dim indices should be in ascending order.")
        if layout.overlap(axes):
            raise RuntimeError(f"Slicing overlapping dim_names {names} is not allowed.")
        if len(names) == 1 and names[0] in flat:
            return flat[names[0]]
        return self._part(axes, names, [self.get_group(name) for name in names] if self._groups else [])

    @staticmethod
    def from_group(group, device_type: str, mesh=None, *, mesh_dim_names=None) -> "DeviceMesh":
        """A mesh whose groups there are already.

        Args:
            group: a ProcessGroup; a list of one for each dimension of `mesh`.
            device_type, mesh, mesh_dim_names: as for `DeviceMesh`; the ranks of one group may be left out.

        Returns:
            a DeviceMesh.

        Raises:
            ValueError: what is given does not fit together.
        """
        one = isinstance(group, ProcessGroup)
        groups, ranks = [group] if one else list(group), mesh
        if one:
            members = list(group.ranks)
            ranks = members if mesh is None else mesh
            if _listed(ranks) != members:
                raise ValueError(f"Invalid mesh {mesh} for ProcessGroup with ranks {members}")
        elif not groups:
            raise ValueError("Expects at least one ProcessGroup to be passed")
        elif mesh is None:
            raise ValueError("Must pass mesh if passing multiple ProcessGroups")
        elif mesh_dim_names is None:
            raise ValueError("Must pass mesh_dim_names if passing multiple ProcessGroups")
        made = DeviceMesh(device_type, ranks, mesh_dim_names=mesh_dim_names, _init_backend=False)
        if made.ndim != len(groups):
            raise ValueError("Expects mesh with ndim equal to number of ProcessGroups but got mesh "
                             f"{_listed(ranks)} and {len(groups)} ProcessGroups")
        made._groups, made._has_groups = groups, True
        return made

    def _flatten(self, mesh_dim_name: str | None = None, backend_override=None) -> "DeviceMesh":
        """All dimensions as one, which has a group of its own and can be asked for by its name."""
        if not self._mesh_dim_names:
            raise RuntimeError("Cannot flatten a DeviceMesh without mesh_dim_names!")
        name = "_".join(self._mesh_dim_names) if mesh_dim_name is None else mesh_dim_name
        root, axis = self._get_root_mesh(), layout.flattened(self._axes)
        if self.ndim == 1 and name == self._mesh_dim_names[0]:
            return self
        if name in (root._mesh_dim_names or ()):
            raise ValueError(f"{name} already exists for submesh of the {root}. ",
                             f"The mesh_dim_names of submesh and flattened mesh are {root._mesh_dim_names}. "
                             "Please specify another valid mesh_dim_name.")
        known = root._flatten_mapping.get(name)
        if known is not None and known._axes != (axis,):
            raise ValueError(f"Flatten mesh with mesh_dim_name {name} has been created before, Please specify another "
                             "valid mesh_dim_name.")
        if known is None:
            given = {} if backend_override is None else {0: backend_override}
            known = root._flatten_mapping[name] = self._made_part((axis,), (name,), _overrides(given, 1, None))
        return known

    def _made_part(self, axes, names, override) -> "DeviceMesh":
        """`_part` with new groups."""
        made = self._part(axes, names, [])
        if self._has_groups:
            made._groups = made._made_groups(override)
        return made

    def _unflatten(self, dim: int | str, mesh_sizes, mesh_dim_names, backend_override=None) -> "DeviceMesh":
        """One dimension as several, with groups of their own."""
        if isinstance(dim, int) and dim >= self.ndim:
            raise ValueError(f"dim {dim} specified in `_unflatten` is out of range {self.ndim}")
        if isinstance(dim, str) and dim not in (self._mesh_dim_names or ()):
            raise ValueError(f"dim {dim} specified in `_unflatten` is not in {self._mesh_dim_names}")
        if len(mesh_sizes) != len(mesh_dim_names):
            raise RuntimeError("mesh_dim_names must have same length as mesh_sizes in _unflatten!")
        place = self._get_mesh_dim_by_name(dim) if isinstance(dim, str) else dim
        product, size = math.prod(mesh_sizes), self.size(place)
        if product != size:
            raise ValueError(f"The product of {mesh_sizes=} is {product}, but the original dimension at dim={place} has "
                             f"size {size}. These must be equal for unflatten to work correctly.")
        if self._mesh_dim_names is None:
            raise TypeError("Invariant encountered: value was None when it should not be")
        inner = self._made_part(layout.unflattened(self._axes[place], mesh_sizes), mesh_dim_names,
                                _overrides(backend_override, len(mesh_sizes), mesh_dim_names))
        axes, names, groups = ([*mine[:place], *new, *mine[place + 1:]] for mine, new in (
            (self._axes, inner._axes), (self._mesh_dim_names, mesh_dim_names), (self._groups, inner._groups)))
        return self._part(axes, names, groups)

    @staticmethod
    def _concatenate(device_mesh_list: list["DeviceMesh"]) -> "DeviceMesh":
        """The mesh of the dimensions of several that have been made of one."""
        first = device_mesh_list[0]
        if any(each._ranks != first._ranks for each in device_mesh_list):
            raise RuntimeError("Cannot concatenate DeviceMeshes derived from different device meshs")
        axes = [axis for each in device_mesh_list for axis in each._axes]
        if layout.overlap(axes):
            raise RuntimeError(f"Cannot concatenate overlapping meshes: {device_mesh_list}")
        names = [name for each in device_mesh_list for name in each._mesh_dim_names or ()]
        return first._part(axes, names, [group for each in device_mesh_list for group in each._groups])

    def __enter__(self) -> "DeviceMesh":
        _mesh_resources.mesh_stack.append(self)
        return self

    def __exit__(self, exc_type, exc_value, exc_traceback) -> None:
        _mesh_resources.mesh_stack.pop()

    def __repr__(self) -> str:
        shape: Any = self.shape
        if self._mesh_dim_names:
            shape = "(" + ", ".join(f"{name}={n}" for name, n in zip(self._mesh_dim_names, shape, strict=True)) + ")"
        return f"DeviceMesh({shape}, '{self._device_type}', stride={tuple(map(layout.stride_of, self._axes))})"

    def _key(self) -> tuple:
        return self._ranks, self._axes, self._device_type, self._mesh_dim_names

    def __hash__(self) -> int:
        return hash(self._key())

    def __eq__(self, other) -> bool:
        return isinstance(other, DeviceMesh) and self._key() == other._key()

    def __getstate__(self) -> dict:
        """Groups go by their names, which are the same on all ranks."""
        return {**vars(self), "_groups": [group.group_name for group in self._groups]}

    def __setstate__(self, state: dict) -> None:
        vars(self).update(state)
        self._groups = [world.group_named(name) for name in state["_groups"]]


def _listed(ranks) -> list:
    return ranks.tolist() if isinstance(ranks, Tensor | np.ndarray) else ranks


def _overrides(given, ndim: int, names: Sequence[str] | None) -> list:
    """(backend, options) of each dimension, from a dict by number or name."""
    left, found = dict(given or {}), []
    for i in range(ndim):
        name = names[i] if names else None
        if name in left and i in left:
            raise RuntimeError(f"Found redundant dim index {i} and name {name} in backend_override")
        value = left.pop(name if name in left else i, (None, None))
        found.append((value, None) if isinstance(value, str) else value)
    if left:
        raise RuntimeError(f"Found invalid keys in backend_override: got {list(left)}, expected integers in range "
                           f"[0, {ndim}) or one of {tuple(names or ())}")
    return found


def init_device_mesh(device_type: str, mesh_shape, *, mesh_dim_names=None, backend_override=None) -> DeviceMesh:
    """A mesh of the first ranks; the last dimension is the innermost. The default group is started if there is none.
    https://pytorch.org/docs/stable/distributed.html#torch.distributed.device_mesh.init_device_mesh

    Args:
        device_type: as for `DeviceMesh`.
        mesh_shape: how many ranks each dimension has.
        mesh_dim_names: a name for each dimension.
        backend_override: the backend of the groups along a dimension, by its number or its name.

    Returns:
        a DeviceMesh.

    Raises:
        RuntimeError: names, or dimensions, that do not fit; more ranks than there are; a device with a number.
        ValueError: there is no default group, and no environment to start one by.
    """
    if mesh_dim_names is not None and len(set(mesh_dim_names)) != len(mesh_dim_names):
        raise RuntimeError("Each mesh_dim_name must be unique. Found repeated mesh_dim_name in mesh_dim_names "
                           f"{mesh_dim_names}")
    if mesh_dim_names is not None and len(mesh_shape) != len(mesh_dim_names):
        raise RuntimeError("mesh_shape and mesh_dim_names should have same length! Found len(mesh_dim_names): "
                           f"{len(mesh_dim_names)} and len(mesh_shape):{len(mesh_shape)}.")
    override = None if backend_override is None else _overrides(backend_override, len(mesh_shape), mesh_dim_names)
    if device_type and not device_type.isalpha():
        raise RuntimeError(f"Device type with index is not supported but got {device_type}. ",
                           "If you maintained a 'torch.device' object, it's recommended to pass in 'device.type'.")
    return DeviceMesh(device_type, np.arange(math.prod(mesh_shape)).reshape(mesh_shape), mesh_dim_names=mesh_dim_names,
                      backend_override=override)
