"""The table of counterparts holds, docs/differences is what the command writes, and errors in either are seen."""

import dataclasses
import functools

import numpy as np
import pytest

from compat.conventions import answers, differing, domains, finding, page, pinning, points, rules, run, table
from compat.conventions.__main__ import ROOT, outdated
from tests.speed import every, sampled

ROWS = {row.call: row for row in table.rows()}
CHAPTERS = {name: (ROOT / page.FOLDER / f"{name}.md").read_text() for name in table.chapters()}
SAMPLE = (
    "torch.fft.ifft2(c)",
)


@functools.cache
def found(call) -> finding.Found:
    return finding.of(ROWS[call])


def stale(one) -> list:
    """What of a row's text its page has not."""
    texts = [page.counterpart(one), *([page.section(one)] if one.groups else [])]
    return [text for text in texts if text not in CHAPTERS[one.row.chapter]]


@pytest.mark.parametrize("call", sampled(ROWS, fast=frozenset(SAMPLE), ci=every(300, 7)))
def test_row_holds_and_its_page_is_fresh(call):
    one = found(call)
    assert one.problems == []
    assert stale(one) == []  # else run: python -m compat.conventions


def test_pages_have_these_rows_and_no_others():
    for name, text in CHAPTERS.items():
        calls = [
            line.split("`")[1].replace("\\|", "|")
            for line in text.split("## Differences")[0].splitlines()
            if line.startswith("| `")
        ]
        assert calls == [row.call for row in table.rows() if row.chapter == name]
    index = (ROOT / page.FOLDER / "README.md").read_text()
    assert pinning.source().rstrip() in index
    assert all(f"[{title}]({name}.md)" in index for name, title in table.chapters().items())


def test_counts():
    sums = [
        int(cell)
        for cell in (ROOT / page.FOLDER / "README.md").read_text().split("| all |")[1].split("\n")[0].split("|")
        if cell.strip()
    ]
    names, _, differing_points, *_ = sums
    assert names >= 800
    assert differing_points >= 1500


def test_planted_wrong_argument_is_seen():
    row = dataclasses.replace(
        ROWS["torch.mean(x, dim, keepdim)"], jax="jnp.mean(x, axis=0, keepdims=keepdim)", points="none"
    )
    assert finding.of(row).problems == [
        "torch.mean: another value, another gradient at ordinary points, the row says 'nothing'"
    ]


def test_planted_excuse_is_seen():
    row = dataclasses.replace(ROWS["torch.mean(x, dim, keepdim)"], differs="it does not", points="none")
    assert finding.of(row).problems == ["torch.mean: the same at ordinary points, the row says 'it does not'"]


def test_planted_wrong_name_is_seen():
    row = dataclasses.replace(
        ROWS["torch.mean(x, dim, keepdim)"], names=(("torch.sum", "torch.sum(x, dim, keepdim)"),), points="none"
    )
    assert finding.of(row).problems == ["torch.mean: torch.sum is not the same call"]


def test_planted_number_in_a_page_is_seen():
    one = found("torch.abs(x)")
    text = page.section(one)
    assert "| 0; 0 | 1; 1 |" in text
    changed = CHAPTERS["pointwise"].replace(text, text.replace("| 0; 0 | 1; 1 |", "| 0; 0 | 2; 2 |"))
    assert text not in changed
    assert outdated({f"{page.FOLDER}/pointwise.md": changed}) == {f"{page.FOLDER}/pointwise.md": changed}


@pytest.mark.slow
def test_wrong_answers_are_not_listed():
    row = dataclasses.replace(ROWS["torch.sqrt(x)"], answer=("jnp.sqrt(x) + 1",), points="unary")
    assert all("+ 1" not in (group.answer or "") for group in finding.of(row).groups)


def test_two_rows_of_one_call_are_refused(monkeypatch):
    data = {
        "twice": {
            "title": "",
            "order": 1,
            "family": [{"inputs": {"x": "any(6)"}, "points": "unary", "rows": [["torch.sin(x)", "jnp.sin(x)"]] * 2}],
        }
    }
    monkeypatch.setattr(table, "_files", lambda: data)
    with pytest.raises(ValueError, match=r"torch.sin\(x\) has two rows"):
        table.rows.__wrapped__()


@pytest.mark.parametrize(
    ("call", "name"),
    [
        ("torch.sum(x, dim)", "torch.sum"),
        ("x.view(2)", "Tensor.view"),
        ("torch.sort(x).values", "torch.sort"),
        ("x.T", "Tensor.T"),
        ("F.relu(x)", "torch.nn.functional.relu"),
        ("torch.split(x, 2)[0]", "torch.split"),
        ("x[i]", "Tensor.__getitem__"),
        ("steps(torch.optim.Adam, x, g)", "torch.optim.Adam"),
        ("torch.zeros(3).uniform_(2, 3)", "Tensor.uniform_"),
    ],
)
def test_the_name_of_a_call(call, name):
    assert table.called(call) == name


def test_a_call_by_another_name():
    assert table.renamed("torch.sum(x, dim).values", "Tensor.sum") == "x.sum(dim).values"
    assert table.renamed("x.numel()", "Tensor.nelement") == "x.nelement()"
    assert table.renamed("F.relu(x)", "torch.relu") == "torch.relu(x)"


def test_pin_has_the_derivatives_that_are_named():
    row = dataclasses.replace(ROWS["torch.sin(x)"], jax="pin(x, 2.0, nan, inf)")
    value, slope, bend = run.by_jax(row.jax, {"x": np.ones(2, np.float32)}, row)
    assert (value[0] == 2).all()
    assert np.isnan(slope[0]).all()
    assert (bend[0] == np.inf).all()


def test_domains_are_the_same_everywhere():
    assert np.allclose(domains.made("any(2)", "seed"), domains.made("any(2)", "seed"))
    assert domains.made("index(4;3)", "seed").max() < 3
    assert domains.FORM.fullmatch("weight (decay)") is None


def test_rounding_is_no_difference_and_signs_of_zeros_are_one_in_values():
    one = [np.array([1.0, 0.0], np.float32)]
    assert differing.unlike(0, one, [np.array([1.0001, 0.0], np.float32)]) is None
    assert differing.unlike(0, one, [np.array([1.1, -0.0], np.float32)]) == [(0, (0,)), (0, (1,))]
    assert differing.unlike(1, one, [np.array([1.0, -0.0], np.float32)]) is None
    assert differing.unlike(0, one, [np.array([1, 0], np.int32)]) == "dtype"
    assert differing.unlike(0, one, run.Raised("TypeError")) == "error"


def test_rounding_errors_of_singular_points_are_left_out():
    inputs = {"x": np.array([1.1, 2.3], np.float32)}
    for factor, kept in (("1e6", {}), ("1", {0: [(0, (0,)), (0, (1,))]})):
        row = dataclasses.replace(
            ROWS["torch.sin(x)"], call=f"torch.sin(x * {factor})", jax=f"jnp.sin(x * {factor}) + 1.5", levels=1
        )
        want, got = run.by_torch(row.call, inputs, row), run.by_jax(row.jax, inputs, row)
        unlike = differing.all_levels(want, got)
        assert finding._steady(row, points.Point(inputs, ("",), ("",)), unlike, want, got) == kept


def test_points_that_a_row_leaves_out():
    row = ROWS["torch.mean(x, dim, keepdim)"]
    kinds = {kind for point in points.of(row) for kind in point.kinds}
    fewer = {kind for point in points.of(dataclasses.replace(row, without=("empty",))) for kind in point.kinds}
    assert kinds - fewer == {"empty"}


def test_rules_of_a_kink():
    row = dataclasses.replace(ROWS["F.relu(x)"], jax="jnp.maximum(x, 0)", levels=2)
    point = next(iter(points.of(row)))
    want, got = run.by_torch(row.call, point.inputs, row)[1], run.by_jax(row.jax, point.inputs, row)[1]
    places = [i for i, kind in enumerate(point.kinds) if kind == "zeros"]
    assert (
        rules.at_elements(row, 1, point, places, want, got).rule
        == "PyTorch: the derivative from the left; JAX: the mean of the derivatives from both sides"
    )


def test_whole_expressions_are_substituted():
    assert answers.substituted("f(x, axis=1) + y", {"x": "x.astype(int)"}) == "f(x.astype(int), axis=1) + y"
    assert points.number(float("-inf")) == "-inf"
    assert points.number(1e-20) == "1e-20"
    assert points.number(complex(1, 1e-9)) == "1+0j"
    assert rules._of_operands([np.float32(0.5), np.float32(0.5)]) == "half to each"
