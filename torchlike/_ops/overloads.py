"""PyTorch's names for what a row does: the operator and overload that its dispatcher sees.

They are names for users (`torch.ops.aten.mm.default`, policies of selective checkpoints). Rows are named
as in native_functions.yaml, so little is said here: rows of our own, and where one row is several overloads.
"""

_OURS = {
    "_ones": "ones.default", "_zeros": "zeros.default", "_full": "full.default", "_full_like": "full_like.default",
    "_arange": "arange.default", "_linspace": "linspace.default", "_logspace": "logspace.default", "_eye": "eye.default",
    "_contiguous": "clone.default", "_fill": "fill.Scalar", "_fill_tensor": "fill.Tensor", "_zero": "zero.default",
    "_pow_static": "pow.Tensor_Scalar", "_native_batch_norm": "native_batch_norm.default", "_detach": "detach.default",
    "div.Tensor_mode_none": "div.Tensor_mode", "_bincount": "bincount.default", "_histogram": "histogram.default",
    "_unique_dim": "unique_dim.default",
    "_unique_consecutive": "unique_consecutive.default", "_diagonal_copy": "diagonal_copy.default",
    "real": "view_as_real.default", "imag": "view_as_real.default",
}
_TENSOR = {"add", "sub", "mul", "div", "copysign", "xlogy", "bitwise_and", "bitwise_or", "bitwise_xor",
           "bitwise_left_shift", "bitwise_right_shift", "ldexp"}  # a number beside a tensor is one there, too
_IN_PLACE = {"pow.Tensor_Tensor": "pow_.Tensor", "pow.Tensor_Scalar": "pow_.Scalar", "_pow_static": "pow_.Scalar"}
_ARITHMETIC = ("add", "sub", "mul", "div")
_EITHER = {"eq", "ne", "lt", "le", "gt", "ge"}


def name_of(row: str, are_tensors: tuple, params: tuple, in_place: bool) -> str:
    """``mul_.Tensor``: the operator and overload of the row of this name, with these operands and parameters."""
    if in_place and row in _IN_PLACE:
        return _IN_PLACE[row]
    packet, _, overload = (_OURS.get(row) or _several(row, are_tensors, params)).partition(".")
    return f"{packet}{'_' if in_place else ''}.{overload}"


def _several(row, are_tensors, params) -> str:
    if row in _TENSOR:
        return f"{row}.Tensor"
    if row in _EITHER:
        return f"{row}.{'Tensor' if are_tensors[1:] == (True,) else 'Scalar'}"
    if row == "squeeze":
        dim = params[0]
        return "squeeze.default" if dim is None else "squeeze.dims" if isinstance(dim, tuple) else "squeeze.dim"
    if row in ("any.dims", "all.dims") and not isinstance(params[0], tuple):
        return f"{row[:3]}.dim"
    return row if "." in row else f"{row}.default"


def packets(rows) -> dict:
    """Operator name -> {overload: (row, whether in place)}: what a table of rows can do."""
    found: dict = {}
    for row in rows.values():
        for are_tensors in ((True, True), (True, False)):
            full = name_of(row.name, are_tensors[:max(len(row.operands), 1)], (None,), False)
            _add(found, full, row, False)
            if row.inplace or row.name in ("copy", "_fill", "_fill_tensor", "_zero"):
                _add(found, name_of(row.name, are_tensors[:len(row.operands)], (None,), True), row, True)
    for packet in _ARITHMETIC:  # PyTorch's own kernels call these where a number is one
        for name in (packet, packet + "_"):
            found[name]["Scalar"] = found[name]["Tensor"]
    return found


def _add(found, full, row, in_place) -> None:
    packet, _, overload = full.partition(".")
    found.setdefault(packet, {}).setdefault(overload, (row, in_place))


def arguments(row, operands, numbers, params) -> tuple:
    """(args, kwargs) in the order of the row's schema, as PyTorch's dispatcher passes them: without defaults at the end."""
    given = {**dict(zip(row.operands, operands, strict=True)), **dict(zip(row.numbers, numbers, strict=False)),
             **dict(zip(row.params, params, strict=False))}
    positional, kwargs = [], {}
    for arg in row.schema.args:
        value = _plain(arg, row, given.get(arg.name))
        is_default = arg.default is not ... and (value == arg.default or value is None) if arg.is_param or arg.is_number \
            else arg.default is None and value is None
        if arg.kwonly:
            if not is_default:
                kwargs[arg.name] = value
        else:
            positional.append((value, is_default))
    while positional and positional[-1][1]:
        positional.pop()
    return tuple(value for value, _ in positional), kwargs


def _plain(arg, row, value):
    """A parameter as a user would give it: hashable forms become lists and numbers again."""
    if arg.name in row.static and isinstance(value, tuple):
        return value[1]
    if arg.type.startswith("int[") and value.__class__ is int:
        return [value]
    return list(value) if isinstance(value, tuple) else value
