"""Programs as they lie in files: scripts, folders with a ``__main__.py``, and notebooks."""

import ast
import json
import os
import pathlib

NOTEBOOK = ".ipynb"
# Calls that give other numbers at each run, by the last part of their names; of some only without arguments.
CHANCE = {"urandom", "SystemRandom", "token_bytes", "token_hex", "randbelow", "uuid1", "uuid4", "time", "time_ns",
          "perf_counter", "monotonic", "process_time", "now", "today", "getpid", "getrandom", "initial_seed"}
UNSEEDED = {"default_rng", "RandomState", "Random", "seed", "SeedSequence", "PCG64", "MT19937"}


class NotAProgramError(ValueError):
    """There is no program at a path; the text says why."""


def program_at(path: str) -> str:
    """The file of a program: of a folder its ``__main__.py``. NotAProgramError if there is none, or a notebook is none."""
    if os.path.isdir(path):
        inner = os.path.join(path, "__main__.py")
        if not os.path.isfile(inner):
            raise NotAProgramError(f"'{path}' is a directory without a __main__.py")
        return inner
    if not os.path.isfile(path):
        raise NotAProgramError(f"can't open file '{path}'")
    if path.endswith(NOTEBOOK):
        notebook_source(path)
    return path


def notebook_source(path: str) -> bytes | None:
    """The cells of code of a notebook, one after the other; None for a program that is none."""
    if not path.endswith(NOTEBOOK):
        return None
    try:
        cells = [cell for cell in json.loads(pathlib.Path(path).read_bytes())["cells"] if cell["cell_type"] == "code"]
        texts = ["".join(cell["source"]) for cell in cells]
    except (ValueError, LookupError, TypeError) as error:
        raise NotAProgramError(f"'{path}' is no notebook: {error}") from None
    return "".join(f"{_python(text)}\n" for text in texts).encode()


def _python(cell: str) -> str:
    """A cell of a notebook without IPython's own lines: each becomes a comment, and does nothing."""
    try:
        ast.parse(cell)
        return cell
    except SyntaxError:
        lines = cell.splitlines()
    if cell.lstrip().startswith("%%"):
        return "\n".join(f"# {line}" for line in lines)
    return "\n".join(_commented(line) if line.lstrip()[:1] in ("%", "!") else line for line in lines)


def _commented(line: str) -> str:
    text = line.lstrip()
    return f"{line[:len(line) - len(text)]}pass  # {text}"


def chances(source: bytes) -> list[str]:
    """Where a program draws numbers that differ at each run: ``"line 3: numpy.random.default_rng()"``."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return []
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and _is_chance(node)]
    return [f"line {node.lineno}: {ast.unparse(node)}" for node in sorted(found, key=lambda node: node.lineno)]


def _is_chance(call: ast.Call) -> bool:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    return name in CHANCE or (name in UNSEEDED and not call.args and not call.keywords)
