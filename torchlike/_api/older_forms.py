"""Deprecated forms of calls, in which factors stand among the operands: ``torch.addmm(beta, input, alpha, mat1, mat2)``.

PyTorch's parser still takes them, with a warning: ``deprecated.yaml`` of its autograd lists them.
"""

from __future__ import annotations

import warnings

from torchlike._record.tensor import Tensor

_told: list = []


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
    if not _told:  # once in a process, as PyTorch
        _told.append(row.face)
        named = ", ".join(f"Number {name} = 1" for name in row.numbers)
        new = ", ".join(f"Tensor {'input' if name == 'self' else name}" for name in row.operands)
        warnings.warn(f"This overload of {row.face} is deprecated.\nConsider using the following signature instead:\n"
                      f"\t{row.face}({new}, *, {named}, Tensor out = None)", UserWarning, stacklevel=3)
    return function(given[tensor], *operands, **dict(zip(row.numbers, numbers, strict=False)),
                    **{name: value for name, value in keywords.items() if value is not None})
