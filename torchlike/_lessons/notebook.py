"""A group of lessons as a notebook: each program a cell, the answers behind a click."""

import html
import json
import re

from torchlike._lessons import running
from torchlike._lessons.groups import GROUPS
from torchlike._lessons.lesson import Lesson, lesson, names_in

_SETUP = "import torchlike\n\ntorchlike.install()  # from here on, `import torch` gives torchlike"


def notebook(group: str) -> str:
    """The notebook of a group, as the text of an .ipynb file. What prose says of values is what the programs give now."""
    found = [_prose(f"# {GROUPS[group]}\n\nPredict what the last line prints, then run the cell."), _code(_SETUP)]
    for name in names_in(group):
        found += _cells(lesson(name))
    for number, cell in enumerate(found):
        cell["id"] = f"cell-{number}"
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return json.dumps({"cells": found, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}, indent=1) + "\n"


def _cells(one: Lesson) -> list:
    results = running.Results(one)
    right = results.correct()
    listed = "\n".join(f"{i + 1}. `{answer.line}`" for i, answer in enumerate(one.answers))
    told = "".join(_told(answer, i in right) for i, answer in enumerate(one.answers))
    return [
        _prose(f"## {one.title}\n\n{results.told(one.intro)}"),
        _prose(f"{results.told(one.question)}\n\n{listed}"),
        _code(one.programs["PyTorch"]),
        _prose(f"<details><summary>The answers</summary><ol>{told}</ol></details>"),
        _code(one.programs["JAX"]),
        _prose(f"{results.told(one.why)}\n\n**Which to prefer.** {results.told(one.prefer)}"),
    ]


def _told(answer, is_right) -> str:
    return f"<li><code>{html.escape(answer.line)}</code>{' (right)' if is_right else ''}: {_inline(answer.remark)}</li>"


def _inline(text: str) -> str:
    return re.sub(r"`(.+?)`", r"<code>\1</code>", html.escape(text))


def _prose(text: str) -> dict:
    return {"cell_type": "markdown", "metadata": {}, "source": text.splitlines(keepends=True)}


def _code(text: str) -> dict:
    return {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [],
            "source": text.rstrip().splitlines(keepends=True)}
