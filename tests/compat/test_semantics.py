"""The programs of compat/semantics: each stands in one test file, and what differs is seen."""

import ast
import collections
import pathlib

import pytest
import torch

import torchlike
from compat.semantics import cells, running
from tests.programs import ALL, LISTED

TESTS = pathlib.Path(__file__).parents[1]


def wrongly_placed(texts) -> dict:
    """Topics that do not stand in exactly one ``same_as_torch(...)`` of these texts, and names of none, with how often."""
    calls = [node for text in texts if "same_as_torch" in text for node in ast.walk(ast.parse(text))
             if isinstance(node, ast.Call) and ast.unparse(node.func) == "same_as_torch"]
    count = collections.Counter(ast.literal_eval(argument) for call in calls for argument in call.args)
    topics = {cell.topic for cell in ALL}
    return {topic: count[topic] for topic in topics | set(count) if count[topic] != (topic in topics)}


def test_every_topic_has_one_test_file():
    texts = [path.read_text() for path in sorted(TESTS.rglob("test_*.py"))]
    assert wrongly_placed(texts) == {}
    assert wrongly_placed([*texts, "test_programs = same_as_torch('hooks', 'planted')"]).keys() == {"hooks", "planted"}
    assert wrongly_placed([text for text in texts if "same_as_torch(\"hooks\")" not in text]) == {"hooks": 0}


def test_every_listed_program_exists():
    assert set(LISTED) <= {cell.name for cell in ALL}


@pytest.mark.parametrize("source", [
    "show(x * 2)", "show((x * 2).sum().item())", "show((x + 1).grad_fn)", "raise ValueError('a')", "show([1, {'a': x}])",
    "show(x > 0)", "warnings.warn('a', UserWarning)", "show(1)", "show((x * 2).requires_grad)"])
@pytest.mark.parametrize("planted", [
    "show(x * 2 + 1e-3)", "show((x * 2).sum().item() + 1e-3)", "show((x * 2).grad_fn)", "raise ValueError('b')",
    "raise TypeError('a')", "show([1, {'b': x}])", "show((x > 0).int())", "warnings.warn('b', UserWarning)", "show(False)",
    "show(None)", ""])
def test_what_differs_is_seen(source, planted):
    made = [cells.Cell("planted", "it", "x = torch.tensor([0.5, -1.0], requires_grad=True)\n", text + "\n", 1)
            for text in (source, planted)]
    assert running.difference(running.run(torch, made[0]), running.run(torchlike, made[1]))
    assert not running.difference(running.run(torch, made[0]), running.run(torchlike, made[0]))
