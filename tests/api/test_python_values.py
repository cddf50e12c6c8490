"""Looking at values, compared with torch."""

import numpy as np
import pytest
import torch

import torchlike
from compat.compare import check
from compat.compare.tolerances import EXACT

ON_META = [
    "repr(torch.empty(2, 3, device='meta'))", "repr(torch.randn(2, device='meta') + 1)",
    "repr(torch.rand(2, 3, device='meta', requires_grad=True))", "repr(torch.nn.Linear(2, 1, device='meta').weight)",
    "repr(torch.empty(3, device='meta').normal_())", "repr(torch.randint(3, (2,), device='meta'))",
    "repr(torch.randperm(3, device='meta'))", "torch.empty(3, device='meta').tolist()",
    "torch.ones((), device='meta').item()",
    "bool(torch.ones((), device='meta'))", "float(torch.ones((), device='meta'))",
]


def answer(library, expression):
    """What the expression is, or its error."""
    try:
        return eval(expression, {"torch": library})
    except Exception as error:  # noqa: BLE001 - whatever a library raises is its answer
        return type(error), str(error)


@pytest.mark.parametrize("expression", ON_META)
def test_without_values(expression):
    assert answer(torchlike, expression) == answer(torch, expression)


REQUIRING_GRAD = ["x.numpy()", "(x * 2).numpy()", "np.asarray(x)"]


@pytest.mark.parametrize("mode", ["no_grad", "inference_mode", "enable_grad"])
@pytest.mark.parametrize("expression", REQUIRING_GRAD)
def test_arrays_of_tensors_that_require_grad(mode, expression):
    found = []
    for library in (torch, torchlike):
        x = library.ones(2, requires_grad=True)
        with getattr(library, mode)():
            try:
                found.append(eval(expression, {"x": x, "np": np}).tolist())
            except RuntimeError as error:
                found.append(str(error))
    assert found[1] == found[0]


def test_nothing_is_drawn_on_meta():
    torchlike.manual_seed(0)
    before = torchlike.get_rng_state()
    torchlike.randn(1000, device="meta")
    assert torchlike.equal(torchlike.get_rng_state(), before)


@pytest.mark.parametrize("mode", ["enable_grad", "no_grad", "inference_mode"])
def test_numpy_of_what_requires_grad(mode):
    found = []
    for lib in (torch, torchlike):
        with getattr(lib, mode)():
            x = lib.ones(2, requires_grad=True)
            try:
                found.append(x.numpy().tolist())
            except RuntimeError as error:
                found.append(str(error))
    assert found[0] == found[1]


@pytest.mark.parametrize("make", ["np.arange(6.).reshape(2, 3).T", "np.ones((4, 3, 2)).transpose(1, 2, 0)",
                                  "np.arange(9.)[::2]",
                                  "np.broadcast_to(np.ones(3), (2, 3))", "np.arange(12.).reshape(3, 4)[:, ::2].T"])
def test_copies_lie_as_the_array(make):
    array = eval(make, {"np": np})
    ours, theirs = torchlike.tensor(array), torch.tensor(array)
    assert (ours.stride(), ours.tolist()) == (theirs.stride(), theirs.tolist())
    assert torchlike.tensor(array, dtype=torchlike.int32).stride() == torch.tensor(array, dtype=torch.int32).stride()


@pytest.mark.parametrize("text", [
    "list(t.ones(0))", "t.ones(2, 0).unbind(0)", "t.ones(2, 0).unbind(1)", "t.ones(0).unbind(1)"])
def test_rows_of_what_is_empty(text):
    check(lambda t: eval(text, {"t": t}), tolerance=EXACT)
