"""Every lesson: its programs run under each engine, one answer is the right one, and its claims hold."""

import pytest

from tests.speed import sampled
from torchlike._lessons import lesson as lessons
from torchlike._lessons import running
from torchlike._lessons.groups import GROUPS

TEXT = lessons.names()["backward_adds"].read_text()


@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore:.torch.jit.:DeprecationWarning")  # forward mode in PyTorch uses it itself
@pytest.mark.parametrize("name", sampled(lessons.names(), fast=60, ci=4))
def test_lesson(name):
    found = lessons.lesson(name)
    results = running.Results(found)
    for engine in ("tape", "torch"):
        assert len(results.correct(engine)) == 1, (engine, results[engine].output)
        results.claim(engine)
        for prose in (found.intro, found.question, found.why, found.prefer):
            assert "{{" not in results.told(prose, engine)
    assert results["torch"].output == results["tape"].output
    assert results["jax"].output
    assert len({answer.line for answer in found.answers}) == len(found.answers)
    assert all(other in lessons.names() for other in found.related)


def test_names_are_those_of_one_lesson():
    files = [path for path in lessons.TEXTS.rglob("*") if path.is_file()]
    assert sorted(files) == sorted(lessons.names().values())
    assert {path.parent.name for path in files} <= set(GROUPS)


def test_wrong_claim_is_seen():
    found = lessons.parse(TEXT.replace("p.x.grad == 6", "p.x.grad == 7"), "planted", "accumulation")
    with pytest.raises(AssertionError):
        running.Results(found).claim()


def test_right_answer_is_what_is_printed():
    found = lessons.parse(TEXT.replace("3 * x", "4 * x"), "planted", "accumulation")
    assert running.Results(found).correct() == []


@pytest.mark.parametrize(("old", "new"), [
    ("## Why", "## Whence"), ("# Two", "Two"), ("## Claims\n\n```python", "## Claims\n\n```"), ("\n- `", "\n* `"),
])
def test_what_is_missing_is_said(old, new):
    with pytest.raises(lessons.NotALessonError, match="planted"):
        lessons.parse(TEXT.replace(old, new), "planted", "accumulation")


def test_unknown_lesson():
    with pytest.raises(lessons.NotALessonError, match="there is no lesson 'nothing'"):
        lessons.lesson("nothing")
