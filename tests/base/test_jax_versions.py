"""With a JAX or a Python that is not supported: one sentence, and as far as it goes."""

import importlib.metadata
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import torchlike
from tests.speed import case
from torchlike import version
from torchlike._base.jax_versions import complaint, numbers

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
SENTENCE = ("torchlike supports jax from 0.8.0 to below 0.13, and found jax {}; "
            "pip install 'jax>=0.8.0,<0.13' installs a supported one")
PLANTED = """
import importlib.metadata
real = importlib.metadata.version
importlib.metadata.version = lambda name: {found!r} if name == "jax" else real(name)
"""
MISSING = """
import jax
del jax.enable_x64, jax.sharding.AbstractMesh
"""


def process(program, *options):
    return subprocess.run([sys.executable, *options, "-c", program], capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("text", "found"), [
    ("0.12.0.1", (0, 12, 0, 1)), ("0.13.0.dev20261101", (0, 13, 0)), ("0.8.0rc1", (0, 8, 0)), ("", ()), ("unknown", ())])
def test_numbers(text, found):
    assert numbers(text) == found


@pytest.mark.parametrize("found", ["0.8.0", "0.9.2", "0.10.2", "0.12.0.1", "0.12.99"])
def test_supported(found):
    assert complaint(found, *version.jax) == ""


@pytest.mark.parametrize("found", ["0.7.2", "0.4.38", "0.13.0", "0.13.0.dev20261101", "1.0", "unknown"])
def test_not_supported(found):
    assert complaint(found, *version.jax) == SENTENCE.format(found)


def test_pyproject_says_the_same():
    oldest, beyond = version.jax
    assert {f"jax>={oldest},<{beyond}", f"jaxlib>={oldest},<{beyond}"} <= {*PROJECT["dependencies"]}
    for extra in ("cuda", "cuda12", "cuda13"):
        (jax,) = PROJECT["optional-dependencies"][extra]
        assert jax.endswith(f">={oldest},<{beyond}")


def test_the_jax_that_is_here_is_supported():
    assert complaint(importlib.metadata.version("jax"), *version.jax) == ""
    done = process("import torchlike", "-W", "error")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("found", [case("0.13.0", fast=True), case("0.7.0")])
def test_import_goes_on_with_a_sentence(found):
    done = process(f"{PLANTED.format(found=found)}\nimport torchlike\nprint(torchlike.ones(2).sum().item())")
    assert (done.returncode, done.stdout) == (0, "2.0\n")
    first, *source = done.stderr.splitlines()
    assert first == f"<string>:6: UserWarning: {SENTENCE.format(found)}"
    assert source in ([], ["  import torchlike"])  # since Python 3.13


@pytest.mark.slow
def test_import_that_cannot_go_on_ends_with_the_sentence():
    done = process(f"{PLANTED.format(found='0.7.0')}{MISSING}\nimport torchlike")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == f"ImportError: {SENTENCE.format('0.7.0')}"


@pytest.mark.slow
def test_a_missing_name_of_a_supported_jax_is_told_as_it_is():
    done = process(f"{MISSING}\nimport torchlike")
    assert done.returncode == 1 and "supports jax" not in done.stderr


@pytest.mark.slow
def test_a_python_without_a_lock_is_refused():
    done = process("import sys\nsys._is_gil_enabled = lambda: False\nimport torchlike")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        f"ImportError: torchlike needs Python's global interpreter lock, which this free-threaded Python "
        f"{sys.version.split()[0]} runs without: start it with PYTHON_GIL=1, or use the usual build")


def test_the_command_says_the_sentence_alone(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(PLANTED.format(found="0.7.0") + MISSING)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH")]))}
    (tmp_path / "program.py").write_text("print(1)")
    command = Path(torchlike.__file__).with_name("_command.py")
    done = subprocess.run([sys.executable, "-P", str(command), "run", str(tmp_path / "program.py")], capture_output=True,
                          text=True, check=False, env=environment)
    assert done.returncode == 1 and done.stderr.splitlines()[-1] == f"torchlike: {SENTENCE.format('0.7.0')}"
    assert "Traceback" not in done.stderr
