"""The solutions and skeletons that are cut out of the finished engine, and the texts of the steps."""

import ast
import re

import pytest

from tests.test_layering import ROOT
from torchlike._course import checking, oracle, parts, runner
from torchlike._course.steps import TEXTS, step

FILE = "engine.py"


def outcomes(text: str, number: int) -> list:
    engine = runner.loaded(text, FILE, "engine")
    return [checking.compared(runner.observed(runner.Face(engine), check, FILE), oracle.expected(number, name), FILE)
            for name, check in runner.checks(number).items()]


@pytest.mark.parametrize("number", parts.STEPS)
def test_no_mark_is_left(number):
    for text in (parts.solution(number), parts.skeleton(number)):
        ast.parse(text)
        assert not re.search(r"# \[|# given", text)


@pytest.mark.parametrize("number", parts.STEPS)
def test_a_skeleton_defines_all_names_of_its_step(number):
    def names(text):
        return {node.name for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef | ast.ClassDef)}

    def of_methods(text):
        return {ast.unparse(node.targets[0]) for node in ast.parse(text).body if isinstance(node, ast.Assign)}

    before = parts.solution(number - 1) if number > 1 else ""
    new = names(parts.solution(number)) - names(before)
    inner = {"unpack", "pullback"}  # functions in functions
    assert new - inner <= names(parts.skeleton(number))
    assert of_methods(parts.solution(number)) - of_methods(before) <= of_methods(parts.skeleton(number))


@pytest.mark.parametrize("number", parts.STEPS)
def test_a_skeleton_says_that_it_is_not_written(number):
    before = parts.solution(number - 1) if number > 1 else ""
    found = [difference for difference in outcomes(before + "\n" + parts.skeleton(number), number) if difference]
    assert found
    if number not in (2, 6):  # where Tensor itself has to be changed first
        assert any("not written yet" in difference.mine for difference in found)


@pytest.mark.parametrize("number", parts.STEPS[1:])
def test_a_skeleton_breaks_no_step_before(number):
    text = parts.solution(number - 1) + "\n" + parts.skeleton(number)
    assert [difference for before in range(1, number) for difference in outcomes(text, before) if difference] == []


def test_the_engine_is_small():
    lines = parts.solution(10).splitlines()
    documented = {line for node in ast.walk(ast.parse(parts.solution(10)))
                  if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node)
                  for line in range(node.body[0].lineno, node.body[0].end_lineno + 1)}
    code = [line for number, line in enumerate(lines, 1)
            if line.strip() and not line.strip().startswith("#") and number not in documented]
    assert len(code) < 300


@pytest.mark.parametrize("number", parts.STEPS)
def test_texts(number):
    found = step(number)
    assert len(found.hints) >= 3
    assert "## What to write" in found.text and "## In PyTorch and torchlike" in found.text
    assert "Hints" not in found.text
    assert all(len(line) <= 125 for text in (found.text, *found.hints) for line in text.splitlines())
    for path in re.findall(r"`(torchlike/[\w/.]+|docs/[\w.]+)`", found.text):
        assert (ROOT / path).exists(), path


def test_each_step_has_one_text_and_one_file_of_checks():
    numbers = [f"{number:02}_" for number in parts.STEPS]
    assert [path.name[:3] for path in sorted(TEXTS.iterdir())] == numbers
    assert [path.name[5:8] for path in sorted(runner.CHECKS.glob("step_*.py"))] == numbers
