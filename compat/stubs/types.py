"""Types of arguments and results: the schema's words as annotations."""

import inspect
import math

import torch

from torchlike._ops.all import ROWS

_WORDS = {
    "Tensor": "Tensor", "Scalar": "_Number", "float": "float", "int": "int", "bool": "bool", "str": "str",
    "ScalarType": "_dtype", "Device": "_Device", "MemoryFormat": "_memory_format", "SymInt": "int",
}
# What PyTorch's parser takes for a number, and for a device. The underscores: Tensor has properties of the plain names.
ALIASES = {"_Number": "bool | int | float | complex", "_Device": "_device | str | int"}
RESULT = "_Result_"  # what a named tuple is called in the stubs: its fields follow
_INSTEAD = {"": [], "Scalar": ["_Number"], "number": ["_Number"]}
_FACES: dict = {}
for _row in ROWS.values():
    _FACES.setdefault(_row.face, []).append(_row)


def of_argument(arg) -> list:
    """The types that one argument of a schema may have."""
    word, optional = arg.type.removesuffix("?"), arg.type.endswith("?")
    head, bracket, _ = word.partition("[")
    found = [*_INSTEAD[arg.instead], "None"] if optional or arg.default is None else [*_INSTEAD[arg.instead]]
    element = _WORDS[head.removesuffix("?")]
    if not bracket:
        return [element, *found]
    inside = f"{element} | None" if head.endswith("?") else element
    one = [element] if word != f"{head}[]" or isinstance(arg.default, int) else []  # int[2] may be one int
    return [*one, f"Sequence[{inside}]", *found]


def _by_name() -> dict:
    """{name of an argument: the types it has anywhere in the table}: for functions that are no row."""
    found: dict = {}
    for row in ROWS.values():
        for arg in row.schema.args:
            types = found.setdefault(arg.name, [])
            types += [t for t in of_argument(arg) if t not in types]
    for name in ("self", "input"):
        found[name] = ["Tensor"]
    return {**found, "out": ["Tensor"], "dtype": ["_dtype", "None"], "device": ["_Device", "None"],
            "requires_grad": ["bool"], "generator": ["_Generator", "None"]}


BY_NAME = _by_name()


def parameter(face, parameter) -> str:
    """The annotation of a parameter of the function `face` ("" for none), by its row or by its name."""
    rows = _FACES.get(face.removesuffix("_"), _FACES.get(face, []))
    types: list = []
    for row in rows:
        for arg in row.schema.args:
            if arg.name == parameter.name or (arg.name == "self" and parameter.name == "input"):
                types += [t for t in of_argument(arg) if t not in types]
    if parameter.kind is parameter.VAR_POSITIONAL:
        return "Any" if not types else " | ".join(types)
    types = list(types or BY_NAME.get(parameter.name, ()))
    if not types or (isinstance(parameter.default, str) and "str" not in types):
        return ""
    if "_Number" in types:
        types = [t for t in types if t not in ("bool", "int", "float")]
    if parameter.default is None and "None" not in types:
        types.append("None")
    if type(parameter.default) is int and "int" not in types and "_Number" not in types:
        types.append("int")
    return " | ".join(sorted(types, key=lambda t: t == "None"))


def known(face) -> bool:
    """Whether a row or one of PyTorch's schemas has this name."""
    return face in _FACES or bool(_schemas(face))


def result(face) -> str:
    """The annotation of what the function `face` returns: by its row, or by PyTorch's schemas of that name."""
    rows = _FACES.get(face, [])
    if rows:
        return _joined({_returned(row.schema.returns) for row in rows})
    if face.endswith("_") and not face.startswith("__"):
        return "Tensor"
    return _joined({_of_aten(schema) for schema in _schemas(face)})


def _joined(kinds) -> str:
    return kinds.pop() if len(kinds) == 1 and "" not in kinds else "Any"


def _returned(names) -> str:
    if names == ("[]",):
        return "tuple[Tensor, ...]"
    if len(names) > 1 and all(names):
        return RESULT + "_".join(names)
    return "Tensor" if len(names) == 1 else f"tuple[{', '.join(['Tensor'] * len(names))}]"


_ATEN = {"Tensor": "Tensor", "bool": "bool", "int": "int", "float": "float", "number": "_Number", "Scalar": "_Number",
         "List[Tensor]": "tuple[Tensor, ...]", "Device": "_device"}


def _schemas(face) -> list:
    packet = getattr(torch.ops.aten, face, None)
    return [getattr(packet, overload)._schema for overload in packet.overloads()] if packet is not None else []


def _of_aten(schema) -> str:
    found = [_ATEN.get(str(r.type), "") for r in schema.returns]
    if not found or "" in found:
        return ""
    return found[0] if len(found) == 1 else f"tuple[{', '.join(found)}]"


def literal(value) -> str:
    """A default as text."""
    written = value is None or isinstance(value, bool | int | str) or (isinstance(value, float) and math.isfinite(value))
    return repr(value) if written else "..."


def signature(face, function, *, method=False) -> str:
    """``(parameters) -> result`` of a function, annotated."""
    found = inspect.signature(function)
    pieces, starred, closed = [], False, False
    for n, p in enumerate(found.parameters.values()):
        if p.kind is p.KEYWORD_ONLY and not starred:
            pieces.append("*")
        starred = starred or p.kind in (p.KEYWORD_ONLY, p.VAR_POSITIONAL)
        if closed and p.kind is not p.POSITIONAL_ONLY:
            pieces.append("/")
        closed = p.kind is p.POSITIONAL_ONLY
        pieces.append(_piece(face, p, method and n == 0))
    if closed:
        pieces.append("/")
    return f"({', '.join(pieces)}) -> {_result(face, found)}"


def _piece(face, p, bare) -> str:
    star = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
    if bare:
        return star + p.name
    annotation = "Any" if p.kind is p.VAR_KEYWORD else parameter(face, p)
    text = f"{star}{p.name}: {annotation}" if annotation else f"{star}{p.name}"
    if p.default is p.empty:
        return text
    return f"{text} = {literal(p.default)}" if annotation else f"{text}={literal(p.default)}"


def _result(face, found) -> str:
    kind = found.return_annotation
    if isinstance(kind, type) and kind.__name__ in ("Tensor", "bool", "int", "float", "str", "list", "tuple"):
        return kind.__name__
    return "None" if kind is None else result(face)
