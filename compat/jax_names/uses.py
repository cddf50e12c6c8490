"""The names of JAX in sources, found without running them."""

import ast
from collections.abc import Iterator, Mapping
from typing import NamedTuple

LIBRARIES = ("jax", "jaxlib")
SEAM = "torchlike._compile.jax_private"
CALLED, OVERRIDDEN = "", "override "


class Use(NamedTuple):
    """A name of JAX as sources use it.

    Attributes:
        name: with dots, beginning with the package.
        keywords: those passed to it, or, of a method that a class of torchlike's overrides, those that its callers may pass.
        how: CALLED or OVERRIDDEN.
    """

    name: str
    keywords: tuple[str, ...] = ()
    how: str = CALLED

    def __str__(self):
        return f"{self.how}{self.name}({', '.join(self.keywords)})" if self.keywords or self.how else self.name


def uses_in(sources: Mapping[str, str]) -> dict[Use, str]:
    """Find the names of JAX in sources.

    Args:
        sources: {path: text}, of which one may be the module `SEAM`, whose names for JAX's the others may import.

    Returns:
        {Use: "path:line" of the first}.
    """
    trees = {path: ast.parse(text) for path, text in sources.items() if "jax" in text}
    seam_path = SEAM.replace(".", "/") + ".py"
    seam: dict[str, str] = {}
    if seam_path in trees:
        seam = _assigned(trees[seam_path], _imported(trees[seam_path], {}))
    found: dict[Use, str] = {}
    for path, tree in trees.items():
        names = _imported(tree, seam)
        if path == seam_path:
            names |= seam
        for use, line in (*_called(tree, names), *_overridden(tree, names)):
            found.setdefault(use, f"{path}:{line}")
    return found


def _imported(tree: ast.AST, seam: Mapping[str, str]) -> dict[str, str]:
    """{name in the module: name of JAX}, by its imports."""
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                root = alias.name.partition(".")[0]
                if root in LIBRARIES:
                    names[alias.asname or root] = alias.name if alias.asname else root
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                local = alias.asname or alias.name
                if node.module.partition(".")[0] in LIBRARIES:
                    names[local] = f"{node.module}.{alias.name}"
                elif node.module == SEAM and alias.name in seam:
                    names[local] = seam[alias.name]
    return names


def _assigned(tree: ast.Module, names: Mapping[str, str]) -> dict[str, str]:
    """{name: name of JAX} of what the seam imports, assigns at its top level, or derives classes from."""
    found = dict(names)
    for node in tree.body:
        target, value = None, None
        if isinstance(node, ast.Assign):
            target, value = node.targets[0], _dotted(node.value, names)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            target, value = node.target, _dotted(node.value, names)
        elif isinstance(node, ast.ClassDef):
            found.update((node.name, name) for base in node.bases if (name := _dotted(base, found)))
        if isinstance(target, ast.Name) and value:
            found[target.id] = value
    return found


def _dotted(node: ast.AST, names: Mapping[str, str]) -> str | None:
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if isinstance(node, ast.Attribute):
        before = _dotted(node.value, names)
        return before and f"{before}.{node.attr}"
    return None


def _called(tree: ast.AST, names: Mapping[str, str]) -> Iterator[tuple[Use, int]]:
    """Imports, attributes and calls."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.partition(".")[0] in LIBRARIES:
            yield from ((Use(f"{node.module}.{alias.name}"), node.lineno) for alias in node.names)
        elif isinstance(node, ast.Call):
            name = _dotted(node.func, names)
            if name:
                yield Use(name, tuple(sorted(k.arg for k in node.keywords if k.arg is not None))), node.lineno
        elif isinstance(node, ast.Attribute):
            name = _dotted(node, names)
            if name:
                yield Use(name), node.lineno


def _overridden(tree: ast.AST, names: Mapping[str, str]) -> Iterator[tuple[Use, int]]:
    """Methods of classes that are derived from JAX's."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            for base in filter(None, (_dotted(base, names) for base in node.bases)):
                for method in node.body:
                    if isinstance(method, ast.FunctionDef) and not method.name.startswith("_"):
                        keywords = tuple(sorted(arg.arg for arg in method.args.kwonlyargs))
                        yield Use(f"{base}.{method.name}", keywords, OVERRIDDEN), method.lineno
