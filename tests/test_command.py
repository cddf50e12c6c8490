"""Where the command begins: which command lines start many processes."""

import sys

import pytest

from torchlike import _command, _entry


@pytest.mark.parametrize(("line", "asks"), [
    ("run --nproc-per-node 2 x.py", True), ("run -m pkg", True), ("run x.py --nproc-per-node 2", False), ("run", False),
    ("run --help", False), ("diff --deep x.py", False), ("", False)])
def test_flags_ask_for_ranks(line, asks, monkeypatch):
    monkeypatch.delenv("PET_NPROC_PER_NODE", raising=False)
    assert _command.asks_for_ranks(line.split()) is asks


def test_the_environment_asks_for_ranks_outside_of_ranks(monkeypatch):
    monkeypatch.setenv("PET_NPROC_PER_NODE", "2")
    monkeypatch.delenv("TORCHELASTIC_RUN_ID", raising=False)
    assert _command.asks_for_ranks(["run", "x.py"])
    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "1")
    assert not _command.asks_for_ranks(["run", "x.py"])


def test_the_script_runs_the_command(capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["torchlike", "--version"])
    with pytest.raises(SystemExit):
        _entry.main()
    assert capsys.readouterr().out.startswith("torchlike ")
