"""Two samples of every operator of PyTorch's database, forward and gradient, in float64; all of them:
``python -m compat.opinfo``.
"""

import jax.numpy as jnp
import pytest
import torch

import torchlike
from compat import gaps
from compat.findings import misses, unlisted
from compat.opinfo import channels, checks, compare, exam, hostile, out_dtypes, points, special, transforms
from tests.ops.cases import tables
from tests.speed import case, sampled
from torchlike._ops.all import ROWS

OPERATORS = exam.operators()
LISTED = gaps.operators()


def operators():
    """CI tries a third of the rows that have no cases in tests/ops, and few of the other functions."""
    with_cases, faces = {ROWS[name].face for name in set(tables("CASES")) & set(ROWS)}, {row.face for row in ROWS.values()}

    def every(op):
        face = op.name.removeprefix("nn.functional.").replace(".", "_")
        return 40 if face in with_cases else 3 if face in faces else 24

    return [case(name, ci=i % every(op) == 0) for i, (name, op) in enumerate(OPERATORS.items())]


@pytest.mark.parametrize("name", operators())
def test_as_in_the_database(name):
    found = exam.examine(OPERATORS[name], ["forward", "grad"], ["float64"], 2)
    wrong = {check: found[check] for check in misses(found) if (name, check) not in LISTED}
    assert not wrong


def test_every_row_names_an_operator_and_a_check():
    known = {*exam.CHECKS, "missing", "timeout", *(f"forward {dtype}" for dtype in exam.DTYPES)}
    for name, check in LISTED:
        assert name in OPERATORS
        assert check in known


# -- the checker sees what it must: each of these is an error planted in a result

@pytest.mark.parametrize(("want", "got"), [
    (torch.tensor([1.0]), torchlike.tensor([1.001])),
    (torch.tensor([1.0]), torchlike.tensor([1.0], dtype=torchlike.float64)),
    (torch.tensor([1.0]), torchlike.tensor(1.0)),
    (torch.tensor([1.0, float("nan")]), torchlike.tensor([1.0, 2.0])),
    (torch.tensor([1, 2]), torchlike.tensor([1, 3])),
    ([torch.ones(1)], [torchlike.ones(1), torchlike.ones(1)]),
    (torch.ones(1), 1.0),
], ids=["value", "dtype", "shape", "nan", "integer", "count", "kind"])
def test_planted_differences_are_seen(want, got):
    assert compare.difference(want, got)


def test_planted_view_is_seen():
    x = torch.ones(2, 3)
    y = torchlike.ones(2, 3)
    assert compare.of_views([x], [x.t()], [y.t().clone()])
    assert not compare.of_views([x], [x.t()], [y.t()])


def test_planted_gradient_is_seen(monkeypatch):
    op = OPERATORS["sin"]
    sample = next(iter(op.sample_inputs("cpu", torch.float64, requires_grad=True)))
    assert checks.gradient(op, sample) == ""
    monkeypatch.setattr(torchlike, "sin", torchlike.cos)
    assert "gradient 0" in checks.gradient(op, sample)
    assert checks.forward(op, sample)


def _first_sample(name, dtype=torch.float64, fits=lambda sample: True):
    op = OPERATORS[name]
    return op, next(s for s in op.sample_inputs("cpu", dtype, requires_grad=True) if fits(s))


@pytest.mark.parametrize("check", [transforms.jvp, transforms.grad, transforms.vmap], ids=lambda f: f.__name__)
def test_planted_function_is_seen_under_transforms(check, monkeypatch):
    op, sample = _first_sample("sin")
    assert check(op, sample) == ""
    monkeypatch.setattr(torchlike, "sin", torchlike.cos)
    assert "element" in check(op, sample)


def test_planted_refusals_are_seen_under_transforms(monkeypatch):
    def refuses(x):
        raise RuntimeError("planted")

    op, sample = _first_sample("sin")
    monkeypatch.setattr(torchlike, "sin", refuses)
    assert "ours raises RuntimeError: planted" in transforms.jvp(op, sample)
    assert "ours raises RuntimeError: planted" in transforms.vmap(op, sample)


def test_planted_strides_are_seen(monkeypatch):
    op, sample = _first_sample("nn.functional.avg_pool2d", fits=channels.applies)
    assert channels.check(op, sample) == ""
    pooled = torchlike.nn.functional.avg_pool2d
    monkeypatch.setattr(torchlike.nn.functional, "avg_pool2d", lambda *args, **how: pooled(*args, **how).contiguous())
    assert "strides" in channels.check(op, sample)


def test_planted_finite_numbers_are_seen_among_special_values(monkeypatch):
    op, sample = _first_sample("exp")
    assert [special.check(op, sample, turn) for turn in range(special.TURNS)] == [""] * special.TURNS
    exp = torchlike.exp
    monkeypatch.setattr(torchlike, "exp", lambda x: exp(x).nan_to_num())
    assert "torch inf, ours 1.79" in special.check(op, sample)


@pytest.mark.parametrize(("planted", "told"), [
    (lambda x: x, "ours returns"), (lambda x: jnp.zeros(2) + jnp.zeros(3), "lets through"),
    (lambda x: x._missing, "AttributeError"), (torchlike.cos, "element 0")])
def test_planted_faults_are_seen_in_hostile_samples(planted, told, monkeypatch):
    op, sample = _first_sample("sin")
    found = [kind for _, (kind, _) in hostile.examine(op, sample, random=False)]
    assert len(found) > 5
    assert not any(found)
    monkeypatch.setattr(torchlike, "sin", planted)
    assert told in " ".join(kind for _, (kind, _) in hostile.examine(op, sample, random=False) if kind)


@pytest.mark.parametrize(("planted", "told"), [
    (lambda x, *, out: out, "element"), (lambda x, *, out: out.fill_(1), "ours returns"), (torchlike.ceil, "words")])
def test_planted_faults_are_seen_in_out(planted, told, monkeypatch):
    op, sample = _first_sample("sin")
    assert len(out_dtypes.examine(op, sample, random=False)) > 5
    assert not any(kind or text for _, (kind, text) in out_dtypes.examine(op, sample, random=False))
    monkeypatch.setattr(torchlike, "sin", planted)
    found = out_dtypes.examine(op, sample, random=False)
    told_of = [kind or (text and "words") for _, (kind, text) in found]
    assert told in " ".join(filter(None, told_of))


POINTS = ["floor_divide", "remainder", "fmod", "bitwise_left_shift", "bitwise_right_shift", "pow", "gcd", "logit", "xlogy",
          "div.floor_rounding", "copysign", "nextafter", "special.scaled_modified_bessel_k0", "sign", "trunc", "round",
          "clamp_max", "hypot",
          "atan2", "maximum", "minimum", "isclose", "sigmoid", "log1p", "expm1", "lgamma", "erfinv", "exp",
          "logaddexp", "prod"]


@pytest.mark.parametrize("name", sampled(POINTS, fast=6, ci=3))
@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_special_points(name, dtype):
    """Values and gradients at nan, infinities, zeros and the limits: `python -m compat.opinfo --points` has all."""
    op = exam.operators()[name]
    if getattr(torch, dtype) in op.dtypes:
        with checks.quiet():
            assert points.examine(op, dtype) == []


def test_planted_point_is_seen(monkeypatch):
    monkeypatch.setattr(torchlike, "exp", lambda x: x.exp().nan_to_num())
    assert any("nan" in text or "inf" in text for text in points.examine(exam.operators()["exp"], "float32"))


def test_samples_are_spread_from_first_to_last():
    assert exam.spread(list(range(10)), 3) == [0, 3, 6]
    assert exam.spread([1], 3) == [1]


def test_misses_must_be_listed_and_listed_ones_must_miss():
    listed, passes, fails = {("sin", "grad"): "planted"}, {"passed": 1, "failed": 0}, {"passed": 0, "failed": 1}
    assert unlisted({"sin": {"grad": fails}}, listed) == []
    assert "passes, but is listed" in unlisted({"sin": {"grad": passes}}, listed)[0]
    assert unlisted({"sin": {"grad": passes}}, listed, whole=False) == []
    assert "not in compat/gaps.toml" in unlisted({"cos": {"grad": fails}}, listed)[0]
    assert "not in compat/gaps.toml" in unlisted({"cos": {"missing": "torch.cos"}}, listed)[0]
