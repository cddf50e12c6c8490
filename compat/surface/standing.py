"""What torchlike makes of a name: it exists, refuses by name, or is absent; and whether its signature is PyTorch's."""

import functools
import inspect
import re
import types
import warnings

import torch

import torchlike
from compat.surface import documented

EXISTS, REFUSES, ABSENT = "exists", "refuses", "absent"
_MISSING = object()


def standing(space, name) -> str:
    """One of EXISTS, REFUSES and ABSENT."""
    try:
        found = _get(_ours(space), name)
    except NotImplementedError as error:
        named = str(error).split(" ", 1)[0]  # the name itself, or a module above it that is refused as a whole
        return REFUSES if f"{_written(space, name)}.".startswith(f"{named}.") else ABSENT
    except AttributeError:
        return ABSENT
    if hasattr(found, "refusal"):
        return REFUSES
    return ABSENT if isinstance(found, types.ModuleType) else EXISTS


def same_signature(space, name) -> bool | None:
    """Whether parameter names, their order and their defaults are PyTorch's; None where PyTorch tells none.

    Keyword-only or not does not count: PyTorch's table for its builtins does not say it.
    """
    theirs = _parameters(inspect.getattr_static(documented.owner(space), name, _MISSING)
                         if space == "Tensor" else getattr(documented.owner(space), name, _MISSING))
    if theirs is None:
        return None
    return theirs == _parameters(getattr(torchlike.Tensor, name, _MISSING) if space == "Tensor"
                                 else _get(_ours(space), name))


def _written(space, name) -> str:
    return f"torch.{name}" if space == "torch" else f"torch.{space}.{name}"


def _ours(space):
    found = torchlike
    for part in () if space == "torch" else space.split("."):
        found = getattr(found, part)
    return found


def _get(owner, name):
    if owner is not torchlike.Tensor:
        return getattr(owner, name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = inspect.getattr_static(owner, name, _MISSING)
        return getattr(torchlike.zeros(1, 1), name) if found is _MISSING else found


@functools.cache
def _overrides() -> dict:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.overrides.get_testing_overrides()


def _parameters(function):
    """[(name, default as text)], without ``self``; None where there is nothing to compare."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        try:
            signature = inspect.signature(_overrides()[function])
        except (KeyError, TypeError, ValueError):
            return None
    found = [(p.name, _text(p)) for p in signature.parameters.values()]
    found = [pair for pair in found if pair[0] != "out"]
    return found[1:] if found and found[0][0] in ("self", "input") else found


def _text(parameter) -> str:
    if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
        return str(parameter.kind)
    if parameter.default is parameter.empty:
        return ""
    return re.sub(r" at 0x[0-9a-f]+", "", repr(parameter.default).replace("torchlike", "torch"))
