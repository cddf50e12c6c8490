"""`fully_shard`: parameters, gradients and the optimizer's state, of which each rank keeps a part.
https://pytorch.org/docs/stable/distributed.fsdp.fully_shard.html
"""

import functools
import logging
from collections.abc import Iterable
from typing import Any

from torchlike._base import device as dev
from torchlike._base.errors import UnsupportedError
from torchlike._c10d import world
from torchlike.distributed.device_mesh import DeviceMesh, init_device_mesh
from torchlike.distributed.distributed_c10d import get_default_backend_for_device
from torchlike.distributed.fsdp._fsdp_module import FSDPModule
from torchlike.distributed.fsdp._fsdp_module import UnshardHandle as UnshardHandle
from torchlike.distributed.fsdp._group import Group
from torchlike.distributed.fsdp._parts import Axes, Parts, parts_of
from torchlike.distributed.fsdp._policies import CPUOffloadPolicy, DataParallelMeshDims, MixedPrecisionPolicy, OffloadPolicy
from torchlike.distributed.fsdp._state import State, state_of
from torchlike.distributed.tensor._dtensor import DTensor
from torchlike.nn.modules.container import ModuleDict, ModuleList
from torchlike.nn.modules.module import Module

_log = logging.getLogger("torch.distributed.fsdp.fully_shard")
_CLASSES: dict[type, type] = {}
_TWICE = ("Each distinct composable distributed API can only be applied to a module once. fully_shard has already been "
          "applied to the following module:\n{}")
_ONE = ("reshard_after_forward=1 (int) means resharding parameters to world size 1, instead of reshard_after_forward=True "
        "(bool)")


def fully_shard(module, *, mesh: DeviceMesh | None = None, reshard_after_forward: bool | int | None = None,
                shard_placement_fn=None, mp_policy: MixedPrecisionPolicy = MixedPrecisionPolicy(),  # noqa: B008 - frozen
                offload_policy: OffloadPolicy = OffloadPolicy(),  # noqa: B008 - nobody writes to it
                ignored_params: set | None = None, dp_mesh_dims: DataParallelMeshDims | None = None) -> Any:
    """Divide the parameters of a module among the ranks of a mesh; with them go gradients and the optimizer's state.
    https://pytorch.org/docs/stable/distributed.fsdp.fully_shard.html#torch.distributed.fsdp.fully_shard

    Each rank keeps its own values: all begin with the same. The parameters that no module inside has got by a call of its
    own are one group: they are gathered when the module is called, and go when it has returned. A program ends at each of
    these places. An optimizer is made afterwards, of the parameters that the module has then, which are DTensors.

    Args:
        module: the module, or several that are one group.
        mesh: the ranks, of one dimension, or of two with names: then the first has copies. All ranks where it is None.
        reshard_after_forward: whether the whole parameters go after the forward pass, and are gathered again for the
            backward pass. None: they do, but for the root's. A number larger than 1 is True: all ranks are asked again.
        shard_placement_fn: a function from a parameter to the Shard by which it is divided, or None for ``Shard(0)``.
        mp_policy: in which dtypes the module computes.
        offload_policy: where the parts are.
        ignored_params: parameters that stay as they are.
        dp_mesh_dims: refused.

    Returns:
        the module, or the list of them; each is an `FSDPModule` now.

    Raises:
        ValueError: no forward, a scalar parameter, a mesh or a number that does not fit. AssertionError: a second time.
        NotImplementedError: a parameter that cannot be divided so. UnsupportedError: what is refused.
    """
    modules = _roots(module)
    for each in modules if isinstance(module, Module) else [module]:
        if isinstance(each, ModuleList | ModuleDict) and type(each).forward is Module.forward:
            raise ValueError(f"fully_shard does not support containers that do not implement forward: {each}")
    if dp_mesh_dims is not None:
        raise UnsupportedError("fully_shard: dp_mesh_dims; give the mesh of the data-parallel dimensions as `mesh`")
    mesh = mesh or _default_mesh()
    if mesh.ndim not in (1, 2):
        raise ValueError(f"fully_shard expects a 1D or 2D DeviceMesh but got {mesh}")
    if mesh.ndim == 2 and mesh.mesh_dim_names is None:
        raise AssertionError("Please init the 2D mesh for HSDP with mesh_dim_names specified")
    axes = Axes(mesh)
    reshards = reshards_after_forward(True if reshard_after_forward is None else reshard_after_forward, axes.size)
    for each in modules:
        if state_of(each) is not None:
            raise AssertionError(_TWICE.format(each))
    device = dev.canonical(dev.device(mesh.device_type))
    managed = _managed(modules, ignored_params or set())
    params = _params_of(managed, ignored_params or set(), device)
    state = State(modules, mp_policy, reshard_after_forward is None)
    if params:
        parts = parts_of(params, modules, axes, shard_placement_fn, mp_policy.param_dtype, device,
                         dev.CPU if isinstance(offload_policy, CPUOffloadPolicy) else None)
        state.add(Group(Parts(parts), axes.shard_group, axes.replicate_group, mp_policy.reduce_dtype, reshards))
    _become(modules, state)
    return module


def _roots(module) -> tuple[Module, ...]:
    """The modules of a list that are in none of the others."""
    if isinstance(module, Module):
        return (module,)
    listed = list(module)
    inside = {each for root in listed for each in root.modules() if each is not root}
    return tuple(each for each in listed if each not in inside)


def _default_mesh() -> DeviceMesh:
    if not world.is_initialized():
        world.init_process_group()
    kind = next((kind for kind in ("cuda",) if world.get_backend() == get_default_backend_for_device(kind)), "cpu")
    return init_device_mesh(kind, (world.get_world_size(),))


def reshards_after_forward(given, size: int) -> bool:
    """Whether whole parameters go after the forward pass.

    Args:
        given: a bool or a number, as `fully_shard` takes it.
        size: into how many parts parameters are divided.

    Returns:
        a bool.

    Raises:
        ValueError: neither, or a number that does not divide `size`.
    """
    if isinstance(given, bool):
        return given
    if not isinstance(given, int):
        raise ValueError("reshard_after_forward should be a bool or an int representing the group size to reshard to, not "
                         f"{given}")
    if given < 1 or given > size or size % given:
        raise ValueError(f"If passing reshard_after_forward as an int, it should be a factor of {size}, not {given}")
    if given == 1:
        _log.warning(_ONE)
    return given != 1


def _managed(roots, ignored) -> list[Module]:
    """The modules whose parameters are meant: not those in modules that have been divided before."""
    found: dict[Module, None] = {}
    visited: set[Module] = set()

    def visit(module):
        if module not in roots and state_of(module) is not None:
            return
        visited.add(module)
        for child in module.children():
            if child not in visited:
                visit(child)
        found[module] = None

    for root in roots:
        visit(root)
    return list(found)


def _params_of(modules, ignored, device) -> list:
    """The parameters of these modules themselves, each once, on this device. Their buffers go there, too."""
    found, skipped = {}, {id(p) for p in ignored}
    for module in modules:
        for name, p in module._parameters.items():
            if p is None or id(p) in skipped or id(p) in found:
                continue
            if not p.shape:
                raise ValueError(f"fully_shard doesn't support scalar parameters. Change {name} to a 1D tensor with numel "
                                 "equal to 1.")
            found[id(p)] = _moved(p, device)
        for buffer in module._buffers.values():
            if buffer is not None:
                _moved(buffer, device)
    return list(found.values())


def _moved(x, device):
    if x.device != device and not x.is_meta and x.device.type != device.type:
        if isinstance(x, DTensor):
            raise ValueError("Requires DTensor to have mesh of the same type as the FSDP mesh but got "
                             f"{x.device_mesh.device_type} for DTensor and {device.type} for FSDP")
        x.data = x.to(device)
    return x


def _no_copy(*args, **kwargs):
    raise AssertionError("FSDP does not support deepcopy. Please use state dict for serialization.")


def _become(modules, state) -> None:
    """The modules have the methods of `FSDPModule`, and give state dicts of parts."""
    for module in modules:
        cls = type(module)
        if cls not in _CLASSES:
            _CLASSES[cls] = type(f"FSDP{cls.__name__}", (FSDPModule, cls), {"__deepcopy__": _no_copy})
        module.__dict__["_fsdp_state"] = state
        module.__class__ = _CLASSES[cls]
    owners = {module for group in state.groups for part in group.layout.parts for module, _ in part.places}

    def reshard(*args):
        for group in state.groups:
            group.reshard()

    for owner in owners:
        owner.register_state_dict_pre_hook(reshard)
        owner.register_load_state_dict_pre_hook(reshard)


def register_fsdp_forward_method(module, method_name: str) -> None:
    """Another method of a module that needs its parameters, as `forward` does.
    https://pytorch.org/docs/stable/distributed.fsdp.fully_shard.html#torch.distributed.fsdp.register_fsdp_forward_method

    Args:
        module: the module; nothing happens where it is no `FSDPModule`.
        method_name: the name of the method.

    Raises:
        ValueError: it has no such method.
    """
    if not isinstance(module, FSDPModule):
        return
    if not hasattr(module, method_name):
        raise ValueError(f"{type(module)} does not have a method {method_name}")
    method = getattr(module, method_name)

    @functools.wraps(method)
    def wrapped(self, *args, **kwargs):
        state = self._get_fsdp_state()
        args, kwargs = state.before_forward(args, kwargs)
        return state.after_forward(method(*args, **kwargs))

    setattr(module, method_name, wrapped.__get__(module, type(module)))


def share_comm_ctx(modules: Iterable) -> None:
    """Have several roots share streams: without effect, there are none.

    Args:
        modules: FSDPModules.

    Raises:
        ValueError: something else.
    """
    for module in modules:
        if not isinstance(module, FSDPModule):
            raise ValueError(f"Expects list of FSDPModules but got {module}")
