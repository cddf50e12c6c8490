"""Deprecated forms of calls, in which factors stand among the operands: ``torch.addmm(beta, input, alpha, mat1, mat2)``.

PyTorch's parser still takes them, with a warning: ``deprecated.yaml`` of its autograd lists them.
"""

from __future__ import annotations

from typing import NamedTuple

from torchlike._record import signatures
from torchlike._record.tensor import Tensor
from torchlike._record.warning import warn_once


class Form(NamedTuple):
    """What `older_form` needs to know of a function that has no row."""

    face: str
    operands: tuple[str, ...]
    numbers: tuple[str, ...]


def older_form(function, row, given, **keywords) -> Tensor:
    """The same call in today's form.

    Args:
        function: what takes the row's numbers by keyword.
        row: the row, or a Form; its numbers are named in the order in which the older form has them.
        given: the arguments by position: the tensor (behind the first number, or before it), numbers, the other operands.
        keywords: further arguments; None stands for one that is not given.

    Raises:
        TypeError: it is no such form.
    """
    tensor = next((i for i, value in enumerate(given[:2]) if isinstance(value, Tensor)), None)
    extra = len(given) - len(row.operands)
    others = [value for i, value in enumerate(given) if i != tensor]
    numbers, operands = others[:extra], others[extra:]
    if tensor is None or extra > len(row.numbers) or any(isinstance(value, Tensor) and value.ndim for value in numbers):
        raise TypeError(f"{row.face}() takes {len(row.operands)} positional arguments but {len(given)} were given")
    warn_once(_told(function, row, given, tensor, extra, "out" in keywords), "older form")
    return function(given[tensor], *operands, **dict(zip(row.numbers, numbers, strict=False)),
                    **{name: value for name, value in keywords.items() if value is not None})


def _told(function, row, given, tensor, extra, is_function) -> str:
    """The text for a function, or for a method, which has no `input` and no `out`."""
    first, *others = row.operands
    older = [f"Number {name}" for name in row.numbers[:extra]] + [f"Tensor {name}" for name in others]
    if is_function:
        older.insert(tensor, f"Tensor {'input' if first == 'self' else first}")
        older.append("*, Tensor out = None")
    face = function.__name__
    today = signatures.texts(f"torch.{face}" if is_function else f"torch.Tensor.{face}")
    return "\n".join((f"This overload of {face} is deprecated:", f"\t{face}({', '.join(older)})",
                      "Consider using one of the following signatures instead:", *(f"\t{face}{text}" for text in today)))
