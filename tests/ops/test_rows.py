"""Every row against real torch: values and dtypes, gradients, second order, special points, errors."""

import warnings

import pytest
import torch

import torchlike
from compat.api import later
from compat.compare import array
from compat.opinfo import exam
from tests.ops import checks
from tests.ops.cases import Side, tables
from tests.speed import case
from torchlike._compile import kernels
from torchlike._ops.all import ROWS

CASES, SPECIAL, ERRORS = tables("CASES"), tables("SPECIAL"), tables("ERRORS")
# float64 is what the gradients are taken in, and their test compares the results as well.
DTYPES = ["float32", "bfloat16", "float16", "int64", "int32", "uint8", "bool", "complex128"]


def expressions(table, every=None):
    """One parameter for each expression; of `every` how many rows the first is fast. The first of the others is in CI.
    Without `every` all are fast."""
    return [case(e, id=f"{row}-{i}", fast=every is None or (i == 0 and k % every == 0), ci=not i)
            for k, (row, es) in enumerate(table.items()) for i, e in enumerate(es)]


def forwards():
    """Each expression in each dtype. Fast is the first of every second row in float32; CI tries each of the first in
    float32 and another: `compat.opinfo` goes through all dtypes, too."""
    return [case(e, dtype, id=f"{dtype}-{row}-{i}", fast=not i and not k and j % 2 == 0, ci=not i and k in (0, 1 + j % 7))
            for j, (row, es) in enumerate(CASES.items()) for i, e in enumerate(es) for k, dtype in enumerate(DTYPES)]


@pytest.mark.parametrize(("expression", "dtype"), forwards())
def test_forward(expression, dtype):
    """The values and dtypes of torch; evaluated again, no shape is inferred and nothing is compiled."""
    generation = kernels.cache.generation
    with torchlike.configure(compile="off"):
        if checks.check_forward(torchlike, torch, expression, dtype) is None:
            return
        before = dict(kernels.counters)
        for result in checks.outcome(Side(torchlike, dtype), expression)[0]:
            if isinstance(result, torchlike.Tensor):
                array(result)
        assert kernels.counters == before or kernels.cache.generation != generation


@pytest.mark.parametrize("expression", expressions(CASES, every=12))
def test_gradients(expression):
    with torchlike.configure(compile="off"), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        checks.check_gradients(torchlike, torch, expression, "float64", second=True)


@pytest.mark.parametrize("expression", expressions(SPECIAL, every=4))
@pytest.mark.filterwarnings("ignore:index_reduce")  # torch's, once in a process
def test_gradients_at_special_points(expression):
    with torchlike.configure(compile="off"):
        checks.check_gradients(torchlike, torch, expression, "float64")


@pytest.mark.parametrize("expression", expressions(ERRORS))
def test_errors(expression):
    _, theirs = checks.outcome(Side(torch, "float32"), expression)
    _, mine = checks.outcome(Side(torchlike, "float32"), expression)
    assert theirs is not None, f"torch does not raise: {expression}"
    assert mine is not None, f"torch raises {theirs!r}, we do not"
    assert isinstance(mine, type(theirs)), f"{mine!r} against torch's {theirs!r}"
    assert str(mine).split("\n")[0] == str(theirs).split("\n")[0]


def test_every_public_row_has_cases():
    """Here, or in the operator database (tests/compat/test_opinfo.py); those of PyTorch 2.14 have tests of their own."""
    apart = later.rows() | {name for name, row in ROWS.items() if row.face.startswith("_")} | {"alias"}
    examined = {op.name.removeprefix("nn.functional.").replace(".", "_") for op in exam.operators().values()}
    assert sorted(name for name in set(ROWS) - set(CASES) - apart if ROWS[name].face not in examined) == []
