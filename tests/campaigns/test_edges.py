"""The campaign at the edges of what numbers can be: a sample, and that it sees planted errors."""

import jax.numpy as jnp
import pytest
import torch

from tests.campaigns import edges
from tests.ops import cases
from tests.ops.test_planted import forget
from torchlike._ops.all import ROWS
from torchlike._ops.numerics import sums

SAMPLE = ("torch.softmax(x(3, 4).real, 1)", "F.cross_entropy(x(3, 5), i(5, 3))",
          "F.layer_norm(x(2, 3, 5), (5,), x(5), x(5))", "F.mse_loss(x(3, 4), x(3, 4))", "x(3, 4).mean(1)",
          "torch.sum(x(3, 4))", "x(3, 4).std(1)", "torch.var(x(3, 4))",
          "torch.cumsum(x(3, 4), 0)", "torch.logcumsumexp(x(3, 4), 0)", "torch.logsumexp(x(3, 4), 1)", "torch.prod(x(3, 4))",
          "torch.renorm(x(3, 4), 2, 0, 0.5)", "F.normalize(x(2, 5))", "torch.cummax(x(3, 4), 0)[0]")


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["float32", "float16", "float64", "int64"])
def test_sample(dtype):
    report = edges.reported(edges.drawn(7, SAMPLE, (dtype,), at_length=False), edges.examined)
    assert report.complaints() == []
    assert report.cases > (15 if dtype == "int64" else 400)


@pytest.mark.slow
@pytest.mark.parametrize("expression", ["torch.mean(x(3, 4))", "torch.cumsum(x(3, 4), 0)", "torch.logsumexp(x(3, 4), 1)"])
def test_many_elements(expression):
    for dtype in ("float16", "float32"):
        for kind in ("long", "long columns"):
            failures, counts = edges.examined(edges.Case(expression, dtype, kind))
            assert counts and failures == []


@pytest.mark.slow
def test_a_process_with_bounds(monkeypatch):
    case = edges.Case("torch.mean(x(3, 4))", "float32", "largest")
    with edges.Apart() as process:
        assert process.examined(case) == edges.examined(case) == ([], True)
        monkeypatch.setattr(process, "answer", lambda limit: {"ended": "no answer"})
        assert process.examined(case) is None


def test_cheap_cases_come_first():
    drawn = edges.drawn(7, ("torch.sum(x(3, 4))",))
    first = next(i for i, case in enumerate(drawn) if case.kind in edges.AT_LENGTH)
    assert all(case.kind in edges.AT_LENGTH for case in drawn[first:]) and len(drawn[first:]) == 12
    report = edges.reported(drawn[:2], lambda case: None)
    assert report.cases == 0 and "2 passed over" in " ".join(report.notes)


@pytest.mark.slow
def test_every_row_is_reached():
    """An operator of these modules is examined as soon as tests/ops has a case of it."""
    reached = set().union(*edges.expressions().values())
    chosen = {name for name, row in ROWS.items() if row.home.startswith(edges.HOMES) and not row.is_private}
    assert sorted(chosen & {*cases.tables("CASES")} - reached) == []


def test_cotangents_of_complex_results_are_complex():
    """Also where the operands are real."""
    case = edges.Case("torch.complex(x(3, 4), x(3, 4)).sum(1)", "float64", "plain")
    assert edges.Side(torch, case).cotangent(torch.ones(3, dtype=torch.complex128)).imag.all()
    assert edges.examined(case, ("numpy",)) == ([], True)


def _overflowing(x, *, dim=None, keepdim=False, dtype=None):
    return sums.total(x / x.size, range(x.ndim))


def _without_nan(x, *, dim=None, keepdim=False, dtype=None):
    return jnp.nanmean(x)


@pytest.mark.parametrize(("wrong", "kind"), [(_overflowing, "largest"), (_without_nan, "nan middle")])
def test_planted_errors_are_seen(wrong, kind, monkeypatch):
    case = edges.Case("torch.mean(x(3, 4))", "float32", kind)
    reasons = [row for row in edges.gaps.edges() if "mean" not in row["names"]]
    monkeypatch.setattr(edges.gaps, "edges", lambda: reasons)
    assert edges.examined(case) == ([], True)
    monkeypatch.setattr(ROWS["mean"], "fn", wrong)
    forget()
    try:
        failures, _ = edges.examined(case)
    finally:
        monkeypatch.undo()
        forget()
    assert [failure.what.partition(":")[0] for failure in failures] == [edges.PLACES] * len(edges.TIERS)
    assert failures[0].case.startswith("examined(Case(")
