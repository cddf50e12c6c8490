"""Which test files need PyTorch: those that import it, themselves or by a helper of the tests, compat or benchmarks.

Where there is no PyTorch, or another than torchlike follows, `conftest.py` leaves these files out. A test that needs it in a
process that it starts is marked ``oracle``.
"""

import ast
import functools
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = "torch"
FOLDERS = ("tests", "compat", "benchmarks")


@functools.cache
def needs_oracle(path: Path) -> bool:
    """Whether PyTorch is imported when a file is.

    Args:
        path: an absolute path below the root.
    """
    pending, seen = [path], set()
    while pending:
        names = _imported(pending.pop())
        if any(name.partition(".")[0] == PACKAGE for name in names):
            return True
        found = {file for name in names for file in _files(name)} - seen
        seen |= found
        pending += found
    return False


@functools.cache
def _imported(path: Path) -> frozenset[str]:
    return frozenset(_names(ast.parse(path.read_text())))


def _names(tree: ast.AST) -> Iterator[str]:
    """The names of modules, and of what is taken from them, that a source imports outside of functions."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield from _names(node)


def _files(name: str) -> list[Path]:
    """The files of the project that importing a name runs."""
    parts = name.split(".")
    if parts[0] not in FOLDERS:
        return []
    packages = [ROOT.joinpath(*parts[:i], "__init__.py") for i in range(1, len(parts) + 1)]
    return [path for path in (*packages, ROOT.joinpath(*parts).with_suffix(".py")) if path.is_file()]
