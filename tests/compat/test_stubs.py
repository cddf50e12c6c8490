"""The type stubs: written anew they are what is there, and a type checker reads them as a PyTorch user would hope."""

import subprocess
import sys
from pathlib import Path

from compat.stubs.__main__ import outdated

ROOT = Path(__file__).parents[2]
PROGRAM = """\
from typing import assert_type
import torchlike as torch

x = torch.ones(2, 3, requires_grad=True)
assert_type((x * 2 - 1).sum(), torch.Tensor)
assert_type(x.sort(1).indices, torch.Tensor)
assert_type(torch.cat([x, x], dim=0), torch.Tensor)
assert_type(torch.linalg.qr(x)[0], torch.Tensor)
assert_type(torch.linalg.inv(x @ x.T), torch.Tensor)
assert_type(x.grad, torch.Tensor | None)
assert_type(x > 1, torch.Tensor)
assert_type(x.size(), torch.Size)  # error: size() is Any
assert_type(len(x), int)
assert_type(x.shape, torch.Size)
assert_type(x.is_floating_point(), bool)
x.nosuch  # error: no such attribute
torch.sum(x, nosuch=3)  # error: no such argument
torch.zeros(2).view("a")  # error: no such type
torch.add(x, "a")  # error: no such type
"""


def test_stubs_are_up_to_date():
    assert list(outdated()) == []  # else run: python -m compat.stubs


def test_a_type_checker_reads_them(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "pyrefly.toml").write_text(
        f'project-includes = ["program.py"]\nsearch-path = ["{ROOT}"]\npython-interpreter-path = "{sys.executable}"\n')
    done = subprocess.run([Path(sys.executable).parent / "pyrefly", "check", "--output-format", "min-text"],
                          cwd=tmp_path, capture_output=True, text=True, check=False)
    found = {int(line.split("program.py:")[1].split(":")[0]) for line in done.stdout.splitlines() if "program.py:" in line}
    expected = {n for n, line in enumerate(PROGRAM.splitlines(), 1) if "# error" in line}
    assert found == expected, done.stdout
