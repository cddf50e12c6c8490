"""The text of each module that the command writes."""

import re

from compat.api import faces, functions
from compat.api.chapters import CHAPTERS, chapter
from compat.api.types import HOMES, is_named
from torchlike._ops.all import ROWS

_HEAD = '"""{}\n\nWritten by ``python -m compat.api`` from the operator table: do not edit.\n"""\n\n'
_WHERE = "torchlike/_api/generated"
_HELPERS = {
    "bind": "torchlike._record.bind", "unary": "torchlike._record.bind", "binary": "torchlike._record.bind",
    "inplace": "torchlike._record.inplace", "written": "torchlike._api.out", "ROWS": "torchlike._ops.all",
    "each": "torchlike._api.foreach", "pair": "torchlike._api.foreach", "ternary": "torchlike._api.foreach",
    "become_view": "torchlike._api.in_place", "compare": "torchlike._api.in_place",
    "return_types": "torchlike._api.generated", "older_form": "torchlike._api.older_forms", "Any": "typing",
    **dict.fromkeys(("ONE", "ints", "int_list", "varargs", "integer", "static_number", "as_tuple", "by_axis", "numpys"),
                    "torchlike._api.arguments"),
}
_RENAMED = {"_view": ("torchlike._record.views", "view"), "_views": ("torchlike._record.views", "views")}


def texts() -> dict:
    """{path below the root: text} of everything that is made from rows alone."""
    found = {f"{_WHERE}/__init__.py": _PACKAGE, f"{_WHERE}/return_types.py": _return_types()}
    written = [*faces.functions(nn=False), *faces.functions(nn=True),
               *(face for method in (True, False) for face in faces.in_place(method=method) if face.is_set)]
    names = []
    for name in CHAPTERS:
        rows = [row for row in ROWS.values() if chapter(row) == name]
        if rows:
            names.append(name)
            found[f"{_WHERE}/ops/{name}.py"] = _ops(name, rows)
        mine = [face for face in written if face.chapter == name]
        if mine:
            found[f"{_WHERE}/{name}.py"] = _functions(name, mine)
    lists = [functions.of_lists(*each) for each in faces.foreach()]
    found[f"{_WHERE}/foreach.py"] = module_text("Operations on each tensor of a list, as optimizers call them.", lists)
    found[f"{_WHERE}/ops/__init__.py"] = _ops_package(names)
    return found


def _ops(name, rows) -> str:
    texts = [text for row in rows for text in
             (functions.row_form(row), *([functions.row_in_place(row)] if faces.writable(row) else []))]
    for face in faces.extra_ops(name):
        texts.append((functions.row_in_place if face.in_place else functions.row_form)(face.rows[0], face.name))
    return module_text(f"{CHAPTERS[name]}: each row as a function, with the row's own signature.", texts, public=True)


def _functions(name, mine) -> str:
    texts = [functions.in_place(face.rows, face.name) if face.in_place else
             functions.function(face.rows, face.name, face.alias_of) for face in mine]
    return module_text(f"{CHAPTERS[name]}: functions of the torch namespace.", texts)


def module_text(title, texts, public=False) -> str:
    """A module of these functions: imports, and each function below the rows and closures that it needs."""
    rows = {name: row for text in texts for name, row in text.rows.items()}
    shorts = {name: made for text in texts for name, made in text.shorts.items()}
    needs = [f'{name} = ROWS["{row}"]' for name, row in rows.items()] + [f"{name} = {made}" for name, made in shorts.items()]
    body = "\n".join(needs) + "\n\n\n" + "\n\n".join(text.text for text in texts)
    end = f"\n\n__all__ = {_wrapped([text.name for text in texts])}\n" if public else ""
    return f"{_HEAD.format(title)}{_imports(body)}\n{body}{end}"


def _imports(body) -> str:
    """The import lines for all names that the text uses, in isort's order."""
    bare = re.sub(r'"""(.|\n)*?"""', "", body)
    lines: dict = {}
    for name, home in {**HOMES, **_HELPERS}.items():
        if re.search(rf"\b{name}\b", bare):
            lines.setdefault(home, []).append(name)
    for name, (home, own) in _RENAMED.items():
        if re.search(rf"\b{name}\(", bare):
            lines.setdefault(home, []).append(f"{own} as {name}")
    first = [f"from {h} import {', '.join(sorted(names))}" for h, names in lines.items() if not h.startswith("torchlike")]
    own = [line for h, names in sorted(lines.items()) if h.startswith("torchlike") for line in _import(h, sorted(names))]
    return "from __future__ import annotations\n\n" + "\n".join([*sorted(first), *([""] if first else []), *own]) + "\n"


def _import(home, names) -> list:
    plain = [name for name in names if " as " not in name]
    lines = [f"from {home} import {', '.join(sorted(plain, key=_isort))}"] if plain else []
    return lines + [f"from {home} import {name}" for name in names if " as " in name]


def _isort(name) -> tuple:
    """Constants, then classes, then the rest, as isort sorts."""
    return (0 if name.isupper() else 1 if name[:1].isupper() else 2, name)


def _wrapped(names) -> str:
    return "[\n" + "".join(f'    "{name}",\n' for name in names) + "]"


def _return_types() -> str:
    """The named tuples that functions return."""
    seen: dict = {}
    for row in ROWS.values():
        if is_named(row) and seen.setdefault(row.face, row.schema.returns) != row.schema.returns:
            raise ValueError(f"two rows {row.face} with results of other names")
    classes = [f'class {name}(NamedTuple):\n    """What `torch.{name}` returns."""\n\n'
               + "".join(f"    {field}: Tensor\n" for field in fields)
               + '\n    __module__ = "torch.return_types"\n    __repr__ = shown\n' for name, fields in seen.items()]
    return (f"{_HEAD.format('torch.return_types: named tuples of results.')}from typing import NamedTuple\n\n"
            "from torchlike._api.arguments import shown\nfrom torchlike._record.tensor import Tensor\n\n\n"
            + "\n\n".join(classes))


_OPS = """\"\"\"Each row as a function with its own signature: ``ops.max_dim`` is the row ``max.dim``, ``ops.tanh_`` the row
``tanh`` in place. Tensor's methods are these, and functions that are written by hand call them. A module for each chapter
of PyTorch's documentation; the recorder is all that they import.

Written by ``python -m compat.api`` from the operator table: do not edit.
\"\"\"

"""
_PACKAGE = """\"\"\"What ``python -m compat.api`` writes from the operator table; do not edit. A test compares it.

`ops` has each row under its own name; the other modules have the functions of the torch namespace, one module for each
chapter of PyTorch's documentation. `return_types` are the named tuples that they return, `foreach` the forms for lists of
tensors. `torch_names`, `space_names`, `nn_names` and `methods` say where each public name is from.

Modules here import the recorder and the helpers beside this folder. A function that a row alone does not say is written by
hand in a module of `torchlike._api`. Start with `pointwise.py`.
\"\"\"
"""


def _ops_package(names) -> str:
    return _OPS + "".join(f"from torchlike._api.generated.ops.{name} import *  # noqa: F403\n" for name in sorted(names))
