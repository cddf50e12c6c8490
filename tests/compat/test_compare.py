"""The harness sees what it must: each of these is an error planted on our side."""

import math
import warnings

import pytest
import torch

import torchlike
from compat import compare
from compat.compare import describing, texts, tolerances

FACTS = tuple(describing.FACTS)


def told(torchs, ours, tolerance=tolerances.EXACT, **how) -> str:
    """The text of the AssertionError of `check`, or "": ``torchs`` runs with torch, ``ours`` with torchlike."""
    try:
        compare.check(lambda t: (torchs if t is torch else ours)(t), tolerance=tolerance, **how)
    except AssertionError as error:
        return str(error)
    return ""


def warns(t):
    warnings.warn("a", UserWarning, stacklevel=1)


def raises(error):
    def program(t):
        raise error

    return program


PLANTED = {
    "value": (lambda t: t.ones(2), lambda t: t.tensor([1.0, 1.001])),
    "dtype": (lambda t: t.ones(2), lambda t: t.ones(2, dtype=t.float64)),
    "shape": (lambda t: t.ones(1), lambda t: t.ones(())),
    "nan": (lambda t: t.tensor([math.nan]), lambda t: t.ones(1)),
    "infinity": (lambda t: t.tensor([math.inf]), lambda t: t.tensor([1e30])),
    "sign of infinity": (lambda t: t.tensor([math.inf]), lambda t: t.tensor([-math.inf])),
    "integer": (lambda t: t.tensor([2**40]), lambda t: t.tensor([2**40 + 1])),
    "truth value": (lambda t: t.tensor([True]), lambda t: t.tensor([False])),
    "requires_grad": (lambda t: t.ones(2, requires_grad=True), lambda t: t.ones(2)),
    "grad_fn": (lambda t: t.ones(2, requires_grad=True) * 1, lambda t: t.ones(2, requires_grad=True) + 0),
    "strides": (lambda t: t.ones(2, 3).t(), lambda t: t.ones(3, 2)),
    "inference": (lambda t: t.ones(2), lambda t: t.inference_mode()(t.ones)(2)),
    "number": (lambda t: 1.0, lambda t: 1.001),
    "kind of number": (lambda t: 1.0, lambda t: 1),
    "bool for int": (lambda t: 1, lambda t: True),
    "kind": (lambda t: t.ones(()), lambda t: 1.0),
    "None": (lambda t: t.ones(()), lambda t: None),
    "count": (lambda t: [t.ones(1)], lambda t: [t.ones(1)] * 2),
    "key": (lambda t: {"a": 1}, lambda t: {"b": 1}),
    "order of keys": (lambda t: {"a": 1, "b": 1}, lambda t: {"b": 1, "a": 1}),
    "inside": (lambda t: [{"a": (1, [2.0])}], lambda t: [{"a": (1, [3.0])}]),
    "text": (lambda t: "a", lambda t: "ab"),
    "error instead": (lambda t: 1, raises(ValueError("a"))),
    "no error": (raises(ValueError("a")), lambda t: 1),
    "type of error": (raises(ValueError("a")), raises(TypeError("a"))),
    "text of error": (raises(ValueError("a")), raises(ValueError("b"))),
    "warning": (lambda t: None, warns),
    "no warning": (warns, lambda t: None),
}


@pytest.mark.parametrize("name", PLANTED)
@pytest.mark.parametrize("tolerance", ["EXACT", "ROWS", "SEMANTICS", "LAYERS"])
def test_planted(name, tolerance):
    first, second = PLANTED[name]
    near = getattr(tolerances, tolerance)
    assert told(first, second, near, facts=FACTS)
    assert told(first, first, near, facts=FACTS) == ""
    assert told(second, second, near, facts=FACTS) == ""


def test_classes_count_where_asked():
    assert told(lambda t: [1], lambda t: (1,)) == ""
    assert told(lambda t: [1], lambda t: (1,), types=True)


def test_further_lines_count():
    plain, more = raises(ValueError("a")), raises(ValueError("a\nForward call of b"))
    for near in (tolerances.SEMANTICS, tolerances.TRAINED, tolerances.LAYERS):
        assert told(plain, more, near) and told(more, plain, near)


def test_the_largest_element_counts_where_sums_cancel():
    """`steps` allows what is small beside the largest, not more."""
    near = tolerances.steps(1e-9, 1e-2)
    assert told(lambda t: t.tensor([100.0, 0.0]), lambda t: t.tensor([100.0, 0.9]), near) == ""
    assert told(lambda t: t.tensor([100.0, 0.0]), lambda t: t.tensor([100.0, 1.1]), near)
    assert told(lambda t: t.tensor([1.0, 0.0]), lambda t: t.tensor([1.0, 0.02]), near)


def test_the_order_of_keys_counts_unless_it_is_allowed():
    planted = PLANTED["order of keys"]
    assert told(*planted) and told(*planted, tolerances.steps(0, 0)) == ""
    assert told(*PLANTED["key"], tolerances.steps(0, 0))


def test_the_worst_element_is_named():
    found = told(lambda t: t.tensor([[1.0, 2.0], [3.0, 4.0]]), lambda t: t.tensor([[1.0, 2.1], [9.0, 4.0]]))
    assert found == "element 2 of 4: torch 3.0, torchlike 9.0"


def test_reports(monkeypatch):
    program = "x = torch.ones(2, requires_grad=True)\nr.append((x * 2).sum())\nx.backward()"
    assert texts.differs(program) == ""
    monkeypatch.setattr(torchlike.Tensor, "sum", torchlike.Tensor.mean)
    assert "element 0 of 1: torch 4.0, torchlike 2.0" in texts.differs(program)
