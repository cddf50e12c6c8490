"""PyTorch's TypeErrors for an argument that is no tensor (and no number where an overload takes one)."""

from torchlike._base.errors import type_name
from torchlike._ops.schema import OPERANDS

_NUMBERS = (bool, int, float, complex)


def check_kinds(row, kinds) -> None:
    """TypeError where something else stands for a tensor: a number that no overload of `row` takes there, None, a tuple.

    `kinds`: for each operand "a" for a tensor, the class of a number, else None or a tuple.
    """
    if all(kind == "a" for kind in kinds):
        return
    arguments = [arg for arg in row.schema.args if arg.is_operand]
    wrong = any(_is_wrong(kind, arg) for kind, arg in zip(kinds, arguments, strict=True))
    alone = "a" not in kinds and not any(arg.instead == "number" for arg in arguments)
    if wrong or (alone and any(kind in _NUMBERS for kind in kinds)):
        raise refusal(row, [_class(kind) if kind in _NUMBERS or _is_wrong(kind, arg) else None
                            for kind, arg in zip(kinds, arguments, strict=True)])


def _is_wrong(kind, arg) -> bool:
    if kind is None:
        return arg.type == "Tensor"
    return (kind in _NUMBERS and not arg.instead) or (isinstance(kind, tuple) and not arg.is_list)


def _class(kind) -> type:
    return type(None) if kind is None else tuple if isinstance(kind, tuple) else kind


def not_a_tensor(row, x, in_place=False) -> TypeError:
    """The error for a first operand that is none."""
    name = row.face + "_" * in_place
    return TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type_name(type(x))}")


def check_tuples(row, operands) -> None:
    """TypeError where a tuple of anything stands for a tensor."""
    arguments = [arg for arg in row.schema.args if arg.is_operand]
    classes = [tuple if isinstance(x, tuple) and not arg.is_list else None
               for x, arg in zip(operands, arguments, strict=True)]
    if any(classes):
        raise refusal(row, classes) from None


def refusal(row, classes) -> TypeError:
    """The error for operands of these classes (None for a tensor)."""
    arguments = [arg for arg in row.schema.args if arg.type in OPERANDS]
    if any(arg.instead == "Scalar" for arg in arguments):
        return TypeError(_combination(row, arguments, classes))
    for arg, given in zip(arguments, classes, strict=True):
        if given is not None:
            position = row.schema.args.index(arg) + 1
            return TypeError(f"{row.face}(): argument '{_called(arg)}' (position {position}) must be Tensor, not "
                             f"{type_name(given)}")
    raise AssertionError("all are tensors")


def _called(arg) -> str:
    return "input" if arg.name == "self" else arg.name


def _combination(row, arguments, classes) -> str:
    got = ", ".join("Tensor" if given is None else type_name(given) for given in classes)
    lines = [f"{row.face}() received an invalid combination of arguments - got ({got}), but expected one of:"]
    for number in (None, *(arg for arg in arguments if arg.instead)):
        pieces = [f"Number {arg.name}" if arg is number else f"Tensor {_called(arg)}" for arg in arguments]
        lines.append(f" * ({', '.join(pieces)}, *, Tensor out = None)")
    return "\n".join(lines) + "\n"
