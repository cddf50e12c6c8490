"""The schema of an overload, as handlers of operators ask it: ``torch.ops.aten.add_.Tensor._schema``."""

import dataclasses

_NAMES = {"Scalar": "number", "ScalarType": "int", "MemoryFormat": "int", "Layout": "int"}


@dataclasses.dataclass(frozen=True)
class AliasInfo:
    """Of an argument that an operator in place writes to.

    Args:
        is_write: True.
    """

    is_write: bool = True


@dataclasses.dataclass(frozen=True)
class Argument:
    """An argument or a result.

    Args:
        name: "" of a result without one.
        type: in the words of TorchScript, ``Optional[List[int]]``.
        default_value: None where there is none.
        has_default: whether there is one.
        kwarg_only: whether it is given by keyword alone.
        alias_info: of what is written to, else None.
        text: as in the schema.
    """

    name: str
    type: str
    default_value: object = None
    has_default: bool = False
    kwarg_only: bool = False
    alias_info: AliasInfo | None = None
    text: str = ""

    def has_default_value(self) -> bool:
        """Whether the argument may be left out."""
        return self.has_default


class FunctionSchema:
    """The schema of a row, or of the row in place.

    Args:
        row: the row.
        name, overload: of the overload.
        in_place: whether it writes to its first argument.
    """

    def __init__(self, row, name: str, overload: str, in_place: bool):
        self.name, self.overload_name = f"aten::{name}", "" if overload == "default" else overload
        self.is_mutable = in_place
        first = row.schema.args[0].name if row.schema.args else ""
        self.arguments = [_argument(arg, in_place and arg.name == first) for arg in row.schema.args]
        self.returns = [_result(word, in_place) for word in row.schema.returns]

    def __str__(self):
        inside, by_keyword = [], False
        for arg in self.arguments:
            if arg.kwarg_only and not by_keyword:
                inside.append("*")
                by_keyword = True
            default = f"={_literal(arg.default_value)}" if arg.has_default else ""
            inside.append(f"{arg.text} {arg.name}{default}")
        outs = [f"{out.text} {out.name}".strip() for out in self.returns]
        overload = f".{self.overload_name}" if self.overload_name else ""
        return f"{self.name}{overload}({', '.join(inside)}) -> {outs[0] if len(outs) == 1 else '(' + ', '.join(outs) + ')'}"

    __repr__ = __str__


def _written(text, is_written) -> str:
    return text.replace("Tensor", "Tensor(a!)", 1) if is_written else text


def _argument(arg, is_written) -> Argument:
    has_default = arg.default is not ...
    return Argument(arg.name, _type(arg.type), arg.default if has_default else None, has_default, arg.kwonly,
                    AliasInfo() if is_written else None, _written(arg.type, is_written))


def _result(word, is_written) -> Argument:
    text = "Tensor[]" if word == "[]" else "Tensor"
    return Argument(word.removesuffix("[]"), _type(text), alias_info=AliasInfo() if is_written else None,
                    text=_written(text, is_written))


def _type(text: str) -> str:
    if text.endswith("?"):
        return f"Optional[{_type(text[:-1])}]"
    kind, bracket, _ = text.partition("[")
    return f"List[{_type(kind)}]" if bracket else _NAMES.get(kind, kind)


def _literal(value) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_literal, value))}]"
    return f'"{value}"' if isinstance(value, str) else str(value)
