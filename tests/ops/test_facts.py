"""Only the operator table knows operators: no other module lists rows or asks for names, and each face is PyTorch's."""

import ast
import pkgutil
import subprocess
import sys

import pytest
import torch

import torchlike
from compat.api import faces, later
from tests.test_layering import sources
from torchlike._ops.all import ROWS

NAMES = set(ROWS) | {row.face for row in ROWS.values()} | {f"{row.face}_" for row in ROWS.values() if row.inplace}
# Rows whose names are options of users, too: reductions, modes, nonlinearities.
WORDS = {"sum", "mean", "max", "min", "all", "any", "mode", "real", "imag", "tanh", "relu", "gelu", "threshold"}
ELSEWHERE = {
    "torchlike/_api/generated/homes.py": "the modules of PyTorch that functions are from, written from PyTorch",
    "torchlike/_api/segments.py": "kinds of reductions that users name",
    "torchlike/_base/absent_modules.py": "functions of modules that are not there",
    "torchlike/_compile/fences.py": "JAX's primitives",
    "torchlike/_diff/calling.py": "JAX's primitives",
    "torchlike/_lower/primitives.py": "JAX's primitives",
    "torchlike/_lower/source.py": "words for results of PyTorch's functions, in code that is written",
    "torchlike/_lower/writer.py": "words for results of JAX's primitives, in code that is written",
    "torchlike/_plan/operations.py": "what is split with its operands, when a model that is not divided is planned",
    "torchlike/distributed/tensor/_rules/matrix.py": "equations of products, which parts are computed by",
    "torchlike/distributed/tensor/_rules/pointwise.py": "which operators of PyTorch's dispatcher are linear",
    "torchlike/distributed/tensor/_rules/reduction.py": "how results of parts are reduced further",
    "torchlike/distributed/tensor/_rules/table.py": "how operators of PyTorch's dispatcher are computed by parts",
    "torchlike/masked/_names.py": "the functions of PyTorch's masked tensors, a prototype that has few",
}


def listed(node) -> list:
    """The texts in a literal collection, of a dict its keys if its values are no code; the words of a text."""
    if isinstance(node, ast.Dict):
        is_data = any(isinstance(value, ast.Constant | ast.Tuple | ast.List | ast.Set | ast.Dict) for value in node.values)
        parts = node.keys if is_data else []
    elif isinstance(node, ast.Set | ast.List | ast.Tuple):
        parts = node.elts
    else:
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
        return node.value.split() if is_text and "\n\n" not in node.value else []
    return [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]


def lists_rows(node) -> bool:
    found = set(listed(node))
    rows = found & NAMES
    return 2 * len(rows) > len(found) and (len(rows - WORDS) > 1 or len(rows) > 3)


def is_name_of_row(node) -> bool:
    """``row.name``, also ``kernel.row.name``."""
    return isinstance(node, ast.Attribute) and node.attr in ("name", "face") and \
        ast.unparse(node.value).rpartition(".")[2] in ("row", "_row")


def asks_for_name(node) -> bool:
    """Whether something is decided or looked up by the name of a row."""
    if isinstance(node, ast.Compare):
        return any(map(is_name_of_row, (node.left, *node.comparators)))
    if isinstance(node, ast.Subscript):
        return is_name_of_row(node.slice)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        asks = node.func.attr in ("startswith", "endswith") and is_name_of_row(node.func.value)
        return asks or (node.func.attr == "get" and any(map(is_name_of_row, node.args)))
    return False


def is_public_list(node) -> bool:
    return isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"


def walk(tree):
    """All nodes but those of docstrings and of ``__all__``."""
    for child in ast.iter_child_nodes(tree):
        if not is_public_list(child) and not (isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)):
            yield child
            yield from walk(child)


TABLES = ("torchlike/_ops/", "torchlike/_course/")  # the second: a learner's engine has operators of its own


def complaints(tree: dict) -> list:
    found = []
    for path, text in tree.items():
        if path.startswith(TABLES):
            continue
        for node in walk(ast.parse(text)):
            if asks_for_name(node):
                found.append(f"{path}:{node.lineno}: decides by the name of a row")
            if path not in ELSEWHERE and lists_rows(node):
                found.append(f"{path}:{node.lineno}: lists rows: {', '.join(listed(node))}")
    return found


@pytest.mark.slow
def test_only_the_table_knows_operators():
    assert complaints(sources()) == []


@pytest.mark.parametrize("text", [
    'CAST = {"exp", "log"}', 'A = ["mul", "div", "x"]', 'NODES = {"_fill": 2, "_zero": 3}', 'A = "exp log mm"',
    'def f(row):\n    return row.name == "mul"', 'def f(kernel, a):\n    return kernel.row.name in a',
    'def f(row, table):\n    return table[row.name]', 'def f(row, table):\n    return table.get(row.face)',
    'def f(row):\n    return row.name.startswith("index")',
])
def test_planted_error_is_seen(text):
    assert len(complaints({"torchlike/_record/bad.py": text})) == 1


@pytest.mark.parametrize("path", ELSEWHERE)
def test_exceptions_are_needed(path):
    tree = sources()
    assert any(lists_rows(node) for node in walk(ast.parse(tree[path])))


def test_every_public_row_says_what_it_computes():
    words = {row.name: row.summary for row in ROWS.values() if not row.is_private}
    assert [name for name, text in words.items() if not text or text.startswith("http")] == []


# -- faces

OURS = {"UnsupportedError", "configure", "counters", "explain", "from_jax", "from_torch", "graph", "install", "interop",
        "lower", "lowering", "step_backward", "memory", "subgradients", "to_jax", "to_torch", "uninstall"}
METHODS_OF_OURS = {"isin", "rsub", "view_as_complex", "view_as_real"}


def space_of(name) -> tuple:
    """(PyTorch's module, the name there) of a function whose name may begin with that of its module."""
    for space in ("linalg", "special"):
        if name.startswith(f"{space}_"):
            return getattr(torch, space), name.removeprefix(f"{space}_")
    return torch, name


def public(thing) -> set:
    return {name for name in dir(thing) if not name.startswith("_")}


@pytest.mark.slow
def test_nothing_public_that_pytorch_lacks():
    code = "import torchlike; print(*dir(torchlike))"  # of its own: any test may have imported more modules
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    modules = {module.name for module in pkgutil.iter_modules(torch.__path__)}  # some are attributes once imported
    assert {name for name in printed.split() if not name.startswith("_")} - public(torch) - modules == OURS | later.DTYPES
    assert public(torchlike.nn.functional) <= public(torch.nn.functional)


def test_faces_of_rows_are_those_of_pytorch():
    """No function, method or in-place form that PyTorch lacks."""
    names = [face.name for face in faces.functions(nn=False)]
    assert [name for name in names if not hasattr(*space_of(name)) and name not in later.rows()] == []
    methods = {face.name for face in (*faces.methods(), *faces.in_place(method=True))}
    assert {name for name in methods if not hasattr(torch.Tensor, name)} <= METHODS_OF_OURS
    assert {name for name in public(torchlike.Tensor) if not hasattr(torch.Tensor, name)} == METHODS_OF_OURS


def test_no_face_is_missing():
    """What PyTorch has under a row's name or another of its names, torchlike has, too."""
    names = [name for row in ROWS.values() if not row.is_private for name in (row.face, *row.aliases)]
    for theirs, ours in ((torch, torchlike), (torch.Tensor, torchlike.Tensor)):
        both = [form for name in names for form in (name, f"{name}_") if hasattr(theirs, form)]
        assert len(both) > 300
        # Tensor.index is of first-class dimensions, and refused.
        assert {name for name in both if not hasattr(ours, name)} <= {"index"}


def test_in_place_forms():
    for row in ROWS.values():
        if not row.is_private and row.view is None:
            exists = hasattr(torch.Tensor, f"{row.face}_")
            assert not (row.inplace and row.method) or exists, row
