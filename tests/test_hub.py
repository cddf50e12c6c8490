"""`torch.hub` without a network, compared with PyTorch's."""

import os

import pytest
import torch

import torchlike
from torchlike.utils import model_zoo

LIBRARIES = pytest.mark.parametrize("lib", [torch, torchlike], ids=["torch", "torchlike"])
CONFIGURATION = '''
import importlib
dependencies = ["numpy"{more}]
import beside

def model(n, k=1):
    return beside.FACTOR * n, k

number = 3
'''


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """A cache of the test's own."""
    monkeypatch.setenv("TORCH_HOME", str(tmp_path / "home"))
    (tmp_path / "beside.py").write_text("FACTOR = 10\n")
    (tmp_path / "hubconf.py").write_text(CONFIGURATION.format(more=""))
    yield
    torch.hub._hub_dir = torchlike.hub._Place.folder = None


@LIBRARIES
def test_load_from_a_folder(lib, tmp_path):
    assert lib.hub.load(str(tmp_path), "model", 3, k=2, source="local") == (30, 2)
    for model, source, error, text in (
            ("nope", "local", RuntimeError, "Cannot find callable nope in hubconf"),
            ("number", "local", RuntimeError, "Cannot find callable number in hubconf"),
            (3, "local", ValueError, "Invalid input: model should be a string of function name"),
            ("model", "X", ValueError, 'Unknown source: "x". Allowed values: "github" | "local".')):
        with pytest.raises(error) as caught:
            lib.hub.load(str(tmp_path), model, source=source)
        assert str(caught.value).startswith(text)
    (tmp_path / "hubconf.py").write_text(CONFIGURATION.format(more=', "no_such_package"'))
    with pytest.raises(RuntimeError, match=r"^Missing dependencies: no_such_package$"):
        lib.hub.load(str(tmp_path), "model", 3, source="local")


@LIBRARIES
def test_folders(lib, tmp_path, monkeypatch):
    assert lib.hub.get_dir() == str(tmp_path / "home" / "hub")
    monkeypatch.delenv("TORCH_HOME")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert lib.hub.get_dir() == str(tmp_path / "cache" / "torch" / "hub")
    lib.hub.set_dir("~/there")
    assert lib.hub.get_dir() == os.path.expanduser("~/there")


@LIBRARIES
def test_weights(lib, tmp_path, capsys):
    cache = tmp_path / "home" / "hub" / "checkpoints"
    cache.mkdir(parents=True)
    lib.save({"a": lib.ones(2)}, cache / "m-12345678.pth")
    for url in ("https://example.invalid/x/m-12345678.pth", "https://example.invalid/other.pth"):
        found = lib.hub.load_state_dict_from_url(url, progress=False, file_name="m-12345678.pth", check_hash=True)
        assert found["a"].tolist() == [1, 1]
    assert capsys.readouterr().out == ""
    url = (cache / "m-12345678.pth").as_uri()
    assert lib.hub.load_state_dict_from_url(url, str(tmp_path / "new"), progress=False)["a"].tolist() == [1, 1]
    assert capsys.readouterr().out == f'Downloading: "{url}" to {tmp_path / "new" / "m-12345678.pth"}\n'
    with pytest.raises(RuntimeError, match=r'invalid hash value .expected "12345678", got "'):
        lib.hub.load_state_dict_from_url(url, str(tmp_path / "wrong"), progress=False, check_hash=True)
    assert os.listdir(tmp_path / "wrong") == []


def test_what_needs_a_network_refuses():
    assert model_zoo.load_url is torchlike.hub.load_state_dict_from_url
    for call in (lambda: torchlike.hub.list("owner/name"), lambda: torchlike.hub.help("owner/name", "model"),
                 lambda: torchlike.hub.load("owner/name", "model"),
                 lambda: torchlike.hub.load_state_dict_from_url("https://example.invalid/m.pth")):
        with pytest.raises(torchlike.UnsupportedError, match="torchlike downloads nothing"):
            call()
