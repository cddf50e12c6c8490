"""Annotations and defaults: the schema's words as Python's."""

import math

_WORDS = {
    "Tensor": "Tensor", "Scalar": "Number", "float": "float", "int": "int", "bool": "bool", "str": "str",
    "ScalarType": "dtype", "Device": "DeviceLike", "MemoryFormat": "memory_format", "SymInt": "int",
}
_INSTEAD: dict = {"": [], "Scalar": ["Number"], "number": ["Number"]}
# Where each name in an annotation comes from.
HOMES = {
    "Tensor": "torchlike._record.tensor", "Number": "torchlike._api.types", "DeviceLike": "torchlike._api.types",
    "dtype": "torchlike._base.dtypes", "memory_format": "torchlike._base.settings", "Sequence": "collections.abc",
}


def of_argument(arg) -> list:
    """The types that one argument of a schema may have."""
    word, optional = arg.type.removesuffix("?"), arg.type.endswith("?")
    head, bracket, _ = word.partition("[")
    found = [*_INSTEAD[arg.instead], "None"] if optional or arg.default is None else [*_INSTEAD[arg.instead]]
    element = _WORDS[head.removesuffix("?")]
    if not bracket:
        return [element, *found]
    inside = f"{element} | None" if head.endswith("?") else element
    # int[2] may be one int, and so may the dimensions that a reduction can do without
    single = word != f"{head}[]" or isinstance(arg.default, int) or (arg.name == "dim" and optional)
    one = [element] if single else []
    return [*one, f"Sequence[{inside}]", *found]


def of_arguments(args, default=...) -> str:
    """The annotation of an argument that several overloads have."""
    types: list = []
    for arg in args:
        types += [t for t in of_argument(arg) if t not in types]
    if default is None and "None" not in types:
        types.append("None")
    return " | ".join(sorted(types, key=lambda t: t == "None"))


def of_result(rows) -> str:
    """The annotation of what a function of these rows returns."""
    kinds = {_returned(row) for row in rows}
    return kinds.pop() if len(kinds) == 1 else " | ".join(sorted(kinds))


def _returned(row) -> str:
    names = row.schema.returns
    if names == ("[]",):
        return "tuple[Tensor, ...]"
    if is_named(row):
        return f"return_types.{row.face}"
    return "Tensor" if len(names) == 1 else f"tuple[{', '.join(['Tensor'] * len(names))}]"


def is_named(row) -> bool:
    """Whether the results are a named tuple, as ``torch.return_types.max``."""
    names = row.schema.returns
    return len(names) > 1 and all(names) and not row.is_private and not row.plain_tuple


def literal(value) -> str:
    """A default as text."""
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    return '"' + value + '"' if isinstance(value, str) else repr(value)
