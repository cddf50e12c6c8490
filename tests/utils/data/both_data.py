"""The same function run with torch and with torchlike: what it returns, raises and warns, and the random state after it."""

import collections
import dataclasses
import random
import warnings

import numpy as np
import torch

import torchlike


def plain(x):
    """A form of the value in which both libraries' results can be compared, types included."""
    if isinstance(x, torch.Tensor | torchlike.Tensor):
        return ("tensor", str(x.dtype), tuple(x.shape), x.is_contiguous(), x.requires_grad, x.tolist())
    if isinstance(x, np.ndarray):
        return ("array", x.dtype.str, x.tolist())
    if isinstance(x, collections.abc.Mapping):
        return (type(x).__name__, [(key, plain(value)) for key, value in x.items()])
    if isinstance(x, list | tuple | collections.UserList):
        return (type(x).__name__, [plain(item) for item in x])
    if dataclasses.is_dataclass(x):
        return (type(x).__name__, [(f.name, plain(getattr(x, f.name))) for f in dataclasses.fields(x)])
    return (type(x).__name__, x if isinstance(x, int | float | str | bytes | None) else repr(x))


def outcome(library, function) -> dict:
    """What happens when `function` is called with the library, from seed 7."""
    library.manual_seed(7)
    random.seed(7)
    np.random.seed(7)
    told: dict = {"value": None, "error": None}
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        try:
            told["value"] = plain(function(library))
        except Exception as error:  # noqa: BLE001 - compared
            told["error"] = (type(error).__name__, _named(str(error)))
    told["warnings"] = [(w.category.__name__, _named(str(w.message))) for w in given]
    told["state"] = library.get_rng_state().tolist()
    return told


def _named(text) -> str:
    return text.replace("torchlike", "torch")


def check(function) -> dict:
    """Both outcomes are the same; returns it."""
    theirs, mine = outcome(torch, function), outcome(torchlike, function)
    for key, value in theirs.items():
        assert mine[key] == value, (key, mine[key], value)
    return theirs
