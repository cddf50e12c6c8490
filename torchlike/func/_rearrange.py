"""`torch.func.rearrange`: dimensions by name, as einops has them. https://einops.rocks/api/rearrange

A pattern says for each side which axes there are, in the order of dimensions; axes in brackets are one dimension. What
it does is a reshape to all axes, a transposition, and a reshape.
"""

import keyword
import math
import re
import warnings

from torchlike._api.joining import stack
from torchlike._record.tensor import Tensor

_ELLIPSIS = "…"  # a character of its own for "..."
_TOKEN = re.compile(r"\s*([()]|[^()\s]+)")
_UNIT = "1"


class DimensionBindError(Exception):
    """Sizes do not fit the dimensions that a pattern takes apart."""


class _Side:
    """One side of a pattern: ``groups`` has for each dimension its axes, the ellipsis as one axis; () is of size 1."""

    def __init__(self, text: str):
        self.groups: list[tuple] = []
        self.bracketed = False  # is the ellipsis in brackets
        self.other_numbers = False  # are there unnamed axes of another size than 1
        self.names: list[str] = []
        self._parse(_with_ellipsis(text), text)

    def _parse(self, marked: str, text: str) -> None:
        for character in marked:
            if not (character.isalnum() or character in "() _" or character == _ELLIPSIS):
                raise ValueError(f"Unknown character '{character}'")
        opened: list | None = None
        for token in _TOKEN.findall(marked):
            if token == "(":
                if opened is not None:
                    raise ValueError("Axis composition is one-level (brackets inside brackets not allowed)")
                opened = []
            elif token == ")":
                if opened is None:
                    raise ValueError("Brackets are not balanced")
                self.groups.append(tuple(opened))
                opened = None
            else:
                self._take(token, opened)
        if opened is not None:
            raise ValueError(f"Imbalanced parentheses in expression: '{text}'")

    def _take(self, token: str, opened: list | None) -> None:
        if token in self.names:
            raise ValueError(f"Indexing expression contains duplicate dimension '{token}'")
        is_number = token.isdecimal()
        if token == _ELLIPSIS:
            self.bracketed = opened is not None
        elif is_number:
            self.other_numbers = self.other_numbers or int(token) != 1
        else:
            _check_name(token)
        if not is_number:
            self.names.append(token)
        axes = () if is_number else (token,)
        if opened is None:
            self.groups.append(axes)
        else:
            opened += axes


def _with_ellipsis(text: str) -> str:
    if "." in text:
        if "..." not in text:
            raise ValueError("Expression may contain dots only inside ellipsis (...)")
        if text.count("...") != 1 or text.count(".") != 3:
            raise ValueError("Expression may contain dots only inside ellipsis (...); only one ellipsis for tensor ")
    return text.replace("...", _ELLIPSIS)


def _check_name(name: str) -> None:
    wrong = "not a valid python identifier" if not name.isidentifier() else \
        "axis name should should not start or end with underscore" if name[0] == "_" or name[-1] == "_" else ""
    if wrong:
        raise ValueError(f"Invalid axis identifier: {name}\n{wrong}")
    if keyword.iskeyword(name):
        warnings.warn(f"It is discouraged to use axes names that are keywords: {name}", RuntimeWarning, stacklevel=2)
    if name == "axis":
        warnings.warn("It is discouraged to use 'axis' as an axis name and will raise an error in future", FutureWarning,
                      stacklevel=2)


def _sides(pattern: str) -> tuple[_Side, _Side]:
    texts = pattern.split("->")
    if len(texts) != 2:
        raise ValueError("Pattern must contain a single '->' separator")
    left, right = map(_Side, texts)
    if _ELLIPSIS in right.names and _ELLIPSIS not in left.names:
        raise ValueError(f"Ellipsis found in right side, but not left side of a pattern {pattern}")
    if left.bracketed:
        raise ValueError(f"Ellipsis is parenthesis in the left side is not allowed: {pattern}")
    return left, right


def _check(left: _Side, right: _Side, lengths: dict) -> None:
    for length in lengths.values():
        if type(length) is not int:
            raise TypeError(f"rearrange axis lengths must be integers, got: {type(length)}")
    if left.other_numbers or right.other_numbers:
        raise ValueError("rearrange only supports unnamed axes of size 1")
    alone = {*left.names} ^ {*right.names}
    if alone:
        raise ValueError(f"Identifiers only on one side of rearrange expression (should be on both): {alone}")
    unknown = lengths.keys() - {*left.names}
    if unknown:
        raise ValueError(f"Identifiers not found in rearrange expression: {unknown}")


def _hidden(left: _Side, ndim: int) -> int:
    """How many dimensions the ellipsis stands for."""
    named = len(left.groups) - (_ELLIPSIS in left.names)
    if _ELLIPSIS in left.names:
        axes = sum(not group for group in left.groups) + len(left.names) - 1  # PyTorch counts what brackets join, too
        if max(axes, named) > ndim:
            raise ValueError(f"Number of dimensions in pattern ({max(axes, named)}) must be less than or equal to the "
                             f"number of dimensions in the tensor ({ndim})")
        return ndim - named
    if named != ndim:
        raise ValueError(f"Number of dimensions in pattern ({named}) must be equal to the number of dimensions in the "
                         f"tensor ({ndim})")
    return 0


def _sizes_of(group: tuple, size: int, lengths: dict, numbers: dict) -> list[int]:
    """The sizes of a dimension's axes, of which one may be unknown. `numbers`: PyTorch's names of the axes, for errors."""
    known = [lengths.get(name) for name in group]
    missing = [name for name, length in zip(group, known, strict=True) if length is None]
    if len(missing) > 1:
        raise DimensionBindError(
            f"cannot infer the sizes of two dimensions at once {numbers[missing[0]]} and {numbers[missing[1]]}")
    product = math.prod(length for length in known if length is not None)
    if missing:
        if size % product if product else size:
            told = tuple("?" if length is None else length for length in known)
            raise DimensionBindError(f"inferred dimension does not evenly fit into larger dimension: {size} vs {told}")
        return [(size // product if product else 0) if length is None else length for length in known]
    if product != size:
        pack = ", ".join(numbers[name] for name in group) + ("," if len(group) == 1 else "")
        raise DimensionBindError(
            f"Dimension sizes to do not match ({size} != {product}) when matching dimension pack ({pack})")
    return [length for length in known if length is not None]


def _axes(left: _Side, hidden: int) -> list:
    """All axes of the left side in order: (name, number among those of that name)."""
    found = []
    for group in left.groups:
        if _ELLIPSIS in group:
            found += [(_ELLIPSIS, i) for i in range(hidden)]
        else:
            found += [(name, 0) for name in group] or [(_UNIT, len(found))]
    return found


def rearrange(tensor: Tensor | list[Tensor] | tuple[Tensor, ...], pattern: str, **axes_lengths: int) -> Tensor:
    """Reorders, joins and splits dimensions by their names: ``rearrange(x, "b (h w) c -> b c h w", h=3)``.
    https://pytorch.org/docs/stable/generated/torch.func.rearrange.html

    Args:
        tensor: the tensor; a list or tuple of tensors is stacked first, along a new first dimension.
        pattern: the axes before and after ``->``. Brackets join axes, ``1`` and ``()`` are dimensions of size 1, ``...``
            stands for any dimensions.
        axes_lengths: sizes of axes that are joined before.

    Returns:
        the same elements, a view where memory allows.

    Raises:
        ValueError: the pattern is none, has an axis on one side alone, or other dimensions than the tensor.
        TypeError: a length is no integer.
        DimensionBindError: the sizes do not fit.
    """
    x = tensor if isinstance(tensor, Tensor) else stack(tensor)
    left, right = _sides(pattern)
    _check(left, right, axes_lengths)
    hidden = _hidden(left, x.ndim)
    axes = _axes(left, hidden)
    if not axes:
        return x
    numbers = {name: f"d{i}" for i, (name, _) in enumerate(axes)}
    sizes, place = [], 0
    for group in left.groups:
        if _ELLIPSIS in group:
            sizes += x.shape[place:place + hidden]
            place += hidden
        else:
            sizes += _sizes_of(group, x.shape[place], axes_lengths, numbers) if group else [x.shape[place]]
            place += 1
    x = x.reshape(sizes) if list(x.shape) != sizes else x
    units = [i for i, (name, _) in enumerate(axes) if name == _UNIT]
    if units:  # PyTorch sums over them, whatever their size
        x = x.sum(units)
        kept = [(axis, size) for axis, size in zip(axes, sizes, strict=True) if axis[0] != _UNIT]
        axes, sizes = [axis for axis, _ in kept], [size for _, size in kept]
    return _to(x, right, hidden, dict(zip(axes, range(len(axes)), strict=True)), sizes)


def _to(x: Tensor, right: _Side, hidden: int, places: dict, sizes: list) -> Tensor:
    """The axes in the order of the right side, joined."""
    order: list[int] = []
    shape: list[int] = []
    for group in right.groups:
        of_group = []
        for name in group:
            of_group += [places[name, i] for i in range(hidden if name == _ELLIPSIS else 1)]
        if _ELLIPSIS in group and group == (_ELLIPSIS,) and not right.bracketed:
            shape += [sizes[i] for i in of_group]
        else:
            shape.append(math.prod(sizes[i] for i in of_group))
        order += of_group
    x = x.permute(order) if order != sorted(order) else x
    return x.reshape(shape) if list(x.shape) != shape else x
