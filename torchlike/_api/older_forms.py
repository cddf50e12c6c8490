"""Deprecated forms of calls, in which factors stand among the operands: ``torch.addmm(beta, input, alpha, mat1, mat2)``.

PyTorch's parser still takes them, with a warning: ``deprecated.yaml`` of its autograd lists them.
"""

from __future__ import annotations

from torchlike._record.tensor import Tensor
from torchlike._record.warning import warn_once

_WITH_OUT_DTYPE = "addmm", "baddbmm"  # functions that take it after the operands, too


def older_form(function, row, given, **keywords) -> Tensor:
    """The same call in today's form.

    Args:
        function: what takes the row's numbers by keyword.
        row: the row; its numbers are named in the order in which the older form has them.
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
    operands = [f"Tensor {name}" for name in others]
    older = [f"Number {name}" for name in row.numbers[:extra]] + operands
    out = ", Tensor out = None" if is_function else ""
    if is_function:
        older.insert(tensor, f"Tensor {_name(first)}")
        operands.insert(0, f"Tensor {_name(first)}")
    face = function.__name__
    numbers = ", ".join(f"Number {name} = 1" for name in row.numbers)
    today = [operands, *([[*operands, "torch.dtype out_dtype"]] if is_function and face in _WITH_OUT_DTYPE else [])]
    return "\n".join((
        f"This overload of {face} is deprecated:", f"\t{face}({', '.join(older)}{', *' + out if out else ''})",
        "Consider using one of the following signatures instead:",
        *(f"\t{face}({', '.join(names)}, *, {numbers}{out})" for names in today)))


def _name(operand) -> str:
    return "input" if operand == "self" else operand
