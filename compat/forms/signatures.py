"""The forms in which PyTorch's public functions and methods can be called, as its own parser has them.

Functions in C++ have no signature in Python: their overloads, the deprecated ones too, stand in the type stubs that come
with the package, those of torch.linalg and its like in its operator schemas. Functions in Python have `inspect.signature`.
"""

import ast
import dataclasses
import functools
import inspect
import pathlib

import torch
import torchgen
import yaml
from torchgen.model import FunctionSchema

SPACES = {"nn.functional": "", "linalg": "linalg_", "special": "special_", "fft": "fft_"}  # and the prefix of the operators
_STUBS = pathlib.Path(torch.__file__).parent / "_C"
_SCHEMAS = pathlib.Path(torchgen.__file__).parent / "packaged/ATen/native/native_functions.yaml"
REQUIRED = inspect.Parameter.empty


@dataclasses.dataclass(frozen=True)
class Argument:
    """One parameter of a form: its annotation as text, and its default as text or REQUIRED."""

    name: str
    kind: str
    default: object
    by_keyword_only: bool


@dataclasses.dataclass(frozen=True)
class Form:
    """One overload of a function, by its path below torch ("linalg.norm", "Tensor.split"). Of methods without self."""

    path: str
    arguments: tuple[Argument, ...]  # all but out=
    takes_out: bool = False

    @property
    def is_method(self) -> bool:
        """Whether it is called on a tensor."""
        return self.path.startswith("Tensor.")

    def __str__(self) -> str:
        parts = [argument.name if argument.default is REQUIRED else f"{argument.name}={argument.default}"
                 for argument in self.arguments]
        return f"{self.path}({', '.join(parts)})"


def forms() -> dict[str, list[Form]]:
    """{path: its forms} of what is public and can be called."""
    found: dict[str, list[Form]] = {}
    for node in ast.parse((_STUBS / "_VariableFunctions.pyi").read_text()).body:
        if isinstance(node, ast.FunctionDef):
            _add(found, torch, _of_stub(node.name, node, 0))
    for node in ast.parse((_STUBS / "__init__.pyi").read_text()).body:
        if isinstance(node, ast.ClassDef) and node.name == "TensorBase":
            for method in node.body:
                if isinstance(method, ast.FunctionDef):
                    _add(found, torch, _of_stub(f"Tensor.{method.name}", method, 1))
    for space in ("", *SPACES):
        owner = functools.reduce(getattr, space.split(".") if space else (), torch)
        for name in getattr(owner, "__all__", dir(owner)):
            path = f"{space}.{name}".lstrip(".")
            if path not in found:
                for form in _of_value(path, getattr(owner, name, None), SPACES.get(space, "") + name):
                    _add(found, torch, form)
    return found


def _add(found, package, form) -> None:
    """Unless the name is private, absent or about names of dimensions."""
    name = form.path.rpartition(".")[2]
    if name.startswith("_") or any("EllipsisType" in a.kind or "Dimname" in a.kind for a in form.arguments):
        return
    value = functools.reduce(lambda owner, part: getattr(owner, part, None), form.path.split("."), package)
    if not callable(value) or isinstance(value, type):
        return
    arguments = tuple(a if a.name != "self" else dataclasses.replace(a, name="input") for a in form.arguments
                      if a.name != "out")
    earlier = found.setdefault(form.path, [])
    twin = next((other for other in earlier if [a.name for a in other.arguments] == [a.name for a in arguments]
                 and [a.kind for a in other.arguments] == [a.kind for a in arguments]), None)
    takes_out = len(arguments) < len(form.arguments) or (twin is not None and twin.takes_out)
    if twin is not None:
        earlier.remove(twin)
    earlier.append(Form(form.path, arguments, takes_out))


def _of_stub(path, node, skipped) -> Form:
    listed = [*node.args.posonlyargs, *node.args.args]
    defaults = [REQUIRED] * (len(listed) - len(node.args.defaults)) + [ast.unparse(d) for d in node.args.defaults]
    made = [Argument(a.arg, _text(a.annotation), default, False) for a, default in zip(listed, defaults, strict=True)]
    if node.args.vararg:  # torch.zeros(2, 3), x.view(2, 3)
        made.append(Argument(node.args.vararg.arg, "*" + _text(node.args.vararg.annotation), REQUIRED, False))
    made += [Argument(a.arg, _text(a.annotation), REQUIRED if default is None else ast.unparse(default), True)
             for a, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)]
    return Form(path, tuple(made[skipped:]))


def _text(annotation) -> str:
    return ast.unparse(annotation) if annotation else ""


def _of_value(path, value, operator) -> list[Form]:
    """The forms of a function by its own signature, else by the schemas of the operator."""
    if not callable(value) or isinstance(value, type):
        return []
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return [_of_schema(path, schema) for schema in _schemas().get(operator, ())]
    if list(signature.parameters) == ["args", "kwargs"]:  # one of two functions, by an argument return_indices
        module, name = inspect.getmodule(value), path.rpartition(".")[2]
        signature = inspect.signature(getattr(module, f"_{name}", value))
    made = [Argument(p.name, "*" if p.kind == p.VAR_POSITIONAL else str(p.annotation),
                     p.default if p.default is REQUIRED else repr(p.default), p.kind == p.KEYWORD_ONLY)
            for p in signature.parameters.values() if p.kind != p.VAR_KEYWORD]
    return [Form(path, tuple(made))]


@functools.cache
def _schemas() -> dict[str, list[FunctionSchema]]:
    found: dict = {}
    for entry in yaml.load(_SCHEMAS.read_text(), yaml.CSafeLoader):
        schema = FunctionSchema.parse(entry["func"])
        found.setdefault(schema.name.name.base, []).append(schema)
    return found


def _of_schema(path, schema) -> Form:
    listed = schema.arguments
    out = {argument.name for argument in listed.out}
    made = [Argument("out" if a.name in out else a.name, str(a.type), REQUIRED if a.default is None else a.default, last)
            for group, last in ((listed.flat_positional, False), (listed.flat_kwarg_only, True)) for a in group]
    return Form(path, tuple(made))
