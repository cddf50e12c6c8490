"""The benchmarks: each program builds on each engine, and the arithmetic of the tables is right."""

import importlib
import json

import numpy as np
import pytest
import torch
from rich.console import Console

import torchlike
from benchmarks import suite, table, timer, worker
from benchmarks.operators import __main__ as operators
from compat import gaps
from tests.speed import case
from torchlike._ops.all import ROWS

PROGRAMS = [case(name, fast=name != "gpt") for name in suite.PROGRAMS]
RUN = {"import": 1.0, "first_step": 2.0, "cold_start": 3.0, "look_each": 4e-6, "look_last": 3e-6}


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("package", [torch, torchlike], ids=["torch", "torchlike"])
def test_program_steps(program, package):
    step = importlib.import_module(f"benchmarks.programs.{program}").make_step(package, lambda f: f)
    first, second = (np.array(step().detach().numpy()) for _ in range(2))
    assert np.isfinite(first).all()
    assert not np.array_equal(first, second), "a step must go on from the step before"


@pytest.mark.parametrize("program", PROGRAMS)
def test_program_is_the_same_in_both(program):
    source = importlib.import_module(f"benchmarks.programs.{program}")
    steps = [source.make_step(package, lambda f: f) for package in (torch, torchlike)]
    for _ in range(3):
        expected, got = (step().detach().numpy() for step in steps)
        np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("program", [case(name, ci=name != "gpt") for name in suite.PROGRAMS])
def test_twin_steps(program):
    step = importlib.import_module(f"benchmarks.twins.{program}").make_step()
    first, second = (np.array(step()) for _ in range(2))
    assert np.isfinite(first).all()
    assert not np.array_equal(first, second)


@pytest.mark.slow
def test_a_worker_prints_its_measurements():
    found = suite.run_worker("torch", "chain", suite.Plan(seconds=0.01))
    assert set(found) >= {"import", "first_step", "cold_start", "look_each", "look_last"}
    assert found["cold_start"] == pytest.approx(found["import"] + found["first_step"])


@pytest.mark.slow
def test_a_worker_that_fails_is_an_error():
    assert "error" in suite.run_worker("torch", "nothing", suite.Plan())


def test_rounds_begin_with_another_engine():
    plan = suite.Plan(programs=["chain"], engines=["torch", "torchlike", "jax"], rounds=3)
    order = [engine for _, _, engine in suite.jobs(plan)]
    assert order == ["torch", "torchlike", "jax", "torchlike", "jax", "torch", "jax", "torch", "torchlike"]


def test_medians_and_errors():
    runs = [{**RUN, "look_each": value, "compiles": None} for value in (5.0, 1.0, 2.0)]
    assert suite.medians(runs)["look_each"] == 2.0
    assert suite.medians(runs)["compiles"] is None
    assert suite.medians([RUN, {"error": "no compiler"}]) == {"error": "no compiler"}


def test_goals_are_judged_and_shown(capsys):
    slow = {**RUN, "look_each": 2 * RUN["look_each"], "compiles": 3}
    results = {program: {"torch": RUN, "compile": {"error": "no [compiler]"}, "torchlike": slow, "jax": RUN}
               for program in suite.PROGRAMS}
    judged = {(goal.program, goal.measurement, goal.reference): value
              for goal, value in suite.judged(results)}
    assert judged["chain", "look_each", "torch"] == 2.0
    assert judged["learning_rates", "compiles", None] == 3
    table.show(Console(width=130), json.loads(json.dumps(results)))
    out = capsys.readouterr().out
    assert "no [compiler]" in out
    assert "(2.00x)" in out
    assert "NO" in out


def test_timer_counts_steps_and_looks():
    steps, looks = [], []
    seconds = timer.timed(lambda: steps.append(1), looks.append, 10, every=False)
    assert (len(steps), len(looks)) == (10, 1)
    assert seconds > 0
    timer.timed(lambda: steps.append(1), looks.append, 10, every=True)
    assert (len(steps), len(looks)) == (20, 11)


def test_warm_up_waits_for_the_compiler():
    states = iter(range(5))
    calls = []
    timer.warm_up(lambda: calls.append(1), bool, lambda: next(states, 5), least=0.0, most=0.0)
    assert calls == []
    took = timer.warm_up(lambda: None, lambda _: None, lambda: 0, least=0.02, most=5.0)
    assert 0.02 <= took < 5.0


def test_sweep_counts_only_its_own_compiles():
    done = [7]
    engine = worker.Engine(lambda: done.__setitem__(0, 9), lambda _: None, lambda: done[0], lambda: done[0])
    assert worker.compiles_of_sweep(engine) == 2


def test_slow_rows_exist():
    assert set(gaps.slow()) <= set(ROWS)


def test_a_slow_row_without_a_reason_fails(capsys):
    """Three times torch's time and a launch is the line, and the lesser of two measurements counts."""
    def found(ours):
        return {"relu": {"torch": {"forward": 1e-4}, "torchlike": {"forward": ours, "both": None}}}

    slow = found(8e-4)
    assert [entry[1:3] for entry in operators.unlisted(operators.ratios(slow))] == [("relu", "forward")]
    assert operators.report(slow) == 1
    operators.keep_lesser(slow, found(9e-4))
    assert operators.report(slow) == 1
    operators.keep_lesser(slow, found(6e-4))
    assert operators.report(slow) == 0
    assert operators.report({"gather": found(8e-4)["relu"]}) == 0  # this one has a reason
    assert "median 8.00" in capsys.readouterr().out
