"""`torchlike.site`: an environment in which ``import torch`` is torchlike, and back."""

import base64
import hashlib
import importlib.metadata
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import torchlike
from torchlike import site

PROGRAM = """
import importlib.metadata, importlib.util, sys
assert importlib.util.find_spec("torch") and "torchlike" not in sys.modules
assert importlib.metadata.version("torch") == {version!r}
import torch.nn.functional as F
import torch, torchlike
assert torch is torchlike is sys.modules["torch"] and F is torchlike.nn.functional
assert importlib.metadata.version("torch") == torch.__version__
print(torch.ones(2).add(1).sum().item())
"""


def run(folder: Path, *command: str) -> subprocess.CompletedProcess:
    """A process in which the folder's packages come before all others."""
    search = os.pathsep.join([str(folder), str(Path(torchlike.__file__).parents[1])])
    return subprocess.run([sys.executable, *command], capture_output=True, text=True, check=False,
                          env={**os.environ, "PYTHONPATH": search})


@pytest.mark.slow
def test_a_program_gets_torchlike(tmp_path):
    assert site.main(["enable", "--target", str(tmp_path)]) == 0
    done = run(tmp_path, "-c", PROGRAM.format(version=torchlike.__version__))
    assert (done.stdout, done.stderr) == ("4.0\n", "")


@pytest.mark.slow  # each worker imports jax
def test_workers_that_are_spawned_get_it_too(tmp_path):
    site.enable(tmp_path, [str(tmp_path)])
    program = tmp_path / "program.py"
    program.write_text("import multiprocessing, torch\n"
                       "def work(number):\n    return torch.ones(number).sum().item()\n"
                       "if __name__ == '__main__':\n"
                       "    with multiprocessing.get_context('spawn').Pool(1) as pool:\n"
                       "        print(pool.map(work, [2, 3]))\n")
    done = run(tmp_path, str(program))
    assert (done.stdout, done.stderr) == ("[2.0, 3.0]\n", "")


@pytest.mark.slow
def test_uninstalled_and_imported_again(tmp_path):
    site.enable(tmp_path, [str(tmp_path)])
    done = run(tmp_path, "-c", "import torch, torchlike\ntorchlike.uninstall()\n"
                               "import torch as again; print(again is torchlike)")
    assert (done.stdout, done.stderr) == ("True\n", "")


def test_pips_metadata(tmp_path):
    site.enable(tmp_path, [str(tmp_path)])
    [found] = importlib.metadata.distributions(name="torch", path=[str(tmp_path)])
    assert found.version == torchlike.__version__ and not found.requires
    listed = {str(file): file for file in found.files}
    assert set(listed) == {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    hashed = [file for file in listed.values() if file.hash]
    assert len(hashed) == len(listed) - 1  # all but RECORD itself
    for file in hashed:
        content = file.locate().read_bytes()
        assert file.size == len(content)
        assert file.hash.mode == "sha256" and hashlib.sha256(content).digest() == _decoded(file.hash.value)


def _decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def test_disable_leaves_nothing_of_ours_and_all_of_others(tmp_path, capsys):
    (tmp_path / "torch_other").mkdir()
    for command, enabled in [("disable", False), ("enable", True), ("enable", True), ("status", True), ("disable", False)]:
        assert site.main([command, "--target", str(tmp_path)]) == 0
        assert capsys.readouterr().out.startswith("torch is torchlike" if enabled else "torch is not torchlike")
    assert [path.name for path in tmp_path.iterdir()] == ["torch_other"]


def test_an_older_versions_metadata_is_replaced(tmp_path, monkeypatch):
    with monkeypatch.context() as older:
        older.setattr(site.version, "full", "2.12.0+torchlike.0.0.1")
        older.setattr(site, "METADATA", "Metadata-Version: 2.1\nName: torch\nVersion: 2.12.0+torchlike.0.0.1\n")
        site.enable(tmp_path, [str(tmp_path)])
    site.enable(tmp_path, [str(tmp_path)])
    [found] = importlib.metadata.distributions(name="torch", path=[str(tmp_path)])
    assert found.version == torchlike.__version__


@pytest.mark.oracle
def test_refused_where_pytorch_is(capsys):
    folder = Path(sysconfig.get_path("purelib"))
    before = sorted(path.name for path in folder.glob("torch*"))
    assert site.main(["enable"]) == 1
    assert "a PyTorch is installed in" in capsys.readouterr().err
    assert sorted(path.name for path in folder.glob("torch*")) == before
    assert not site.disable(folder)  # PyTorch's files are not ours


def test_refused_where_pytorch_is_without_metadata(tmp_path):
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text("")
    with pytest.raises(site.SiteError, match="is installed in"):
        site.enable(tmp_path, [str(tmp_path)])


def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(site.SiteError, match="cannot write into"):
        site.enable(tmp_path / "file", [])
