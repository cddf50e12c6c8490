"""The plugin of pytest, in processes of its own: what a failure says, and that nothing is imported before it is needed."""

import json
import os
import pathlib
import subprocess
import sys
import tomllib

import pytest

from tests.speed import case

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


@torchlike.diff.across("tape", "jax")
def test_across_wrong_inside(planted, torch):
    x = torch.ones(3, requires_grad=True)
    y = x.exp() * (2.0 if state.thread.engine is None else 1.0)  # the line
    y.sum().backward()


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
            "test_across_wrong": "FAILED", "test_across_wrong_inside": "FAILED",
            "TestMethods::test_own_assertion": "FAILED", "test_gradients": "FAILED"}
SUMMARIES = ("test_wrong - AssertionError: tape and jax part in value at ",
             "test_across_wrong - AssertionError: tape and jax part in value at ",
             "test_own_assertion - AssertionError: assert 2.0 == 3.0",
             "test_gradients - AssertionError: f and g part in the gradient of x (input 0): different; at fault: g (a ")


@pytest.fixture
def installed(tmp_path):
    """The environment of a process in which the plugin is installed, from a checkout, and PyTorch cannot be imported."""
    metadata = tomllib.loads((ROOT / "pyproject.toml").read_text())
    (name, entry), = metadata["project"]["entry-points"]["pytest11"].items()
    copies = metadata["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    source, copy = next((source, copy) for source, copy in copies.items() if copy == f"{entry}.py")
    info = tmp_path / "site" / "torchlike-0.1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: torchlike\nVersion: 0.1.0\n")
    (info / "entry_points.txt").write_text(f"[pytest11]\n{name} = {entry}\n")
    (info / "RECORD").write_text(f"{copy},,\n")
    (tmp_path / "site" / copy).write_text((ROOT / source).read_text())
    (tmp_path / "conftest.py").write_text("import sys\nsys.modules['torch'] = None\n")
    (tmp_path / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\naddopts = -p no:cacheprovider\n")
    return {**os.environ, "COLUMNS": "300", "PYTHONPATH": os.pathsep.join([str(tmp_path / "site"), str(ROOT)])}


def output(environment, folder, *arguments) -> str:
    """What a process of Python prints."""
    return subprocess.run([sys.executable, *arguments], cwd=folder, env=environment, stdout=subprocess.PIPE, text=True,
                          check=False).stdout


@pytest.mark.parametrize("workers", [case(2), case(0, ci=False)])
def test_outcomes(workers, installed, tmp_path):
    (tmp_path / "test_users.py").write_text(TESTS)
    told = output(installed, tmp_path, "-m", "pytest", "-rA", "-n", str(workers), "test_users.py")
    for name, outcome in OUTCOMES.items():
        assert f"{outcome} " in told and any(line.startswith(f"{outcome} ") and line.split(" - ")[0].endswith(f"::{name}")
                                             for line in told.splitlines()), (name, told)
    for summary in SUMMARIES:
        assert summary in told, told
    assert "traceback entries are hidden" not in told
    assert ">       y = x.exp() * (2.0 if state.thread.engine is None else 1.0)  # the line" in told
    assert "5 failed, 3 passed, 1 skipped" in told
    assert "tape and jax agree; not compared: the engine 'torch' where PyTorch is not installed" in told
    assert "E       AssertionError: tape and jax part in value at " in told  # and no frame of torchlike's before it
    assert "_diff/asserting.py" not in told and "_diff/deep.py" not in told


@pytest.mark.parametrize("workers", [case(0), case(2, ci=False)])
def test_pages_of_failures(workers, installed, tmp_path):
    (tmp_path / "test_users.py").write_text(TESTS)
    told = output(installed, tmp_path, "-m", "pytest", "-rA", "-n", str(workers), "--torchlike-html", "pages",
                  "test_users.py", "-k", "wrong or right")
    written = {path.name: path.read_text() for path in (tmp_path / "pages").glob("*.html")}
    assert set(written) == {f"test_users.py_{name}.html" for name in ("test_wrong", "test_across_wrong",
                                                                     "test_across_wrong_inside")}, told
    assert all(f"the page of this failure: pages/{name}" in told for name in written)
    data = json.loads(written["test_users.py_test_across_wrong_inside.html"].split('id="data">')[1].split("</script>")[0])
    lines = data["files"][0]["lines"]
    assert lines[data["engines"]["parting"]["line"] - 1].endswith("# the line")
    assert [frame["name"] for frame in data["frames"] if frame["kind"] == "forward"] == ["ones", "exp", "mul", "sum"]
    assert output(installed, tmp_path, "-m", "pytest", "test_users.py", "-k", "test_wrong").count("the page of") == 0


LIGHT = """
import sys


def test_light(pytestconfig):
    assert pytestconfig.pluginmanager.has_plugin("torchlike")
    assert not {"torchlike", "jax", "numpy"} & set(sys.modules)
"""


@pytest.mark.slow
def test_it_imports_nothing_before_it_is_used(installed, tmp_path):
    (tmp_path / "test_light.py").write_text(LIGHT)
    assert "1 passed" in output(installed, tmp_path, "-m", "pytest", "-p", "no:hypothesispytest", "test_light.py")
    assert "1 failed" in output(installed, tmp_path, "-m", "pytest", "-p", "no:torchlike", "test_light.py")


@pytest.mark.slow
def test_pytest_does_not_warn_where_torchlike_was_imported_before(installed, tmp_path):
    (tmp_path / "test_nothing.py").write_text("def test_nothing(torchlike_diff):\n    pass\n")
    (record,) = (tmp_path / "site").glob("*/RECORD")
    record.write_text(record.read_text() + "torchlike/__init__.py,,\n")  # as the wheel has it: pytest asks this for packages
    program = "import torchlike, pytest; pytest.main(['-W', 'error', 'test_nothing.py'])"
    assert "1 passed" in output(installed, tmp_path, "-c", program)
