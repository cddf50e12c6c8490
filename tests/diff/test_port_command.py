"""``torchlike diff program.py --against port.py:function``."""

import functools
import json
import sys

import pytest

from torchlike import cli, nn
from torchlike._diff import port_command
from torchlike.install import install

PROGRAM = """
import torch
from torch import nn
torch.manual_seed(0)
print("printed")
model = nn.Sequential(
    nn.Linear(3, 4), nn.Linear(4, 2))
inputs = torch.randn(2, 3)
other = torch.randn(5, 3)
def loss(y):
    return y.square().mean()
"""
PORT = """
def params(state):
    return {name: x.T for name, x in state.items()}

def right(p, x):
    return (x @ p["0.weight"] + p["0.bias"]) @ p["1.weight"] + p["1.bias"]

def wrong(p, x):
    y = x @ p["0.weight"] + p["0.bias"]
    return y @ p["1.weight"] - p["1.bias"]

def loss(y):
    return (y ** 2).mean()

def sum_of_squares(y):
    return (y ** 2).sum()

mapping = {"1.bias": "1.bias"}
misspelt = {"1.bias": "1.bais"}
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "port_of_it.py").write_text(PORT)
    monkeypatch.chdir(tmp_path)
    for name in ("argv", "path"):
        monkeypatch.setattr(sys, name, [*getattr(sys, name)])
    monkeypatch.setattr(port_command, "install", functools.partial(install, force=True))  # PyTorch is imported here
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
    monkeypatch.delitem(sys.modules, "port_of_it", raising=False)
    yield tmp_path
    sys.modules.pop("port_of_it", None)


def told(capsys, *arguments):
    """(the exit status, what was printed, what was printed to stderr) of a command."""
    status = cli.main(["diff", *arguments])
    return status, *capsys.readouterr()


@pytest.mark.slow
def test_a_right_port(folder, capsys):
    status, out, errors = told(capsys, "--json", "program.py:model", "--against", "port_of_it:right", "--inputs", "other")
    assert status == 0 and json.loads(out)["agree"] and errors == "printed\n"


def test_a_wrong_port(folder, capsys):
    status, out, _ = told(capsys, "program.py", "--against", "port_of_it.py:wrong")
    assert status == 1 and "ours: linear in 1, program.py:6" in out.replace(str(folder) + "/", "")
    assert "port_of_it.py:10" in out


def test_a_loss_of_both(folder, capsys):
    given = "program.py", "--against", "port_of_it.py:right", "--loss"
    assert told(capsys, *given, "loss")[0] == 0
    status, out, _ = told(capsys, *given, "loss,sum_of_squares")
    assert status == 1 and "output 0 differs" in out


def test_a_table_of_parameters(folder, capsys):
    given = "program.py", "--against", "port_of_it.py:right", "--mapping"
    status, out, _ = told(capsys, *given, "mapping")
    assert status == 0 and "given" in out
    status, _, errors = told(capsys, *given, "misspelt")
    assert status == 2 and "no parameter '1.bais', did you mean 1.bias" in errors


@pytest.mark.parametrize(("arguments", "text"), [
    (("program.py", "--against", "port_of_it.py:right", "--loss", "losses"), "program.py has no variable 'losses'"),
    (("program.py", "--against", "port_of_it.py:nothing"), "port_of_it.py has no variable 'nothing'"),
    (("program.py", "--against", "port_of_it.py"), "names nothing to call"),
    (("program.py:model", "--against", "port_of_it.py:right", "--inputs", "x"), "program.py has no variable 'x'"),
    (("nowhere.py", "--against", "port_of_it.py:right"), "can't open file 'nowhere.py'"),
])
def test_what_is_not_there(folder, capsys, arguments, text):
    status, _, errors = told(capsys, *arguments)
    assert status == 2 and text in errors


@pytest.mark.parametrize("arguments", [
    ("a.py", "b.py", "--against", "c:d"), ("a.py", "--against", "c:d", "--deep"),
    ("a.py", "--against", "c:d", "--atol", "1"),
    ("a.py", "--against", "c:d", "--timeout", "1"), ("--params", "p"), ("--loss", "f")],
    ids=["two", "deep", "atol", "timeout", "alone", "loss"])
def test_options_that_do_not_go_together(arguments, capsys):
    with pytest.raises(SystemExit) as raised:
        cli.main(["diff", *arguments])
    assert raised.value.code == 2 and "--against" in capsys.readouterr().err


def test_specifications():
    assert port_command.split("a/b.py:net.apply") == ("a/b.py", "net.apply")
    assert port_command.split("package.module:f") == ("package.module", "f")
    assert port_command.split("a.py") == ("a.py", "") and port_command.split("c:\\a.py") == ("c:\\a.py", "")


def test_the_module_that_is_meant():

    inner = nn.Linear(1, 1)
    whole = nn.Sequential(inner)
    assert port_command._only_module({"inner": inner, "whole": whole, "x": 1}, "p.py") == "whole"
    for names, text in (({}, "no module in its variables"), ({"a": inner, "b": nn.Linear(1, 1)}, "several modules, a, b")):
        with pytest.raises(LookupError, match=text):
            port_command._only_module(names, "p.py")
