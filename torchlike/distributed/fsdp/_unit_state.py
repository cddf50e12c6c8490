"""Whole parameters of `FullyShardedDataParallel`, and its state dicts: their names are those of the module without wrappers.

For a state dict, or to load one, each wrapper shows whole parameters, or DTensors, while the modules inside are asked.
"""

import contextlib
import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np

from torchlike._base import device as dev
from torchlike._base.errors import UnsupportedError
from torchlike._c10d import tensors
from torchlike.autograd.grad_mode import no_grad
from torchlike.distributed.device_mesh import DeviceMesh
from torchlike.distributed.fsdp import api
from torchlike.distributed.fsdp._flat import Flat
from torchlike.distributed.tensor._dispatch import made
from torchlike.distributed.tensor._dtensor import DTensor
from torchlike.distributed.tensor._dtensor_spec import DTensorSpec, TensorMeta, contiguous_stride
from torchlike.distributed.tensor.placement_types import Shard
from torchlike.nn.modules.module import Module
from torchlike.nn.parameter import Parameter

INNER = "_fsdp_wrapped_module"
_CONFIGS = {api.StateDictType.FULL_STATE_DICT: (api.FullStateDictConfig, api.FullOptimStateDictConfig),
            api.StateDictType.LOCAL_STATE_DICT: (api.LocalStateDictConfig, api.LocalOptimStateDictConfig),
            api.StateDictType.SHARDED_STATE_DICT: (api.ShardedStateDictConfig, api.ShardedOptimStateDictConfig)}
_NAMES = "state_dict_config", "optim_state_dict_config"


def clean(name: str) -> str:
    """A name without wrappers.

    Args:
        name: of a parameter, a buffer or a module.

    Returns:
        the name.
    """
    return name.replace(f"{INNER}.", "").removesuffix(f".{INNER}")


def units_of(module: Module) -> list[Any]:
    """The wrappers in a module, itself among them.

    Args:
        module: the module.

    Returns:
        a list.
    """
    return [each for each in module.modules() if INNER in each._modules and "_fsdp_state" in each.__dict__]


# -- whole values

def whole_of(unit, pieces: list[np.ndarray]) -> list[np.ndarray]:
    """Vectors of all ranks' pieces.

    Args:
        unit: the wrapper.
        pieces: this rank's, of one dtype or not.

    Returns:
        for each the vector.
    """
    if unit._flat.size == 1:
        return pieces
    return [unit.process_group.run("parameters", "all_gather", (), x).view(x.dtype) for x in pieces]


def show_whole(unit, grads: bool = False, device=None) -> list:
    """The modules have whole parameters.

    Args:
        unit: the wrapper.
        grads: whether their gradients are whole, too.
        device: where they are; None: where the unit computes.

    Returns:
        them.
    """
    flat: Flat = unit._flat
    (vector,) = whole_of(unit, [flat.piece()])
    where = flat.wholes[0].device if device is None else device
    shown: list[Any] = [Parameter(tensors.made(np.array(values), where), flag)
                        for values, flag in zip(flat.named(vector).values(), flat._now(), strict=True)]
    if grads:
        parts = [np.zeros(p.numel(), p.dtype.np) if p.grad is None else tensors.taken(p.grad.detach()) for p in flat.params]
        (vector,) = whole_of(unit, [flat.joined(parts, flat.dtype.np)])
        has = np.array([p.grad is not None for p in flat.params] * (1 if flat.is_apart else len(shown)), np.int32)
        if flat.size > 1:
            has = unit.process_group.run("gradients there", "all_reduce", ("max",), has)
        for p, values, there in zip(shown, flat.named(vector).values(), has, strict=True):
            if there:
                p.grad = tensors.made(np.array(values), where)
    flat.show(shown)
    return shown


def hide(unit, shown: list | None, keep: bool) -> None:
    """The modules have what this rank keeps.

    Args:
        unit: the wrapper.
        shown: what they have had.
        keep: whether what has been written to it stays.
    """
    flat: Flat = unit._flat
    if keep and shown is not None:
        flat.set_piece(flat.cut({slot.name: tensors.taken(p.detach()) for slot, p in zip(flat.slots, shown, strict=True)}))
    flat.show_parts()


@contextlib.contextmanager
def summoned(module: Module, recurse: bool, writeback: bool, with_grads: bool, rank0_only: bool = False,
             offload_to_cpu: bool = False) -> Iterator[None]:
    """See `FullyShardedDataParallel.summon_full_params`."""
    units = [unit for unit in units_of(module) if recurse or unit is module]
    shown: dict = {}
    try:
        for unit in units:
            unit.__dict__["_is_summoned"] = True
            for group in unit._groups():
                group.reshard()
            if unit._flat is not None:
                with no_grad():
                    shown[unit] = show_whole(unit, with_grads, dev.CPU if offload_to_cpu else None)
                if rank0_only and unit.process_group.rank():
                    hide(unit, None, False)
        yield
    finally:
        for unit in units:
            unit.__dict__.pop("_is_summoned", None)
            if unit in shown:
                hide(unit, shown[unit], writeback)


def parts_of(unit, vector: np.ndarray, device) -> dict[str, Any]:
    """The parameters in a vector as DTensors.

    Args:
        unit: the wrapper.
        vector: the whole vector.
        device: where they are.

    Returns:
        DTensors by names.
    """
    group, found = unit.process_group, {}
    mesh = DeviceMesh.from_group(group, device.type)
    for name, values in unit._flat.named(vector).items():
        size, start = Shard(0).local_shard_size_and_offset(values.shape[0], group.size(), group.rank())
        local = tensors.made(np.array(values[start:start + size]), device)
        meta = TensorMeta(tuple(values.shape), contiguous_stride(values.shape), local.dtype)
        found[name] = made(DTensor, local, DTensorSpec(mesh, (Shard(0),), meta), False)
    return found


# -- state dicts

def settings_of(module: Module) -> api.StateDictSettings:
    """What state dicts of a module are like.

    Args:
        module: the module.

    Returns:
        the settings of its first wrapper.
    """
    for unit in units_of(module):
        return unit.__dict__["_settings"]
    return _default()


def _default() -> api.StateDictSettings:
    return api.StateDictSettings(api.StateDictType.FULL_STATE_DICT, api.FullStateDictConfig(),
                                 api.FullOptimStateDictConfig())


def set_type(module: Module, kind, config, optim_config) -> api.StateDictSettings:
    """See `FullyShardedDataParallel.set_state_dict_type`."""
    before = settings_of(module)
    kinds = _CONFIGS[kind]
    for given, wanted, name in zip((config, optim_config), kinds, _NAMES, strict=True):
        if given is not None and type(given) is not wanted:
            raise RuntimeError(f"Expected {name} of type {wanted} but got {type(given)}")
    put_settings(module, api.StateDictSettings(kind, config or kinds[0](), optim_config or kinds[1]()))
    return before


def put_settings(module: Module, settings: api.StateDictSettings) -> None:
    """Have a module's wrappers these settings.

    Args:
        module: the module.
        settings: the settings.
    """
    for unit in units_of(module):
        unit.__dict__["_settings"] = dataclasses.replace(settings)


def watch(unit) -> None:
    """Have state dicts of a wrapper those names and values.

    Args:
        unit: the wrapper.
    """
    unit.__dict__["_settings"] = _default()
    unit.register_state_dict_pre_hook(_before_state_dict)
    unit._register_state_dict_hook(_after_state_dict)
    unit._register_load_state_dict_pre_hook(_before_load, with_module=True)
    unit.register_load_state_dict_post_hook(_after_load)


def _before_state_dict(unit, prefix, keep_vars) -> None:
    kind = unit._settings.state_dict_type
    if kind is api.StateDictType.LOCAL_STATE_DICT:
        raise UnsupportedError("FullyShardedDataParallel: StateDictType.LOCAL_STATE_DICT; SHARDED_STATE_DICT has parts, too")
    for group in unit._groups():
        group.reshard()
    if unit._flat is not None and not unit.__dict__.get("_is_summoned"):
        with no_grad():
            device = dev.CPU if unit._settings.state_dict_config.offload_to_cpu else None
            if kind is api.StateDictType.FULL_STATE_DICT:
                show_whole(unit, device=device)
            else:
                (vector,) = whole_of(unit, [unit._flat.piece()])
                found = parts_of(unit, vector, unit._flat.wholes[0].device if device is None else device)
                unit._flat.show([Parameter(x, False) for x in found.values()])


def _after_state_dict(unit, state_dict, prefix, *args) -> None:
    if unit._flat is not None and not unit.__dict__.get("_is_summoned"):
        unit._flat.show_parts()
    config = unit._settings.state_dict_config
    for name in [name for name in state_dict if name.startswith(f"{prefix}{INNER}.")]:
        value = state_dict.pop(name)
        if not (getattr(config, "rank0_only", False) and unit.process_group.rank()):
            state_dict[prefix + name.removeprefix(f"{prefix}{INNER}.")] = value


def _own_names(unit) -> set[str]:
    """The names of a wrapper's own parameters; of one that is shared all."""
    if unit._flat is None:
        return set()
    places = {place for slot in unit._flat.slots for place in slot.places}
    return {clean(f"{prefix}.{name}" if prefix else name)
            for prefix, module in unit._fsdp_wrapped_module.named_modules(remove_duplicate=False)
            for owner, name in places if owner is module}


def _before_load(unit, state_dict, prefix, *args) -> None:
    own = _own_names(unit)
    for name in [name for name in state_dict if name.startswith(prefix) and not name.startswith(f"{prefix}{INNER}.")]:
        value = state_dict.pop(name)
        rest = name.removeprefix(prefix)
        if rest in own and isinstance(value, DTensor):
            value = value.full_tensor().detach()
        state_dict[f"{prefix}{INNER}.{rest}"] = value
    for group in unit._groups():
        group.reshard()
    if unit._flat is not None and not unit.__dict__.get("_is_summoned"):
        with no_grad():
            unit.__dict__["_loading"] = show_whole(unit)


def _after_load(unit, incompatible) -> None:
    shown = unit.__dict__.pop("_loading", None)
    if shown is not None:
        hide(unit, shown, True)
    for names in incompatible:
        names[:] = [clean(name) for name in names]
