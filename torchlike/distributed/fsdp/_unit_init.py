"""What `FullyShardedDataParallel` finds out at first: its ranks, and the parameters that it divides."""

from torchlike._base import device as dev
from torchlike._base.errors import UnsupportedError
from torchlike._c10d import world
from torchlike._c10d.group import ProcessGroup
from torchlike.autograd.grad_mode import no_grad
from torchlike.distributed.fsdp._unit_state import units_of
from torchlike.distributed.fsdp.api import ShardingStrategy
from torchlike.nn.modules.module import Module

HYBRID = (ShardingStrategy.HYBRID_SHARD, ShardingStrategy._HYBRID_SHARD_ZERO2)


def groups_of(process_group, device_mesh, strategy) -> tuple[ProcessGroup, ProcessGroup | None]:
    """The ranks that share the work.

    Args:
        process_group, device_mesh: as `FullyShardedDataParallel` takes them.
        strategy: the ShardingStrategy.

    Returns:
        (those that divide, those that have copies or None).

    Raises:
        ValueError: what is given does not fit together. UnsupportedError: a hybrid strategy without groups.
    """
    if process_group is not None and device_mesh is not None:
        raise ValueError("Cannot pass both process_group and device_mesh at the same time. Please just pass only one of "
                         "them.")
    if strategy in HYBRID:
        if device_mesh is not None:
            if device_mesh.ndim != 2:
                raise ValueError(f"Expected device_mesh to have ndim=2 but got {device_mesh.ndim}")
            return device_mesh.get_group(1), device_mesh.get_group(0)
        if isinstance(process_group, tuple | list) and len(process_group) == 2:
            return process_group[0], process_group[1]
        if process_group is not None:
            raise ValueError("Expected process_group to be passed in as either None or Tuple[dist.ProcessGroup, "
                             f"dist.ProcessGroup] but got {type(process_group)}")
        raise UnsupportedError("FullyShardedDataParallel: a hybrid strategy without two process groups or a mesh of two "
                               "dimensions")
    return (device_mesh.get_group(0) if device_mesh is not None else world.group_of(process_group)), None


def ignored_of(modules, states) -> tuple[set, set]:
    """What stays as it is.

    Args:
        modules, states: as `FullyShardedDataParallel` takes them.

    Returns:
        (modules, ids of parameters).

    Raises:
        ValueError: both are given, or modules and parameters.
    """
    if modules is not None and states is not None:
        raise ValueError("Cannot pass both ignored_modules and ignored_states at the same time. Please just pass "
                         "ignored_states.")
    given = list(modules if modules is not None else states or ())
    roots = [x for x in given if isinstance(x, Module)]
    if roots and len(roots) != len(given):
        raise ValueError("ignored_states expects all nn.Parameter or all nn.Module list elements but got types "
                         f"{sorted({type(x) for x in given}, key=repr)}")
    inside = {module for root in roots for module in root.modules()}
    params = [p for module in inside for p in module.parameters(recurse=False)] if roots else given
    return inside, {id(p) for p in params}


def own_params(module, ignored_params) -> list:
    """The parameters that no wrapper inside has.

    Args:
        module: the module.
        ignored_params: ids of those that stay as they are.

    Returns:
        a list.

    Raises:
        ValueError: a scalar.
    """
    taken = {id(p) for unit in units_of(module) if unit._flat is not None
             for p in [*unit._flat.params, *(whole.leaf for whole in unit._flat.wholes)]}
    found = [(name, p) for name, p in module.named_parameters()
             if id(p) not in taken and id(p) not in ignored_params]
    for name, p in found:
        if not p.shape:
            raise ValueError(f"FSDP doesn't support scalar parameters. Change {name} to a 1D tensor with numel equal to 1.")
    return [p for _, p in found]


def materialize(module, own, init, device_id) -> None:
    """Give memory and values to what is on device "meta".

    Args:
        module: the module.
        own: its parameters that are meant.
        init: a function that does it for a module, or None.
        device_id: the device; the CPU where it is None.

    Raises:
        ValueError: `init` cannot be called.
    """
    if not any(p.is_meta for p in own):
        return
    if init is not None and not callable(init):
        raise ValueError(f"Expected {init} to be callable but got {type(init)}")
    mine = {id(p) for p in own}
    device = dev.CPU if device_id is None else dev.device(device_id)
    with no_grad():
        for each in module.modules():
            if any(id(p) in mine and p.is_meta for p in each._parameters.values() if p is not None):
                if init is not None:
                    init(each)
                else:
                    each.to_empty(device=device, recurse=False)
                    each.reset_parameters()


def device_for(own, device_id):
    """Where a module computes.

    Args:
        own: its parameters.
        device_id: the device, or None.

    Returns:
        a device.
    """
    if device_id is not None:
        return dev.canonical(dev.device(device_id))
    return own[0].device if own else dev.CPU
