"""The command: what it prints, and how it ends."""

import json

import pytest

from tests.plan.plans import SCRIPT, command
from torchlike import cli

LOOP = """
import sys
import torch

model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU(), torch.nn.Linear(8, 8))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(4, 8)
print("the program says", sys.argv[1:])
for i in range(int(sys.argv[1])):
    optimizer.zero_grad()
    model(x).sum().backward()
    optimizer.step()
    if i == 3:
        raise ValueError("never reached")
"""


@pytest.mark.slow
def test_plan():
    status, out, err = command(SCRIPT, "--mesh", "data=2,model=2", "--device", "h100", "--", "mlp", "adamw")
    assert (status, "Traceback" in err) == (0, False), err
    for text in ("4 x h100 (data=2,model=2)", "a batch of 64", "TP + FSDP", "Compiled: ", "reduce-scatter"):
        assert text in out, out
    assert " - " not in out  # each way has been compiled


@pytest.mark.slow
def test_ends(tmp_path):
    program = tmp_path / "loop.py"
    program.write_text(LOOP)
    options = ["--mesh", "data=2", "--device", "cpu", "--no-compile"]
    status, out, err = command(program, *options, "--json", "--", "9", "--lr")
    assert (status, err) == (0, "the program says ['9', '--lr']\n")
    found = json.loads(out)
    assert (found["step"], found["batch"], found["blocks"]) == (3, 4, ["0", "2"])
    status, _, err = command(program, *options, "--", "2")
    assert (status, err.splitlines()[-1]) == (2, "torchlike plan: the program has taken fewer than 3 optimizer steps")
    status, _, err = command(program, *options, "--step", "5", "--", "9")
    assert (status, err.splitlines()[-1]) == (1, "ValueError: never reached")


@pytest.mark.parametrize("arguments", [
    ["--mesh", "data=2"], ["--device", "h100"], ["--mesh", "data=2", "--device", "abacus"],
    ["--mesh", "data=2", "--device", "h100", "--step", "1"],
    ["--mesh", "data=2", "--device", "h100", "--microbatches", "0"]])
def test_wrong_arguments(arguments, tmp_path, capsys):
    program = tmp_path / "loop.py"
    program.write_text(LOOP)
    with pytest.raises(SystemExit) as ended:
        cli.main(["plan", str(program), *arguments])
    assert ended.value.code == 2
    assert "usage: torchlike plan" in capsys.readouterr().err
