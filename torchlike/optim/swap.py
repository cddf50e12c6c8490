"""`torch.optim.swap_in_optimizer_params_and_state`."""

import contextlib
from collections import defaultdict

from torchlike._record.tensor import Tensor

_NAME = "swap_in_optimizer_params_and_state"
_PACKED = "keyed by packed parameter ids"


@contextlib.contextmanager
def swap_in_optimizer_params_and_state(optimizer, swapin_parameters, swapin_optim_state):
    """A block in which an optimizer works on other parameters and another state; its own come back at the end. What is
    written into the given tensors stays.
    https://pytorch.org/docs/stable/optim.html

    Args:
        optimizer: an optimizer that has made a step.
        swapin_parameters: name -> parameter, in the order of the optimizer's.
        swapin_optim_state: the state and options, in the form of `Optimizer.state_dict`.

    Yields:
        None.

    Raises:
        RuntimeError: one of them does not fit the optimizer's groups.
    """
    swapped = _check(optimizer, list(swapin_parameters.values()), swapin_optim_state)
    state, groups = optimizer.state, [dict(group) for group in optimizer.param_groups]
    try:
        inside: defaultdict = defaultdict(dict)
        for group, params, given in swapped:
            group.update({key: value for key, value in given.items() if key != "params"}, params=params)
            for p, number in zip(params, given["params"], strict=True):
                inside[p] = dict(swapin_optim_state["state"].get(number, {}))
        optimizer.state = inside
        yield
    finally:
        optimizer.state = state
        for group, before in zip(optimizer.param_groups, groups, strict=True):
            group.clear()
            group.update(before)


def _check(optimizer, params, given) -> list:
    """(group, its new parameters, its new options) for each group."""
    if not optimizer.state:
        raise RuntimeError(f"{_NAME} requires initialized optimizer state.")
    if not isinstance(given, dict):
        raise RuntimeError(f"{_NAME} requires a DCP-style optimizer state_dict.")
    _check_state(given.get("state"))
    groups = given.get("param_groups")
    if not isinstance(groups, list):
        raise RuntimeError(f"{_NAME} requires swapin_optim_state['param_groups'] to be a list of param-group dicts, got "
                           f"{type(groups).__name__}.")
    if len(optimizer.param_groups) != len(groups):
        raise RuntimeError("swapin_optim_state has a different number of parameter groups than the live optimizer.")
    swapped, start, known = [], 0, set()
    for i, (mine, theirs) in enumerate(zip(optimizer.param_groups, groups, strict=True)):
        _check_group(i, mine, theirs)
        known.update(theirs["params"])
        end = start + len(theirs["params"])
        if end > len(params):
            raise RuntimeError(f"{_NAME} requires the explicit parameter state to match optimizer.param_groups ordering.")
        swapped.append((mine, params[start:end], theirs))
        start = end
    extra = [key for key in given["state"] if key not in known]
    if extra:
        raise RuntimeError(f"{_NAME} requires swapin_optim_state['state'] to be keyed only by packed parameter ids from "
                           f"param_groups[*]['params']; got extra keys {extra!r}.")
    return swapped


def _check_state(state) -> None:
    if not isinstance(state, dict):
        raise RuntimeError(f"{_NAME} requires swapin_optim_state['state'] to be a dict mapping packed parameter ids to "
                           f"per-param state dicts, got {type(state).__name__}.")
    if any(isinstance(key, Tensor) for key in state):
        raise RuntimeError(f"{_NAME} requires optimizer.state_dict()-style state {_PACKED}.")
    if any(isinstance(key, int) and not isinstance(value, dict) for key, value in state.items()):
        raise RuntimeError(f"{_NAME} requires per-parameter optimizer state entries to be dictionaries.")


def _check_group(number, mine, theirs) -> None:
    if not isinstance(theirs, dict):
        raise RuntimeError(f"{_NAME} requires each optimizer param group to be a dictionary.")
    ids = theirs.get("params")
    if not isinstance(ids, list) or not all(isinstance(i, int) for i in ids):
        raise RuntimeError(f"{_NAME} requires optimizer.state_dict()-style param_groups[*]['params'] entries {_PACKED}.")
    if len(mine["params"]) != len(ids):
        raise RuntimeError(f"swapin_optim_state param group {number} has a different number of params than the live "
                           "optimizer param group.")
    only_theirs, only_mine = ([key for key in a if key not in b] for a, b in ((theirs, mine), (mine, theirs)))
    if only_theirs or only_mine:
        raise RuntimeError(f"{_NAME} requires optimizer.state_dict()-style param group keys to exactly match the live "
                           f"optimizer group keys for group {number}. Keys only in swap-in: {only_theirs}. Keys only in "
                           f"live: {only_mine}.")
