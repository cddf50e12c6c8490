"""Tensors and modules onto a mesh, and new tensors that lie on one. https://pytorch.org/docs/stable/distributed.tensor.html"""

import warnings

from torchlike._api.creation import empty as _empty
from torchlike._api.creation import full as _full
from torchlike._api.random import rand as _rand
from torchlike._api.random import randn as _randn
from torchlike._api.ranges import linspace as _linspace
from torchlike._api.ranges import logspace as _logspace
from torchlike._base.size import Size
from torchlike._c10d import collectives as c10d
from torchlike._ops import promotion
from torchlike._record.tensor import Tensor
from torchlike.autograd.grad_mode import no_grad
from torchlike.distributed.device_mesh import _mesh_resources
from torchlike.distributed.tensor._dispatch import made
from torchlike.distributed.tensor._dtensor import DTensor, broadcast, normalized
from torchlike.distributed.tensor._dtensor_spec import DTensorSpec, TensorMeta, contiguous_stride, local_shape
from torchlike.distributed.tensor._redistribute import moved
from torchlike.distributed.tensor.placement_types import Partial, Replicate, Shard
from torchlike.nn.modules.module import Module
from torchlike.nn.parameter import Parameter

_SECOND = "This module has already been distributed. distribute_module should only be called once on a module."


def distribute_tensor(tensor, device_mesh=None, placements=None, *, src_data_rank: int | None = 0) -> DTensor:
    """A tensor onto a mesh: its ranks get the values that one of them has.
    https://pytorch.org/docs/stable/distributed.tensor.html#torch.distributed.tensor.distribute_tensor

    Args:
        tensor: a leaf, of the same sizes on all ranks.
        device_mesh: the mesh; the innermost ``with`` one where it is None.
        placements: how it shall lie along each dimension of the mesh; Replicate where it is None.
        src_data_rank: the rank along each dimension whose values count; None: each keeps its own, and nothing is sent.

    Returns:
        a DTensor; a leaf with a gradient where the tensor is one.

    Raises:
        RuntimeError: no leaf. ValueError: another number of placements than the mesh has dimensions, or a DTensor that lies
        otherwise. IndexError: a dimension that the tensor has not.
    """
    mesh = device_mesh or _mesh_resources.get_current_mesh()
    if not tensor.is_leaf:
        raise RuntimeError("`distribute_tensor` should be used to distribute leaf tensors! but found non-leaf tensor!")
    target = normalized([Replicate()] * mesh.ndim if placements is None else placements, mesh, tensor.ndim)
    if isinstance(tensor, DTensor):
        if tensor.device_mesh != mesh:
            raise ValueError(f"Cannot distribute a DTensor with device mesh {tensor.device_mesh} to a different device mesh "
                             f"{mesh}.")
        if tensor.placements != target:
            raise ValueError(f"Cannot distribute a DTensor with placements {tensor.placements} to a different placements "
                             f"{target}. do you want to call `redistribute` instead?")
        return tensor
    values = tensor.detach()
    spec = DTensorSpec(mesh, target, TensorMeta(tuple(tensor.shape), tensor.stride(), tensor.dtype))
    local = _spread(values, spec, src_data_rank)
    return made(DTensor, local, spec, tensor.requires_grad)


def _spread(values, spec, source) -> Tensor:
    """This rank's part of what the rank `source` has along each dimension of the mesh."""
    mesh = spec.mesh
    if mesh.get_coordinate() is None:
        return values.new_empty([0] * values.ndim)
    local = values
    for i, placement in enumerate(spec.placements):
        if isinstance(placement, Shard) and source is not None:
            local = _scattered(local, placement, mesh.get_group(i), source)
            continue
        if source is not None:
            local = broadcast(local, mesh, i, source)
        before = DTensorSpec(mesh, tuple(Replicate() for _ in spec.placements),
                             TensorMeta(tuple(local.shape), local.stride(), local.dtype))
        if placement != Replicate():
            local = moved(local, before, tuple(placement if j == i else p for j, p in enumerate(before.placements)))
    return local.clone() if local is values else local


def _scattered(local, placement, group, source) -> Tensor:
    if group.size() == 1:
        return local
    parts = [placement.local_shard_size_and_offset(local.shape[placement.dim], group.size(), r) for r in range(group.size())]
    size, each = parts[group.rank()][0], parts[0][0]
    shape = list(local.shape)
    shape[placement.dim] = each
    out, listed = local.new_empty(shape), None
    if group.rank() == source:
        listed = []
        for count, start in parts:
            padded = local.new_zeros(shape)
            padded.narrow(placement.dim, 0, count).copy_(local.narrow(placement.dim, start, count))
            listed.append(padded)
    c10d.scatter(out, listed, group=group, group_src=source)
    return out if size == each else out.narrow(placement.dim, 0, size).contiguous()


def distribute_module(module, device_mesh=None, partition_fn=None, input_fn=None, output_fn=None) -> Module:
    """A module onto a mesh. https://pytorch.org/docs/stable/distributed.tensor.html#torch.distributed.tensor.distribute_module

    Args:
        module: the module; its parameters and buffers become DTensors.
        device_mesh: the mesh; the innermost ``with`` one where it is None.
        partition_fn: called with the name of each submodule, it and the mesh: it distributes what it wants divided. What it
            leaves is replicated.
        input_fn, output_fn: called with the module, its inputs or outputs and the mesh, and return what to use instead.

    Returns:
        the module.

    Raises:
        RuntimeError: a second time. ValueError: `input_fn` or `output_fn` takes another number of arguments.
    """
    mesh = device_mesh or _mesh_resources.get_current_mesh()
    if getattr(module, "_distribute_module_applied", False):
        raise RuntimeError(_SECOND)
    for name, each in module.named_modules():
        if partition_fn is not None:
            partition_fn(name, each, mesh)
        _replicated(each, mesh)
    if input_fn is not None:
        _hook(module.register_forward_pre_hook, input_fn, "input_fn", mesh, {2: lambda f, m, x: f(x, mesh),
                                                                             3: lambda f, m, x: f(m, x, mesh)})
    if output_fn is not None:
        _hook(module.register_forward_hook, output_fn, "output_fn", mesh, {2: lambda f, m, x, y: f(y, mesh),
                                                                           3: lambda f, m, x, y: f(m, y, mesh)})
    module._distribute_module_applied = True
    return module


def _hook(register, function, name, mesh, forms) -> None:
    count = function.__code__.co_argcount
    if count not in forms:
        raise ValueError(f"{name} should take in 3 arguments, but got {count} arguments!")
    if count == 2:
        warnings.warn(f"Deprecating {name} that takes two arguments ({name.removesuffix('_fn')}s, device_mesh), please use "
                      f"{name} that takes in (module, {name.removesuffix('_fn')}s, device_mesh) instead!", FutureWarning,
                      stacklevel=3)
    form = forms[count]
    register(lambda *args: form(function, *args))


def _replicated(module, mesh) -> None:
    everywhere = [Replicate()] * mesh.ndim
    for name, parameter in module._parameters.items():
        if parameter is not None and not isinstance(parameter, DTensor):
            module.register_parameter(name, Parameter(distribute_tensor(parameter.detach(), mesh, everywhere),
                                                      requires_grad=parameter.requires_grad))
    for name, buffer in module._buffers.items():
        if buffer is not None and not isinstance(buffer, DTensor):
            module._buffers[name] = distribute_tensor(buffer, mesh, everywhere)


# -- new tensors

def _sizes(size) -> tuple:
    """The sizes that a function was given, one by one or as one argument."""
    return tuple(size[0] if len(size) == 1 and isinstance(size[0], list | tuple | Size) else size)


def _new(size, make, dtype, requires_grad, device_mesh, placements) -> DTensor:
    mesh = device_mesh or _mesh_resources.get_current_mesh()
    shape = _sizes(size)
    dtype = promotion.default.dtype if dtype is None else dtype
    target = normalized([Replicate()] * mesh.ndim if placements is None else placements, mesh, len(shape))
    spec = DTensorSpec(mesh, target, TensorMeta(shape, contiguous_stride(shape), dtype))
    with no_grad():
        local = make(local_shape(spec), dtype=dtype, device=mesh.device_type)
    return made(DTensor, local, spec, requires_grad)


def zeros(*size, requires_grad=False, dtype=None, layout=None, device_mesh=None, placements=None) -> DTensor:
    """Zeros on a mesh. https://pytorch.org/docs/stable/distributed.tensor.html#torch.distributed.tensor.zeros

    Args:
        size: those of the whole.
        requires_grad, dtype, layout: as for `torch.zeros`.
        device_mesh, placements: as for `distribute_tensor`.

    Returns:
        a DTensor.
    """
    return full(size, 0, dtype=dtype, requires_grad=requires_grad, device_mesh=device_mesh, placements=placements)


def ones(*size, dtype=None, layout=None, requires_grad=False, device_mesh=None, placements=None) -> DTensor:
    """Ones on a mesh.

    Args:
        size: those of the whole.
        requires_grad, dtype, layout, device_mesh, placements: as for `zeros`.

    Returns:
        a DTensor.
    """
    return full(size, 1, dtype=dtype, requires_grad=requires_grad, device_mesh=device_mesh, placements=placements)


def empty(*size, dtype=None, layout=None, requires_grad=False, device_mesh=None, placements=None) -> DTensor:
    """Any values on a mesh.

    Args:
        size: those of the whole.
        requires_grad, dtype, layout, device_mesh, placements: as for `zeros`.

    Returns:
        a DTensor.
    """
    return _new(size, _empty, dtype, requires_grad, device_mesh, placements)


def full(size, fill_value, *, dtype=None, layout=None, requires_grad=False, device_mesh=None, placements=None) -> DTensor:
    """One value on a mesh. Where it is Partial each rank has that value.

    Args:
        size, requires_grad, dtype, layout, device_mesh, placements: as for `zeros`.
        fill_value: the value.

    Returns:
        a DTensor.
    """
    size = size if isinstance(size, list | tuple) else (size,)
    return _new(size, lambda shape, **options: _full(shape, fill_value, **options), dtype, requires_grad, device_mesh,
                placements)


def linspace(start, end, steps, *, dtype=None, layout=None, requires_grad=False, device_mesh=None,
             placements=None) -> DTensor:
    """Numbers at equal distances on a mesh; where it is Partial each rank has them all. PyTorch has it since 2.14.
    https://pytorch.org/docs/2.14/distributed.tensor.html#torch.distributed.tensor.linspace

    Args:
        start, end, steps: as for `torch.linspace`.
        requires_grad, dtype, layout, device_mesh, placements: as for `zeros`.

    Returns:
        a DTensor, (steps,).
    """
    return _spaced(_linspace, (start, end, steps), dtype, requires_grad, device_mesh, placements)


def logspace(start, end, steps, base=10.0, *, dtype=None, layout=None, requires_grad=False, device_mesh=None,
             placements=None) -> DTensor:
    """Powers of `base` on a mesh, whose exponents are those of `linspace`. PyTorch has it since 2.14.
    https://pytorch.org/docs/2.14/distributed.tensor.html#torch.distributed.tensor.logspace

    Args:
        start, end, steps, base: as for `torch.logspace`.
        requires_grad, dtype, layout, device_mesh, placements: as for `zeros`.

    Returns:
        a DTensor, (steps,).
    """
    return _spaced(_logspace, (start, end, steps, base), dtype, requires_grad, device_mesh, placements)


def _spaced(make, arguments, dtype, requires_grad, device_mesh, placements) -> DTensor:
    """Each rank makes the whole and keeps its part: nothing is sent."""
    mesh = device_mesh or _mesh_resources.get_current_mesh()
    target = normalized([Replicate()] * mesh.ndim if placements is None else placements, mesh, 1)
    with no_grad():
        whole = make(*arguments, dtype=dtype, device=mesh.device_type)
        by_part = [Replicate() if isinstance(p, Partial) else p for p in target]
        local = distribute_tensor(whole, mesh, by_part, src_data_rank=None).to_local()
    spec = DTensorSpec(mesh, target, TensorMeta(tuple(whole.shape), whole.stride(), whole.dtype))
    return made(DTensor, local, spec, requires_grad)


def rand(*size, requires_grad=False, dtype=None, layout=None, device_mesh=None, placements=None) -> DTensor:
    """Random values of [0, 1) on a mesh. The whole is that of `torch.rand` with the first rank's state, however
    it lies; PyTorch has no random DTensors on CPUs.

    Args:
        size: those of the whole.
        requires_grad, dtype, layout, device_mesh, placements: as for `zeros`.

    Returns:
        a DTensor.
    """
    return _random(_rand, size, requires_grad, dtype, device_mesh, placements)


def randn(*size, requires_grad=False, dtype=None, layout=None, device_mesh=None, placements=None) -> DTensor:
    """Random values of the standard normal distribution on a mesh; see `rand`.

    Args:
        size: those of the whole.
        requires_grad, dtype, layout, device_mesh, placements: as for `zeros`.

    Returns:
        a DTensor.
    """
    return _random(_randn, size, requires_grad, dtype, device_mesh, placements)


def _random(make, size, requires_grad, dtype, device_mesh, placements) -> DTensor:
    mesh = device_mesh or _mesh_resources.get_current_mesh()
    shape = _sizes(size)
    if any(isinstance(p, Partial) for p in placements or ()):
        raise AssertionError
    values = make(shape, dtype=dtype, device=mesh.device_type)
    return distribute_tensor(values.requires_grad_(requires_grad), mesh, placements)
