"""The plugin of pytest, in processes of its own: what a failure says, and that nothing is imported before it is needed."""

import os
import pathlib
import subprocess
import sys
import tomllib

import pytest

from tests.speed import case
from torchlike import pytest_plugin

ROOT = pathlib.Path(__file__).parents[1]
TESTS = '''
import pytest
import torchlike
from torchlike._record.trace import state


def program(torch):
    x = torch.ones(3, requires_grad=True)
    (x.sin() * (2.0 if wrong and state.thread.engine is None else 1.0)).sum().backward()


wrong = False


@pytest.fixture
def planted(monkeypatch):
    monkeypatch.setitem(globals(), "wrong", True)


def test_right(torchlike_diff):
    assert torchlike_diff(program, ("tape", "jax")).pairs[0].gradients == 4


def test_wrong(torchlike_diff, planted):
    torchlike_diff(program, ("tape", "jax"))


@pytest.mark.parametrize("number", [1.0, 2.0])
@torchlike.diff.across("tape", "jax")
def test_across(torch, number, tmp_path):
    assert tmp_path.is_dir()
    torch.full((2,), number, requires_grad=True).exp().sum().backward()


@torchlike.diff.across("tape", "jax")
def test_across_wrong(planted, torch):
    program(torch)


class TestMethods:
    @torchlike.diff.across("tape", "jax")
    def test_own_assertion(self, torch):
        assert torch.ones(2).sum().item() == 3.0


@torchlike.diff.across("torch", "tape", "jax")
def test_without_torch(torch):
    program(torch)


def test_gradients():
    x = torchlike.ones(2)
    torchlike.diff.assert_same_gradients(lambda x: x.sin(), lambda x: x.sin() + 0 * x, [x])
    torchlike.diff.assert_same_gradients(lambda x: x.sin(), lambda x: x.sin() + x - x.detach(), [x])
'''
OUTCOMES = {"test_right": "PASSED", "test_across[1.0]": "PASSED", "test_across[2.0]": "PASSED", "test_wrong": "FAILED",
            "test_across_wrong": "FAILED", "TestMethods::test_own_assertion": "FAILED", "test_gradients": "FAILED"}
SUMMARIES = ("test_wrong - AssertionError: tape and jax part in value at ",
             "test_across_wrong - AssertionError: tape and jax part in value at ",
             "test_own_assertion - AssertionError: assert 2.0 == 3.0",
             "test_gradients - AssertionError: f and g part in the gradient of x (input 0): different; at fault: g (a ")


def run(folder, *arguments) -> str:
    """What pytest prints of the tests, where PyTorch cannot be imported."""
    (folder / "test_users.py").write_text(TESTS)
    (folder / "conftest.py").write_text("import sys\nsys.modules['torch'] = None\n")
    (folder / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\n")
    command = [sys.executable, "-m", "pytest", "-p", "no:torchlike", "-p", "torchlike.pytest_plugin", "-p",
               "no:cacheprovider", "-rA", *arguments, "--rootdir", str(folder), str(folder)]
    wide = {**os.environ, "COLUMNS": "300"}
    return subprocess.run(command, cwd=ROOT, env=wide, stdout=subprocess.PIPE, text=True, check=False).stdout


@pytest.mark.parametrize("workers", [case(2), case(0, ci=False)])
def test_outcomes(workers, tmp_path):
    told = run(tmp_path, "-n", str(workers))
    for name, outcome in OUTCOMES.items():
        assert f"{outcome} " in told and any(line.startswith(f"{outcome} ") and line.split(" - ")[0].endswith(f"::{name}")
                                             for line in told.splitlines()), (name, told)
    for summary in SUMMARIES:
        assert summary in told, told
    assert "4 failed, 3 passed, 1 skipped" in told
    assert "tape and jax agree; not compared: the engine 'torch' where PyTorch is not installed" in told
    assert "E       AssertionError: tape and jax part in value at " in told  # and no frame of torchlike's before it
    assert "_diff/asserting.py" not in told and "_diff/deep.py" not in told


LIGHT = """
import sys, warnings
before = set(sys.modules), list(warnings.filters)
import pytest
import torchlike_pytest
assert not {"torchlike", "jax", "torch", "numpy"} & set(sys.modules)
assert list(warnings.filters) == before[1]
"""


def test_it_imports_nothing_of_torchlike(tmp_path):
    """The file as it is installed: a module of its own."""
    metadata = tomllib.loads((ROOT / "pyproject.toml").read_text())
    copies = metadata["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert copies == {"torchlike/pytest_plugin.py": "torchlike_pytest.py"}
    assert metadata["project"]["entry-points"]["pytest11"] == {"torchlike": "torchlike_pytest"}
    (tmp_path / "torchlike_pytest.py").write_text(pathlib.Path(pytest_plugin.__file__).read_text())
    subprocess.run([sys.executable, "-c", LIGHT], cwd=tmp_path, check=True)
