"""One file of HTML: the program of the page, its style and its data."""

import concurrent.futures
import html
import importlib
import inspect
import json
import os
import pathlib
import subprocess
import sys
from collections.abc import Callable, Sequence

import numpy as np

from torchlike._diff import program_run, sources
from torchlike._diff.deep import Report
from torchlike._diff.port_program import random_state
from torchlike.install import install
from torchlike.show.data import Writer
from torchlike.show.engines import compared, of_report
from torchlike.show.film import filmed

_WEB = pathlib.Path(__file__).parent / "web"
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<div id="page"><noscript>This page needs JavaScript.</noscript></div>
<script type="application/json" id="data">{data}</script>
<script>{program}</script>
</body>
</html>
"""


def page(data: dict) -> str:
    """The page of some data. It needs nothing from outside.

    Args:
        data: what `Writer.written` gave, and ``engines``.

    Returns:
        The text.
    """
    text = json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")  # it ends at "</script"
    program = (_WEB / "page.js").read_text(encoding="utf-8").replace("</script", "<\\/script")
    return _PAGE.format(title=html.escape(f"{data['program']} · torchlike"), data=text, program=program,
                        style=(_WEB / "page.css").read_text(encoding="utf-8"))


def show(program: str, arguments: Sequence[str] = (), *, engines: bool = False,
         echo: bool = True) -> tuple[str, BaseException | None]:
    """Runs a program and makes its page.

    Args:
        program: the path of a Python file or a notebook.
        arguments: the program's arguments.
        engines: whether it is compared under the engines of ``torchlike diff``, too, in processes of their own.
        echo: whether what it prints is also printed.

    Returns:
        (the text of the page, the exception that ended the program or None).
    """
    install()
    torch = importlib.import_module("torch")  # by now it is torchlike
    source = sources.notebook_source(program)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(compared, program, arguments) if engines else None
        program_run.seed(torch)
        film, variables, error = filmed(
            lambda: program_run.execute(program, list(arguments), source=source), torch, echo)
        line = None if error is None else (program_run.describe(error, program) or {}).get("line")
        data = Writer(film, program).written(variables or {}, error, line)
        data["engines"] = None if waiting is None else waiting.result()
    return page(data), error


def write_failure(program: Callable | str | os.PathLike, inputs: Sequence, report: Report, target: pathlib.Path) -> None:
    """Writes the page of a program whose engines part: its run under torchlike, and where they part first.

    Args:
        program: a function of the torch module and the inputs, or the path of a script.
        inputs: arrays, which a function gets as tensors.
        report: what the comparison found.
        target: the file.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    if not callable(program):  # in a process in which `import torch` gives torchlike
        subprocess.run([sys.executable, "-m", "torchlike", "show", "--engines", "-o", str(target), os.fspath(program)],
                       capture_output=True, check=False)
        return
    torch = importlib.import_module("torchlike")
    code = getattr(inspect.unwrap(program), "__code__", None)
    with random_state(torch):
        given = [torch.tensor(np.asarray(x)) for x in inputs]
        film, _, error = filmed(lambda: program(torch, *given), torch, echo=False)
    data = Writer(film, "" if code is None else code.co_filename).written({}, error, None)
    engines = list(dict.fromkeys(name for pair in report.pairs for name in pair.engines))
    data["engines"] = {"engines": dict.fromkeys(engines, "ok"), "rows": [], "notes": [], "problem": "", **of_report(report)}
    target.write_text(page(data), encoding="utf-8")


def write(program: str, arguments: Sequence[str], target: str | None, engines: bool) -> int:
    """The command ``torchlike show``.

    Args:
        program, arguments, engines: as for `show`.
        target: the file to write; None is the program's name with .html, in the current folder.

    Returns:
        The exit status: 1 where the program raised.
    """
    target = target or f"{pathlib.Path(program).stem}.html"
    text, error = show(program, arguments, engines=engines)
    pathlib.Path(target).write_text(text, encoding="utf-8")
    print(f"{os.path.abspath(target)}: {len(text) / 1e6:.2f} MB", file=sys.stderr)
    if error is not None:
        print(f"the program ended with {type(error).__name__}: {error}", file=sys.stderr)
    return 0 if error is None else 1
