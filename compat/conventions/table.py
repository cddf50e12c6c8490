"""The table of counterparts: the rows of counterparts/*.toml.

A file is a chapter, with a ``title`` and families. A family has ``inputs`` (name -> domain), ``points`` (a set of
points.py) and ``rows`` of [PyTorch call, JAX expression, options]. Options: an input's name, for another domain;
``watch``, a note; ``at``, special points of its own; ``answer``, JAX expressions that may give PyTorch's answer;
``differs``, why ordinary points differ; ``also``, other names of the same call; ``method = false``; ``levels``, how
many of value, gradient and second gradient there are (3); ``slope``, PyTorch's partial derivatives as expressions of
all inputs; ``without``, kinds of points to leave out; ``fixed``, inputs that no gradient is asked of. All others are
values that both expressions use by name.
"""

import ast
import dataclasses
import functools
import pathlib
import tomllib

import torch

from compat.conventions import domains

FOLDER = pathlib.Path(__file__).parent / "counterparts"
_OPTIONS = ("watch", "at", "answer", "differs", "also", "method", "levels", "points", "same", "fixed", "slope", "without")

_SPACES = ("torch.", "F.")


@dataclasses.dataclass(frozen=True)
class Row:
    """One PyTorch name: ``call`` and ``jax`` are expressions of the inputs and of what is given."""

    name: str
    chapter: str
    call: str
    jax: str
    inputs: dict
    given: dict
    points: str
    watch: str = ""
    at: object = None
    answer: tuple = ()
    differs: str = ""
    levels: int = 3
    same: str = "numbers"  # "moments" where both draw by chance
    slope: tuple = ()  # PyTorch's partial derivatives, as JAX expressions
    without: tuple = ()  # kinds of points at which results are by chance
    fixed: tuple = ()  # inputs without a gradient
    names: tuple = ()  # (name, call) of the others


def chapters() -> dict:
    """{chapter: title} in the order of the pages."""
    return {name: data["title"] for name, data in _files().items()}


@functools.cache
def rows() -> tuple:
    """All rows, chapter by chapter."""
    found = [row for name, data in _files().items() for family in data["family"] for row in _family(name, family)]
    seen: set = set()
    for call in (call for row in found for call in [row.call, *(other for _, other in row.names)]):
        if call in seen:
            raise ValueError(f"{call} has two rows")
        seen.add(call)
    return tuple(found)


@functools.cache
def _files() -> dict:
    found = {path.stem: tomllib.loads(path.read_text()) for path in sorted(FOLDER.glob("*.toml"))}
    return dict(sorted(found.items(), key=lambda item: item[1]["order"]))


def _family(chapter, family):
    for call, jax, *rest in family["rows"]:
        options = {**family.get("given", {}), **(rest[0] if rest else {})}
        inputs = {name: options.pop(name, domain) for name, domain in family["inputs"].items()}
        inputs |= {name: options.pop(name) for name in [*options] if _is_domain(options[name])}
        kept = {name: options.pop(name) for name in _OPTIONS if name in options}
        method, also = kept.pop("method", True), kept.pop("also", [])
        names = {node.id for text in (call, jax) for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
        inputs = {name: domain for name, domain in inputs.items() if name in names}
        given = {name: tuple(value) if isinstance(value, list) else value for name, value in options.items()}
        name = called(call)
        others = [(other, renamed(call, other)) for other in also]
        if method:
            others += [item for each in [name, *also] for item in _as_method(each, call, inputs)]
        yield Row(
            name=name,
            chapter=chapter,
            call=call,
            jax=jax,
            inputs=inputs,
            given=given,
            names=tuple(dict(others).items()),
            answer=tuple(kept.pop("answer", ())),
            fixed=tuple(kept.pop("fixed", ())),
            slope=tuple(kept.pop("slope", ())),
            without=tuple(kept.pop("without", ())),
            points=kept.pop("points", family["points"]),
            levels=kept.pop("levels", family.get("levels", 3)),
            same=kept.pop("same", family.get("same", "numbers")),
            **kept,
        )


def _is_domain(value) -> bool:
    return isinstance(value, str) and domains.FORM.fullmatch(value) is not None


def called(call: str) -> str:
    """The name of what an expression is about: ``torch.max`` of ``torch.max(x, dim).values``, ``Tensor.T`` of ``x.T``."""
    node = _about(ast.parse(call, mode="eval").body)
    if isinstance(node, ast.Subscript):
        return "Tensor.__getitem__"
    path = ast.unparse(node.func if isinstance(node, ast.Call) else node)
    if path == "steps":  # an optimizer's, which is its first argument
        return ast.unparse(node.args[0])
    if path.startswith(_SPACES) and isinstance(node, ast.Call) and _is_function(node):
        return path.replace("F.", "torch.nn.functional.", 1) if path.startswith("F.") else path
    return f"Tensor.{path.rsplit('.', 1)[-1]}"


def _about(node):
    """In a chain of calls and attributes: a method in place, else the function it begins with, else the outermost."""
    chain = [node]
    while isinstance(chain[-1], (ast.Subscript, ast.Attribute, ast.Call)):
        last = chain[-1]
        chain.append(last.func if isinstance(last, ast.Call) else last.value)
    calls = [node for node in chain if isinstance(node, ast.Call)]
    methods = [node for node in calls if not _is_function(node)]
    if methods and ast.unparse(methods[0].func).endswith("_"):
        return methods[0]
    functions = [node for node in calls if _is_function(node)]
    return (functions or methods or chain)[0]


def _is_function(call) -> bool:
    """Whether it is called by a plain name such as ``torch.fft.fft``."""
    return (
        ast.unparse(call.func).startswith(_SPACES) and not any(isinstance(node, ast.Call) for node in ast.walk(call.func))
    ) or (isinstance(call.func, ast.Name))


def renamed(call: str, name: str) -> str:
    """The call with another function called: ``torch.absolute(x)``, ``x.absolute()``."""
    tree = ast.parse(call, mode="eval")
    node = _about(tree.body)
    if not name.startswith("Tensor."):
        node.func = ast.parse(name.replace("torch.nn.functional.", "F."), mode="eval").body
    elif not _is_function(node):
        node.func.attr = name.split(".")[1]
    else:
        node.func = ast.Attribute(node.args[0], name.split(".")[1], ast.Load())
        node.args = node.args[1:]
    return ast.unparse(tree)


def _as_method(name, call, inputs):
    """The method of the function's name, where its first argument is an input."""
    method = name.rsplit(".", 1)[-1]
    node = _about(ast.parse(call, mode="eval").body)
    if not name.startswith("torch.") or name.count(".") > 1 or not isinstance(node, ast.Call) or not node.args:
        return
    if isinstance(node.args[0], ast.Name) and node.args[0].id in inputs and callable(getattr(torch.Tensor, method, None)):
        yield f"Tensor.{method}", renamed(call, f"Tensor.{method}")
