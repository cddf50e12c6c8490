"""``%load_ext torchlike.show`` and ``%%show``: a cell's run as a page below the cell, in Jupyter, VS Code and others."""

import ast
import html
import importlib
import linecache
from typing import Any

from torchlike.show.data import Writer
from torchlike.show.film import filmed
from torchlike.show.page import page

_HEIGHT = 720  # pixels
# The page has styles and keys of its own, so it is a document of its own.
_WIDGET = """
function render({ model, el }) {
  const frame = document.createElement("iframe");
  frame.title = "a run, operation by operation";
  frame.style.cssText = `width: 100%; height: ${model.get("height")}px; border: 1px solid #8888`;
  frame.srcdoc = model.get("page");
  el.append(frame);
}
export default { render };
"""


def show_cell(line: str, cell: str) -> Any:
    """The magic ``%%show [HEIGHT]``: runs the cell as it would be run, and shows what it did.

    Args:
        line: the height in pixels, "" for the default.
        cell: the code; it sees the notebook's variables, and leaves its own there.

    Returns:
        What the notebook displays.

    Raises:
        Exception: what the cell raises, after the page has been displayed.
    """
    shell = importlib.import_module("IPython").get_ipython()
    name = f"<cell {shell.displayhook.prompt_count}>"  # `execution_count` may be that of the next cell already
    linecache.cache[name] = (len(cell), None, cell.splitlines(keepends=True), name)
    names = shell.user_ns

    def run():
        exec(compile(cell, name, "exec"), names)
        return names

    film, _, error = filmed(run, importlib.import_module("torchlike"))
    used = {each.id for each in ast.walk(ast.parse(cell)) if isinstance(each, ast.Name)} if error is None else set()
    data = Writer(film, name).written({key: names[key] for key in used if key in names}, error, None)
    made = displayed(page({**data, "engines": None}), int(line or _HEIGHT))
    if error is None:
        return made
    importlib.import_module("IPython.display").display(made)
    raise error


class Frame:
    """A page in a frame of its own.

    Args:
        text: the page.
        height: pixels.
    """

    def __init__(self, text: str, height: int):
        self.data = f'<iframe srcdoc="{html.escape(text)}" width="100%" height="{height}" title="a run"></iframe>'

    def _repr_html_(self) -> str:
        return self.data


def displayed(text: str, height: int = _HEIGHT) -> Any:
    """A page as a notebook displays it: a widget where anywidget is installed, else a frame.

    Args:
        text: the page.
        height: pixels.

    Returns:
        An AnyWidget, or a `Frame`.
    """
    try:
        anywidget, traitlets = map(importlib.import_module, ("anywidget", "traitlets"))
    except ImportError:
        return Frame(text, height)

    class Page(anywidget.AnyWidget):
        _esm = _WIDGET
        page = traitlets.Unicode(text).tag(sync=True)
        height = traitlets.Int(_HEIGHT).tag(sync=True)

    return Page(height=height)


def load_ipython_extension(shell) -> None:
    """Registers the magic. https://ipython.readthedocs.io/en/stable/config/extensions/

    Args:
        shell: IPython's.
    """
    shell.register_magic_function(show_cell, "cell", "show")
