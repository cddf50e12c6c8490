"""`torch.hub`: https://pytorch.org/docs/stable/hub.html

Models of a folder with a ``hubconf.py``, and weights of files: those that a ``file:`` URL names, and those that are in the
cache already. torchlike downloads nothing.
"""

import contextlib
import hashlib
import importlib.util
import os
import pathlib
import re
import shutil
import sys
from urllib.parse import unquote as _unquote
from urllib.parse import urlparse

from torchlike import serialization as _serialization
from torchlike._base.errors import UnsupportedError as _UnsupportedError
from torchlike._serialization import archive as _archive

with contextlib.suppress(ImportError):
    from tqdm import tqdm as tqdm  # pyrefly: ignore [missing-import] - PyTorch has it here, without the package one of its own

__all__ = ["download_url_to_file", "get_dir", "help", "list", "load", "load_state_dict_from_url", "set_dir"]

_CONFIGURATION = "hubconf.py"
HASH_REGEX = re.compile(r"-([a-f0-9]*)\.")  # of the file's name: name-0123abcd.pth


class _Place:
    """The folder that `set_dir` has set, None before."""

    folder: str | None = None


def get_dir() -> str:
    """The folder of what was downloaded: that of `set_dir`, else ``hub`` in ``TORCH_HOME`` or ``XDG_CACHE_HOME/torch``.
    https://pytorch.org/docs/stable/hub.html#torch.hub.get_dir
    """
    return os.path.join(_get_torch_home(), "hub") if _Place.folder is None else _Place.folder


def _get_torch_home() -> str:
    """``TORCH_HOME``, or ``XDG_CACHE_HOME/torch``."""
    cache = os.getenv("XDG_CACHE_HOME", "~/.cache")
    return os.path.expanduser(os.getenv("TORCH_HOME", os.path.join(cache, "torch")))


def set_dir(d) -> None:
    """Sets the folder of what was downloaded.
    https://pytorch.org/docs/stable/hub.html#torch.hub.set_dir

    Args:
        d: a path.
    """
    _Place.folder = os.path.expanduser(d)


def _no_network(what: str) -> _UnsupportedError:
    return _UnsupportedError(f"torch.hub.{what} is not supported: torchlike downloads nothing")


def list(github, force_reload=False, skip_validation=False, trust_repo="check", verbose=True):
    """Refused: it reads from GitHub.
    https://pytorch.org/docs/stable/hub.html#torch.hub.list

    Args:
        github, force_reload, skip_validation, trust_repo, verbose: not looked at.

    Raises:
        UnsupportedError: always.
    """
    raise _no_network("list")


def help(github, model, force_reload=False, skip_validation=False, trust_repo="check"):
    """Refused: it reads from GitHub.
    https://pytorch.org/docs/stable/hub.html#torch.hub.help

    Args:
        github, model, force_reload, skip_validation, trust_repo: not looked at.

    Raises:
        UnsupportedError: always.
    """
    raise _no_network("help")


def load(repo_or_dir, model, *args, source="github", trust_repo="check", force_reload=False, verbose=True,
         skip_validation=False, **kwargs):
    """What a function of a folder's ``hubconf.py`` returns.
    https://pytorch.org/docs/stable/hub.html#torch.hub.load

    Args:
        repo_or_dir: the folder.
        model: the function's name.
        args, kwargs: its arguments.
        source: "local".
        trust_repo, force_reload, verbose, skip_validation: without effect.

    Returns:
        What it returns.

    Raises:
        ValueError: another `source` than "github" and "local", or `model` is no text.
        UnsupportedError: `source` is "github".
        RuntimeError: a package that the file lists in ``dependencies`` is missing, or there is no such function.
    """
    kind = source.lower()
    if kind not in ("github", "local"):
        raise ValueError(f'Unknown source: "{kind}". Allowed values: "github" | "local".')
    if kind == "github":
        raise _no_network('load(source="github")')
    with _on_path(repo_or_dir):
        module = _module_at(os.path.join(repo_or_dir, _CONFIGURATION))
        return _entry(module, model)(*args, **kwargs)


@contextlib.contextmanager
def _on_path(folder):
    sys.path.insert(0, os.fspath(folder))
    try:
        yield
    finally:
        sys.path.remove(os.fspath(folder))


def _module_at(path: str):
    spec = importlib.util.spec_from_file_location(_CONFIGURATION, path)
    if spec is None or spec.loader is None:
        raise AssertionError(f"no module can be made of {path}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _entry(module, model: str):
    if not isinstance(model, str):
        raise ValueError("Invalid input: model should be a string of function name")
    missing = [name for name in getattr(module, "dependencies", None) or () if importlib.util.find_spec(name) is None]
    if missing:
        raise RuntimeError(f"Missing dependencies: {', '.join(missing)}")
    found = getattr(module, model, None)
    if not callable(found):
        raise RuntimeError(f"Cannot find callable {model} in hubconf")
    return found


def download_url_to_file(url: str, dst: str, hash_prefix: str | None = None, progress: bool = True) -> None:
    """Copies the file that a URL names; if that is interrupted, `dst` is what it was.
    https://pytorch.org/docs/stable/hub.html#torch.hub.download_url_to_file

    Args:
        url: a ``file:`` URL.
        dst: the path of the copy.
        hash_prefix: how the SHA-256 of the file has to begin.
        progress: without effect.

    Raises:
        UnsupportedError: another URL.
        RuntimeError: another hash.
    """
    parts = urlparse(url)
    if parts.scheme != "file":
        raise _no_network("download_url_to_file of another URL than file:")
    source = _unquote(parts.path)
    if hash_prefix is not None:
        found = hashlib.sha256(pathlib.Path(source).read_bytes()).hexdigest()
        if not found.startswith(hash_prefix):
            raise RuntimeError(f'invalid hash value (expected "{hash_prefix}", got "{found}")')
    with _archive.replacing(dst) as file, open(source, "rb") as original:
        shutil.copyfileobj(original, file)


def load_state_dict_from_url(url: str, model_dir: str | None = None, map_location=None, progress: bool = True,
                             check_hash: bool = False, file_name: str | None = None, weights_only: bool = False):
    """What `torch.load` reads from a file of the cache, which a ``file:`` URL is copied to first.
    https://pytorch.org/docs/stable/hub.html#torch.hub.load_state_dict_from_url

    Args:
        url: its last part is the name of the file.
        model_dir: the folder; None means ``checkpoints`` in `get_dir`.
        map_location, weights_only: those of `torch.load`.
        progress: without effect.
        check_hash: whether the SHA-256 of a copied file must begin as its name says: ``name-0123abcd.pth``.
        file_name: another name for the file.

    Returns:
        The state dict.

    Raises:
        UnsupportedError: the file is not in the cache, and `url` is no ``file:`` URL.
        RuntimeError: another hash.
    """
    folder = os.path.join(get_dir(), "checkpoints") if model_dir is None else model_dir
    os.makedirs(folder, exist_ok=True)
    name = file_name or os.path.basename(urlparse(url).path)
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        sys.stdout.write(f'Downloading: "{url}" to {path}\n')
        told = HASH_REGEX.search(name) if check_hash else None
        download_url_to_file(url, path, told.group(1) if told else None, progress)
    return _serialization.load(path, map_location=map_location, weights_only=weights_only)
