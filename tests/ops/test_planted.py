"""A wrong gradient planted in a row must be seen by the checks of tests/ops/checks.py."""

import pytest
import torch

import torchlike
from tests.ops import checks
from torchlike._compile import kernels
from torchlike._ops.all import ROWS
from torchlike._record import tree
from torchlike._record.caches import caches
from torchlike._record.trace import run, state

# (row, operand, wrong rule, expression)
PLANTED = [
    ("tanh", "self", lambda g, result: g * (1 + result * result), "torch.tanh(x(3, 4))"),
    ("exp", "self", lambda g, result: g, "torch.exp(x(3))"),
    ("mul.Tensor", "other", lambda g, self: -g * self, "x(3, 4) * x(4)"),
    ("sub.Tensor", "other", lambda g: g, "x(3) - x(3)"),
    ("sum", "self", lambda g, self_aval: 2 * g, "x(3, 4).sum()"),
    ("mm", "mat2", lambda g, self: (g.T @ self).T * 1.001, "torch.mm(x(3, 4), x(4, 2))"),
    ("transpose.int", "self", lambda g: g, "x(3, 3).transpose(0, 1)"),
]


def forget():
    """Everything that was derived from the rows' gradients."""
    run(state.trace)
    kernels.cache.start_anew()
    caches.root.clear()
    caches.root.programs.clear()
    tree.counters["nodes"] = 0


def found(name):
    """The row of this name, or of its base name."""
    return ROWS[name] if name in ROWS else ROWS[name.partition(".")[0]]


@pytest.mark.parametrize(("name", "operand", "wrong", "expression"), PLANTED, ids=[p[0] for p in PLANTED])
def test_a_wrong_gradient_is_seen(name, operand, wrong, expression, monkeypatch):
    row = found(name)
    assert operand in row.grads
    checks.check_gradients(torchlike, torch, expression, "float64")
    monkeypatch.setitem(row.grads, operand, wrong)
    monkeypatch.setitem(row.needs, operand, tuple(wrong.__code__.co_varnames[:wrong.__code__.co_argcount]))
    forget()
    try:
        with pytest.raises(AssertionError):
            checks.check_gradients(torchlike, torch, expression, "float64")
    finally:
        monkeypatch.undo()
        forget()
    checks.check_gradients(torchlike, torch, expression, "float64")


def test_a_wrong_second_gradient_is_seen(monkeypatch):
    """The first gradient is right; its own gradient is cut off, as by a formula with a stop."""
    row = ROWS["tanh"]

    def cut(g, result):
        factor = 1 - kernels.jax.lax.stop_gradient(result * result)
        return g * factor

    monkeypatch.setitem(row.grads, "self", cut)
    monkeypatch.setitem(row.needs, "self", ("g", "result"))
    forget()
    try:
        checks.check_gradients(torchlike, torch, "torch.tanh(x(3, 4))", "float64")
        with pytest.raises(AssertionError):
            checks.check_gradients(torchlike, torch, "torch.tanh(x(3, 4))", "float64", second=True)
    finally:
        monkeypatch.undo()
        forget()


def test_a_wrong_value_is_seen(monkeypatch):
    row = ROWS["sin"]
    monkeypatch.setattr(row, "fn", lambda x: x)
    forget()
    try:
        with pytest.raises(AssertionError):
            checks.check_forward(torchlike, torch, "torch.sin(x(3))", "float64")
    finally:
        monkeypatch.undo()
        forget()
