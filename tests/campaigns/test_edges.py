"""The campaign at the edges of what numbers can be: a sample, and that it sees planted errors."""

import jax.numpy as jnp
import pytest
import torch

import torchlike
from compat import gaps
from tests.campaigns import edges
from tests.campaigns.edges_bounds import PLACES
from tests.campaigns.edges_sides import AT_LENGTH, LENGTHS, Case, Side
from tests.ops import cases
from tests.ops.test_planted import forget
from tests.speed import sampled
from torchlike._ops.all import ROWS
from torchlike._ops.numerics import sums

SAMPLE = ("torch.softmax(x(3, 4).real, 1)", "F.cross_entropy(x(3, 5), i(5, 3))",
          "F.layer_norm(x(2, 3, 5), (5,), x(5), x(5))", "F.mse_loss(x(3, 4), x(3, 4))", "x(3, 4).mean(1)",
          "torch.sum(x(3, 4))", "x(3, 4).std(1)", "torch.var(x(3, 4))",
          "torch.cumsum(x(3, 4), 0)", "torch.logcumsumexp(x(3, 4), 0)", "torch.logsumexp(x(3, 4), 1)", "torch.prod(x(3, 4))",
          "torch.renorm(x(3, 4), 2, 0, 0.5)", "F.normalize(x(2, 5))", "torch.cummax(x(3, 4), 0)[0]")


@pytest.mark.parametrize("dtype", sampled(["float32", "float16", "float64", "int64"], ci=4))
def test_sample(dtype):
    report = edges.reported(edges.drawn(7, SAMPLE, (dtype,), at_length=False), edges.examined)
    assert report.complaints() == []
    assert report.cases > (15 if dtype == "int64" else 400)


@pytest.mark.parametrize("expression", sampled(
    ["torch.mean(x(3, 4))", "torch.cumsum(x(3, 4), 0)", "torch.logsumexp(x(3, 4), 1)"], ci=3))
def test_many_elements(expression):
    for dtype in ("float16", "float32"):
        for kind in ("long", "long columns"):
            failures, counts = edges.examined(Case(expression, dtype, kind))
            assert counts and failures == []


@pytest.mark.slow
def test_a_process_with_bounds(monkeypatch):
    case = Case("torch.mean(x(3, 4))", "float32", "largest")
    with edges.Apart() as process:
        assert process.examined(case) == edges.examined(case) == ([], True)
        monkeypatch.setattr(process, "answer", lambda limit: {"ended": "no answer"})
        assert process.examined(case) is None


@pytest.mark.parametrize("told", ["can't allocate memory: you tried", "values"])
def test_what_lacks_memory_is_asked_again(monkeypatch, told):
    failure, asked = edges.Failure("torch.sum(x) [numpy]", f"RuntimeError: {told}", "", 1), []
    process = edges.Apart()

    def examined(case):
        asked.append(case)
        return ([failure], True) if len(asked) == 1 else ([], True)

    monkeypatch.setattr(process, "_examined", examined)
    assert process.examined("a case") == (([], True) if "memory" in told else ([failure], True))
    assert len(asked) == 1 + ("memory" in told)


def test_each_tier_runs_what_it_is_named_after():
    """Also where the program is compiled already."""
    ran = []
    for kind in ("plain", "largest"):
        for tier in edges.TIERS:
            before = torchlike.counters()
            assert edges.examined(Case("torch.mean(x(2, 7))", "float32", kind), (tier,)) == ([], True)
            after = torchlike.counters()
            ran.append((after["hot_runs"] - before["hot_runs"], after["cold_runs"] - before["cold_runs"]))
    assert ran == [(0, 1), (0, 1), (1, 0)] * 2


def test_a_run_goes_on_where_another_ended():
    drawn = edges.drawn(7, ("torch.sum(x(3, 4))",), at_length=False)
    first = edges.reported(drawn, lambda case: ([], True), begin=len(drawn) - 2)
    assert first.points == {*drawn[-2:]} and "begin" not in " ".join(first.notes)
    assert edges.reported(drawn, None, deadline=0.0, begin=5).notes[-1].endswith("--begin 5 goes on there")


def test_no_case_is_asked_twice():
    """A single number is neither empty nor long; of one dimension rows and columns are the same."""
    kinds = [[(case.kind, case.operand) for case in edges.cases_of(expression, "float32") if case.kind in LENGTHS]
             for expression in ("x().mean()", "x(3).mean()", "torch.sum(x(3, 4))")]
    assert kinds == [[], [("empty", 0), ("long", 0)], [("empty", 0), ("long", 0), ("long columns", 0)]]
    assert {case.operand for case in edges.cases_of("x(3).mean()", "float32")} == {0}
    assert {case.operand for case in edges.cases_of("F.mse_loss(x(3, 4), x(3, 4))", "float32")} == {0, 1, None}


def test_cheap_cases_come_first():
    drawn = edges.drawn(7, ("torch.sum(x(3, 4))",))
    first = next(i for i, case in enumerate(drawn) if case.kind in AT_LENGTH)
    assert all(case.kind in AT_LENGTH for case in drawn[first:]) and len(drawn[first:]) == 6
    report = edges.reported(drawn[:2], lambda case: None)
    assert report.cases == 0 and "2 passed over" in " ".join(report.notes)


@pytest.mark.slow
@pytest.mark.exhaustive
def test_every_row_is_reached():
    """An operator of these modules is examined as soon as tests/ops has a case of it."""
    reached = set().union(*edges.expressions().values())
    chosen = {name for name, row in ROWS.items() if row.home.startswith(edges.HOMES) and not row.is_private}
    assert sorted(chosen & {*cases.tables("CASES")} - reached) == []


def test_cotangents_of_complex_results_are_complex():
    """Also where the operands are real."""
    case = Case("torch.complex(x(3, 4), x(3, 4)).sum(1)", "float64", "plain")
    assert Side(torch, case).cotangent(torch.ones(3, dtype=torch.complex128)).imag.all()
    assert edges.examined(case, ("numpy",)) == ([], True)


def _overflowing(x, *, dim=None, keepdim=False, dtype=None):
    return sums.total(x / x.size, range(x.ndim))


def _without_nan(x, *, dim=None, keepdim=False, dtype=None):
    return jnp.nanmean(x)


@pytest.mark.parametrize(("wrong", "kind"), [(_overflowing, "largest"), (_without_nan, "nan middle")])
def test_planted_errors_are_seen(wrong, kind, monkeypatch):
    case = Case("torch.mean(x(3, 4))", "float32", kind)
    reasons = [row for row in gaps.edges() if "mean" not in row["names"]]
    monkeypatch.setattr(gaps, "edges", lambda: reasons)
    assert edges.examined(case) == ([], True)
    monkeypatch.setattr(ROWS["mean"], "fn", wrong)
    forget()
    try:
        failures, _ = edges.examined(case)
    finally:
        monkeypatch.undo()
        forget()
    assert [failure.what.partition(":")[0] for failure in failures] == [PLACES] * len(edges.TIERS)
    assert failures[0].case.startswith("examined(Case(")
