"""The state of an optimizer of `FullyShardedDataParallel`, of whole parameters by their names, and back."""

import copy
import dataclasses
from typing import Any

import numpy as np

from torchlike._base import device as dev
from torchlike._base.errors import UnsupportedError
from torchlike._c10d import objects, tensors
from torchlike._record.tensor import Tensor
from torchlike.autograd.grad_mode import no_grad
from torchlike.distributed.fsdp import api
from torchlike.distributed.fsdp._unit_state import clean, parts_of, settings_of, units_of, whole_of
from torchlike.distributed.tensor._dtensor import DTensor
from torchlike.nn.modules.module import Module


def _names_of(model: Module) -> dict[int, list[str]]:
    """The names of what each parameter of an optimizer stands for, by its id."""
    found: dict[int, list[str]] = {}
    for prefix, unit in model.named_modules():
        if unit in units_of(model) and unit._flat is not None:
            base = clean(f"{prefix}." if prefix else "")
            names = [base + clean(slot.name) for slot in unit._flat.slots]
            for p, each in zip(unit._flat.params, [[n] for n in names] if unit._flat.is_apart else [names], strict=True):
                found[id(p)] = each
    for name, p in model.named_parameters():
        found.setdefault(id(p), [clean(name)])
    return found


def gathered(model: Module, optim, state_dict: dict) -> dict:
    """See `FullyShardedDataParallel.optim_state_dict`."""
    settings = settings_of(model)
    config = settings.optim_state_dict_config
    if settings.state_dict_type is api.StateDictType.LOCAL_STATE_DICT:
        raise UnsupportedError("FullyShardedDataParallel.optim_state_dict: StateDictType.LOCAL_STATE_DICT")
    names, params = _names_of(model), [p for group in optim.param_groups for p in group["params"]]
    places = {id(p): i for i, p in enumerate(params)}
    found: dict[str, dict] = {}
    with no_grad():
        for unit in units_of(model):
            if unit._flat is not None:
                found.update(_of_unit(unit, names, places, state_dict["state"], settings))
        for i, p in enumerate(params):
            if i in state_dict["state"] and names[id(p)][0] not in found:
                found[names[id(p)][0]] = dict(state_dict["state"][i])
    if getattr(config, "rank0_only", False) and any(unit.process_group.rank() for unit in units_of(model)[:1]):
        return {}
    groups = [{**group, "params": [name for i in group["params"] for name in names[id(params[i])]]}
              for group in state_dict["param_groups"]]
    return {"state": found, "param_groups": groups}


def _of_unit(unit, names, places, states, settings) -> dict[str, dict]:
    """The state of the parameters of one wrapper."""
    flat = unit._flat
    mine = [states.get(places.get(id(p)), {}) for p in flat.params]
    kinds = _kinds(unit, mine)
    found: dict[str, dict] = {name: {} for p in flat.params for name in names[id(p)]}
    slots = {slot.name: name for slot, name in zip(flat.slots, found, strict=True)}
    device = dev.CPU if settings.optim_state_dict_config.offload_to_cpu else flat.params[0].device
    is_whole = settings.state_dict_type is api.StateDictType.FULL_STATE_DICT
    for key in dict.fromkeys(key for kind in kinds for key in kind):
        kept = next((kind[key] for kind in kinds if isinstance(kind.get(key), _Vector)), None)
        if kept is not None:
            vector = _vector(unit, [state.get(key) for state in mine], kept.dtype)
            values = parts_of(unit, vector, device) if not is_whole else {
                name: tensors.made(np.array(x), device) for name, x in flat.named(vector).items()}
            has = [key in kind for kind in kinds] if flat.is_apart else [True] * len(flat.slots)
            found_in = zip(values.items(), has, strict=True)
            for name, value in (item for item, there in found_in if there):
                found[slots[name]][key] = value
        else:  # a number of steps, say
            for p, kind in zip(flat.params, kinds, strict=True):
                for name in names[id(p)]:
                    if key in kind:
                        found[name][key] = kind[key]
    return {name: state for name, state in found.items() if state}


@dataclasses.dataclass(frozen=True)
class _Vector:
    """What an optimizer keeps of the sizes of a parameter, in a dtype of numpy's."""

    dtype: np.dtype


def _kinds(unit, mine: list[dict]) -> list[dict]:
    """For each parameter what an optimizer keeps of it on some rank: a `_Vector`, or the value."""
    own = [{key: _Vector(x.dtype.np) if isinstance(x, Tensor) and x.shape == p.shape and (x.ndim > 0 or p.ndim == 0) else x
            for key, x in state.items()} for state, p in zip(mine, unit._flat.params, strict=True)]
    if unit._flat.size == 1:
        return own
    every: list = [None] * unit.process_group.size()
    objects.all_gather_object(every, own, unit.process_group)
    return [{key: x for told in reversed(every) for key, x in told[i].items()} for i in range(len(own))]


def _vector(unit, values: list, dtype) -> np.ndarray:
    """The whole vector of what an optimizer keeps."""
    flat = unit._flat
    parts = [np.zeros(p.numel(), dtype) if x is None else tensors.taken(x) for x, p in zip(values, flat.params, strict=True)]
    return whole_of(unit, [flat.joined(parts, dtype)])[0]


def cut(model: Module, optim, state_dict: dict) -> dict:
    """See `FullyShardedDataParallel.optim_state_dict_to_load`."""
    names, states = _names_of(model), state_dict["state"]
    params = [p for group in optim.param_groups for p in group["params"]]
    places = {id(p): i for i, p in enumerate(params)}
    found: dict[int, dict] = {}
    with no_grad():
        for unit in units_of(model):
            if unit._flat is not None:
                _cut_unit(unit, names, places, states, found)
    for i, p in enumerate(params):
        if i not in found and names[id(p)][0] in states:
            found[i] = dict(states[names[id(p)][0]])
    number: dict[str, int] = {name: i for i, p in enumerate(params) for name in names[id(p)]}
    groups = [{**group, "params": list(dict.fromkeys(number[name] for name in group["params"]))}
              for group in state_dict["param_groups"]]
    return {"state": found, "param_groups": groups}


def _cut_unit(unit, names, places, states, found) -> None:
    flat = unit._flat
    full = [name for p in flat.params for name in names[id(p)]]
    for key in dict.fromkeys(key for name in full for key in states.get(name, {})):
        values = {slot.name: states[name][key] for slot, name in zip(flat.slots, full, strict=True)
                  if key in states.get(name, {})}
        like = all(isinstance(x, Tensor) and tuple(x.shape) == slot.shape
                   for slot in flat.slots if (x := values.get(slot.name)) is not None)
        if like:
            arrays = {name: tensors.taken(x.full_tensor() if isinstance(x, DTensor) else x) for name, x in values.items()}
            dtype = next(iter(arrays.values())).dtype
            pieces = flat._split(flat.vector(arrays, dtype)[flat.rank])
            parts: list[Any] = [tensors.made(np.array(part), p.device) for part, p in zip(pieces, flat.params, strict=True)]
        else:
            each = list(values.values())
            parts = [copy.copy(states[names[id(p)][0]].get(key, each[0])) if names[id(p)][0] in states else None
                     for p in flat.params]
        for p, part in zip(flat.params, parts, strict=True):
            if id(p) in places and part is not None and any(key in states.get(name, {}) for name in names[id(p)]):
                found.setdefault(places[id(p)], {})[key] = part


def rekeyed(state_dict: dict, kind, model: Module, optim_input, optim) -> dict:
    """See `FullyShardedDataParallel.rekey_optim_state_dict`."""
    if optim is not None:
        params = [p for group in optim.param_groups for p in group["params"]]
    elif optim_input is not None:
        listed = list(optim_input)
        params = [p for group in listed for p in group["params"]] if listed and isinstance(listed[0], dict) else listed
    else:
        params = list(model.parameters())
    names = {id(p): clean(name) for name, p in model.named_parameters()}
    ordered = [names[id(p)] for p in params]
    to: dict[Any, Any] = dict(enumerate(ordered)) if kind is api.OptimStateKeyType.PARAM_NAME else \
        {name: i for i, name in enumerate(ordered)}
    if any(key in to.values() for key in state_dict["state"]):
        return state_dict
    return {"state": {to[key]: value for key, value in state_dict["state"].items()},
            "param_groups": [{**group, "params": sorted(to[key] for key in group["params"])}
                             for group in state_dict["param_groups"]]}
