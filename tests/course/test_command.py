"""`torchlike course ...` as a learner uses it."""

import io
import json

import pytest

from torchlike._course import checking, parts, runner
from torchlike.cli import main


@pytest.fixture
def course(tmp_path, monkeypatch, capsys):
    """A folder with a course that was just begun, the current one; what was printed is forgotten."""
    monkeypatch.chdir(tmp_path)
    assert main(["course", "start"]) == 0
    capsys.readouterr()
    return tmp_path / "course"


def progress(course):
    return json.loads((course / "course.json").read_text())


def test_without_a_course(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["course"]) == 0
    printed = capsys.readouterr().out
    assert "10  A tracer" in printed and "torchlike course start" in printed
    assert main(["course", "check"]) == 2
    assert "there is no course in this folder" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_start(tmp_path, capsys):
    assert main(["course", "start", str(tmp_path / "mine")]) == 0
    assert sorted(path.name for path in (tmp_path / "mine").iterdir()) == ["01_values.md", "course.json", "engine.py"]
    assert (tmp_path / "mine" / "engine.py").read_text() == parts.skeleton(1)
    assert "Hints" not in (tmp_path / "mine" / "01_values.md").read_text()
    assert main(["course", "--folder", str(tmp_path / "mine"), "start"]) == 2
    assert "is there already" in capsys.readouterr().err
    assert main(["course", "--folder", str(tmp_path / "mine")]) == 0
    assert "begun" in capsys.readouterr().out


def test_check_of_a_skeleton(course, capsys):
    assert main(["course", "check"]) == 1
    printed = capsys.readouterr().out
    assert "your engine:  not written yet: `__init__` raises NotImplementedError (engine.py, line " in printed
    assert "torchlike:    Tensor([4.0, -3.0, 4.5])" in printed
    assert "Traceback" not in printed and printed.count("your engine:") == 1


def test_next_adds_the_skeleton_of_the_next_step(course, capsys):
    assert main(["course", "next"]) == 1
    assert progress(course)["step"] == 1
    (course / "engine.py").write_text(parts.solution(1))
    assert main(["course", "next"]) == 0
    text = (course / "engine.py").read_text()
    assert text.startswith(parts.solution(1)) and text.endswith(parts.skeleton(2))
    assert (course / "02_graph.md").exists()
    assert progress(course) == {"step": 2, "passed": [1], "hints": {}}
    capsys.readouterr()
    assert main(["course", "check", "--folder", str(course), "1"]) == 0
    assert main(["course"]) == 0
    printed = capsys.readouterr().out
    assert "7 of 7 checks passed" in printed and "done" in printed
    assert main(["course", "check", "3"]) == 2
    assert "step 3 was not begun" in capsys.readouterr().err


def test_next_hides_nothing_that_is_written(course, capsys):
    (course / "engine.py").write_text(parts.solution(3))
    assert main(["course", "next"]) == 0
    assert "Nothing to add to" in capsys.readouterr().out
    assert (course / "engine.py").read_text() == parts.solution(3)
    assert progress(course)["step"] == 2


def test_the_last_step(course, capsys):
    (course / "engine.py").write_text(parts.solution(10))
    (course / "course.json").write_text(json.dumps({"step": 10, "passed": [], "hints": {}}))
    assert main(["course", "next"]) == 0
    assert "the engine is finished" in capsys.readouterr().out
    assert progress(course)["passed"] == list(parts.STEPS)


def test_a_step_that_no_longer_passes_is_not_done(course, capsys):
    (course / "engine.py").write_text(parts.solution(2).replace("np.subtract", "np.add"))
    (course / "course.json").write_text(json.dumps({"step": 2, "passed": [1, 2], "hints": {}}))
    assert main(["course", "check"]) == 1
    assert progress(course)["passed"] == [2]
    printed = capsys.readouterr().out
    assert "x - y\n    your engine:  Tensor([4.0, -3.0, 4.5])\n    torchlike:    Tensor([-2.0, 7.0, 3.5])" in printed
    assert 'e.show("x - y", x - y)' in printed


def test_hints_come_one_at_a_time(course, capsys):
    for number in range(1, 5):
        assert main(["course", "hint"]) == 0
        assert f"hint {number} of 4" in capsys.readouterr().out
    assert progress(course)["hints"] == {"1": 4}
    assert main(["course", "hint", "1"]) == 0
    assert "There are no more hints" in capsys.readouterr().out


@pytest.mark.parametrize(("answer", "status"), [("y\n", 0), ("n\n", 1), ("", 1)])
def test_solution_asks(answer, status, monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO(answer))
    assert main(["course", "solution", "4"]) == status
    assert (capsys.readouterr().out == parts.solution(4)) == (status == 0)


def test_solution_does_not_ask_if_told_so(capsys):
    assert main(["course", "solution", "10", "--yes"]) == 0
    assert capsys.readouterr().out == parts.solution(10)
    with pytest.raises(SystemExit):
        main(["course", "solution", "11"])


@pytest.mark.slow
def test_a_loop_that_does_not_end_is_stopped(course, capsys):
    text = parts.solution(1).replace("    def item(self):\n", "    def item(self):\n        while True: pass\n")
    (course / "engine.py").write_text(text)
    assert main(["course", "check", "--timeout", "1.5"]) == 1
    printed = capsys.readouterr().out
    assert "stopped after 1.5 seconds: perhaps a loop that does not end" in printed
    assert "5 of 7 checks passed" in printed and "e.tensor(2.5).item()" in printed


@pytest.mark.parametrize(("text", "said"), [
    ("x = 1\ndef f(:\n", "engine.py cannot be read. SyntaxError: invalid syntax (engine.py, line 2)\ndef f(:"),
    ("import numpy\nnumpy.nothing\n", "(engine.py, line 2)\nnumpy.nothing"),
    ("raise SystemExit(3)\n", "engine.py cannot be read. SystemExit: 3 (engine.py, line 1)"),
    ("import os\nprint('words')\nos._exit(3)\n", "engine.py cannot be read: the process ended with status 3."),
])
def test_a_file_that_cannot_be_read(course, capsys, text, said):
    (course / "engine.py").write_text(text)
    assert main(["course", "check"]) == 1
    printed = capsys.readouterr().out
    assert said in printed and "Traceback" not in printed


def test_progress_that_cannot_be_read(course, capsys):
    (course / "course.json").write_text("{")
    assert main(["course", "check"]) == 2
    assert "course.json cannot be read" in capsys.readouterr().err


def test_what_a_file_printed_is_shown(course, capsys):
    (course / "engine.py").write_text("print('seen by its author')\n" + parts.skeleton(1))
    assert main(["course", "check"]) == 1
    assert "What your file printed last:\n    seen by its author" in capsys.readouterr().out


@pytest.mark.parametrize(("mine", "other", "equal"), [
    (1.0, 1.0 + 1e-12, True), (1.0, 1.1, False), (True, 1, False), (1, True, False), (None, None, True), (None, 0.0, False),
    (float("nan"), float("nan"), True), (float("inf"), float("inf"), True), ([1.0], [1.0, 2.0], False), ("a", "a", True),
    ({"error": ["RuntimeError"], "text": ""}, {"error": ["RuntimeError"], "text": "other"}, True),
    ({"error": ["KeyError", "LookupError"], "text": ""}, {"error": ["LookupError"], "text": ""}, True),
    ({"error": ["LookupError"], "text": ""}, {"error": ["KeyError", "LookupError"], "text": ""}, False),
    ({"error": [], "text": ""}, {"error": ["RuntimeError"], "text": ""}, False),
    ({"error": ["RuntimeError"], "text": ""}, {"error": [], "text": ""}, False),
    ({"tensor": 1.0, "shape": []}, {"tensor": [1.0], "shape": [1]}, False),
    ({"object": "Tensor"}, {"tensor": 1.0, "shape": []}, False),
])
def test_same(mine, other, equal):
    assert checking.same(mine, other) == equal


def test_values_are_shown_for_people():
    values = [0.1 + 0.2, 3.0, float("inf"), float("nan"), None, True, {"error": [], "text": ""}]
    assert checking.shown(values) == "[0.3, 3.0, inf, nan, None, True, no error]"


def test_the_runner_needs_no_torchlike():
    text = "\n".join(path.read_text() for path in [*runner.CHECKS.glob("*.py")])
    assert "import torchlike" not in text and "from torchlike" not in text
