"""Public docstrings: each says what its arguments mean, what comes back and what is raised.

The rules are functions from sources to complaints; each has planted errors that it must see. Docstrings are in Google's
style, as optax has them:

- every public function, class and method has a docstring that is more than a link; a method without one may inherit it;
- ``Args:`` names every parameter (a class those of its constructor, a named tuple its fields), ``Returns:`` stands where a
  function of parameters returns a value, and ``Raises:`` names every error that the function's own body raises;
- a section may say ``as for `other``` instead, where another public name has the same;
- a layer says by ``Shape:`` what its `forward` takes and gives.
"""

import ast
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[1]
LAYERS = "torchlike/nn/modules/"
NESTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_SECTION = re.compile(r"^(Args|Shape|Returns|Yields|Raises):(.*(?:\n(?:[ ]+.*|[ \t]*(?=\n)))*)", re.MULTILINE)
_ENTRY = re.compile(r"^ +(\*{0,2}\w+(?:, \*{0,2}\w+)*):", re.MULTILINE)
_REFERENCE = re.compile(r"\bas for `(?:\w+\.)*(\w+)`", re.IGNORECASE)


def sources() -> dict[str, str]:
    """Path below the root -> text, for all Python files of the package."""
    return {path.relative_to(ROOT).as_posix(): path.read_text() for path in sorted((ROOT / "torchlike").rglob("*.py"))}


def is_public(path: str) -> bool:
    """Whether no part of the path is a private module or folder."""
    return not any(part.startswith("_") for part in path.removesuffix("__init__.py").split("/"))


def exports(tree: dict[str, ast.Module]) -> set[tuple[str, str]]:
    """(module, name) of everything that a public module takes from another one to show it under its own name."""
    return {(node.module, alias.name) for path, module in tree.items() if is_public(path) for node in module.body
            if isinstance(node, ast.ImportFrom) and node.module for alias in node.names
            if alias.name in (alias.asname, *(listed(module) or ()))}


def listed(module: ast.Module):
    """The names in ``__all__``, None without it."""
    for node in module.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__" and isinstance(node.value, ast.List):
            return {element.value for element in node.value.elts if isinstance(element, ast.Constant)}
    return None


def definitions(tree: dict[str, ast.Module]):
    """(path, class or function) of every public one."""
    exported = exports(tree)
    for path, module in tree.items():
        name = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        public, names = is_public(path), listed(module)
        for node in module.body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef) and not node.name.startswith("_") and (
                    (public and (names is None or node.name in names)) or (name, node.name) in exported):
                yield path, node


class Classes:
    """The classes of a tree by name, and their bases as far as they are in it: those of the same file first, then those that
    the file imports."""

    def __init__(self, tree):
        found = [(path, node) for path, module in tree.items() for node in module.body if isinstance(node, ast.ClassDef)]
        self.named = {node.name: node for _, node in found}
        self.in_file = {(path, node.name): node for path, node in found}
        self.file = {node: path for path, node in found}
        self.imported = {(path, name.asname or name.name): self.in_file.get((_path(item.module), name.name))
                         for path, module in tree.items() for item in module.body if isinstance(item, ast.ImportFrom)
                         for name in item.names}

    def _named(self, path, name):
        return self.in_file.get((path, name)) or self.imported.get((path, name)) or self.named.get(name)

    def line(self, node):
        """The class and its bases, nearest first."""
        names = [ast.unparse(base).split("[")[0].split(".")[-1] for base in node.bases]
        known = [self._named(self.file[node], name) for name in names if name != node.name]
        return [node, *(c for base in known if base is not None for c in self.line(base))]

    def inherits_text(self, node, method) -> bool:
        """Whether a base of `node` documents this method."""
        return any(method in methods(c) and ast.get_docstring(methods(c)[method]) for c in self.line(node)[1:])

    def own(self, node, method):
        """The method of the class or of its private bases, None where there is none before a public base."""
        for c in self.line(node):
            if c is not node and not c.name.startswith("_"):
                return None
            if method in methods(c):
                return methods(c)[method]
        return None


def _path(module) -> str:
    return (module or "").replace(".", "/") + ".py"


def methods(node: ast.ClassDef) -> dict[str, ast.FunctionDef]:
    """Name -> method; of a property its getter."""
    found: dict[str, ast.FunctionDef] = {}
    for item in node.body:
        if isinstance(item, ast.FunctionDef):
            found.setdefault(item.name, item)
    return found


def parameters(node: ast.FunctionDef, method=False) -> list[str]:
    """The names of the public parameters."""
    a = node.args
    names = [x.arg for x in (*a.posonlyargs, *a.args)]
    if method and not any(ast.unparse(d) == "staticmethod" for d in node.decorator_list):
        names = names[1:]
    names += [x.arg for x in (a.vararg, *a.kwonlyargs, a.kwarg) if x is not None]
    return [name for name in names if not name.startswith("_")]


def inside(node):
    """The nodes of a function's own body, without those of functions and classes in it."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, NESTED):
            yield child
            yield from inside(child)


def gives(node) -> bool:
    """Whether the function returns or yields a value."""
    return any(isinstance(x, ast.Yield | ast.YieldFrom) or (isinstance(x, ast.Return) and x.value is not None
               and ast.unparse(x.value) != "None") for x in inside(node))


def raised(node) -> set[str]:
    """The names of the error classes that the function's own body raises."""
    errors = (x.exc.func if isinstance(x.exc, ast.Call) else x.exc for x in inside(node)
              if isinstance(x, ast.Raise) and x.exc is not None)
    names = {ast.unparse(error).split(".")[-1] for error in errors}
    return {name for name in names if name[:1].isupper()}


def sections(text: str) -> dict[str, str]:
    """Name -> text of the sections of a docstring."""
    return {match[1]: match[2] for match in _SECTION.finditer(text)}


def is_link(text: str) -> bool:
    """Whether there is hardly a word besides links."""
    return len(re.sub(r"https?://\S+", "", text).split()) < 2


def complaints(text: str | None, names: list[str], returns: bool, errors: set[str], known) -> list[str]:
    """What a docstring lacks that must speak of these parameters, of a result and of these errors."""
    if not text or is_link(text):
        return ["no docstring" if not text else "only a link"]
    found = sections(text)
    lacks = [f"refers to `{name}`, which is no public name" for section in found.values()
             for name in _REFERENCE.findall(section) if name not in known]
    args = found.get("Args", "")
    entries = {name.lstrip("*") for group in _ENTRY.findall(args) for name in group.split(", ")}
    if not _REFERENCE.search(args):
        lacks += [f"Args lacks {name}" for name in names if name not in entries]
    lacks += [f"Args names {name}, which is no parameter" for name in sorted(entries - set(names))]
    if returns and names and not {"Returns", "Yields"} & set(found):
        lacks.append("no Returns")
    raises = found.get("Raises", "")
    if not _REFERENCE.search(raises):
        lacks += [f"Raises lacks {error}" for error in sorted(errors) if not re.search(rf"\b{error}\b", raises)]
    return lacks


def has_fields(node: ast.ClassDef) -> bool:
    """Whether the annotated names of the class are the parameters of its constructor."""
    return any("dataclass" in ast.unparse(decorator) for decorator in node.decorator_list) or any(
        ast.unparse(base).endswith("NamedTuple") for base in node.bases)


def class_complaints(path, node, classes, known):
    """(name, complaint) for a class and its methods."""
    own = methods(node)
    made = classes.own(node, "__init__") or classes.own(node, "__new__")
    names, errors = (parameters(made, method=True), raised(made)) if made else ([], set())
    if has_fields(node):
        names = [item.target.id for item in node.body if isinstance(item, ast.AnnAssign) and item.target.id[0] != "_"]
    text = ast.get_docstring(node)
    yield from ((node.name, lack) for lack in complaints(text, names, False, errors, known))
    if path.startswith(LAYERS) and classes.own(node, "forward") and "Shape" not in sections(text or ""):
        yield node.name, "no Shape"
    for name, method in own.items():
        text = ast.get_docstring(method)
        if name.startswith("_") or (not text and (classes.inherits_text(node, name) or name == "forward")):
            continue
        yield from ((f"{node.name}.{name}", lack)
                    for lack in complaints(text, parameters(method, method=True), gives(method), raised(method), known))


def errors(texts: dict[str, str]) -> list[str]:
    """Every complaint about the docstrings of a tree."""
    tree = {path: ast.parse(text) for path, text in texts.items()}
    classes = Classes(tree)
    known = {node.name for module in tree.values() for node in ast.walk(module)
             if isinstance(node, ast.ClassDef | ast.FunctionDef) and not node.name.startswith("_")}
    found = []
    for path, node in definitions(tree):
        if isinstance(node, ast.ClassDef):
            found += [f"{path}: {name}: {lack}" for name, lack in class_complaints(path, node, classes, known)]
        else:
            found += [f"{path}: {node.name}: {lack}" for lack in complaints(
                ast.get_docstring(node), parameters(node), gives(node), raised(node), known)]
    return found


@pytest.mark.slow
def test_public_docstrings():
    assert errors(sources()) == []


GOOD = '''
def scale(x, by):
    """x times a number.

    Args:
        x, by: a tensor (*) and a number.

    Returns: (*), of the dtype of `x`.

    Raises:
        ValueError: `by` is 0.
    """
    if by == 0:
        raise ValueError
    return x * by
'''
PLANTED = {
    "no docstring": "def f():\n    pass\n",
    "only a link": 'def f():\n    """https://pytorch.org/docs"""\n',
    "Args lacks by": GOOD.replace("x, by:", "x:"),
    "Args lacks x": 'from typing import NamedTuple\n\n\nclass A(NamedTuple):\n    """A pair."""\n    x: int\n',
    "Args names b, which is no parameter": GOOD.replace("x, by:", "x, by, b:"),
    "no Returns": GOOD.replace("Returns:", "It is"),
    "Raises lacks ValueError": GOOD.replace("ValueError: `by`", "An error: `by`"),
    "refers to `gone`, which is no public name": 'def f(x):\n    """One of two.\n\n    Args: as for `gone`.\n    """\n',
    "no Shape": 'class A:\n    """A layer of nothing."""\n    def forward(self):\n        return 1\n',
}


def test_good_docstring_is_quiet():
    assert errors({LAYERS + "good.py": GOOD}) == []


@pytest.mark.parametrize("lack", PLANTED)
def test_planted_error_is_seen(lack):
    (found,) = errors({LAYERS + "bad.py": PLANTED[lack]})
    assert found.endswith(lack)


def test_base_of_the_same_file_is_meant():
    base = "class _B:\n    def __init__(self, {}):\n        pass\n"
    good = base.format("x") + 'class A(_B):\n    """One of two.\n\n    Args:\n        x: a number.\n    """\n'
    other = base.format("y")
    assert errors({"torchlike/a.py": good, "torchlike/b.py": other}) == []
    assert errors({"torchlike/a.py": good.replace("x: a", "y: a"), "torchlike/b.py": other}) == [
        "torchlike/a.py: A: Args lacks x", "torchlike/a.py: A: Args names y, which is no parameter"]
