"""The shape of the tree: imports go to lower ranks, without cycles and at the top of files; files stay small.

Each rule is a function from sources to complaints, and each has a test that plants an error it must see.
"""

import ast
import functools
import pathlib
import re

import pytest

from tests.speed import case

ROOT = pathlib.Path(__file__).parents[1]
PACKAGE = "torchlike"
LINES = 600
WRITTEN = "torchlike/_api/generated/"  # by python -m compat.api
# A unit (a module or a folder below torchlike/) imports from units of lower rank and from itself.
LAYERS = (
    "_base version",
    "xpu mps mtia",
    "_ops",
    "_compile",
    "_record",
    "_random",
    "_modes",
    "autograd random backends",
    "futures",
    "_c10d",
    "_api counters",
    "func",
    "nn ops",
    "_library",
    "library",
    "_serialization amp storage",
    "cuda cpu profiler _dynamo",
    "serialization",
    "hub",
    "_C classes utils distributions linalg fft special signal masked testing jit accelerator compiler types return_types "
    "quasirandom monitor __config__ __future__ _tensor_str _tensor _functorch "
    "functional torch_version nested sparse _linalg_utils _lobpcg",
    "optim",
    "multiprocessing onnx _higher_order_ops _prims_common _utils",
    "interop overrides _lower",
    "fx _explain",
    "distributed",
    "_step",
    "_draw",
    "graph memory",
    "install",
    "_diff _lessons _course site",
    "show _plan",
    "_arguments",
    "_command _entry",
    "cli pytest_plugin _boot",
    "_ranks",
    "__main__ __init__ _worker",
)
RANK_OF = {unit: rank for rank, units in enumerate(LAYERS) for unit in units.split()}
NESTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
# Programs of users: they import torch, and nothing of torchlike imports them.
PROGRAMS = "torchlike/_diff/programs/"
BEHIND_FACADE = ("optim", "interop", "profiler", "func", "utils")
# What the words of device types mean is said here alone.
DEVICE_TYPES = ("torchlike/_base/device.py", "torchlike/_compile/backends/")
FOLDER_LINES = range(5, 16)
UNFINISHED = ("TO" + "DO", "FIX" + "ME", "X" * 3)


def sources() -> dict[str, str]:
    """Path below the root -> text, for all Python files of the package."""
    files = sorted((ROOT / PACKAGE).rglob("*.py"))
    found = {path.relative_to(ROOT).as_posix(): path.read_text() for path in files}
    return {path: text for path, text in found.items() if not path.startswith(PROGRAMS)}


def all_sources() -> dict[str, str]:
    """The same for every Python file of the project."""
    folders = ("torchlike", "tests", "compat", "benchmarks")
    files = (path for folder in folders for path in sorted((ROOT / folder).rglob("*.py")))
    return {path.relative_to(ROOT).as_posix(): path.read_text() for path in files}


def module_name(path: str) -> str:
    """``torchlike/nn/__init__.py`` -> ``torchlike.nn``."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def unit_of(module: str) -> str:
    """``torchlike.nn.modules.linear`` -> ``nn``; the package itself is ``__init__``."""
    return module.split(".")[1] if "." in module else "__init__"


def is_type_checking(node: ast.AST) -> bool:
    """Whether `node` is ``if TYPE_CHECKING:``, whose imports exist for the type checker only."""
    return isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")


@functools.lru_cache(maxsize=4096)  # several rules ask
def imports(path: str, text: str, modules: frozenset[str]) -> list[tuple[int, str, bool]]:
    """(line, imported module of the package, is it lazy) of one file."""
    found: list[tuple[int, str, bool]] = []
    package = module_name(path).split(".")
    if not path.endswith("__init__.py"):
        package = package[:-1]

    def visit(node: ast.AST, lazy: bool) -> None:
        for child in ast.iter_child_nodes(node):
            if is_type_checking(child):
                continue
            if isinstance(child, ast.Import):
                found.extend((child.lineno, alias.name, lazy) for alias in child.names)
            elif isinstance(child, ast.ImportFrom):
                base = package[:len(package) + 1 - child.level] if child.level else []
                source = ".".join([*base, *([child.module] if child.module else [])])
                targets = (f"{source}.{alias.name}" for alias in child.names)
                found.extend((child.lineno, t if t in modules else source, lazy) for t in targets)
            visit(child, lazy or isinstance(child, NESTED))

    visit(ast.parse(text), lazy=False)
    return [item for item in found if item[1].split(".")[0] == PACKAGE]


def graph(tree: dict[str, str]) -> dict[str, list[tuple[int, str, bool]]]:
    """Path -> its imports from the package."""
    modules = frozenset(map(module_name, tree))
    return {path: imports(path, text, modules) for path, text in tree.items()}


def rank_errors(tree: dict[str, str]) -> list[str]:
    """Imports from a unit of the same or a higher rank, and units that have no rank."""
    errors = []
    for path, found in graph(tree).items():
        unit = unit_of(module_name(path))
        if unit not in RANK_OF:
            errors.append(f"{path}: '{unit}' has no rank in tests/test_layering.py")
            continue
        for line, target, _ in found:
            other = unit_of(target)
            if other != unit and RANK_OF.get(other, -1) >= RANK_OF[unit]:
                errors.append(f"{path}:{line}: {unit} imports {target}, which is not of a lower rank")
    return errors


def lazy_errors(tree: dict[str, str]) -> list[str]:
    """Imports of the package inside a function or class."""
    return [f"{path}:{line}: imports {target} lazily"
            for path, found in graph(tree).items() for line, target, lazy in found if lazy]


def cycle_errors(tree: dict[str, str]) -> list[str]:
    """Import cycles among modules. A package's ``__init__`` counts as itself, not as its parts."""
    edges = {module_name(path): sorted({target for _, target, _ in found} - {module_name(path)})
             for path, found in graph(tree).items()}
    done: set[str] = set()
    errors = []
    for start in edges:
        trail: list[str] = []
        stack = [(start, iter(edges.get(start, ())))] if start not in done else []
        while stack:
            name, rest = stack[-1]
            if name not in trail:
                trail.append(name)
            step = next(rest, None)
            if step is None:
                stack.pop()
                done.add(trail.pop())
            elif step in trail:
                errors.append(" -> ".join([*trail[trail.index(step):], step]))
            elif step not in done:
                stack.append((step, iter(edges.get(step, ()))))
    return errors


def size_errors(tree: dict[str, str]) -> list[str]:
    """Files that are too long to read in one sitting."""
    sizes = {path: text.count("\n") for path, text in tree.items()}
    return [f"{path}: {lines} lines" for path, lines in sizes.items()
            if lines > LINES and not path.startswith(WRITTEN)]


def folder_errors(tree: dict[str, str]) -> list[str]:
    """Folders whose ``__init__.py`` does not say in 5 to 15 lines what they are."""
    found = {path.removesuffix("/__init__.py"): ast.get_docstring(ast.parse(text)) or ""
             for path, text in tree.items() if path.endswith("/__init__.py")}
    return [f"{folder}/__init__.py: a docstring of {len(page.splitlines())} lines" for folder, page in found.items()
            if len(page.splitlines()) not in FOLDER_LINES]


def page_errors(tree: dict[str, str]) -> list[str]:
    """Files that a folder's page names and that are not in it, beside it, or below torchlike/ or the root."""
    errors = []
    for path, text in tree.items():
        if path.endswith("/__init__.py"):
            folder = pathlib.PurePosixPath(path).parent
            places = (folder, folder.parent, pathlib.PurePosixPath(PACKAGE), pathlib.PurePosixPath())
            for name in re.findall(r"`([\w/]+\.py)`", ast.get_docstring(ast.parse(text)) or ""):
                if not any((place / name).as_posix() in tree for place in places):
                    errors.append(f"{path}: names {name}, which does not exist")
    return errors


def unfinished_errors(tree: dict[str, str]) -> list[str]:
    """Marks of unfinished work: a gap is a row in compat/gaps.toml."""
    return [f"{path}:{number}: {mark}" for path, text in tree.items()
            for number, line in enumerate(text.splitlines(), 1)
            for mark in UNFINISHED if mark in line.partition("#")[2]]


def configuration_errors(tree: dict[str, str]) -> list[str]:
    """Changes of the user's own JAX configuration."""
    return [f"{path}:{node.lineno}: changes jax.config" for path, text in tree.items()
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "jax.config.update"]


def device_errors(tree: dict[str, str]) -> list[str]:
    """Questions what type a device is: a backend answers what somebody wants to know by it."""
    return [f"{path}:{node.lineno}: asks {ast.unparse(node)}" for path, text in tree.items()
            if not path.startswith(DEVICE_TYPES) for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.Compare) and ".type" in ast.unparse(node)
            and any(isinstance(part, ast.Constant) and part.value in ("cpu", "cuda", "meta") for part in ast.walk(node))]


def facade_errors(tree: dict[str, str]) -> list[str]:
    """Packages of PyTorch's that use what the facade is for."""
    return [f"{path}:{line}: imports {target}, not torchlike._record.facade" for path, found in graph(tree).items()
            if unit_of(module_name(path)) in BEHIND_FACADE for line, target, _ in found if unit_of(target) == "_compile"]


def patch_errors(tree: dict[str, str]) -> list[str]:
    """Attributes of a class (or of anything else) that a module other than its own sets when it is imported."""
    found = []
    for path, text in tree.items():
        statements = ast.parse(text).body
        names = {(alias.asname or alias.name).split(".")[0] for node in statements
                 if isinstance(node, ast.Import | ast.ImportFrom) for alias in node.names}
        targets = [target for node in statements if isinstance(node, ast.Assign) for target in node.targets]
        found += [f"{path}:{target.lineno}: patches {ast.unparse(target)}" for target in targets
                  if isinstance(target, ast.Attribute) and ast.unparse(target).split(".")[0] in names]
    return found


def cell_errors(tree: dict[str, str]) -> list[str]:
    """Names that are made by `globals()`, and lists or dicts that stand for one variable of a module."""
    found = []
    for path, text in tree.items():
        whole = ast.parse(text)
        found += [f"{path}:{node.lineno}: globals()" for node in ast.walk(whole)
                  if isinstance(node, ast.Call) and ast.unparse(node.func) == "globals"]
        for node in whole.body:
            value = getattr(node, "value", None) if isinstance(node, ast.Assign | ast.AnnAssign) else None
            held = value.elts if isinstance(value, ast.List) else value.values if isinstance(value, ast.Dict) else ()
            if len(held) != 1:
                continue
            name = ast.unparse(node.targets[0] if isinstance(node, ast.Assign) else node.target)
            found += [f"{path}:{other.lineno}: {name} is a variable" for other in ast.walk(whole)
                      if isinstance(other, ast.Subscript) and isinstance(other.ctx, ast.Store)
                      and ast.unparse(other.value) == name and isinstance(other.slice, ast.Constant)]
    return found


RULES = {
    rank_errors: {"torchlike/_ops/bad.py": "from torchlike._record.tensor import Tensor\n",
                  "torchlike/_record/tensor.py": "Tensor = object\n"},
    lazy_errors: {"torchlike/_ops/bad.py": "def f():\n    from torchlike import errors\n    return errors\n",
                  "torchlike/_base/errors.py": ""},
    cycle_errors: {"torchlike/_ops/bad.py": "from torchlike._ops import worse\n",
                   "torchlike/_ops/worse.py": "from torchlike._ops.bad import x\n",
                   "torchlike/_ops/__init__.py": ""},
    size_errors: {"torchlike/_ops/bad.py": "x = 1\n" * (LINES + 1)},
    folder_errors: {"torchlike/bad/__init__.py": '"""One line."""\n',
                    "torchlike/_base/__init__.py": '"""1\n2\n3\n4\n5"""\n'},
    page_errors: {"torchlike/bad/__init__.py": '"""`here.py`, `gone.py`"""\n', "torchlike/bad/here.py": ""},
    unfinished_errors: {"torchlike/_ops/bad.py": f"x = 1  # {UNFINISHED[0]}: more\n"},
    patch_errors: {"torchlike/bad.py": "from torchlike.autograd.node import Node\nNode.backward = print\n"},
    configuration_errors: {"torchlike/bad.py": "import jax\njax.config.update('jax_enable_x64', True)\n"},
    facade_errors: {"torchlike/optim/bad.py": "from torchlike._compile import kernels\n",
                    "torchlike/nn/good.py": "from torchlike._compile import kernels\n",
                    "torchlike/_compile/kernels.py": ""},
    cell_errors: {"torchlike/bad.py": "_depth = [0]\nTABLE = {'a': 1}\n\ndef f():\n    _depth[0] += 1\n",
                  "torchlike/good.py": "TABLE = {'a': 1}\n\ndef f():\n    return TABLE['a']\n"},
    device_errors: {"torchlike/_ops/bad.py": "def f(x):\n    return x.device.type in ('cuda', 'meta')\n",
                    "torchlike/_base/device.py": "x = d.type == 'cuda'\n"},
}
EVERYWHERE = (size_errors, unfinished_errors)


def parametrized(quick=tuple(RULES)):
    return pytest.mark.parametrize("rule", [
        case(rule, id=rule.__name__, fast=rule in quick) for rule in RULES])


@parametrized(quick=(size_errors, folder_errors, page_errors, unfinished_errors))  # the others are slower
def test_tree(rule):
    assert rule(all_sources() if rule in EVERYWHERE else sources()) == []


@parametrized()
def test_planted_error_is_seen(rule):
    assert len(rule(RULES[rule])) == 1


def test_unranked_unit_is_seen():
    assert rank_errors({"torchlike/novelty.py": ""}) == [
        "torchlike/novelty.py: 'novelty' has no rank in tests/test_layering.py"]


def test_relative_and_type_checking_imports():
    text = ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import torchlike._diff\n"
            "from . import b\nfrom .._base.errors import wrap_dim\n")
    tree = {"torchlike/nn/a.py": text, "torchlike/nn/b.py": "", "torchlike/_base/errors.py": ""}
    assert graph(tree)["torchlike/nn/a.py"] == [(4, "torchlike.nn.b", False), (5, "torchlike._base.errors", False)]
