"""PyTorch's names for what a row does: the operator and overload that its dispatcher sees.

They are names for users (`torch.ops.aten.mm.default`, policies of selective checkpoints). Rows are named
as in native_functions.yaml; where that is not the whole name, `Row.dispatch` and `Write.dispatch` say it.
"""


def name_of(row, are_tensors: tuple, params: tuple, in_place: bool) -> str:
    """``mul_.Tensor``: the operator and overload of the row, with these operands and parameters."""
    if in_place and row.write.dispatch:
        return row.write.dispatch
    packet, _, overload = _functional(row, are_tensors, params).partition(".")
    return f"{packet}{'_' if in_place else ''}.{overload}"


def _functional(row, are_tensors, params) -> str:
    if callable(row.dispatch):
        return row.dispatch(are_tensors, params)
    if row.dispatch:
        return row.dispatch.partition(" ")[0]
    return row.name if row.overload else f"{row.name}.default"


def packets(rows) -> dict:
    """Operator name -> {overload: (row, whether in place)}: what a table of rows can do."""
    found: dict = {}
    for row in rows.values():
        in_place = row.inplace or bool(row.write.dispatch)
        for are_tensors in ((True, True), (True, False)):
            _add(found, name_of(row, are_tensors[:max(len(row.operands), 1)], (None,), False), row, False)
            if in_place:
                _add(found, name_of(row, are_tensors[:len(row.operands)], (None,), True), row, True)
        for more in [] if callable(row.dispatch) else row.dispatch.split()[1:]:
            _add(found, more, row, False)
            if in_place:
                _add(found, more.replace(".", "_."), row, True)
    return found


def _add(found, full, row, in_place) -> None:
    packet, _, overload = full.partition(".")
    found.setdefault(packet, {}).setdefault(overload, (row, in_place))


_WITHOUT_DEFAULT, _BY_KEYWORD = "half_to_float", ("_to_copy", "dtype")  # in PyTorch's schemas


def arguments(row, operands, numbers, params) -> tuple:
    """(args, kwargs) in the order of the row's schema, as PyTorch's dispatcher passes them: without defaults at the end."""
    given = {**dict(zip(row.operands, operands, strict=True)), **dict(zip(row.numbers, numbers, strict=False)),
             **dict(zip(row.params, params, strict=False))}
    positional, kwargs = [], {}
    for arg in row.schema.args:
        value = _plain(arg, row, given.get(arg.name))
        is_default = arg.default is not ... and (value == arg.default or value is None) if arg.is_param or arg.is_number \
            else arg.default is None and value is None
        if arg.kwonly or (row.name, arg.name) == _BY_KEYWORD:
            if not is_default:
                kwargs[arg.name] = value
        else:
            positional.append((value, is_default and arg.name != _WITHOUT_DEFAULT))
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

_ARITHMETIC = ("add", "sub", "mul", "div")


def in_cpp(name: str, operands) -> str:
    """The overload that C++ takes where Python takes `name`: a number beside a tensor stays one there."""
    packet, _, overload = name.partition(".")
    number = len(operands) > 1 and type(operands[1]) in (int, float)  # a subclass is a number of Python's, see WrappedFloat
    return f"{packet}.Scalar" if number and overload == "Tensor" and packet.rstrip("_") in _ARITHMETIC else name


# Functions of nn.functional that PyTorch has in C++, under torch._C._nn; the others there are Python.
COMPILED_FUNCTIONAL = frozenset(str.split(
    "avg_pool2d avg_pool3d elu_ gelu hardtanh_ leaky_relu_ linear logsigmoid one_hot scaled_dot_product_attention softplus "
    "softshrink"))
