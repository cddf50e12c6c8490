"""The script ``torchlike``, which runs `_command.py` as a file. What is installed is a module of its own,
`torchlike_command` (pyproject.toml puts it there, and leaves this one out): as a part of the package it would import all of
it, and JAX.
"""

import importlib.util
import os
import runpy


def main() -> int:
    """The command.

    Returns:
        The exit status.
    """
    spec = importlib.util.find_spec("torchlike")
    folders = [] if spec is None else spec.submodule_search_locations or []
    return runpy.run_path(os.path.join(next(iter(folders)), "_command.py"))["main"]()
