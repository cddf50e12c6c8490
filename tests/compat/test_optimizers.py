"""All optimizers by torch's own table of their option sets and errors, under both libraries.

The product with dtypes and flags is slow: `pytest -m slow`, or ``python -m compat.optimizers``; a sample of it always runs.
"""

import pytest
import torch

import torchlike
from compat import findings, gaps
from compat.compare import difference, tolerances
from compat.optimizers import exam
from compat.optimizers.running import run, takes
from tests.speed import case, sampled

CASES = [(name, i) for name, sets in exam.SETS.items() for i in range(len(sets))]
ERRORS = [(name, i) for name in exam.INFOS for i in range(len(exam.error_inputs(name)))]
SOME = pytest.mark.parametrize("name", sampled(exam.INFOS, fast=3))


@SOME
def test_twenty_steps(name):
    """Three steps of L-BFGS are sixty iterations."""
    assert not exam.steps_differ(name, exam.last_options(name), *(("float64", 3) if name == "LBFGS" else ()))


# CI tries every fourth in float32, some in another dtype.
@pytest.mark.parametrize(("name", "number", "dtype"), sampled(
    CASES, exam.DTYPES, ci=lambda i, k: (i + k) % (30 if k else 4) == 0))
def test_every_set(name, number, dtype):
    assert not exam.steps_differ(name, exam.SETS[name][number], dtype)


@pytest.mark.parametrize(("name", "number", "flag"), sampled(CASES, exam.FLAGS, ci=2))
def test_every_flag(name, number, flag):
    if takes(exam.INFOS[name], flag):
        assert not exam.steps_differ(name, {**exam.SETS[name][number], flag: True}, count=3)


@pytest.mark.parametrize(("name", "number"), ERRORS)
def test_error_inputs(name, number):
    assert not exam.errors_differ(name, exam.error_inputs(name)[number])


@pytest.mark.parametrize("giver", [torch, torchlike], ids=lambda lib: f"from {lib.__name__}")
@SOME
def test_state_goes_to_the_other_library(name, giver):
    assert not exam.state_differs(name, giver)


@pytest.mark.parametrize(("name", "number"), [
    case(name, number, ci=number % 6 == 0) for name, number in CASES if takes(exam.INFOS[name], "differentiable")])
def test_derivative_of_a_step(name, number):
    assert not exam.derivatives_differ(name, number)


def test_every_row_names_an_optimizer_and_a_check():
    for name, check in gaps.optimizers():
        assert name in exam.INFOS
        assert check in exam.CHECKS


# -- the checker sees what it must

def test_a_difference_is_seen():
    a, b = (run(torch, exam.INFOS["Adam"], {"eps": eps}) for eps in (1e-8, 1e-4))
    near = tolerances.steps(*tolerances.OPTIMIZERS["float32"])
    assert difference(a, a, near) == ""
    assert "element" in difference([a[0][0]], [b[0][0]], near)
    assert "torch {" in difference(a[0][1], b[0][1]["param_groups"], near)


@pytest.mark.slow
def test_a_planted_optimizer_is_seen(monkeypatch):
    class Planted(torchlike.optim.SGD):
        def __init__(self, params, lr=1e-3, **options):
            super().__init__(params, lr=2 * lr, **options)

    monkeypatch.setattr(torchlike.optim, "SGD", Planted)
    assert findings.misses(exam.examine("SGD", ["float32"])) >= {"sets", "flags"}
