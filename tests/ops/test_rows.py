"""Every row against real torch: values and dtypes, gradients, second order, special points, errors."""

import warnings

import pytest
import torch

import torchlike
from compat.opinfo import exam
from tests.ops import compare
from tests.ops.cases import Side, tables
from torchlike._lower import kernels
from torchlike._ops.all import ROWS

CASES, SPECIAL, ERRORS = tables("CASES"), tables("SPECIAL"), tables("ERRORS")
# float64 is what the gradients are taken in, and their test compares the results as well.
_WIDE = ["bfloat16", "float16", "int64", "int32", "uint8", "bool", "complex128"]
FORWARD_DTYPES = ["float32", *(pytest.param(d, marks=pytest.mark.slow) for d in _WIDE)]


def expressions(table, fast=None):
    """One parameter for each expression; of a row only the first `fast` are not slow."""
    return [pytest.param(e, id=f"{row}-{i}", marks=[pytest.mark.slow] if fast is not None and i >= fast else [])
            for row, es in table.items() for i, e in enumerate(es)]


@pytest.mark.parametrize("expression", expressions(CASES, fast=2))
@pytest.mark.parametrize("dtype", FORWARD_DTYPES)
def test_forward(expression, dtype):
    """The values and dtypes of torch; evaluated again, no shape is inferred and nothing is compiled."""
    with torchlike.configure(compile="off"):
        if compare.check_forward(torchlike, torch, expression, dtype) is None:
            return
        before, given_up = dict(kernels.counters), kernels.given_up[0]
        for result in compare.outcome(Side(torchlike, dtype), expression)[0]:
            compare.as_numpy(result)
        assert kernels.counters == before or kernels.given_up[0] != given_up


@pytest.mark.parametrize("expression", expressions(CASES, fast=1))
def test_gradients(expression):
    with torchlike.configure(compile="off"), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        compare.check_gradients(torchlike, torch, expression, "float64", second=True)


@pytest.mark.parametrize("expression", expressions(SPECIAL, fast=2))
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


def test_every_public_row_has_cases():
    """Here, or in the operator database (tests/test_opinfo.py)."""
    private = {name for name, row in ROWS.items() if row.face.startswith("_")} | {"alias"}
    examined = {op.name.removeprefix("nn.functional.").replace(".", "_") for op in exam.operators().values()}
    assert sorted(name for name in set(ROWS) - set(CASES) - private if ROWS[name].face not in examined) == []
