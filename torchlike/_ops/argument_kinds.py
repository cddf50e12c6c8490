"""PyTorch's TypeErrors for an argument that is no tensor (and no number where an overload takes one)."""

from torchlike._ops.schema import OPERANDS

_NUMBERS = (bool, int, float, complex)


def check_kinds(row, kinds) -> None:
    """TypeError where a number among the operands stands for a tensor that no overload of `row` takes one for.

    `kinds`: for each operand "a" for a tensor, the class of a number, else None or a tuple.
    """
    if not any(kind in _NUMBERS for kind in kinds):
        return
    arguments = [arg for arg in row.schema.args if arg.is_operand]
    wrong = any(kind in _NUMBERS and not arg.instead for kind, arg in zip(kinds, arguments, strict=True))
    alone = "a" not in kinds and not any(arg.instead == "number" for arg in arguments)
    if wrong or alone:
        raise refusal(row, [kind if kind in _NUMBERS else None for kind in kinds])


def refusal(row, classes) -> TypeError:
    """The error for operands of these classes (None for a tensor)."""
    arguments = [arg for arg in row.schema.args if arg.type in OPERANDS]
    if any(arg.instead == "Scalar" for arg in arguments):
        return TypeError(_combination(row, arguments, classes))
    for arg, given in zip(arguments, classes, strict=True):
        if given is not None:
            position = row.schema.args.index(arg) + 1
            return TypeError(f"{row.face}(): argument '{_called(arg)}' (position {position}) must be Tensor, not "
                             f"{given.__name__}")
    raise AssertionError("all are tensors")


def _called(arg) -> str:
    return "input" if arg.name == "self" else arg.name


def _combination(row, arguments, classes) -> str:
    got = ", ".join("Tensor" if given is None else given.__name__ for given in classes)
    lines = [f"{row.face}() received an invalid combination of arguments - got ({got}), but expected one of:"]
    for number in (None, *(arg for arg in arguments if arg.instead)):
        pieces = [f"Number {arg.name}" if arg is number else f"Tensor {_called(arg)}" for arg in arguments]
        lines.append(f" * ({', '.join(pieces)}, *, Tensor out = None)")
    return "\n".join(lines) + "\n"
