"""detect_anomaly as PyTorch's, and what it says beyond: the values, the first that was not finite, the debugger."""

import importlib
import math
import pdb  # noqa: T100 - what detect_anomaly(debugger=True) opens
import sys

import pytest

import torchlike as torch
from tests.programs import same_as_torch

test_programs = same_as_torch("anomaly")

pytestmark = pytest.mark.filterwarnings("ignore:Anomaly Detection", "ignore:Error detected in")


def roots(w):
    """Its gradient is inf at 0, times 0."""
    y = w.sqrt()
    return (y * torch.zeros(3)).sum()


def shown(error) -> str:
    """What a traceback shows of an error."""
    return "\n".join([str(error), *error.__notes__])


def refusal(w, **options) -> str:
    """The text of the error under the mode, and below it its notes."""
    with torch.autograd.detect_anomaly(**options), pytest.raises(RuntimeError) as caught:
        roots(w).backward()
    return shown(caught.value)


def test_nan_and_inf_are_told_apart():
    text = refusal(torch.tensor([4.0, 0.0, 1.0], requires_grad=True))
    assert text.startswith("Function 'SqrtBackward0' returned nan values in its 0th output.\n")
    assert "gradient 0 of SqrtBackward0: float32 [3]: 1 nan, the first at [1]; finite values from 0 to 0" in text
    assert "incoming gradient 0 of SqrtBackward0: float32 [3]: finite values from 0 to 0" in text
    assert "All results of the forward pass were finite." in text
    assert "y = w.sqrt()" in text


def test_the_first_forward_value():
    w = torch.tensor([[1.0, -1.0], [0.0, 2.0]], requires_grad=True)
    with torch.autograd.detect_anomaly():
        y = w.log()
        loss = (y * y.exp()).sum()
        with pytest.raises(RuntimeError) as caught:
            loss.backward()
    assert ("The first that was not finite is forward result 0 of LogBackward0: float32 [2, 2]: 1 nan, the first at "
            "[0, 1]; 1 inf, the first at [1, 0]; finite values from 0 to 0.693147:") in shown(caught.value)


def test_inf_is_refused_where_asked():
    def divide():
        return (1 / torch.zeros(1, requires_grad=True)).sum().backward()

    with torch.autograd.detect_anomaly():
        divide()
    with torch.autograd.detect_anomaly(check_inf=True), pytest.raises(RuntimeError, match="returned inf values in its 0th"):
        divide()
    assert not torch.autograd.anomaly_mode.mode.check_inf


def test_forward_is_refused_where_asked():
    w = torch.tensor([-1.0, 1.0, 1.0], requires_grad=True)
    with torch.autograd.detect_anomaly(check_forward=True), pytest.raises(RuntimeError) as caught:
        roots(w)
    assert str(caught.value) == "Function 'SqrtBackward0' returned nan values in its forward pass."
    assert "float32 [3]: 1 nan, the first at [0]" in caught.value.__notes__[0]
    roots(w)


def test_finite_values_pass_with_every_check():
    w = torch.ones(3, requires_grad=True)
    with torch.autograd.detect_anomaly(check_inf=True, check_forward=True, debugger=pytest.fail):
        roots(w).backward()
    assert w.grad.tolist() == [0, 0, 0]


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16, torch.complex64])
def test_dtypes(dtype):
    w = torch.zeros(3, requires_grad=True, dtype=dtype)
    with torch.autograd.detect_anomaly(), pytest.raises(RuntimeError, match="3 nan, the first at"):
        (w.sqrt() * 0).sum().abs().backward()


def test_debugger_is_called_with_what_was_found():
    found = []
    refusal(torch.zeros(3, requires_grad=True), debugger=found.append)
    assert [(bad.name, bad.what, list(bad.values.shape)) for bad in found] == [("SqrtBackward0", "gradient 0", [3])]


@pytest.mark.parametrize("forward", [False, True])
def test_pdb_opens_in_the_users_frame(monkeypatch, forward):
    opened = []
    monkeypatch.setattr(pdb.Pdb, "interaction", lambda self, frame, traceback: opened.append(frame.f_code.co_name))
    monkeypatch.setattr(pdb.Pdb, "message", lambda self, text: opened.append(text.split(":")[0]))
    refusal(torch.tensor([-1.0 if forward else 0.0, 1, 1], requires_grad=True), debugger=True, check_forward=forward)
    assert opened == (["forward result 0 of SqrtBackward0", "roots"] if forward else
                      ["gradient 0 of SqrtBackward0", "refusal"])
    assert sys.gettrace() is None or "pdb" not in repr(sys.gettrace())


def test_under_transforms_and_modes():
    with torch.autograd.detect_anomaly():
        g = torch.func.grad(lambda x: (x.sqrt() * 0).sum())(torch.zeros(2))
        with torch.no_grad():
            torch.zeros(1).log()
    assert g.isnan().all()


def _sparse_gradient(t):
    weight = t.nn.Embedding(4, 2, sparse=True).weight
    t.nn.functional.embedding(t.tensor([1, 1, 2]), weight, sparse=True).sum().backward()
    return str(weight.grad.layout), weight.grad.to_dense().tolist()


def _sparse_nan(t):
    class Function(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, g):
            return t.sparse_coo_tensor(t.tensor([[0]]), t.tensor([math.nan]), (3,))

    Function.apply(t.ones(3, requires_grad=True)).sum().backward()


def _masked_gradient(t):
    x = t.masked.masked_tensor(t.ones(3), t.tensor([True, False, True]), requires_grad=True)
    (x * x).sum().backward()
    return x.grad.to_tensor(0).tolist()


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("program", [_sparse_gradient, _sparse_nan, _masked_gradient])
def test_gradients_without_memory_of_their_own(program):
    def outcome(t):
        with t.autograd.set_detect_anomaly(True):
            try:
                return program(t)
            except RuntimeError as error:
                return str(error)

    assert outcome(torch) == outcome(importlib.import_module("torch"))
