"""State dicts of models and optimizers by names: the same with and without wrappers, for any number of ranks.
https://pytorch.org/docs/stable/distributed.checkpoint.html

The names are those that parameters have in the model without `DistributedDataParallel`, compiled modules and
checkpoint wrappers; an optimizer's state goes by the names of its parameters instead of their numbers.
"""

import dataclasses
from collections.abc import Iterable, Iterator
from typing import Any

from torchlike._base.errors import UnsupportedError
from torchlike._c10d import world
from torchlike._c10d.objects import broadcast_object_list
from torchlike._record.tensor import Tensor
from torchlike.autograd.grad_mode import no_grad
from torchlike.distributed.tensor._dtensor import DTensor
from torchlike.distributed.tensor.placement_types import Replicate
from torchlike.nn.modules.module import Module
from torchlike.nn.parallel.distributed import DistributedDataParallel

_WRAPPERS = ("_orig_mod", "_checkpoint_wrapped_module")
_STATE, _GROUPS, _PARAMS = "state", "param_groups", "params"


@dataclasses.dataclass
class StateDictOptions:
    """How state dicts are made and loaded.
    https://pytorch.org/docs/stable/distributed.checkpoint.html#torch.distributed.checkpoint.state_dict.StateDictOptions

    Args:
        full_state_dict: whether DTensors are made whole, and what is loaded is whole: each rank takes its part of it.
        cpu_offload: whether tensors are copied to the CPU; with `full_state_dict` other ranks than the first get nothing.
        ignore_frozen_params: whether parameters that need no gradient are left out.
        keep_submodule_prefixes: whether names of what is in `submodules` begin with theirs.
        strict: whether names must fit.
        broadcast_from_rank0: whether all ranks load what the first has; needs `full_state_dict`.
        flatten_optimizer_state_dict: whether an optimizer's state is one dict of names like "state.weight.exp_avg".
        dsd_fqn_modifiers: without effect.
    """

    full_state_dict: bool = False
    cpu_offload: bool = False
    ignore_frozen_params: bool = False
    keep_submodule_prefixes: bool = True
    strict: bool = True
    broadcast_from_rank0: bool = False
    flatten_optimizer_state_dict: bool = False
    dsd_fqn_modifiers: str = "_fqn_modifiers"


def _checked(options) -> StateDictOptions:
    options = options or StateDictOptions()
    if options.broadcast_from_rank0 and not options.full_state_dict:
        raise ValueError("full_state_dict must be True when broadcast_from_rank0 is True.")
    return options


def _name(model, full: str) -> str:
    """A name without those of wrappers."""
    found, module = [], model
    for part in full.split("."):
        if part not in _WRAPPERS and not (part == "module" and isinstance(module, DistributedDataParallel)):
            found.append(part)
        module = getattr(module, part, None) if isinstance(module, Module) else None
    return ".".join(found)


def _names(model) -> dict:
    """{parameter: its name}."""
    return {parameter: _name(model, full) for full, parameter in model.named_parameters()}


def _moved(value, options):
    """A state dict as it is handed out."""
    if options.full_state_dict:
        value = _with(lambda x: x.full_tensor().detach() if isinstance(x, DTensor) else x, value)
    if not options.cpu_offload:
        return value
    if options.full_state_dict and world.is_initialized() and world.get_rank():
        return {}
    return _on_cpu(value)


def _on_cpu(value):
    return _with(lambda x: x.detach().cpu(), value)


def _with(function, value):
    """The same with a function applied to each tensor."""
    if isinstance(value, Tensor):
        return function(value)
    if isinstance(value, dict):
        return {key: _with(function, each) for key, each in value.items()}
    return [_with(function, each) for each in value] if isinstance(value, list) else value


def _like(value, own):
    """A tensor as what it is loaded into lies: of a whole one each rank takes its part."""
    if not isinstance(own, DTensor) or isinstance(value, DTensor) or getattr(value, "shape", None) != own.shape:
        return value
    everywhere = DTensor.from_local(value.detach(), own.device_mesh, [Replicate()] * own.device_mesh.ndim)
    return everywhere.redistribute(placements=own.placements)


def get_model_state_dict(model, *, submodules=None, options: StateDictOptions | None = None) -> dict[str, Any]:
    """A model's parameters and buffers by their names.

    Args:
        model: a Module.
        submodules: a set of modules in it, if only those are wanted.
        options: see `StateDictOptions`.

    Returns:
        a dict; its tensors are the model's.

    Raises:
        ValueError: options that do not fit together.
    """
    options = _checked(options)
    found = model.state_dict()
    for full in list(found):
        if _name(model, full) != full:
            found[_name(model, full)] = found.pop(full)
    if options.ignore_frozen_params:
        for parameter, name in _names(model).items():
            if not parameter.requires_grad:
                found.pop(name, None)
    if submodules:
        found = dict(_inside(model, found, submodules, options.keep_submodule_prefixes))
    return _moved(dict(found), options)


def _inside(model, state, submodules, keeps) -> Iterator[tuple]:
    prefixes = [f"{_name(model, full)}." for full, module in model.named_modules() if module in submodules]
    for name, value in state.items():
        for prefix in prefixes:
            if name.startswith(prefix):
                yield name if keeps else name.removeprefix(prefix), value


def get_optimizer_state_dict(model, optimizers, *, submodules=None,
                             options: StateDictOptions | None = None) -> dict[str, Any]:
    """The state of optimizers by the names of their parameters. One that has taken no step is given the state that it has
    after one with gradients of zero, which changes no parameter.

    Args:
        model: the Module whose parameters they have.
        optimizers: an Optimizer, or several.
        submodules: without effect.
        options: as for `get_model_state_dict`.

    Returns:
        {"state": {name: ...}, "param_groups": [...]}, or one dict with `flatten_optimizer_state_dict`.

    Raises:
        ValueError: options that do not fit together. KeyError: a parameter is not in the model.
    """
    options = _checked(options)
    names, state, groups = _names(model), {}, []
    for optimizer in _listed(optimizers):
        _begin(optimizer)
        numbers = {i: names.get(p, i) for i, p in enumerate(_parameters(optimizer))}
        own = optimizer.state_dict()
        unknown = [i for i, name in numbers.items() if name == i]
        if unknown:
            raise KeyError(unknown[0])
        frozen = {names[p] for p in _parameters(optimizer) if not p.requires_grad and options.ignore_frozen_params}
        state.update({numbers[i]: value for i, value in own[_STATE].items() if numbers[i] not in frozen})
        groups += [{**group, _PARAMS: [numbers[i] for i in group[_PARAMS] if numbers[i] not in frozen]}
                   for group in own[_GROUPS]]
    if options.flatten_optimizer_state_dict:
        return _moved(_flat(state, groups), options)
    return _moved({_STATE: state, _GROUPS: groups} if groups else {}, options)


def _listed(optimizers) -> list:
    return list(optimizers) if isinstance(optimizers, Iterable) else [optimizers]


def _parameters(optimizer) -> list:
    """An optimizer's parameters in the order of its numbers."""
    return [parameter for group in optimizer.param_groups for parameter in group[_PARAMS]]


def _begin(optimizer) -> None:
    """Gives an optimizer its state, if it has none. As in PyTorch not where there are gradients, which a step would use."""
    parameters = _parameters(optimizer)
    if optimizer.state or any(p.grad is not None for p in parameters):
        return
    rates = [group["lr"] for group in optimizer.param_groups if "lr" in group]
    with no_grad():
        for p in parameters:
            p.grad = p.new_zeros(p.shape) if p.requires_grad else None
    for group in optimizer.param_groups:
        if "lr" in group:
            group["lr"] = group["lr"] * 0.0
    optimizer.step(closure=None)
    for group, rate in zip([group for group in optimizer.param_groups if "lr" in group], rates, strict=True):
        group["lr"] = rate
    optimizer.zero_grad(set_to_none=True)


def _flat(state, groups) -> dict:
    found = {f"{_STATE}.{name}.{key}": value for name, values in state.items() for key, value in values.items()}
    for group in groups:
        found.update({f"{_GROUPS}.{name}.{key}": value for name in group[_PARAMS] for key, value in group.items()
                      if key != _PARAMS})
    return found


def get_state_dict(model, optimizers, *, submodules=None, options: StateDictOptions | None = None) -> tuple[dict, dict]:
    """`get_model_state_dict` and `get_optimizer_state_dict`.
    https://pytorch.org/docs/stable/distributed.checkpoint.html#torch.distributed.checkpoint.state_dict.get_state_dict

    Args:
        model, optimizers, submodules, options: as for `get_optimizer_state_dict`.

    Returns:
        both dicts.

    Raises:
        as `get_optimizer_state_dict`.
    """
    return (get_model_state_dict(model, submodules=submodules, options=options),
            get_optimizer_state_dict(model, optimizers, options=options))


def set_model_state_dict(model, model_state_dict: dict[str, Any], *, options: StateDictOptions | None = None):
    """Loads what `get_model_state_dict` has made.

    Args:
        model: a Module, with or without the wrappers of the one that was saved.
        model_state_dict: the dict.
        options: see `StateDictOptions`.

    Returns:
        what `Module.load_state_dict` returns.

    Raises:
        RuntimeError: names that do not fit; an empty dict. ValueError: options that do not fit together.
        UnsupportedError: a dict of modules, which PyTorch has deprecated.
    """
    options = _checked(options)
    state = _of_first(model_state_dict, options)
    if any(isinstance(key, Module) for key in state):
        raise UnsupportedError("torch.distributed.checkpoint.state_dict: model_state_dict by modules")
    if not state:
        raise RuntimeError("The option indicates that model state_dict is required to save or load, but model state_dict is "
                           f"empty.rank = dist.get_rank()={world.get_rank()}.")
    own = model.state_dict()
    inverse = {_name(model, full): full for full in own}
    given = {inverse.get(name, name): value for name, value in state.items()}
    return model.load_state_dict({full: _like(value, own.get(full)) for full, value in given.items()}, strict=options.strict)


def _of_first(state, options):
    """What all ranks load."""
    if not options.broadcast_from_rank0 or not world.is_initialized():
        return state
    box: list = [_on_cpu(state) if world.get_rank() == 0 else None]
    broadcast_object_list(box, 0)
    return box[0]


def set_optimizer_state_dict(model, optimizers, optim_state_dict: dict[str, Any], *,
                             options: StateDictOptions | None = None) -> None:
    """Loads what `get_optimizer_state_dict` has made.

    Args:
        model: the Module whose parameters the optimizers have.
        optimizers: an Optimizer, or several, for which the parameters may be grouped otherwise.
        optim_state_dict: the dict.
        options: see `StateDictOptions`.

    Raises:
        RuntimeError: a parameter has no state there; an empty dict. ValueError: options that do not fit together.
    """
    options = _checked(options)
    names, loaded = _names(model), _of_first(optim_state_dict, options)
    if not loaded:
        raise RuntimeError("The option indicates that model state_dict is required to save, or load but optim state_dict is "
                           f"empty. {loaded}")
    for optimizer in _listed(optimizers):
        _begin(optimizer)
        parameters = _parameters(optimizer)
        state, group_of = _by_names(loaded, [names[p] for p in parameters], optimizer)
        _check_all(optimizer, names, state, options)
        own = optimizer.state_dict()
        optimizer.load_state_dict({
            _STATE: {i: {key: _like(value, p) for key, value in state[names[p]].items()}
                     for i, p in enumerate(parameters) if names[p] in state},
            _GROUPS: [_filled(group, [names[parameters[i]] for i in group[_PARAMS]], group_of) for group in own[_GROUPS]]})


def _filled(group, names, group_of) -> dict:
    """A group with what was saved of the one that its parameters were in."""
    saved = next((group_of[name] for name in names if name in group_of), {})
    return {**group, **{key: value for key, value in saved.items() if key != _PARAMS}}


def _check_all(optimizer, names, state, options) -> None:
    missing = [names[p] for p in optimizer.state if p.requires_grad and names[p] not in state]
    if missing and options.strict:
        raise RuntimeError(f"Missing optimizer state for parameter '{missing[0]}' in checkpoint. The parameter requires "
                           "gradients but has no saved optimizer state. To load anyway, use StateDictOptions(strict=False).")


def _by_names(loaded, names, optimizer) -> tuple[dict, dict]:
    """({name: state}, {name: the group that it was in}), also of a flat dict."""
    if _STATE in loaded:
        return loaded[_STATE], {name: group for group in loaded[_GROUPS] for name in group[_PARAMS]}
    keys = dict.fromkeys(key for values in optimizer.state.values() for key in values)
    options = dict.fromkeys(key for group in optimizer.param_groups for key in group if key != _PARAMS)
    state, groups = ({name: {key: loaded[f"{kind}.{name}.{key}"] for key in wanted if f"{kind}.{name}.{key}" in loaded}
                      for name in names} for kind, wanted in ((_STATE, keys), (_GROUPS, options)))
    return {name: values for name, values in state.items() if values}, groups


def set_state_dict(model, optimizers, *, model_state_dict: dict[str, Any], optim_state_dict: dict[str, Any],
                   options: StateDictOptions | None = None):
    """`set_model_state_dict` and `set_optimizer_state_dict`.
    https://pytorch.org/docs/stable/distributed.checkpoint.html#torch.distributed.checkpoint.state_dict.set_state_dict

    Args:
        model, optimizers, model_state_dict, optim_state_dict, options: as for those.

    Returns:
        what `set_model_state_dict` returns.

    Raises:
        as those.
    """
    set_optimizer_state_dict(model, optimizers, optim_state_dict, options=options)
    return set_model_state_dict(model, model_state_dict, options=options)
