"""Every row against real torch: values and dtypes, gradients, second order, special points, errors."""

import warnings

import pytest
import torch

import torchlike
from tests.ops import compare
from tests.ops.cases import Side, tables
from torchlike._lower import kernels
from torchlike._ops.all import ROWS

CASES, SPECIAL, ERRORS = tables("CASES"), tables("SPECIAL"), tables("ERRORS")
_WIDE = ["float64", "float16", "int32", "uint8", "bool", "complex128"]
FORWARD_DTYPES = ["float32", "bfloat16", "int64", *(pytest.param(d, marks=pytest.mark.slow) for d in _WIDE)]


def expressions(table):
    return [pytest.param(e, id=f"{row}-{i}") for row, es in table.items() for i, e in enumerate(es)]


@pytest.mark.parametrize("expression", expressions(CASES))
@pytest.mark.parametrize("dtype", FORWARD_DTYPES)
def test_forward(expression, dtype):
    with torchlike.configure(compile="off"):
        compare.check_forward(torchlike, torch, expression, dtype)


@pytest.mark.parametrize("expression", expressions(CASES))
def test_gradients(expression):
    with torchlike.configure(compile="off"), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        compare.check_gradients(torchlike, torch, expression, "float64", second=True)


@pytest.mark.parametrize("expression", expressions(SPECIAL))
def test_gradients_at_special_points(expression):
    with torchlike.configure(compile="off"):
        compare.check_gradients(torchlike, torch, expression, "float64")


@pytest.mark.parametrize("expression", expressions(ERRORS))
def test_errors(expression):
    _, theirs = compare.outcome(Side(torch, "float32"), expression)
    _, mine = compare.outcome(Side(torchlike, "float32"), expression)
    assert theirs is not None, f"torch does not raise: {expression}"
    assert mine is not None, f"torch raises {theirs!r}, we do not"
    assert isinstance(mine, type(theirs)), f"{mine!r} against torch's {theirs!r}"
    assert str(mine).split("\n")[0] == str(theirs).split("\n")[0]


def _evaluate_and_read(expression) -> bool:
    """Whether it could be evaluated. What is not read is not run, and so not compiled."""
    results, error = compare.outcome(Side(torchlike, "float32"), expression)
    for result in results or ():
        compare.as_numpy(result)
    return error is None


@pytest.mark.parametrize("row", sorted(CASES))
def test_second_call_traces_nothing(row):
    """Evaluating again finds every kernel: no shape is inferred and nothing is compiled twice."""
    with torchlike.configure(compile="off"):
        for expression in CASES[row]:
            if not _evaluate_and_read(expression):
                continue
            before = dict(kernels.counters)
            _evaluate_and_read(expression)
            assert kernels.counters == before, expression


def test_every_public_row_has_cases():
    private = {name for name, row in ROWS.items() if row.face.startswith("_")} | {"alias"}
    assert sorted(set(ROWS) - set(CASES) - private) == []
