"""``torchlike lessons`` and ``torchlike lesson``: the list, a lesson with its question, notebooks, all answers."""

import io
import json
import pathlib

import pytest
from rich.console import Console

from tests.speed import sampled
from torchlike import cli
from torchlike._lessons import command, progress, running
from torchlike._lessons.groups import GROUPS
from torchlike._lessons.lesson import names
from torchlike._lessons.notebook import notebook

NAME = "backward_adds"  # the second answer is right


@pytest.fixture(autouse=True)
def _own_progress(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def asked(answer) -> str:
    shown = io.StringIO()

    def read(prompt):
        if answer is None:
            raise EOFError
        return answer

    command.ask(NAME, Console(file=shown, width=120), read)
    return shown.getvalue()


@pytest.mark.parametrize(("answer", "verdict", "remembered"), [
    ("2", "Right.", {NAME: True}), ("1", "No.", {NAME: False}), ("", "", {}), ("9", "", {}), ("x", "", {}), (None, "", {}),
])
def test_answers(answer, verdict, remembered):
    text = asked(answer)
    assert progress.answered() == remembered
    assert ("Right." in text, "No." in text) == (verdict == "Right.", verdict == "No.")
    assert text.index("what it prints under torchlike") < text.index("✓ 2" if verdict != "Right." else "Which to prefer")


def test_last_answer_counts():
    asked("1")
    asked("2")
    assert progress.answered() == {NAME: True}


@pytest.mark.parametrize("text", ["no json", "[1]", ""])
def test_spoilt_progress_is_none(text):
    progress.file().parent.mkdir(parents=True)
    progress.file().write_text(text)
    assert progress.answered() == {}
    asked("2")
    assert progress.answered() == {NAME: True}


def test_listing(capsys):
    asked("2")
    assert cli.main(["lessons"]) == 0
    text = capsys.readouterr().out
    assert f"✓ {NAME}" in text and f"{len(names())} lessons, 1 answered right" in text
    assert all(f"({group}: " in text for group in GROUPS)
    assert cli.main(["lessons", "leaves"]) == 0
    text = capsys.readouterr().out
    assert "(leaves: " in text and NAME not in text


def test_every_group_has_lessons():
    assert len(names()) >= 120
    assert {path.parent.name for path in names().values()} == set(GROUPS)


@pytest.mark.slow
def test_instructor(capsys):
    assert cli.main(["lessons", "unused", "--answers"]) == 0
    text = capsys.readouterr().out
    assert text.count("Which to prefer.") == sum(path.parent.name == "unused" for path in names().values())
    assert cli.main(["lesson", NAME, "--answers"]) == 0
    assert "✓ 2" in capsys.readouterr().out


@pytest.mark.parametrize("group", sampled(GROUPS, ci=6))
def test_notebook_runs(group):
    cells = json.loads(notebook(group))["cells"]
    assert "{{" not in "".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    programs = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert programs[0].startswith("import torchlike\n")
    outputs = [running.run(text, f"<notebook {group}>", "torchlike").output for text in programs[1:]]
    assert all(outputs) and len(outputs) == 2 * sum(path.parent.name == group for path in names().values())


@pytest.mark.slow
def test_notebooks_are_programs(tmp_path, capsys):
    assert cli.main(["lessons", "unused", "--notebooks", str(tmp_path)]) == 0
    written = capsys.readouterr().out.strip()
    assert written.endswith("_unused.ipynb") and json.loads(pathlib.Path(written).read_text())["nbformat"] == 4


def test_unknown_names(capsys):
    for arguments in (["lesson", "nothing"], ["lessons", "nothing"]):
        with pytest.raises(SystemExit):
            cli.main(arguments)
        assert "nothing" in capsys.readouterr().err
