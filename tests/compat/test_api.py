"""The public API as text: written anew it is what is there, and a type checker reads it as a PyTorch user would hope."""

import subprocess
import sys
from pathlib import Path

import pytest

from compat.api import docs, faces, functions, homes, modules, namespaces
from compat.api.__main__ import outdated
from torchlike._api import pointwise
from torchlike._ops.all import ROWS

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
assert_type(torch.clamp(x, max=2.0), torch.Tensor)
assert_type(x.grad, torch.Tensor | None)
assert_type(x > 1, torch.Tensor)
assert_type(x.size(), torch.Size)
assert_type(len(x), int)
assert_type(x.shape, torch.Size)
assert_type(x.is_floating_point(), bool)
x.nosuch  # error: no such attribute
torch.sum(x, nosuch=3)  # error: no such argument
torch.clamp(x, max="a")  # error: no such type
torch.add(x, "a")  # error: no such type
"""


def test_files_are_what_the_command_writes():
    assert list(outdated({**modules.texts(), **namespaces.texts()})) == []  # else run: python -m compat.api


@pytest.mark.slow  # a process that imports all of both packages
def test_table_of_homes_is_what_the_command_writes():
    assert list(outdated(homes.texts())) == []


def test_planted_difference_is_seen():
    path, text = next(iter(modules.texts().items()))
    assert list(outdated({path: text + "\n", "torchlike/_api/generated/nosuch.py": ""})) == [
        path, "torchlike/_api/generated/nosuch.py"]


def test_a_name_has_one_owner(monkeypatch):
    monkeypatch.setitem(pointwise.FUNCTIONS, "tanh", pointwise.square)
    with pytest.raises(namespaces.TwiceError, match=r"tanh: of the row tanh and of torchlike._api.pointwise"):
        namespaces.texts()


def test_families_name_what_they_have(monkeypatch):
    monkeypatch.setitem(pointwise.FUNCTIONS, "nosuch", lambda input: input)
    with pytest.raises(ValueError, match="is no name of its module"):
        namespaces.texts()


def test_overloads_must_leave_one_for_the_rest(monkeypatch):
    monkeypatch.setattr(ROWS["lerp.Tensor"], "scalars", "weight")
    with pytest.raises(ValueError, match="overloads of lerp"):
        functions.function((ROWS["lerp.Scalar"], ROWS["lerp.Tensor"]))


def test_an_argument_without_a_description_is_refused(monkeypatch):
    monkeypatch.delitem(docs.SAID, "exponent")
    with pytest.raises(ValueError, match="'exponent'"):
        functions.function((ROWS["pow.Tensor_Tensor"],))


@pytest.mark.parametrize("face", faces.functions(nn=False), ids=lambda face: face.name)
def test_docstrings_have_sections(face):
    text = functions.function(face.rows, face.name, face.alias_of).text
    assert "Another name of" in text or ("Args:" in text and "Returns:" in text and "https://pytorch.org" in text)


def test_a_type_checker_reads_it(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "pyrefly.toml").write_text(
        f'project-includes = ["program.py"]\nsearch-path = ["{ROOT}"]\npython-interpreter-path = "{sys.executable}"\n')
    done = subprocess.run([Path(sys.executable).parent / "pyrefly", "check", "--output-format", "min-text"],
                          cwd=tmp_path, capture_output=True, text=True, check=False)
    found = {int(line.split("program.py:")[1].split(":")[0]) for line in done.stdout.splitlines() if "program.py:" in line}
    expected = {n for n, line in enumerate(PROGRAM.splitlines(), 1) if "# error" in line}
    assert found == expected, done.stdout
