"""The table of uses and releases: a line a use, with the reason of each release that lacks it."""

import functools
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from collections.abc import Iterable

from compat.jax_names import VERSIONS
from compat.jax_names.uses import Use, uses_in

ROOT = pathlib.Path(__file__).parents[2]
TABLE = pathlib.Path(__file__).with_name("table.txt")
_EXAMINE = pathlib.Path(__file__).with_name("examine.py")
_HEAD = "# Written by python -m compat.jax_names --write: names of JAX that torchlike uses. Releases: {}.\n"


@functools.cache
def of_torchlike() -> dict[Use, str]:
    """The uses in torchlike's own sources, and where."""
    files = sorted((ROOT / "torchlike").rglob("*.py"))
    return uses_in({path.relative_to(ROOT).as_posix(): path.read_text() for path in files})


def read() -> dict[str, str]:
    """{use as text: the releases that lack it and why, "" for none}, as the table has it."""
    lines = [line for line in TABLE.read_text().splitlines() if not line.startswith("#")]
    return {use: why for use, _, why in (line.partition("  ") for line in lines)}


def asked(uses: Iterable[Use], python: str = sys.executable, path: str | None = None) -> list[str]:
    """Ask a JAX for uses, in a process of its own.

    Args:
        uses: what to ask for.
        python: the interpreter.
        path: the folder of the JAX; None for the one that the interpreter has.

    Returns:
        for each use "" or why JAX lacks it.

    Raises:
        subprocess.CalledProcessError: JAX cannot be imported there.
    """
    code = [python, str(_EXAMINE)]
    given = json.dumps([[use.name, use.keywords, use.how] for use in uses])
    environment = None if path is None else {**os.environ, "PYTHONPATH": path}
    return json.loads(subprocess.run(code, input=given, capture_output=True, text=True, check=True, env=environment).stdout)


def write() -> None:
    """Install each release in a folder of its own, ask it, and write the table."""
    uses = sorted(of_torchlike(), key=str)
    reasons: dict[Use, list[str]] = {use: [] for use in uses}
    for version in VERSIONS:
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", folder,
                            f"jax=={version}", f"jaxlib=={version}"], check=True)
            for use, why in zip(uses, asked(uses, path=folder), strict=True):
                reasons[use] += [f"{version} {why}"] if why else []
    lines = [f"{use}  {'; '.join(reasons[use])}".rstrip() for use in uses]
    TABLE.write_text(_HEAD.format(", ".join(VERSIONS)) + "\n".join(lines) + "\n")


def complaints(uses: Iterable[Use], known: dict[str, str]) -> list[str]:
    """Complaints about uses, by a table.

    Args:
        uses: of sources.
        known: the table.

    Returns:
        texts: uses that the table does not have, and those that a release lacks.
    """
    texts = sorted(map(str, uses))
    return [*(f"{text}: not in the table, run python -m compat.jax_names --write" for text in texts if text not in known),
            *(f"{text}: {known[text]}" for text in texts if known.get(text))]
