"""One library evaluating an expression about distributions, and what is compared of the outcome."""

import warnings

import numpy as np
import torch

import torchlike

LIBRARIES = (torch, torchlike)
SEED = 5


class Side:
    """What an expression sees under one library: ``D``, ``t``, ``torch``; `leaves` are the tensors that `t` made."""

    def __init__(self, library, dtype="float64"):
        self.library, self.leaves = library, []
        self.dtype = getattr(library, dtype)

    def t(self, values):
        """A leaf that requires grad."""
        self.leaves.append(self.library.tensor(values, dtype=self.dtype, requires_grad=True))
        return self.leaves[-1]

    def evaluate(self, expression, **names):
        """The expression's value."""
        library = self.library
        scope = {"D": library.distributions, "t": self.t, "torch": library, "inf": float("inf"), "nan": float("nan")}
        return eval(compile(expression, "<case>", "eval"), {**scope, **names})

    def grads(self, result, *more):
        """The gradients of the sum of `result` by all leaves, None where it does not depend on one."""
        wanted = [*self.leaves, *more]
        if not wanted or not result.requires_grad:
            return []
        weights = self.library.linspace(.5, 1.5, result.numel(), dtype=result.dtype).reshape(result.shape)
        return list(self.library.autograd.grad((result * weights).sum(), wanted, allow_unused=True))


def outcome(function):
    """What the function returns, or its error; warnings of distributions are part of it."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            result = function()
        except Exception as error:  # noqa: BLE001 - compared
            result = error
    found = [(w.category.__name__, str(w.message)) for w in seen]
    return result, [w for w in found if "torch.jit" not in w[1]]


def compared(theirs, mine, rtol=1e-9, atol=1e-11, where="") -> None:
    """AssertionError unless both outcomes agree: tensors by dtype, shape and values, errors by type and text."""
    if isinstance(theirs, Exception) or isinstance(mine, Exception):
        assert isinstance(theirs, Exception), f"{where}: torchlike raises {mine!r}"
        assert isinstance(mine, Exception), f"{where}: torch raises {theirs!r}"
        same = type(mine).__name__ == type(theirs).__name__ or isinstance(mine, type(theirs))
        assert same, f"{where}: {mine!r}, torch {theirs!r}"
        assert text(mine) == text(theirs), f"{where}: {mine}, torch: {theirs}"
    elif isinstance(theirs, list | tuple) and not isinstance(theirs, torch.Size):
        assert len(theirs) == len(mine), f"{where}: {len(mine)} results, torch {len(theirs)}"
        for i, pair in enumerate(zip(theirs, mine, strict=True)):
            compared(*pair, rtol, atol, f"{where}[{i}]")
    elif isinstance(theirs, torch.Tensor):
        assert isinstance(mine, torchlike.Tensor), f"{where}: {mine!r}"
        assert str(theirs.dtype) == str(mine.dtype), f"{where}: {mine.dtype}, torch {theirs.dtype}"
        assert tuple(theirs.shape) == tuple(mine.shape), f"{where}: {mine.shape}, torch {theirs.shape}"
        a, b = theirs.detach().numpy(), mine.detach().numpy()
        np.testing.assert_allclose(b, a, rtol, atol, err_msg=where)
    elif isinstance(theirs, float):
        assert np.isclose(theirs, mine, rtol, atol, equal_nan=True), f"{where}: {mine}, torch {theirs}"
    else:
        assert str(theirs).replace("torch.", "") == str(mine).replace("torch.", ""), f"{where}: {mine}, torch {theirs}"


def text(error) -> str:
    """The text of an error in PyTorch's words: torchlike adds lines about the user's program."""
    return str(error).split("\nForward call")[0].replace("torchlike.", "torch.")


def agree(function, rtol=1e-9, atol=1e-11, dtype="float64", where="") -> None:
    """``function(side)`` under both, compared, with the same seed before."""
    results = []
    for library in LIBRARIES:
        library.manual_seed(SEED)
        results.append(outcome(lambda library=library: function(Side(library, dtype))))
    (theirs, their_warnings), (mine, my_warnings) = results
    compared(theirs, mine, rtol, atol, where)
    assert [w[0] for w in my_warnings] == [w[0] for w in their_warnings], f"{where}: {my_warnings}, torch {their_warnings}"
