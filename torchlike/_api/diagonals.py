"""Diagonals of matrices and matrices of diagonals: diag, diagflat, fill_diagonal_.

https://pytorch.org/docs/stable/generated/torch.diag.html
"""

from __future__ import annotations

from torchlike._api.out import written
from torchlike._api.types import Number
from torchlike._ops.all import ROWS
from torchlike._record.bind import bind
from torchlike._record.tensor import Tensor
from torchlike._record.wrong_calls import checked, judged


@judged
def diag(input: Tensor, diagonal: int = 0, *, out: Tensor | None = None) -> Tensor:
    """A diagonal as a vector, or a vector as a diagonal.
    https://pytorch.org/docs/stable/generated/torch.diag.html"""
    if out is not None:
        return written(out, "diag", (), diag, input, diagonal)
    ndim = input._cell.aval.ndim
    if ndim not in (1, 2):
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {ndim}D")
    made = bind(ROWS["diag_embed"], (input,), (), (diagonal, -2, -1)) if ndim == 1 else \
        bind(ROWS["_diagonal_copy"], (input,), (), (diagonal, 0, 1))
    return made


@judged
def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.diagflat.html"""
    return diag(input.reshape(-1), offset)


def fill_diagonal_(self: Tensor, fill_value: Number, wrap: bool = False) -> Tensor:
    """Write `fill_value` to where all indices are equal; with `wrap` a tall matrix has a further diagonal below.
    RuntimeError below two dimensions, and for more than two that differ.
    https://pytorch.org/docs/stable/generated/torch.Tensor.fill_diagonal_.html"""
    shape = self.shape
    if len(shape) < 2:
        raise RuntimeError("dimensions must larger than 1")
    if len(shape) > 2:
        if len(set(shape)) > 1:
            raise RuntimeError("all dimensions of input must be of equal length")
        self.as_strided((shape[0],), (sum(self.stride()),), self.storage_offset()).fill_(fill_value)
        return self
    rows, columns = shape
    for start in range(0, rows if wrap else 1, columns + 1):
        self.narrow(0, start, rows - start).diagonal().fill_(fill_value)
    return self


@checked
def linalg_diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:  # noqa: N803
    """The diagonals of matrices, a view. https://pytorch.org/docs/stable/generated/torch.linalg.diagonal.html"""
    return A.diagonal(offset, dim1, dim2)


FUNCTIONS: dict = {"linalg_diagonal": linalg_diagonal, "diag": diag, "diagflat": diagflat}
METHODS: dict = {"diag": diag, "diagflat": diagflat, "fill_diagonal_": fill_diagonal_}
