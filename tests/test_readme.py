"""README's commands and code work, and the files that repeat them say the same."""

import itertools
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tomllib

import pytest

import torchlike
from torchlike import cli
from torchlike._lessons import lesson

ROOT = pathlib.Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
GUIDES = "".join(path.read_text() for path in sorted((ROOT / "docs" / "site" / "guides").glob("*.md")))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
RUN_COMMAND = "pip install -e . && torchlike diff"
TAUGHT = ("lesson", "course")  # commands without a program
TEST_COMMAND = "pip install -e '.[test]' && pytest"


def blocks(language: str) -> list[str]:
    """The code blocks of README, and then of the guides, in one language. In guides Python has another name."""
    return re.findall(rf"```{language}\n(.*?)```", README + GUIDES, re.S)


def commands() -> list[str]:
    """README's shell commands and those of the guides, without comments."""
    lines = (line.split(" #")[0].strip() for block in blocks("sh") for line in block.splitlines())
    return list(dict.fromkeys(line for line in lines if line))


def test_first_screen_has_the_two_commands():
    assert commands()[:2] == [RUN_COMMAND, TEST_COMMAND]
    assert README.index(TEST_COMMAND) < 2000


def test_ci_runs_the_test_command():
    script = (ROOT / ".ci" / "run").read_text()
    for part in TEST_COMMAND.split(" && "):
        assert f"\nstep {part}\n" in script


@pytest.mark.parametrize("command", [c for c in commands() if c.startswith("torchlike ")])
def test_commands_are_understood(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "program.py").write_text("")
    started = []
    monkeypatch.setattr(cli, "run", lambda program, arguments: started.append(program) or 0)
    monkeypatch.setattr(cli.course, "run", lambda options: started.append(options.command) or 0)
    monkeypatch.setattr(cli, "teach", lambda options: started.append(options.command) or 0)
    monkeypatch.setattr(cli.ranks, "run", lambda options: started.append(options.training_script) or 0)
    monkeypatch.setattr(cli.plans, "run", lambda options: started.append(options.program) or 0)
    monkeypatch.setattr(cli.pages, "write", lambda program, *others: started.append(program) or 0)
    for name in ("diff", "diff_deep", "diff_against"):
        monkeypatch.setattr(cli, name, lambda options: started.append(options.programs[0]) or 0)
    assert cli.main(shlex.split(command)[1:]) == 0
    assert started == [next(word for word in command.split() if word.endswith(".py") or word.startswith(TAUGHT))]


@pytest.mark.parametrize("code", blocks("python"))
def test_code_runs(code, capsys):
    assert "torchlike.install()" in code
    with torchlike.install(force=True):  # the tests have PyTorch imported; a user has not
        exec(code, {"__name__": "readme"})
    assert capsys.readouterr().out


@pytest.mark.parametrize(("code", "printed"), re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", README, re.S),
                         ids=itertools.count())
def test_examples_print_what_is_said(code, printed, tmp_path):
    (tmp_path / "example.py").write_text(code)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "example.py"], cwd=tmp_path, env=environment, capture_output=True, text=True,
                          check=False)
    assert done.stdout.replace(f"{tmp_path}{os.sep}", "").rstrip() == printed.rstrip(), done.stderr


def test_lessons_are_counted():
    assert f"# {len(lesson.names())} lessons" in README


def test_links_exist():
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert (ROOT / target).exists(), target


def test_oracle_is_pinned_everywhere():
    pinned = f"torch=={torchlike.version.torch}"
    assert pinned in PROJECT["project"]["optional-dependencies"]["test"]
    assert pinned in README
    assert not any("torch" in name for name in PROJECT["project"]["dependencies"])


def test_gaps_are_rows():
    gaps = tomllib.loads((ROOT / "compat" / "gaps.toml").read_text())["gap"]
    assert all(set(gap) == {"name", "kind", "what"} for gap in gaps)
    assert {gap["kind"] for gap in gaps} <= {"missing", "ignored", "differs"}
    assert len({gap["name"] for gap in gaps}) == len(gaps)
