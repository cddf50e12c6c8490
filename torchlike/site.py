"""``python -m torchlike.site enable``: ``import torch`` gives torchlike in this environment, for good.

It puts a package ``torch`` of one small file into site-packages, with metadata as pip writes them: so
`importlib.util.find_spec`, `importlib.metadata.version` and pip's resolver see a torch, and nothing is imported before a
program asks for it. ``disable`` takes it away again, and so does ``pip uninstall torch``.
"""

import argparse
import base64
import hashlib
import shutil
import sys
import sysconfig
from collections.abc import Sequence
from importlib.machinery import PathFinder
from importlib.metadata import Distribution, distributions
from pathlib import Path

from torchlike import version
from torchlike.install import ALIAS, METADATA

INSTALLER = "torchlike.site"  # what tells our metadata from PyTorch's
_PACKAGE = f'''"""torch is torchlike in this environment: `python -m torchlike.site disable` takes that back."""

import importlib
import sys

from torchlike.install import install

del sys.modules[__name__]  # this file; the import that reads it goes on with what stands there at its end
install()
importlib.import_module("{ALIAS}")
'''


class SiteError(RuntimeError):
    """Why the environment cannot be changed; one line for the user."""


def enable(folder: Path, search: Sequence[str]) -> None:
    """Puts ``torch`` into a folder of packages. Doing it twice changes nothing.

    Args:
        folder: where packages are, such as an environment's site-packages.
        search: the folders in which a PyTorch would be found.

    Raises:
        SiteError: there is a PyTorch, or the folder cannot be written.
    """
    foreign = _others(search)
    if foreign:
        raise SiteError(f"a PyTorch is installed in {foreign}: it would be hidden, or hide torchlike; remove it first "
                        "(pip uninstall torch), or use 'torchlike run' or torchlike.install()")
    info = folder / f"{ALIAS}-{version.full}.dist-info"
    # INSTALLER first: what an interruption leaves is known for ours.
    files = {info / "INSTALLER": f"{INSTALLER}\n", info / "METADATA": METADATA, folder / ALIAS / "__init__.py": _PACKAGE}
    try:
        disable(folder)  # an older version's
        for path, text in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        record = [_recorded(path.relative_to(folder), text) for path, text in files.items()]
        record.append(f"{(info / 'RECORD').relative_to(folder).as_posix()},,\n")
        (info / "RECORD").write_text("".join(record), encoding="utf-8")
    except OSError as error:
        raise SiteError(f"cannot write into {folder}: {error.strerror}") from error


def disable(folder: Path) -> bool:
    """Takes away what `enable` put into the folder.

    Args:
        folder: where packages are.

    Returns:
        whether there was anything.
    """
    own = _own(folder)
    if own:
        shutil.rmtree(folder / ALIAS, ignore_errors=True)
    for info in own:
        shutil.rmtree(info)
    return bool(own)


def _own(folder: Path) -> list[Path]:
    """The folders of metadata that are ours."""
    return [info for info in folder.glob(f"{ALIAS}-*.dist-info") if _is_own(Distribution.at(info))]


def _is_own(distribution: Distribution) -> bool:
    return (distribution.read_text("INSTALLER") or "").strip() == INSTALLER


def _others(search: Sequence[str]) -> str:
    """The folder of a torch that is not ours, "" if there is none."""
    for found in distributions(name=ALIAS, path=list(search)):
        if not _is_own(found):
            return str(found.locate_file(""))
    spec = PathFinder.find_spec(ALIAS, list(search))  # a build tree has no metadata
    if spec is None or spec.origin is None or _own(Path(spec.origin).parent.parent):
        return ""
    return str(Path(spec.origin).parent.parent)


def _recorded(path: Path, text: str) -> str:
    """A file's line in RECORD, after https://packaging.python.org/specifications/recording-installed-packages."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
    return f"{path.as_posix()},sha256={digest},{len(text.encode())}\n"


def main(argv: Sequence[str] | None = None) -> int:
    """The command ``python -m torchlike.site``.

    Args:
        argv: the arguments; None means those of the process.

    Returns:
        The exit status: 1 if the environment cannot be changed.
    """
    parser = argparse.ArgumentParser(prog="python -m torchlike.site",
                                     description="Let 'import torch' give torchlike in this environment, for good.")
    parser.add_argument("command", choices=("enable", "disable", "status"))
    parser.add_argument("--target", type=Path, help="a folder of packages (default: this environment's site-packages)")
    options = parser.parse_args(argv)
    folder = options.target or Path(sysconfig.get_path("purelib"))
    try:
        if options.command == "enable":
            enable(folder, [str(folder)] if options.target else sys.path)
        elif options.command == "disable":
            disable(folder)
    except SiteError as error:
        print(f"torchlike.site: {error}", file=sys.stderr)
        return 1
    print(f"torch is torchlike in {folder}" if _own(folder) else f"torch is not torchlike in {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
