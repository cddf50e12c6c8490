"""What a rank keeps of parameters that `fully_shard` divides: of each its own part, a DTensor."""

import dataclasses
import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from torchlike._api.creation import empty
from torchlike._base.errors import UnsupportedError
from torchlike._c10d import tensors
from torchlike._record.tensor import Tensor
from torchlike.autograd.hooks import run_post_accumulate_hooks
from torchlike.distributed.device_mesh import DeviceMesh
from torchlike.distributed.fsdp._whole import Whole
from torchlike.distributed.tensor._dispatch import made
from torchlike.distributed.tensor._dtensor import DTensor
from torchlike.distributed.tensor._dtensor_spec import DTensorSpec, TensorMeta, contiguous_stride
from torchlike.distributed.tensor.placement_types import Replicate, Shard, _StridedShard
from torchlike.nn.modules.module import Module
from torchlike.nn.parameter import Parameter

_ON_META = (
    "FSDP parameters should be materialized from meta device before training, but the following were still on meta device: "
    "{}\nFor example, call module.to_empty(device) to materialize to device and call module.reset_parameters() on each "
    "module to initialize values.")


@dataclasses.dataclass(frozen=True)
class Axes:
    """The mesh of the ranks that share the work: the last dimension divides, one before it replicates.

    Args:
        mesh: a DeviceMesh of one or two dimensions.
    """

    mesh: DeviceMesh

    @property
    def size(self) -> int:
        """Into how many parts parameters are divided."""
        return self.mesh.size(self.mesh.ndim - 1)

    @property
    def rank(self) -> int:
        """Which part is this rank's."""
        return self.mesh.get_local_rank(self.mesh.ndim - 1)

    @property
    def shard_group(self):
        """The ranks that have a part each."""
        return self.mesh.get_group(self.mesh.ndim - 1)

    @property
    def replicate_group(self):
        """The ranks that have the same part; None where there are no others."""
        return self.mesh.get_group(0) if self.mesh.ndim == 2 else None


class Part:
    """One parameter, of which this rank keeps a part.

    Args:
        param: the parameter, in the place of which a DTensor comes.
        places: (module, name) wherever it is.
        axes: the ranks.
        placement: along which dimension it is divided.
        dtype: that of the whole values; None: its own.
        device: where these are.
        keeps_on: where the part is; None: there, too.

    Raises:
        NotImplementedError: strides with gaps, or a dimension other than the first that does not divide evenly.
        AssertionError: a dimension that it has not.

    ``name`` is its name in the root, for errors; ``origin`` is that of all parts of the same parameter.
    """

    def __init__(self, param: Tensor, places: list, axes: Axes, placement: Shard, dtype, device, keeps_on=None):
        if not param.is_contiguous():
            raise NotImplementedError("FSDP does not support non-contiguous parameters yet: "
                                      f"param.shape={param.shape} param.stride()={param.stride()}")
        self.places, self.axes, self._dtype, self._device = places, axes, dtype, device
        self.name = places[0][1]
        self.origin = param.__dict__.setdefault("_fsdp_origin", object())
        self.dim = dim = placement.dim + param.ndim if placement.dim < 0 else placement.dim
        self._inner = param._spec if isinstance(param, DTensor) else None
        local = param._local_tensor if isinstance(param, DTensor) else param.detach()
        if dim >= local.ndim:
            raise AssertionError(f"Shard dim {dim} is invalid for {local.ndim}D tensor: {param.shape}")
        self._shape, n = tuple(local.shape), axes.size
        if dim > 0 and self._shape[dim] % n:
            raise NotImplementedError(f"FSDP does not support uneven sharding on dim {dim}: {local.shape} (world size: {n})")
        self._each = -(-self._shape[dim] // n)
        self._mine, start = Shard(dim).local_shard_size_and_offset(self._shape[dim], n, axes.rank)
        self.spec = self._spec_of(param)
        mine = _cut(local, dim, start, self._mine, local.device if keeps_on is None else keeps_on)
        self.whole: Whole | None = None
        self.sharded: Any = Parameter(made(DTensor, mine, self.spec, False), param.requires_grad)
        self.show(self.sharded)

    def _spec_of(self, param) -> DTensorSpec:
        mesh, dim = self.axes.mesh, self.dim
        replicated = (Replicate(),) * (mesh.ndim - 1)
        meta = TensorMeta(tuple(param.shape), contiguous_stride(param.shape), param.dtype)
        if self._inner is None:
            return DTensorSpec(mesh, (*replicated, Shard(dim)), meta)
        split = math.prod(n for n, p in zip(self._inner.mesh.shape, self._inner.placements, strict=True) if p == Shard(dim))
        divided = _StridedShard(dim, split_factor=split) if split > 1 else Shard(dim)
        whole_mesh = DeviceMesh._concatenate([mesh, self._inner.mesh])
        return DTensorSpec(whole_mesh, (*replicated, divided, *self._inner.placements), meta)

    def show(self, param) -> None:
        """The modules have this parameter.

        Args:
            param: the whole one, or this rank's part.
        """
        for module, name in self.places:
            if type(module).__setattr__ is Module.__setattr__:
                module._parameters[name] = param
            else:
                setattr(module, name, param)

    def read(self) -> None:
        """The modules may have got another part: by `to`, or a state dict."""
        module, name = self.places[0]
        found = module._parameters[name]
        if isinstance(found, DTensor) and (self.whole is None or found is not self.whole.leaf):
            self.sharded = found

    def ready(self) -> Whole:
        """The whole parameter, which has no values yet."""
        dtype = self.sharded.dtype if self._dtype is None or not self.sharded.dtype.is_floating_point else self._dtype
        whole = self.whole
        if whole is None or whole.dtype is not dtype or whole.device != self._device:
            inner = self._inner
            if inner is not None:
                inner = DTensorSpec(inner.mesh, inner.placements, inner.tensor_meta._replace(dtype=dtype))
            whole = self.whole = Whole(self._shape, dtype, self._device, self.sharded.requires_grad, inner)
        if whole.leaf.requires_grad != self.sharded.requires_grad:
            whole.leaf.requires_grad_(self.sharded.requires_grad)
        return whole

    def given(self) -> np.ndarray:
        """What this rank has, with zeros behind it so that it is as large as the first rank's."""
        local = self.sharded._local_tensor
        assert self.whole is not None
        values = tensors.taken(local if local.dtype is self.whole.dtype else local.to(self.whole.dtype))
        missing = self._rest * self._each - values.shape[0]
        return np.concatenate([values, np.zeros(missing, values.dtype)]) if missing else values

    @property
    def _rest(self) -> int:
        """How many elements there are for each index of the dimension."""
        return math.prod(n for i, n in enumerate(self._shape) if i != self.dim)

    def _shape_of(self, size) -> tuple:
        return *self._shape[:self.dim], size, *self._shape[self.dim + 1:]

    def spread(self, rows: np.ndarray) -> None:
        """The whole values from what the ranks gave.

        Args:
            rows: a row for each rank.
        """
        assert self.whole is not None
        if self.dim == 0:
            self.whole.fill(rows.reshape(self._shape_of(self._each * len(rows)))[:self._shape[0]])
        else:
            self.whole.fill(np.concatenate([row.reshape(self._shape_of(self._each)) for row in rows], self.dim))

    def packed(self, values: np.ndarray) -> np.ndarray:
        """A gradient with a row for each rank, all of one length.

        Args:
            values: one-dimensional.

        Returns:
            a two-dimensional array.
        """
        n = self.axes.size
        if self.dim:
            return np.stack([x.reshape(-1) for x in np.split(values.reshape(self._shape), n, self.dim)])
        missing = self._rest * self._each * n - values.shape[0]
        return (np.concatenate([values, np.zeros(missing, values.dtype)]) if missing else values).reshape(n, -1)

    def keep(self, row: np.ndarray) -> None:
        """The reduced gradient of this rank's part.

        Args:
            row: what comes back for this rank.
        """
        param = self.sharded
        values = row.reshape(self._shape_of(self._each))
        values = values[:self._mine] if self.dim == 0 else values
        local = tensors.made(np.ascontiguousarray(values).astype(param.dtype.np), param.device)
        if param.grad is None:
            param.grad = made(DTensor, local, param._spec, False)
        else:
            param.grad._local_tensor.add_(local)
        if param._post_hooks:
            run_post_accumulate_hooks(param._post_hooks, param)


def _cut(local, dim, start, size, device) -> Tensor:
    """A part in memory of its own: the whole is let go."""
    if local.is_meta:
        return empty((*local.shape[:dim], size, *local.shape[dim + 1:]), dtype=local.dtype, device=local.device)
    values = tensors.taken(local).reshape(tuple(local.shape))
    mine = values[(slice(None),) * dim + (slice(start, start + size),)]
    return tensors.made(np.array(mine, order="C"), device)


class Parts:
    """A `Layout` of parts.

    Args:
        parts: one for each parameter.
    """

    def __init__(self, parts: list[Part]):
        self.parts = parts

    @property
    def wholes(self) -> list[Whole]:
        """The whole parameters that there have been."""
        return [part.whole for part in self.parts if part.whole is not None]

    def given(self) -> list[np.ndarray]:
        """What this rank has of each.

        Raises:
            RuntimeError: it has no values yet. AssertionError: several dtypes require grad.
        """
        for part in self.parts:
            part.read()
        waiting = [part.name for part in self.parts if part.sharded.is_meta]
        if waiting:
            raise RuntimeError(_ON_META.format(waiting))
        dtypes = {part.ready().dtype for part in self.parts if part.sharded.requires_grad}
        if len(dtypes) > 1:
            originals = {part.sharded.dtype for part in self.parts if part.sharded.requires_grad}
            raise AssertionError(f"FSDP expects uniform original parameter dtype but got {originals}")
        for part in self.parts:
            part.ready()
        return [part.given() for part in self.parts]

    def spread(self, pieces: list[np.ndarray]) -> None:
        """The whole values from all ranks' parts."""
        for part, rows in zip(self.parts, pieces, strict=True):
            part.spread(rows)

    def packed(self, grads: list) -> list[np.ndarray]:
        """The gradients by ranks."""
        return [part.packed(tensors.taken(g)) for part, g in zip(self.parts, grads, strict=True) if g is not None]

    def keep(self, grads: list, rows: list[np.ndarray]) -> None:
        """The gradients of the parts."""
        for part, row in zip((part for part, g in zip(self.parts, grads, strict=True) if g is not None), rows, strict=True):
            part.keep(row)

    def show_wholes(self) -> None:
        """The modules have the whole parameters."""
        for part in self.parts:
            if part.whole is not None:
                part.show(part.whole.leaf)

    def show_parts(self) -> None:
        """The modules have the parts."""
        for part in self.parts:
            part.show(part.sharded)


def parts_of(params: Iterable[Tensor], modules: Iterable[Module], axes: Axes, placement_of: Callable | None, dtype, device,
             keeps_on) -> list[Part]:
    """The parts of parameters, which the modules then have.

    Args:
        params: the parameters, each once.
        modules: wherever they may be.
        axes, dtype, device, keeps_on: as for `Part`.
        placement_of: a function from a parameter to its Shard; None means the first dimension.

    Returns:
        a list.

    Raises:
        UnsupportedError: a placement on another mesh.
    """
    places: dict = {}
    for module in dict.fromkeys(module for root in modules for module in root.modules()):
        for name, param in module._parameters.items():
            if param is not None:
                places.setdefault(id(param), []).append((module, name))
    def placement(param) -> Shard:
        found = None if placement_of is None else placement_of(param)
        if found is not None and not isinstance(found, Shard):
            raise UnsupportedError(f"fully_shard: shard_placement_fn returns a Shard or None, not {found!r}")
        return Shard(0) if found is None else found

    return [Part(param, places[id(param)], axes, placement(param), dtype, device, keeps_on) for param in params]
