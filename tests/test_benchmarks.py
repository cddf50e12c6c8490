"""The benchmarks: each program builds on each engine, and the arithmetic of the tables is right."""

import ast
import contextlib
import importlib
import io
import json
from types import SimpleNamespace

import jax
import numpy as np
import pytest
import torch
from rich.console import Console

import torchlike
from benchmarks import scaling, suite, table, timer, worker
from benchmarks.first import __main__ as first
from benchmarks.first import limits, training
from benchmarks.first import suite as first_suite
from benchmarks.first import table as first_table
from benchmarks.gpu import __main__ as on_gpu
from benchmarks.gpu import device, programs
from benchmarks.gpu import suite as gpu_suite
from benchmarks.memory import __main__ as memory
from benchmarks.memory import resident
from benchmarks.operators import __main__ as operators
from benchmarks.operators import cases, inputs
from benchmarks.programs import cnn, gpt
from compat import gaps
from tests.speed import case
from torchlike._ops.all import ROWS

SLOW = ("gpt", "gpt_lengths", "resnet18", "maml", "decode")
PROGRAMS = [case(name, fast=name not in SLOW) for name in suite.PROGRAMS]
TWINS = [case(name, ci=name != "gpt") for name, engines in suite.PROGRAMS.items() if "jax" in engines]
RUN = {"import": 1.0, "first_step": 2.0, "cold_start": 3.0, "look_each": 4e-6, "look_last": 3e-6}


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("package", [case(torch, ci=False), case(torchlike, fast=True)], ids=["torch", "torchlike"])
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


@pytest.mark.parametrize("program", TWINS)
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


def test_a_program_runs_under_its_engines_alone():
    plan = suite.Plan(programs=["chain", "lstm"], rounds=1)
    assert [(program, engine) for _, program, engine in suite.jobs(plan)] == [
        *(("chain", engine) for engine in worker.ENGINES), ("lstm", "torch"), ("lstm", "torchlike")]


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


def test_what_stays_cold_is_warm():
    counted = {"programs": 1, "misses": 2, "cold_runs": 3, "pending": 1}
    busy = timer.compiling(SimpleNamespace(counters=lambda: counted))
    waiting = busy()
    counted["cold_runs"] += 1
    assert busy() != waiting
    counted["pending"] = 0
    warm = busy()
    counted["cold_runs"] += 1
    assert busy() == warm


def test_sweep_counts_only_its_own_compiles():
    done = [7]
    engine = worker.Engine(lambda: done.__setitem__(0, 9), lambda _: None, lambda: done[0], lambda: done[0])
    assert worker.compiles_of_sweep(engine) == 2


def test_every_row_has_its_expression_or_none():
    known = inputs.names() | {"torch", "F"}
    texts = [text for row in ROWS.values() if (text := cases.expression(row)) is not None]
    assert len(texts) > 300
    for text in texts:
        free = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
        assert free <= known, text


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


def test_cnn_is_the_same_in_both():
    steps = [cnn.make_step(package, lambda f: f) for package in (torch, torchlike)]
    losses = [[step().item() for _ in range(3)] for step in steps]
    np.testing.assert_allclose(losses[1], losses[0], rtol=1e-4)
    assert len(set(losses[0])) == 3


@pytest.mark.slow
@pytest.mark.exhaustive
def test_first_steps_in_fresh_processes(capsys):
    """A tiny run of everything that needs no package, and its tables."""
    assert first.main(["import", "mlp", "looks", "--rounds", "1", "--steps", "4", "--early", "3", "--patience", "0",
                       "--looks", "5", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    for engine in ("torch", "cold", "warm"):
        assert set(found["results"]["mlp"][engine]) >= {"build", "first_step", "early", "steps", "hot_after", "process"}
        assert found["results"]["looks"][engine]["exp_first"] > 0
    assert found["results"]["import"]["jax"]["import"] > 0
    assert {entry["limit"]["program"] for entry in found["limits"]} == {"import", "mlp", "looks"}
    first_table.show(Console(width=130), found["results"], found["sizes"])
    assert "steps 2 to 4" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize("package", [torch, torchlike], ids=["torch", "torchlike"])
def test_lengths(package):
    sizes = training.Sizes(steps=1, turns=1, length_steps=2)
    assert training.gpt_lengths(package, sizes)["new_length"] > 0
    assert training.many_lengths(package, sizes)["all_lengths"] > 0


def test_fifty_lengths_are_met():
    assert len({i * training.STRIDE % training.LENGTHS for i in range(training.LENGTHS)}) == training.LENGTHS


def test_a_program_is_hot_after_steps_that_ran_compiled():
    states = iter([(1, 0), (2, 0), (2, 1), (3, 1), (3, 2), (3, 3), (3, 4)])

    class Library:
        @staticmethod
        def counters():
            cold, hot = next(states)
            return {"cold_runs": cold, "hot_runs": hot}

    watch = training.Watch(Library)  # takes the first state
    for second in range(6):
        assert watch.waiting
        watch.after_step(float(second))
    assert (watch.hot_after, watch.hot_steps) == (2.0, 3)


def test_first_limits_hold_or_are_broken():
    """At the limit, beyond it, beyond it by more than the margin, not reached, failed, skipped."""
    def verdict(measured, reference=1.0):
        engine = measured if isinstance(measured, dict) else {"process": measured}
        found = {"gpt2": {"torch": {"process": reference}, "cold": engine, "warm": engine}}
        (only,) = limits.judged(found)
        return only.holds, only.broken

    assert verdict(1.5) == (True, False)
    assert verdict(1.8) == (False, False)
    assert verdict(1.9) == (False, True)
    assert verdict(None) == (False, True)
    assert verdict({"error": "does not run"}) == (False, True)
    assert verdict({"skipped": "not installed"}) == (None, False)


def test_first_limits_take_the_larger_and_take_jax_off():
    found = {"import": {"torch": {"import": 1.0}, "cold": {"import": 0.9}, "jax": {"import": 0.5}},
             "cnn": {"torch": {"first_step": 0.2, "steps": 1.0}, "cold": {"first_step": 0.7, "steps": 1.0},
                     "warm": {"hot_after": None}}}
    imported, step, *_ = limits.judged(found)
    assert imported.measured == pytest.approx(0.4)
    assert not imported.holds
    assert step.allowed == pytest.approx(0.8)
    assert step.holds


def test_warm_processes_find_the_cache_of_the_cold_one():
    order = [(turn, engine) for turn, _, engine in first_suite.jobs(first_suite.Plan(programs=["mlp"], rounds=2))]
    assert order == [(0, "torch"), (0, "cold"), (0, "warm"), (1, "cold"), (1, "warm"), (1, "torch")]


def test_check_fails_if_a_limit_is_broken(monkeypatch):
    slow = {"gpt2": {"torch": {"process": 1.0}, "cold": {"process": 2.0}, "warm": {"process": 2.0}}}
    monkeypatch.setattr(first_suite, "run", lambda plan, report: (slow, {}))
    assert first.main(["gpt2"]) == 0
    assert first.main(["gpt2", "--check"]) == 1
    slow["gpt2"]["cold"]["process"] = 1.6
    assert first.main(["gpt2", "--check"]) == 0


# -- benchmarks.gpu, on the CPU

@pytest.mark.slow
@pytest.mark.exhaustive  # two minutes
def test_the_gpu_benchmark_runs_at_a_tiny_scale(tmp_path, capsys, monkeypatch):
    file = tmp_path / "results.json"
    monkeypatch.setattr("sys.argv", ["benchmarks.gpu", "--scale", "tiny", "--device", "cpu", "--engines", "torch", "jax",
                                     "torchlike", "--seconds", "400", "--json", str(file)])
    assert on_gpu.main() == 0
    results = json.loads(file.read_text())["results"]
    assert [*results] == [*programs.PROGRAMS]
    for program, engines in results.items():
        for row in engines.values():
            assert row["read_step"] > 0 and row["first_step"] > 0 and row["items_per_second"] > 0
            assert ("step" in row) == programs.PROGRAMS[program].ends_steps
    assert "tokens/s" in capsys.readouterr().out


@contextlib.contextmanager
def compiled_with_little_effort():
    """What JAX compiles inside will run a few times only."""
    before = jax.config.read("jax_disable_most_optimizations")
    jax.config.update("jax_disable_most_optimizations", True)
    try:
        yield
    finally:
        jax.config.update("jax_disable_most_optimizations", before)


@pytest.mark.slow
@pytest.mark.exhaustive
def test_gpu_programs_are_the_same_in_both_and_their_twins_learn():
    for program in programs.PROGRAMS.values():
        options = program.options("tiny")
        source = importlib.import_module(f"benchmarks.programs.{program.module}")
        steps = [source.make_step(package, lambda f: f, **options) for package in (torch, torchlike)]
        rough = 2e-2 if program.module == "gpt" else 1e-4  # bfloat16
        expected, got = (step().detach().numpy() for step in steps)
        np.testing.assert_allclose(got, expected, rtol=rough, atol=1e-5)
        with compiled_with_little_effort():
            twin = importlib.import_module(f"benchmarks.twins.{program.module}").make_step(**options)
            first, *_, last = (np.array(twin()) for _ in range(5))
        assert np.isfinite(last).all() and (last < first if last.ndim == 0 else not np.array_equal(first, last))


def test_arithmetic_of_the_models():
    gpt2, resnet50 = (programs.PROGRAMS[name].sizes["full"] for name in ("gpt2", "resnet50"))
    assert gpt2.flops / gpt2.items == pytest.approx(854e6, rel=0.01)  # 6 x 123.6M and 12 x 12 x 1024 x 768
    assert resnet50.flops / resnet50.items / 6 == pytest.approx(4.09e9, rel=0.01)  # products, as in the tables of models


@pytest.mark.parametrize(("name", "arithmetic", "flops"), [
    ("NVIDIA H100 80GB HBM3", "bfloat16", 989e12), ("NVIDIA H100 PCIe", "bfloat16", 756e12),
    ("NVIDIA H200", "tf32", 494.5e12),
    ("NVIDIA A100-SXM4-80GB", "bfloat16", 312e12), ("NVIDIA L4", "bfloat16", 121e12), ("NVIDIA L40S", "bfloat16", 362e12),
    ("NVIDIA L40", "bfloat16", None), ("Tesla T4", "tf32", None), ("NVIDIA H200", None, None)])
def test_peaks_by_the_name_of_the_device(name, arithmetic, flops):
    assert programs.peak_flops(name, arithmetic) == flops


def test_busy_time_counts_what_runs_side_by_side_once():
    assert device.union([(3, 4), (0, 1), (0.5, 2), (0.6, 0.7)]) == 3
    assert device.union([]) == 0

    class Line:
        def __init__(self, name, *spans):
            self.name = name
            self.events = [type("Event", (), {"start_ns": a, "duration_ns": b - a}) for a, b in spans]

    class Plane:
        name = "/device:GPU:0"
        lines = (Line("Stream #1(Compute)", (0, 1e9), (2e9, 3e9)), Line("XLA Modules", (0, 3e9)))

    assert device.union(device.spans_of(Plane)) == 2
    Plane.name = "/host:CPU"
    assert device.spans_of(Plane) == []


def test_budgets_fit_and_flow():
    todo = gpu_suite.jobs(gpu_suite.Plan())
    assert todo[0] == ("chain", "torch") and {engine for _, engine in todo[-3:]} == {"compile"}
    assert gpu_suite.budget(510, todo) == 25 and gpu_suite.budget(510, todo[-1:]) == 510 and gpu_suite.budget(10, todo) == 10
    left = 510.0
    while todo:
        left -= gpu_suite.budget(left, todo)
        todo = todo[1:]
    assert left == pytest.approx(0)


def test_a_gpu_job_that_takes_too_long_or_fails_is_a_row():
    found = gpu_suite.run_worker("chain", "torch", gpu_suite.Plan(device="cpu"), 1.0)
    assert "took longer" in found["error"]
    assert gpu_suite.run_worker("chain", "torch", gpu_suite.Plan(device="cpu"), 0.0) == {"error": "no time was left"}


@pytest.mark.slow
@pytest.mark.skipif(torchlike.cuda.is_available(), reason="there is a GPU")
def test_a_job_without_its_gpu_says_so():
    found = gpu_suite.run_worker("chain", "torchlike", gpu_suite.Plan(), 60.0)
    assert "not compiled with CUDA" in found["error"] and found["import"] > 0


@pytest.mark.parametrize("engine", [case("torch"), case("cold")])
def test_memory_of_a_step(engine):
    size = gpt.Size(depth=2, width=64, heads=2, length=16, batch=2, checkpoint=True, forced=True)
    found = memory.run_worker(engine, size, 1)
    assert found["peak"] >= found["between"] and found["seconds"] > 0
    shown = Console(width=130, record=True, file=io.StringIO())
    memory.show(shown, {"plain": {engine: found, "jax": {"error": "none"}}})
    text = shown.export_text()
    assert engine in text and "none" in text


def test_the_peak_is_forgotten():
    resident.forget_peak()
    before = resident.peak()
    array = np.ones(1 << 22)
    assert resident.peak() - before >= 0.9 * array.nbytes
    del array
    resident.forget_peak()
    assert resident.peak() - before < 8 << 20


def test_tables_of_scaling(tmp_path):
    guide = tmp_path / "guide.md"
    guide.write_text(f"before\n{scaling.BEGIN}old\n{scaling.END}after\n")
    scaling.write(scaling.table(["a", "b"], [["1", "2"]]), guide)
    assert guide.read_text() == f"before\n{scaling.BEGIN}| a | b |\n| --- | --- |\n| 1 | 2 |\n{scaling.END}after\n"
    scaling.write("", guide)
    assert guide.read_text() == f"before\n{scaling.BEGIN}{scaling.END}after\n"
    guide.write_text("no place\n")
    with pytest.raises(ValueError, match="no place"):
        scaling.write("", guide)
    found = [("all-reduce", 12, 8, ["f32", "f32"]), ("all-reduce", 4, 8, ["bf16"]), ("all-reduce", 64, 8, ["s64"])]
    assert scaling.told(found, "all-reduce") == "3: 16"
