"""The main job: every shipped program agrees under torch, the tape and jax.vjp; disagreement is seen."""

import json

import pytest
from torchlike.diff import driver

PROGRAMS = sorted(driver.PROGRAMS.glob("[a-z]*.py"))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: p.stem)
def test_program_agrees(path):
    report = driver.compare(path)
    assert report["errors"] == {}
    assert report["engines"] == ["torch", "tape", "functional"]
    assert report["rows"], "nothing was compared"
    assert [row["name"] for row in report["rows"] if not row["agree"]] == []


def test_disagreement_gives_status_1(tmp_path, capsys):
    program = tmp_path / "differs.py"
    program.write_text("import torch\nx = torch.ones(2, requires_grad=True)\n"
                       "k = 1.0 if torch.__name__ == 'torch' else 2.0\n(x * k).sum().backward()\n")
    assert driver.diff([str(program)], as_json=True) == 1
    report = json.loads(capsys.readouterr().out)
    assert not report["agree"]
    assert "x.grad" in [row["name"] for row in report["programs"][0]["rows"] if not row["agree"]]


def test_missing_file_gives_status_2():
    assert driver.diff(["no-such-file.py"]) == 2
