"""What may stand for a tensor and for a parameter in a call of a row."""

from torchlike._base.errors import check_int64

_NUMBERS = (bool, int, float, complex)
_CLASSES = {"bool": bool, "str": str}


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
        raise TypeError(f"{row.face}(): expected Tensor")


def _is_wrong(kind, arg) -> bool:
    if kind is None:
        return arg.type == "Tensor"
    return (kind in _NUMBERS and not arg.instead) or (isinstance(kind, tuple) and not arg.is_list)


def has_other_kinds(row, params) -> bool:
    """Whether a parameter is of another class than its schema says. Callers within torchlike may mean that.

    ValueError for an int of more than 64 bits, TypeError for one in a list.
    """
    if not params:
        return False
    for name, value in zip(row.params, params, strict=True):
        if value.__class__ is int:
            check_int64(value)
        elif value.__class__ is tuple:
            _check_ints(row, name, value)
    types = {arg.name: arg.type.removesuffix("?") for arg in row.schema.args}
    return any(value is not None and types[name] in _CLASSES and value.__class__ is not _CLASSES[types[name]]
               for name, value in zip(row.params, params, strict=True))


def _check_ints(row, name, values) -> None:
    for i, value in enumerate(values):
        if value.__class__ is int and not -(1 << 63) <= value < 1 << 63:
            raise TypeError(f"{row.face}(): argument '{name}' failed to unpack the object at pos {i + 1} with error "
                            '"Overflow when unpacking long long\n"')  # here PyTorch's has the frames of its own code
