"""PyTorch's schema strings: ``add(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor``.

The grammar is the one of PyTorch's native_functions.yaml, with additions: ``int[*]`` is a list that may
also be given as separate arguments (``x.view(2, 3)``); ``Tensor|Scalar`` is a tensor, or a number by an
overload of its own; ``Tensor|number`` a tensor in whose place PyTorch's parser takes any number.
"""

import re
from typing import NamedTuple

from torchlike._base import dtypes as dt

# How an argument reaches the row's function: as an array (or number) by position, as a number that
# may become a runtime input, or as a hashable keyword.
OPERANDS = {"Tensor", "Tensor?", "Tensor[]", "Tensor?[]"}
NUMBERS = {"Scalar", "Scalar?", "float", "float?"}
_LITERALS = {"None": None, "True": True, "False": False}
_DTYPES = {"None": None, **dt.BY_NAME, **dt.ALIASES, "complex": dt.complex64}


class Arg(NamedTuple):
    """One argument: its type word, name, default (``...`` if required), keyword-only or not.

    ``instead``: what may stand for a tensor, "Scalar", "number" or nothing.
    """

    type: str
    name: str
    default: object
    kwonly: bool
    instead: str = ""

    @property
    def is_operand(self) -> bool:
        return self.type in OPERANDS

    @property
    def is_list(self) -> bool:
        return "[" in self.type

    @property
    def is_number(self) -> bool:
        return self.type in NUMBERS

    @property
    def is_param(self) -> bool:
        return not (self.is_operand or self.is_number)


class Schema(NamedTuple):
    """A parsed schema: `name` with its overload (``sum.dim_IntList``), arguments, result names."""

    name: str
    args: tuple
    returns: tuple  # names of the results; "" where it has none


def parse(text: str) -> Schema:
    """Parse one schema; ValueError where it is not one."""
    match = re.fullmatch(r"([\w.]+)\((.*)\)\s*->\s*(.+)", text.strip())
    if match is None:
        raise ValueError(f"not a schema: {text!r}")
    name, inside, returns = match.groups()
    args, kwonly = [], False
    for piece in _split(inside):
        if piece == "*":
            kwonly = True
            continue
        args.append(_argument(piece, kwonly))
    return Schema(name, tuple(args), _returns(returns))


def _split(text: str) -> list:
    """The pieces between the commas that are not in brackets; of no text none."""
    return re.split(r",\s*(?![^(\[]*[)\]])", text) if text else []


def _argument(piece: str, kwonly: bool) -> Arg:
    head, equals, default = piece.partition("=")
    kind, _, name = head.strip().rpartition(" ")
    kind, _, instead = kind.partition("|")
    words = _DTYPES if kind.startswith("ScalarType") else _LITERALS
    return Arg(kind, name, _literal(default, words) if equals else ..., kwonly, instead)


def _literal(text: str, words: dict):
    text = text.strip()
    if text in words:
        return words[text]
    if text.startswith(("[", "(")):
        return tuple(_literal(piece, words) for piece in _split(text[1:-1]))
    if text[0] in "'\"":
        return text[1:-1]
    try:
        return int(text)
    except ValueError:
        return float(text)


def _returns(text: str) -> tuple:
    if not text.startswith("("):
        return ("",) if text != "Tensor[]" else ("[]",)
    return tuple(piece.partition(" ")[2] for piece in _split(text[1:-1]))
