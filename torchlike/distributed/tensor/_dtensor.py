"""DTensor: a tensor whose parts lie on the ranks of a mesh.

Autograd sees whole tensors: a DTensor is of a class with ``__torch_dispatch__``, its Nodes are those of the operators,
and so its gradients are DTensors. Below that each rank computes with what it has (`_dispatch.py`).
"""

from torchlike._c10d import collectives as c10d
from torchlike._record.tensor import Tensor
from torchlike._record.torch_function import disabled_torch_function_impl
from torchlike._record.trace import state
from torchlike.autograd.function import Function
from torchlike.distributed.device_mesh import DeviceMesh, _mesh_resources
from torchlike.distributed.tensor._dispatch import dispatch, made
from torchlike.distributed.tensor._dtensor_spec import DTensorSpec, TensorMeta, contiguous_stride
from torchlike.distributed.tensor._redistribute import moved
from torchlike.distributed.tensor._rules.gradient import whole
from torchlike.distributed.tensor.placement_types import Partial, Placement, Replicate, Shard

_INNER = "Can not redistribute from {} to {}, redistributing to Partial is for internal use only!"


class DTensor(Tensor):
    """A tensor whose parts lie on the ranks of a mesh. Made by `distribute_tensor` and `from_local`.
    https://pytorch.org/docs/stable/distributed.tensor.html#torch.distributed.tensor.DTensor

    Operators take DTensors of one mesh, with numbers and tensors of one element; each rank computes with its part, and
    collectives move what an operator needs elsewhere. All ranks must call the same operators.

    Where PyTorch refuses an operator for which it knows no way to compute by parts, it is computed of the whole here.

    Args:
        local_tensor: what this rank has.
        spec: the DTensorSpec.
        requires_grad: whether it is a leaf with a gradient.
    """

    _local_tensor: Tensor
    _spec: DTensorSpec
    __torch_function__ = staticmethod(disabled_torch_function_impl)

    def __new__(cls, local_tensor, spec, *, requires_grad=False):
        if not isinstance(local_tensor, Tensor):
            raise TypeError("_dtensor__new__(): argument 'local_tensor' (position 2) must be Tensor, not "
                            f"{type(local_tensor).__name__}")
        return made(cls, local_tensor, spec, requires_grad)

    def __init__(self, local_tensor, spec, *, requires_grad=False):
        pass

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        return dispatch(DTensor, func, args, kwargs or {})

    def __repr__(self, *, tensor_contents=None):
        spec = self._spec
        return f"DTensor(local_tensor={self._local_tensor}, device_mesh={spec.mesh}, placements={spec.placements})"

    def __tensor_flatten__(self):
        return ["_local_tensor"], (self._spec, self.requires_grad)

    @staticmethod
    def __tensor_unflatten__(inner_tensors, flatten_spec, outer_size, outer_stride):
        spec, requires_grad = flatten_spec
        meta = TensorMeta(tuple(outer_size), tuple(outer_stride), spec.tensor_meta.dtype)
        return DTensor(inner_tensors["_local_tensor"], DTensorSpec(spec.mesh, spec.placements, meta),
                       requires_grad=requires_grad)

    def __deepcopy__(self, memo):
        if id(self) not in memo:
            copy = made(type(self), self._local_tensor.detach().clone(), self._spec, self.requires_grad)
            copy.__dict__.update({name: value for name, value in self.__dict__.items() if name not in _OWN})
            memo[id(self)] = copy
        return memo[id(self)]

    def __reduce_ex__(self, protocol):
        return _again, (type(self), self._local_tensor.detach(), self._spec, self.requires_grad)

    @property
    def device_mesh(self) -> DeviceMesh:
        """The mesh."""
        return self._spec.mesh

    @property
    def placements(self) -> tuple[Placement, ...]:
        """How it lies along each dimension of the mesh."""
        return self._spec.placements

    def _elementwise_part(self, places) -> tuple:
        """What a function of elements needs: where its parts are, and this rank's; see `optim/group_step.py`."""
        if places is None:
            places = self._spec.mesh, self._spec.placements, self._spec.shape
        return places, moved(self._local_tensor, self._spec, places[1])

    @staticmethod
    def from_local(local_tensor, device_mesh=None, placements=None, *, run_check=False, shape=None, stride=None,
                   grad_placements=None) -> "DTensor":
        """A DTensor of the parts that the ranks have; its gradient comes back to the part.
        https://pytorch.org/docs/stable/distributed.tensor.html#torch.distributed.tensor.DTensor.from_local

        Args:
            local_tensor: this rank's part.
            device_mesh: the mesh; the innermost ``with`` one where it is None.
            placements: one for each dimension of the mesh; Replicate where it is None.
            run_check: whether the ranks that have the same get that of the first.
            shape, stride: those of the whole, where the parts differ in size.
            grad_placements: how the gradient is placed before it comes back; as `placements`, None.

        Returns:
            a DTensor.

        Raises:
            RuntimeError: a dimension that the tensor has not; `shape` without `stride`. ValueError: sums and other parts.
        """
        mesh = device_mesh or _mesh_resources.get_current_mesh()
        placements = [Replicate()] * mesh.ndim if placements is None else list(placements)
        for i, placement in enumerate(placements):
            if isinstance(placement, Shard) and placement.dim < 0:
                placement = placements[i] = Shard(placement.dim + local_tensor.ndim)
            if isinstance(placement, Shard) and placement.dim >= local_tensor.ndim:
                raise RuntimeError(f"Sharding dim {placement.dim} greater than tensor ndim {local_tensor.ndim} for "
                                   f"placement number {i}")
        return _FromLocal.apply(local_tensor, mesh, tuple(placements), run_check, shape, stride,
                                None if grad_placements is None else tuple(grad_placements))

    def to_local(self, *, grad_placements=None) -> Tensor:
        """What this rank has, which autograd follows.
        https://pytorch.org/docs/stable/distributed.tensor.html#torch.distributed.tensor.DTensor.to_local

        Args:
            grad_placements: how the gradient of what it gives is placed; as the tensor, None.

        Returns:
            a tensor.
        """
        if not state.thread.grad:
            return self._local_tensor
        return _ToLocal.apply(self, None if grad_placements is None else tuple(grad_placements))

    def redistribute(self, device_mesh=None, placements=None, *, async_op=False, forward_dtype=None,
                     backward_dtype=None) -> "DTensor":
        """The same tensor, placed otherwise.
        https://pytorch.org/docs/stable/distributed.tensor.html#torch.distributed.tensor.DTensor.redistribute

        Args:
            device_mesh: its mesh; None.
            placements: how it shall lie, one for each dimension of the mesh.
            async_op: without effect.
            forward_dtype, backward_dtype: in which the values and the gradient travel.

        Returns:
            a DTensor.

        Raises:
            RuntimeError: no placements; to Partial. NotImplementedError: another mesh.
        """
        if placements is None:
            raise RuntimeError("placements is needed for redistribute!")
        if device_mesh is not None and device_mesh != self.device_mesh:
            raise NotImplementedError("Cross device mesh comm not supported yet!")
        target = normalized(placements, self._spec.mesh, self.ndim)
        for before, after in zip(self._spec.placements, target, strict=True):
            if isinstance(after, Partial) and before != after:
                raise RuntimeError(_INNER.format(before, after))
        return _Redistribute.apply(self, target, forward_dtype, backward_dtype)

    def full_tensor(self, *, grad_placements=None) -> Tensor:
        """The whole, on every rank.
        https://pytorch.org/docs/stable/distributed.tensor.html#torch.distributed.tensor.DTensor.full_tensor

        Args:
            grad_placements: how the gradient of it is placed; Replicate, None.

        Returns:
            a tensor.
        """
        everywhere = self.redistribute(placements=[Replicate()] * self._spec.mesh.ndim)
        return _ToLocal.apply(everywhere, None if grad_placements is None else tuple(grad_placements))


_OWN = ("_local_tensor", "_spec")


def _again(cls, local, spec, requires_grad):
    return made(cls, local, spec, requires_grad)


def normalized(placements, mesh, ndim) -> tuple:
    """Placements with dimensions counted from the first.

    Raises:
        ValueError: another number of them than the mesh has dimensions. IndexError: a dimension that the tensor has not.
    """
    placements = list(placements)
    if len(placements) != mesh.ndim:
        raise ValueError("`placements` must have the same length as `device_mesh.ndim`! Found placements length: "
                         f"{len(placements)}, and device_mesh.ndim: {mesh.ndim}.")
    for i, placement in enumerate(placements):
        if isinstance(placement, Shard):
            if not -ndim <= placement.dim < ndim:
                raise IndexError(f"Dimension out of range (expected to be in range of [{-ndim}, {ndim - 1}], but got "
                                 f"{placement.dim})")
            placements[i] = Shard(placement.dim % ndim)
    return tuple(placements)


def of_whole(local, mesh, placements, shape=None, stride=None) -> DTensorSpec:
    """The spec of a tensor of which this rank has `local`; where no sizes are told, all have as much."""
    reductions = {p.reduce_op for p in placements if isinstance(p, Partial)}
    if len(reductions) > 1:
        raise ValueError(f"Mixed Partial reduce types are not supported in the same placement list. Found reduce ops: "
                         f"{reductions}. Please ensure all Partial placements use the same reduce operation.")
    if shape is not None:
        if stride is None:
            raise RuntimeError("Found shape:%s, stride:%s.", "Please pass both shape and stride at the same time.")
        return DTensorSpec(mesh, placements, TensorMeta(tuple(shape), tuple(stride), local.dtype))
    sizes, strides = list(local.shape), list(local.stride())
    for n, placement in zip(mesh.shape, placements, strict=True):
        if isinstance(placement, Shard):
            dim = placement.dim
            sizes[dim] *= n
            strides = [s * n if i != dim and s >= strides[dim] else s for i, s in enumerate(strides)]
    return DTensorSpec(mesh, placements, TensorMeta(tuple(sizes), tuple(strides), local.dtype))


class _FromLocal(Function):
    @staticmethod
    def forward(ctx, local, mesh, placements, run_check, shape, stride, grad_placements):
        ctx.spec = spec = of_whole(local, mesh, placements, shape, stride)
        ctx.grad_placements = grad_placements
        local = local.detach()
        if run_check:
            for i, placement in enumerate(placements):
                if isinstance(placement, Replicate):
                    local = broadcast(local, mesh, i)
        return made(DTensor, local, spec, False)

    @staticmethod
    def backward(ctx, grad):
        placements = ctx.grad_placements or ctx.spec.placements
        target = tuple(map(whole, placements))
        return moved(grad._local_tensor, grad._spec, target), None, None, None, None, None, None


def broadcast(local, mesh, mesh_dim, source=0) -> Tensor:
    """The tensor of one rank along a mesh dimension."""
    copy = local.contiguous().clone()
    group = mesh.get_group(mesh_dim)
    if group.size() > 1:
        c10d.broadcast(copy, group=group, group_src=source)
    return copy


class _ToLocal(Function):
    @staticmethod
    def forward(ctx, x, grad_placements):
        ctx.spec, ctx.grad_placements = x._spec, grad_placements
        return x._local_tensor.view_as(x._local_tensor)

    @staticmethod
    def backward(ctx, grad):
        if ctx.grad_placements is not None:
            target = ctx.grad_placements
        else:
            target = tuple(map(whole, ctx.spec.placements))
        meta = ctx.spec.tensor_meta
        if not grad.is_contiguous():
            meta = meta._replace(stride=contiguous_stride(meta.shape))
        return made(DTensor, grad, DTensorSpec(ctx.spec.mesh, target, meta), False), None


class _Redistribute(Function):
    @staticmethod
    def forward(ctx, x, placements, forward_dtype, backward_dtype):
        ctx.spec, ctx.backward_dtype, ctx.dtype = x._spec, backward_dtype, x.dtype
        local, spec = x._local_tensor, x._spec
        if forward_dtype is not None and forward_dtype != x.dtype:
            local = local.to(forward_dtype)
            spec = DTensorSpec(spec.mesh, spec.placements, spec.tensor_meta._replace(dtype=forward_dtype))
        local = moved(local, spec, placements)
        return made(DTensor, local.view_as(local), spec.placed(placements), False)

    @staticmethod
    def backward(ctx, grad):
        local, spec = grad._local_tensor, grad._spec
        if ctx.backward_dtype is not None and ctx.backward_dtype != local.dtype:
            local = local.to(ctx.backward_dtype)
        target = tuple(map(whole, ctx.spec.placements))
        local = moved(local, spec, target)
        local = local if local.dtype == ctx.dtype else local.to(ctx.dtype)
        meta = spec.tensor_meta._replace(dtype=ctx.dtype)
        return made(DTensor, local, DTensorSpec(spec.mesh, target, meta), False), None, None, None
