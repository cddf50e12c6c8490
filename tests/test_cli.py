"""``torchlike run`` behaves as ``python`` does, with torchlike in torch's place."""

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from tests.speed import case
from torchlike import cli, version

ROOT = Path(__file__).parents[1]
COMMANDS = [".".join(path.relative_to(ROOT).parts[:-1]) for folder in ("benchmarks", "compat", "torchlike", "tests")
            for path in sorted((ROOT / folder).glob("**/__main__.py"))]
PROGRAM = """
import sys
import torch
import torch.nn.functional as F
from torch import nn

if sys.argv[1:] == ["fail"]:
    def f():
        torch.ones(2).view(3)
    f()
elif sys.argv[1:] == ["unknown"]:
    torch.oness
elif sys.argv[1:2] == ["exit"]:
    sys.exit(sys.argv[2] if sys.argv[2].isalpha() else int(sys.argv[2]))
else:
    import neighbour
    print(__name__, __file__ == sys.argv[0], sys.argv[1:], torch.__name__, F.__name__, neighbour.here)
"""


@pytest.fixture
def program(tmp_path):
    """A program whose arguments choose how it ends."""
    (tmp_path / "neighbour.py").write_text("here = 'beside'\n")
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return str(path)


def torchlike(*arguments: str) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "torchlike", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_run(program):
    done = torchlike("run", program, "--json", "-x", "--run", "--", "--nproc")
    assert done.stderr == ""
    assert done.stdout == "__main__ True ['--json', '-x', '--run', '--', '--nproc'] torch torchlike.nn.functional beside\n"
    assert done.returncode == 0


@pytest.mark.parametrize(("code", "status", "text"), [
    case("7", 7, "", fast=True), case("0", 0, ""), case("words", 1, "words\n")])
def test_exit_status(program, code, status, text):
    done = torchlike("run", program, "exit", code)
    assert (done.returncode, done.stderr) == (status, text)


@pytest.mark.slow
def test_traceback_begins_in_the_program(program):
    done = torchlike("run", program, "fail")
    lines = done.stderr.splitlines()
    assert done.returncode == 1
    assert lines[1] == "Traceback (most recent call last):"
    assert lines[2] == f'  File "{program}", line 10, in <module>'
    assert len(lines) < 9  # none of torchlike's
    assert lines[-1] == "RuntimeError: shape '[3]' is invalid for input of size 2"


@pytest.mark.slow
def test_unknown_name(program):
    done = torchlike("run", program, "unknown")
    assert done.returncode == 1
    assert "AttributeError: module 'torch' has no attribute 'oness'" in done.stderr and "nearest: 'ones'" in done.stderr


def test_version(capsys):
    with pytest.raises(SystemExit) as left:
        cli.main(["--version"])
    assert left.value.code == 0
    assert capsys.readouterr().out == f"torchlike {version.__version__} (follows PyTorch {version.torch})\n"


@pytest.mark.parametrize("arguments", [[], ["run"], ["walk"], ["run", "absent.py"], ["diff", "absent.py"],
                                       ["diff", "--rtol", "much"]])
def test_wrong_arguments_leave_with_status_2(arguments, capsys):
    with pytest.raises(SystemExit) as left:
        cli.main(arguments)
    assert left.value.code == 2
    assert "torchlike" in capsys.readouterr().err


@pytest.mark.oracle
@pytest.mark.parametrize("name", COMMANDS)
def test_commands_explain_themselves(name, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [name, "--help"])
    monkeypatch.delitem(sys.modules, f"{name}.__main__", raising=False)
    with pytest.raises(SystemExit) as ended:
        runpy.run_module(name, run_name="__main__", alter_sys=False)
    assert ended.value.code == 0 and "usage:" in capsys.readouterr().out
