"""Where the command begins: which command lines start many processes."""

import pytest

from torchlike import _command


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
