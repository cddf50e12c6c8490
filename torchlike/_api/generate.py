"""From a row to its public functions: the text of each is made from the row's schema.

``exec`` is used so that a call has PyTorch's signature (names, defaults, keyword-only, errors by
Python itself) and costs one frame.
"""

import collections
import operator

from torchlike._modes import autocast
from torchlike._record.bind import binary, bind, unary
from torchlike._record.inplace import inplace, write_out
from torchlike._record.tensor import Tensor
from torchlike._record.views import view, views

_RESULTS: dict = {}


def result_class(row):
    """The named tuple of a row with named results (``torch.return_types.max``), or None."""
    names = row.schema.returns
    if len(names) < 2 or not all(names) or row.is_private or row.plain_tuple:
        return None
    found = _RESULTS.get((row.face, names))
    if found is None:
        base = collections.namedtuple(row.face, names)  # pyrefly: ignore[bad-class-definition]
        found = type(row.face, (base,), {"__slots__": (), "__module__": "torch.return_types",
                                         "__repr__": _result_repr})
        _RESULTS[row.face, names] = found
    return found


def _result_repr(self):
    inside = ",\n".join(f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True))
    return f"torch.return_types.{type(self).__name__}(\n{inside})"


def ints(value):
    """An int, a list of ints or None as a parameter: hashable, of plain ints."""
    if value is None or value.__class__ is int:
        return value
    if isinstance(value, tuple | list):
        return tuple([v if v.__class__ is int else operator.index(v) for v in value])
    return operator.index(value)


def int_list(value):
    """A list of ints given as one: ``size=(2, 3)`` or ``size=3``."""
    found = ints(value)
    return (found,) if found.__class__ is int else found


def varargs(values) -> tuple:
    """A list of ints given as one list or as separate arguments."""
    if len(values) == 1 and not hasattr(values[0], "__index__"):
        values = values[0]
    return tuple([v if v.__class__ is int else operator.index(v) for v in values])


def tensor_list(name, tensors, argument="tensors", position=0) -> tuple:
    """A list of tensors; TypeError with PyTorch's text if it is none."""
    if not isinstance(tensors, tuple | list):
        raise TypeError(f"{name}(): argument '{argument}' (position {position + 1}) must be tuple of Tensors, not "
                        f"{type(tensors).__name__}")
    for i, x in enumerate(tensors):
        if not isinstance(x, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument {position}, but got {type(x).__name__}")
    return tuple(tensors)


def integer(value):
    """One int; anything with ``__index__``; None stays."""
    return value if value.__class__ is int or value is None else operator.index(value)


def as_tuple(results) -> tuple:
    """The results of a row that returns a list, which may have one element."""
    return results if results.__class__ is tuple else (results,)


def static_number(value):
    """A number whose value shapes the code: 2 and 2.0 must differ as keys."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, Tensor):
        value = value.item()
    return (value.__class__, value)


def _normal(arg, row) -> str:
    """The expression that makes a parameter hashable."""
    if arg.name in row.static:
        return f"static_number({arg.name})"
    kind = arg.type
    if kind == "int[*]":
        return f"varargs({arg.name})" if not arg.kwonly else f"int_list({arg.name})"
    if kind.startswith("int[") and not kind.endswith("?") and kind != "int[1]":
        return f"int_list({arg.name})"
    if kind.startswith("int["):
        return f"ints({arg.name})"
    if kind in ("int", "int?", "SymInt"):
        return f"integer({arg.name})"
    return arg.name


def _signature(row, first, with_out=False) -> str:
    pieces, starred = [], False
    for i, arg in enumerate(row.schema.args):
        name = first if i == 0 and arg.name == "self" else arg.name
        if arg.kwonly and not starred:
            pieces.append("*")
            starred = True
        if arg.type == "int[*]" and not arg.kwonly:
            pieces.append(f"*{name}")
            starred = True
            continue
        pieces.append(name if arg.default is ... else f"{name}=_D[{arg.name!r}]")
    if with_out:
        pieces += ["out=None"] if starred else ["*", "out=None"]
    return ", ".join(pieces)


def _pack(items) -> str:
    return "(" + "".join(f"{item}, " for item in items) + ")"


def _arguments(row, first):
    """The three tuples that `bind` takes, as text."""
    operands, numbers, params = [], [], []
    for i, arg in enumerate(row.schema.args):
        name = first if i == 0 and arg.name == "self" else arg.name
        if arg.is_operand:
            operands.append(f"tuple({name})" if arg.type.startswith(("Tensor[]", "Tensor?[]")) else name)
        elif arg.name in row.numbers:
            plain = arg.default is ... or arg.default is None
            numbers.append(name if plain else f"(None if {name} == {arg.default!r} else {name})")
        else:
            params.append(_normal(arg, row))
    return _pack(operands), _pack(numbers), _pack(params)


def _body(row, first) -> str:
    operands, numbers, params = _arguments(row, first)
    if row.view is not None:
        maker = "views" if row.view.member is not None else "view"
        return f"{maker}(row, {first}, {params})"
    general = f"bind(row, {operands}, {numbers}, {params})"
    if result_class(row) is not None:
        return f"named(*{general})"
    if row.schema.returns == ("[]",):
        return f"as_tuple({general})"
    plain = len(row.operands) + len(row.numbers) == len(row.schema.args)
    optional = [a for a in row.schema.args if a.is_operand and (a.type != "Tensor")]
    if plain and not optional and len(row.schema.returns) == 1 and row.schema.returns != ("[]",):
        names = [first if o == "self" else o for o in row.operands]
        defaults = [a for a in row.schema.args if a.name in row.numbers]
        if all(a.default is not ... and a.default is not None for a in defaults) and len(names) in (1, 2):
            test = " and ".join(f"{a.name} == {a.default!r}" for a in defaults)
            call = f"short({', '.join(names)})"
            return f"{call} if {test} else {general}" if test else call
    return general


def _compile(row, name, source, module):
    scope = {"row": row, "bind": bind, "view": view, "views": views, "inplace": inplace, "ints": ints,
             "int_list": int_list, "varargs": varargs, "integer": integer, "static_number": static_number,
             "as_tuple": as_tuple, "off": autocast.off, "named": result_class(row), "write_out": write_out,
             "_D": {a.name: a.default for a in row.schema.args}}
    if "short(" in source:
        scope["short"] = unary(row) if len(row.operands) == 1 else binary(row)
    exec(compile(source, f"<torchlike row {row.name}>", "exec"), scope)  # noqa: S102 - text from our own table
    made = scope["face"]
    made.__name__ = made.__qualname__ = name
    made.__module__ = module
    made.__doc__ = f"{row.summary}\n\nhttps://pytorch.org/docs/stable/generated/torch.{row.face}.html"
    return made


def plain_face(row):
    """The row's own signature, results as Tensors: what other faces are built from."""
    return _compile(row, row.face, f"def face({_signature(row, 'self')}):\n    return {_body(row, 'self')}\n",
                    "torch._ops")


def function_face(row):
    """``torch.name(input, ..., out=None)``."""
    body = _body(row, "input")
    if row.view is not None:
        text = f"def face({_signature(row, 'input')}):\n    return {body}\n"
    else:
        read = f", {_arguments(row, 'input')[0]}" if row.layout == "pointwise" else ""
        text = (f"def face({_signature(row, 'input', True)}):\n    if out is not None:\n        with off():\n"
                f"            return write_out(out, {body}, {row.face!r}{read})\n    return {body}\n")
    return _compile(row, row.face, text, "torch")


def inplace_face(row):
    """``Tensor.name_(...)``."""
    operands, numbers, params = _arguments(row, "self")
    text = (f"def face({_signature(row, 'self')}):\n"
            f"    return inplace(row, {operands}, {numbers}, {params})\n")
    return _compile(row, row.face + "_", text, "torch")

