"""PyTorch's parser of arguments: what it says of a call that fits no signature of a function.

It is asked only once a call has failed. The signatures are PyTorch's own, in the words of its parser, one a line of the
file ``_api/generated/signatures.txt``, functions and methods under their public paths.
"""

import functools
import itertools
import pathlib
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from torchlike._base import device, dtypes
from torchlike._base.errors import type_name
from torchlike._base.settings import layout, memory_format
from torchlike._record.tensor import Tensor

_FILE = pathlib.Path(__file__).parents[1] / "_api" / "generated" / "signatures.txt"
FUNCTIONAL, INNER = "torch.nn.functional.", "torch._C._nn"  # where functions that are written in Python have their operators
DEPRECATED = "..."  # stands for forms that the parser takes and does not tell of
_INCORRECT, _INVALID = "some of the keywords were incorrect: ", "some of the arguments have invalid types: "
_UNPACKING = " failed to unpack the object at pos "
NUMPY_NAMES = {"dim": "axis", "keepdim": "keepdims", "input": "x", "other": "x2"}
_INTEGRAL = {dtypes.uint8, dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64}


# -- kinds of arguments

def _is_scalar_tensor(x, integral) -> bool:
    return isinstance(x, Tensor) and not x.ndim and not x.requires_grad and (not integral or x.dtype in _INTEGRAL)


def _is_int(x) -> bool:
    return (isinstance(x, int | np.integer) and not isinstance(x, bool)) or _is_scalar_tensor(x, integral=True)


def _is_index(x) -> bool:
    return _is_int(x) or (hasattr(x, "__index__") and not isinstance(x, bool | Tensor))


def _is_float(x) -> bool:
    return isinstance(x, float | int | np.floating | np.integer) or _is_scalar_tensor(x, integral=False)


def _is_number(x) -> bool:
    return isinstance(x, float | int | complex | np.number | np.bool_) or _is_scalar_tensor(x, integral=False)


def _begins_with(is_one):
    """Lists are looked at as PyTorch does: their first element."""
    return lambda x: isinstance(x, tuple | list) and (not x or is_one(x[0]))


def _is(*kinds):
    return lambda x: isinstance(x, kinds)


class Kind(NamedTuple):
    """A type of the parser: its word in errors, and what fits."""

    word: str
    fits: Any


_OBJECT = Kind("object", lambda x: True)
_KINDS = {
    "Tensor": Kind("Tensor", _is(Tensor)),
    "Operand": Kind("Tensor", lambda x: isinstance(x, Tensor) or _is_number(x)),
    "Scalar": Kind("Number", _is_number),
    "int64_t": Kind("int", _is_int), "SymInt": Kind("int", _is_int), "double": Kind("float", _is_float),
    "bool": Kind("bool", _is(bool, np.bool_)),
    "TensorList": Kind("tuple of Tensors", lambda x: isinstance(x, tuple | list) and all(isinstance(y, Tensor) for y in x)),
    "IntArrayRef": Kind("tuple of ints", _begins_with(_is_index)),
    "SymIntArrayRef": Kind("tuple of ints", _begins_with(_is_index)),
    "ArrayRef<double>": Kind("tuple of floats", _begins_with(_is_float)),
    "ArrayRef<Scalar>": Kind("tuple of Scalars", _begins_with(_is_number)), "ScalarList": Kind(
        "tuple of Scalars", _begins_with(_is_number)),
    "c10::List<::std::optional<Tensor>>": Kind("tuple of Tensors", lambda x: isinstance(x, tuple | list) and all(
        y is None or isinstance(y, Tensor) for y in x)),
    "c10::string_view": Kind("str", _is(str)),
    "ScalarType": Kind("torch.dtype", _is(dtypes.dtype, type)),
    "Layout": Kind("torch.layout", _is(layout)), "MemoryFormat": Kind("torch.memory_format", _is(memory_format)),
    "Device": Kind("torch.device", lambda x: _is_int(x) or isinstance(x, str | device.device)),
    "Generator": Kind("torch.Generator", lambda x: type(x).__name__ == "Generator"), "PyObject*": _OBJECT,
}
_ELEMENTS = {"IntArrayRef": _is_index, "SymIntArrayRef": _is_index, "ArrayRef<double>": _is_float}


class Parameter(NamedTuple):
    """``kind``; ``size``: of a list for which one element may stand; ``default``: its text, or None."""

    type: str
    kind: Kind
    size: int
    name: str
    default: str | None
    takes_none: bool
    by_keyword: bool

    def fits(self, x) -> bool:
        """Whether the parser takes `x` here."""
        if x is None and self.takes_none:
            return True
        return self.kind.fits(x) or (self.size > 0 and self.type in _ELEMENTS and _ELEMENTS[self.type](x))

    def __str__(self):
        return f"{self.kind.word} {self.name}" + ("" if self.default is None else f" = {self.default}")


class Signature(NamedTuple):
    """One overload of a function."""

    name: str
    parameters: tuple[Parameter, ...]

    @property
    def most(self) -> int:
        """How many arguments may be given by position."""
        return sum(not p.by_keyword for p in self.parameters)

    @property
    def fewest(self) -> int:
        """How many must be given."""
        return sum(p.default is None for p in self.parameters)

    @property
    def takes_ints(self) -> bool:
        """Whether a list of ints may be given as separate arguments."""
        return self.most == 1 and self.parameters[0].type in ("IntArrayRef", "SymIntArrayRef")

    @property
    def pieces(self) -> list:
        """The parameters and "*", between commas: PyTorch's texts count and compare these."""
        first = next((i for i, p in enumerate(self.parameters) if p.by_keyword), None)
        return [*self.parameters] if first is None else [*self.parameters[:first], "*", *self.parameters[first:]]

    def __str__(self):
        return f"({', '.join(map(str, self.pieces))})"


def _parameter(text, by_keyword) -> Parameter:
    head, equals, default = text.partition("=")
    kind, _, name = head.rpartition(" ")
    nullable = kind.endswith("?") or default == "None"
    kind, _, size = kind.removesuffix("?").removesuffix("]").partition("[")
    kind_of_it = _KINDS.get(kind, _OBJECT)
    return Parameter(kind, kind_of_it, int(size or 0), name, default if equals else None, nullable, by_keyword)


def parsed(text: str) -> Signature:
    """A signature from its line."""
    name, _, inside = text.removesuffix(")").partition("(")
    parameters: list = []
    by_keyword = False
    for piece in re.split(r",\s*(?![^{]*})", inside) if inside else []:
        if piece == "*":
            by_keyword = True
        else:
            parameters.append(_parameter(piece, by_keyword))
    return Signature(name, tuple(parameters))


@functools.cache
def _lines() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in _FILE.read_text().splitlines():
        path, _, signature = line.partition(" ")
        found.setdefault(path, []).append(signature)
    return found


@functools.cache  # at most as many as the file has
def _signatures(path: str) -> tuple[tuple[Signature, ...], bool]:
    """The signatures, and whether there are deprecated ones besides."""
    lines = _lines()[path]
    return tuple(parsed(line) for line in lines if line != DEPRECATED), DEPRECATED in lines


# -- a call

def is_known(path: str) -> bool:
    """Whether there are signatures of this function or method."""
    return path in _lines()


def texts(path: str) -> list[str]:
    """The signatures of this function or method that are not deprecated, without its name."""
    return [str(signature) for signature in _signatures(path)[0]]


def complaint(path: str, args: Sequence, kwargs: dict) -> tuple[bool, TypeError | None]:
    """Whether PyTorch's parser knows the function, and the error that it raises for these arguments.

    Args:
        path: the public path of the function, ``torch.linalg.norm``, or of the method, ``torch.Tensor.norm``.
        args: the arguments by position; of a method without the tensor.
        kwargs: those by keyword.

    Returns:
        (whether it is known, the error or None).
    """
    if not is_known(path):
        return False, None
    return True, _error(path, args, kwargs)


def named_alike(path: str, values: dict) -> tuple[bool, TypeError | None]:
    """The same of the operator that a function of ``torch.nn.functional`` calls with its own arguments, by their names.

    Args:
        path: the public path of the function.
        values: its arguments by name.

    Returns:
        (whether there is an error, the error or None).
    """
    found = next((each for each in (path.replace(FUNCTIONAL, f"{INNER}."), path.replace(FUNCTIONAL, "torch."))
                  if is_known(each)), None)
    if found is None:
        return False, None
    texts = [_mismatch_by_names(signature, values) for signature in _signatures(found)[0]]
    return (False, None) if None in texts or len(texts) > 1 else (True, TypeError(texts[0]))


def _mismatch_by_names(signature, values):
    # what is a text for the function is a number for the operator, and so is what follows
    known = tuple(itertools.takewhile(lambda p: p.name in values and p.name != "reduction" and not p.by_keyword,
                                      signature.parameters))
    return mismatch(signature._replace(parameters=known), [values[p.name] for p in known], {})


def _error(path, args, kwargs) -> TypeError | None:
    found, has_deprecated = _signatures(path)
    if has_deprecated and _may_be_deprecated(found[0], args):
        return None
    errors = [mismatch(signature, args, kwargs) for signature in found]
    if None in errors:
        return None
    unpacked = next((error for error in errors if error and _UNPACKING in error), None)
    if unpacked is not None:  # the parser has taken the first element for all
        return TypeError(unpacked)
    count = len(args) + len(kwargs)
    plausible = [i for i, s in enumerate(found) if s.fewest <= count <= len(s.parameters)]
    if (len(found) == 1 and not has_deprecated) or len(plausible) == 1:
        return TypeError(errors[plausible[0] if plausible else 0])
    return TypeError(_combination(found, args, kwargs))


def _may_be_deprecated(signature, args) -> bool:
    """Whether numbers may stand among the tensors, as in ``add(input, alpha, other)``."""
    numbers = sum(p.by_keyword and p.name != "out" for p in signature.parameters)
    return signature.most < len(args) <= signature.most + numbers and any(isinstance(x, Tensor) for x in args) and \
        all(isinstance(x, Tensor) or _is_number(x) for x in args)


def _given(parameter, kwargs) -> tuple:
    """(name, value) of an argument by keyword, perhaps by numpy's name."""
    for name in (parameter.name, NUMPY_NAMES.get(parameter.name)):
        if name in kwargs:
            return name, kwargs[name]
    return None, None


def mismatch(signature: Signature, args: Sequence, kwargs: dict) -> str | None:
    """Why the arguments do not fit this signature; None if they do."""
    name, used = signature.name, set()
    if not signature.parameters and (args or kwargs):
        what = "keyword arguments" if kwargs else f"arguments ({len(args)} given)"
        return f"TensorBase.{name}() takes no {what}"
    if len(args) > signature.most and not (signature.takes_ints and _is_index(args[0])):
        return _too_many(signature, len(args))
    place = 0
    for i, parameter in enumerate(signature.parameters):
        by_name = place >= len(args)
        if by_name:
            key, value = _given(parameter, kwargs)
            if key is None:
                if parameter.default is None:
                    return _missing(signature, i)
                continue
            used.add(key)
        elif parameter.by_keyword:
            return _too_many(signature, len(args))
        else:
            value = args[place]
        if not parameter.fits(value):
            if signature.takes_ints and not place and not by_name and _is_index(value):
                wrong = next((at for at, x in enumerate(args) if not _is_index(x)), None)
                if wrong is not None:
                    return _not_unpacked(name, parameter, wrong, args[wrong])
                place = len(args)
                continue
            wrong = _wrong_element(parameter, value)
            if wrong is not None:
                return f"expected Tensor as element {wrong} in argument {i}, but got {type_name(type(value[wrong]))}"
            where = "" if by_name else f" (position {place + 1})"
            return f"{name}(): argument '{parameter.name}'{where} must be {parameter.kind.word}, {_not(parameter, value)}"
        place += not by_name
    left = [key for key in kwargs if key not in used]
    if left:
        known = left[0] in [p.name for p in signature.parameters]
        return f"{name}() got multiple values for argument '{left[0]}'" if known \
            else f"{name}() got an unexpected keyword argument '{left[0]}'"
    return f"{name}() takes {signature.most} positional arguments but {len(args)} were given" if place < len(args) else None


def _not_unpacked(name, parameter, place, value) -> str:
    return (f"{name}(): argument '{parameter.name}'{_UNPACKING}{place + 1} with error "
            f'"type must be {parameter.kind.word},but got {type_name(type(value))}"')


def _wrong_element(parameter, value):
    """The place of the first that is no tensor in what shall be a list of them, else None."""
    if parameter.type != "TensorList" or not isinstance(value, tuple | list):
        return None
    return next((at for at, x in enumerate(value) if not isinstance(x, Tensor)), None)


def _not(parameter, value) -> str:
    if isinstance(value, tuple | list) and parameter.type != "TensorList" and parameter.kind.word.startswith("tuple of"):
        return f"but found element of type {type_name(type(value[0]))} at pos 0"
    return f"not {type_name(type(value))}"


def _too_many(signature, count) -> str:
    most, fewest = signature.most, signature.fewest
    takes = f"from {fewest} to {most} positional arguments" if fewest != most else \
        f"{most} positional argument{'s' * (most != 1)}"
    return f"{signature.name}() takes {takes} but {count} {'was' if count == 1 else 'were'} given"


def _missing(signature, first) -> str:
    names = [f'"{p.name}"' for p in signature.parameters[first:] if p.default is None and not p.by_keyword]
    return (f"{signature.name}() missing {len(names)} required positional argument{'s' * (len(names) == 1)}: "  # so PyTorch
            f"{', '.join(names)}")


def _combination(found, args, kwargs) -> str:
    head = f"{found[0].name}() received an invalid combination of arguments - got "
    given = _classes(args, kwargs, [])
    if len(found) == 1:
        why = _why(found[0], args, kwargs)
        unknown = _unknown(found[0], kwargs)
        return f"{head}unrecognized keyword arguments: {', '.join(unknown)}" if unknown else \
            f"{head}{why.removeprefix(_INVALID) or given}, but expected {found[0]}"
    lines = [f"{head}{given}, but expected one of:"]
    for signature in found:
        why = _why(signature, args, kwargs)
        lines += [f" * {signature}", *([f"      didn't match because {why}"] if why else [])]
    return "\n".join(lines) + "\n"


def _why(signature, args, kwargs) -> str:
    """Why a signature with as many arguments does not fit; nothing for others."""
    pieces = signature.pieces or [""]
    if len(args) + len(kwargs) != len(pieces):
        return ""
    by_name = {p.name: p for p in signature.parameters}
    unknown = _unknown(signature, kwargs, lambda p: p.default is None)
    if unknown:
        return _INCORRECT + ", ".join(unknown)
    return _INVALID + _classes(args, kwargs, [*pieces[:len(args)], *(by_name[key] for key in kwargs)])


def _unknown(signature, kwargs, known=lambda p: True) -> list:
    return [key for key in kwargs if key not in [p.name for p in signature.parameters if known(p)]]


def _classes(args, kwargs, pieces) -> str:
    """The classes of what was given, between marks where they do not fit the pieces of a signature."""
    given = [*(("", x) for x in args), *((f"{key}=", x) for key, x in kwargs.items())]
    texts = [prefix + type_name(type(x)) if piece is None else _marked(prefix, piece, x)
             for (prefix, x), piece in itertools.zip_longest(given, pieces)]
    return f"({', '.join(texts)}{', ' * (not args and bool(kwargs))})"


def _marked(prefix, piece, x) -> str:
    """A class between marks where it does not fit. PyTorch reads it off the text, where nothing fits what has a default."""
    name = type_name(type(x))
    if isinstance(x, tuple | list):
        inside = ", ".join(type_name(type(y)) for y in x)
        name = f"list of [{inside}]" if isinstance(x, list) else f"tuple of ({inside}{',' * (len(x) == 1)})"
    words = {"float": ("float", "int")}
    fits = piece.__class__ is Parameter and piece.default is None and name in words.get(piece.kind.word, (piece.kind.word,))
    return prefix + name if fits else f"!{prefix}{name}!"
