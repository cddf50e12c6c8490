"""Which operators a TorchDispatchMode sees of public functions and of their gradients: PyTorch's, but for those listed."""

import importlib
import warnings

import pytest
import torch

import torchlike
from tests.modes.dispatch_cases import cases

LIBRARIES = (torch, torchlike)
NAMES = list(cases(torch, []))
FORWARD_DIFFERS = {
    "logsigmoid", "ce", "nll", "kl", "layer_norm", "batch_norm", "rms_norm", "dropout", "sdpa", "cosine", "pdist",
    "one_hot", "setitem", "det", "inv", "solve", "cholesky", "meshgrid", "mha"}
BACKWARD_DIFFERS = {
    "atanh", "sinc", "atan2", "pow", "xlogy", "copysign", "addcdiv", "prod", "cumprod", "prelu", "bcel",
    "masked_select", "det", "inv", "solve", "cholesky", "trace", "bilinear", "fft", "mha"}
COPIES = ("new_empty_strided.default", "copy_.default", "detach.default", "clone.default")  # of gradients, see gaps.toml


def logged(lib, name) -> tuple:
    """(names forward, names backward, gradients of the leaves)."""
    dispatch = importlib.import_module(f"{lib.__name__}.utils._python_dispatch")

    class Log(dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            seen.append(str(func).removeprefix("aten."))
            return func(*args, **(kwargs or {}))

    leaves: list = []
    call = cases(lib, leaves)[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        seen: list = []
        with Log():
            out = call()
        forward = list(seen)
        seen = []
        if isinstance(out, lib.Tensor) and out.requires_grad:
            start = lib.ones_like(out).detach()
            with Log():
                out.backward(start)
    gradients = [None if x.grad is None else x.grad.tolist() for x in leaves]
    return forward, [each for each in seen if each not in COPIES], gradients


@pytest.mark.parametrize("name", NAMES)
def test_names(name):
    expected, found = (logged(lib, name) for lib in LIBRARIES)
    assert (found[0] != expected[0]) == (name in FORWARD_DIFFERS), f"{found[0]}, in PyTorch {expected[0]}"
    assert (found[1] != expected[1]) == (name in BACKWARD_DIFFERS), f"{found[1]}, in PyTorch {expected[1]}"
    if name not in RANDOM:
        for a, b in zip(expected[2], found[2], strict=True):
            assert (a is None) == (b is None)
            if a is not None:
                torch.testing.assert_close(torch.tensor(b), torch.tensor(a), rtol=1e-3, atol=1e-4, equal_nan=True)


RANDOM = ("dropout",)


def test_most_agree():
    """At least nine tenths."""
    assert len(NAMES) >= 200
    assert max(len(FORWARD_DIFFERS), len(BACKWARD_DIFFERS)) <= len(NAMES) / 10
