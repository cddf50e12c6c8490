"""Each check passes on the finished engine, and sees an error that is planted into it."""

import pytest

from tests.course.planted import PLANTED
from tests.speed import sampled
from torchlike._course import checking, oracle, parts, runner

NAMES = [f"{step}.{name}" for step in parts.STEPS for name in runner.checks(step)]
FILE = "engine.py"


def difference(text: str, check: str):
    """Where an engine and torchlike part in a check, None if nowhere."""
    step, _, name = check.partition(".")
    try:
        engine = runner.loaded(text, FILE, "engine")
    except Exception as error:  # noqa: BLE001 - a planted error may be seen at once
        return error
    mine = runner.observed(runner.Face(engine), runner.checks(int(step))[name], FILE)
    return checking.compared(mine, oracle.expected(int(step), name), FILE)


@pytest.mark.parametrize("step", sampled(parts.STEPS, fast=4))
def test_the_solution_of_a_step_passes_up_to_it(step):
    failed = [name for name in NAMES if int(name.split(".")[0]) <= step and difference(parts.solution(step), name)]
    assert failed == []


@pytest.mark.parametrize("step", parts.STEPS[:-1])
def test_and_no_check_of_the_next(step):
    passed = [name for name in NAMES if int(name.split(".")[0]) == step + 1 and not difference(parts.solution(step), name)]
    assert len(passed) <= len(runner.checks(step + 1)) // 3  # a few need nothing new


@pytest.mark.parametrize("row", PLANTED, ids=lambda row: f"{row[2]}: {row[1].strip()[:40]}")
def test_a_planted_error_is_seen(row):
    old, new, names = row
    text = parts.solution(10)
    assert text.count(old) == 1
    for name in names.split():
        assert difference(text.replace(old, new), name) is not None


def test_every_check_has_a_planted_error():
    assert set(NAMES) - {name for row in PLANTED for name in row[2].split()} == set()


@pytest.mark.oracle
@pytest.mark.parametrize("name", NAMES)
def test_torchlike_shows_what_pytorch_shows(name):
    step, _, function = name.partition(".")
    mine, other = (oracle.expected(int(step), function, package) for package in ("torchlike", "torch"))
    assert checking.compared(mine, other, FILE) is None


def test_every_check_shows_something():
    assert all(oracle.expected(int(name.split(".")[0]), name.split(".")[1])["seen"] for name in NAMES)


def test_every_check_says_in_a_line_what_holds():
    for name in NAMES:
        step, _, function = name.partition(".")
        assert "\n" not in runner.checks(int(step))[function].__doc__
