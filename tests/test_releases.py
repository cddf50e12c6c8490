"""How releases are made: what CI installs, what is in them, and that the files that tell of it agree."""

import importlib.util
import os
import pathlib
import re
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import torchlike

ROOT = pathlib.Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
GOOD = ["torchlike/__init__.py", "torchlike_pytest.py", "torchlike_command.py", "torchlike-1.dist-info/METADATA",
        "torchlike-1.dist-info/licenses/LICENSE"]


def pins(path) -> dict:
    """{name: version} of a file of constraints, on the oldest Python; AssertionError for a line that leaves it open."""
    lines = [line for line in (ROOT / path).read_text().splitlines() if line and not line.startswith("#")]
    found = [re.fullmatch(r"([A-Za-z0-9_.-]+)==([0-9][0-9A-Za-z.]*)(; python_version .*)?", line) for line in lines]
    assert all(found), [line for line, match in zip(lines, found, strict=True) if not match]
    return {canonicalize_name(match[1]): match[2] for match in reversed(found)}


def missing(requirements, pinned) -> list:
    """Requirements that no pin meets."""
    wanted = [Requirement(text) for text in requirements]
    return [str(each) for each in wanted if canonicalize_name(each.name) not in pinned
            or not each.specifier.contains(pinned[canonicalize_name(each.name)])]


def test_lock_has_what_ci_installs():
    tests = PROJECT["optional-dependencies"]["test"]
    pinned = pins(".ci/lock.txt")
    assert missing([*PROJECT["dependencies"], *tests, "hatchling>=1.27"], pinned) == []
    assert missing(["numpy>=99", "absent"], pinned) == ["numpy>=99", "absent"]
    assert [*reversed(pinned)] == sorted(pinned, key=lambda name: name.replace("-", "_"))


def test_oldest_are_the_lower_bounds():
    bounds = {canonicalize_name(each.name): next(bound for bound in each.specifier if bound.operator == ">=")
              for each in map(Requirement, PROJECT["dependencies"])}
    pinned = pins(".ci/oldest.txt")
    assert [*reversed(pinned)] == sorted(bounds)
    for name, bound in bounds.items():
        assert bound.operator == ">=" and (pinned[name] + ".").startswith(bound.version + ".")


def test_ci_takes_the_lock():
    for script in ("run", "build", "audit"):
        assert ".ci/lock.txt" in (ROOT / ".ci" / script).read_text()


@pytest.mark.parametrize("name", ["ci", "release", "compat", "newest"])
def test_workflows_call_scripts_that_there_are(name):
    called = re.findall(r"run: (\.ci/\w+)", (ROOT / ".github" / "workflows" / f"{name}.yml").read_text())
    assert called
    for script in called:
        assert os.access(ROOT / script, os.X_OK), script


def contents():
    """The module .ci/contents.py."""
    spec = importlib.util.spec_from_file_location("contents", ROOT / ".ci" / "contents.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_what_a_release_may_have():
    check = contents()
    assert check.wheel_errors(GOOD) == []
    assert check.wheel_errors([*GOOD, "tests/a.py"]) == ["tests/a.py is not of the package"]
    assert check.wheel_errors([*GOOD, "torchlike/x.pt", "torchlike/test_x.py"]) == [
        "torchlike/x.pt is data", "torchlike/test_x.py is a test"]
    assert check.wheel_errors(GOOD[:-1]) == [f"{GOOD[-1]} is missing"]
    whole = [f"torchlike-1/{name}" for name in check.TOP]
    assert check.sdist_errors(whole) == []
    assert check.sdist_errors([*whole, "torchlike-1/notes.txt", "torchlike-1/tests/a.npz"]) == [
        "notes.txt is not of the project", "tests/a.npz is data"]
    assert check.sdist_errors([name for name in whole if "LICENSE" not in name]) == ["LICENSE is missing"]


def test_documents_agree():
    versions = (ROOT / "docs" / "versioning.md").read_text()
    assert f"PyTorch {torchlike.version.torch.rpartition('.')[0]} now" in versions
    notices = (ROOT / "docs" / "notices.md").read_text()
    for each in PROJECT["dependencies"]:
        assert Requirement(each).name in notices
    assert PROJECT["license"] == "Apache-2.0" and "Apache License" in (ROOT / "LICENSE").read_text()
    for document in ("docs/versioning.md", "docs/notices.md", ".github/SECURITY.md"):
        folder = (ROOT / document).parent
        for target in re.findall(r"\]\(([^)#:]+)\)", (ROOT / document).read_text()):
            assert (folder / target).exists(), target
