"""`torch.library.infer_schema`: a schema from the annotations of a Python function."""

import collections.abc
import inspect
import types
import typing

from torchlike._base import device as _dev
from torchlike._base import dtypes as dt
from torchlike._record.tensor import Tensor

_WORDS = {Tensor: "Tensor", int: "SymInt", float: "float", bool: "bool", str: "str", dt.dtype: "ScalarType",
          _dev.device: "Device"}
_IN_LISTS = ("Tensor", "Tensor?", "SymInt", "float", "bool", "Scalar")
_VALID = f"{sorted(_WORDS.values())}, their lists, and what may be None."
_NUMBER = {int, float, bool}
_UNION = (typing.Union, types.UnionType)


def infer_schema(prototype_function, /, *, mutates_args, op_name: str | None = None, tags=()) -> str:
    """The schema of a function, from its annotations.
    https://pytorch.org/docs/stable/library.html#torch.library.infer_schema

    Args:
        prototype_function: the function.
        mutates_args: the names of the arguments that it writes to, or "unknown": all tensors.
        op_name: what the schema begins with.
        tags: without effect.

    Returns:
        such as ``(Tensor x, float k=1.0) -> Tensor``.

    Raises:
        ValueError: an annotation is missing or none of a schema's, or an argument cannot be written to.
    """
    signature = inspect.signature(prototype_function, eval_str=True)

    def error(text: str) -> ValueError:
        return ValueError(f"infer_schema(func): {text} Got func with signature {signature})")

    texts: list[str] = []
    for number, parameter in enumerate(signature.parameters.values()):
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise error("We do not support positional-only args, varargs, or varkwargs.")
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in texts:
            texts.append("*")
        texts.append(_argument(parameter, number, mutates_args, error))
    if mutates_args != "unknown" and (missing := set(mutates_args) - set(signature.parameters)):
        raise error(f"{missing} in mutates_args were not found in the custom op's signature. mutates_args should contain "
                    "the names of all args that the custom op mutates, or just the string 'unknown' if you don't know.")
    return f"{op_name or ''}({', '.join(texts)}) -> {_returned(signature.return_annotation, error)}"


def _argument(parameter, number: int, mutates_args, error) -> str:
    name, found = parameter.name, parameter.annotation
    if found is parameter.empty:
        raise error(f"Parameter {name} must have a type annotation.")
    word = _word(found)
    if word is None:
        tuples = (" We do not support Tuple inputs in schema. As a workaround, please try to use List instead. For example, "
                  "list[int].\n\n" if typing.get_origin(found) is tuple else "")
        raise error(f"Parameter {name} has unsupported type {found}.{tuples} The valid types are: {_VALID}")
    if name in mutates_args if mutates_args != "unknown" else word.startswith("Tensor"):
        if not word.startswith("Tensor"):
            raise error(f"Parameter {name} is in mutable_args but only Tensors or collections of Tensors can be mutated")
        word = f"Tensor(a{number}!){word.removeprefix('Tensor')}"
    return f"{word} {name}{_default(parameter, error)}"


def _default(parameter, error) -> str:
    value = parameter.default
    if value is parameter.empty:
        return ""
    if isinstance(value, str):
        return f'="{value}"'
    if value is None or isinstance(value, int | float):
        return f"={value}"
    if isinstance(value, _dev.device):
        return f'="{value}"'
    if isinstance(value, dt.dtype):
        return f"={str(value).removeprefix('torch.')}"
    raise error(f"Parameter {parameter.name} has an unsupported default value type {type(value)}. Please file an issue on "
                "GitHub so we can prioritize this.")


def _word(annotation) -> str | None:
    """An annotation as a schema has it; None for one that is not of a schema."""
    origin, args = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in _UNION:
        optional, kinds = types.NoneType in args, set(args) - {types.NoneType}
        inner = "Scalar" if kinds == _NUMBER else _word(kinds.pop()) if len(kinds) == 1 else None
        return inner and inner + "?" * optional
    if origin in (list, collections.abc.Sequence):
        inner = _word(args[0])
        return f"{inner}[]" if inner in _IN_LISTS else None
    return _WORDS.get(annotation) if isinstance(annotation, type) else None


def _returned(annotation, error) -> str:
    if annotation is inspect.Signature.empty:
        raise error("No return type annotation was provided. Please add one.")
    if annotation is None:
        return "()"
    parts = typing.get_args(annotation) if typing.get_origin(annotation) is tuple else (annotation,)
    words = [_word(part) for part in parts]
    if None in words:
        raise error(f"Return has unsupported type {annotation}. The valid types are: {_VALID}")
    return f"({', '.join(map(str, words))})" if typing.get_origin(annotation) is tuple else str(words[0])
