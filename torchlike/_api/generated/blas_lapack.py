"""BLAS and LAPACK operations: functions of the torch namespace.

Written by ``python -m compat.api`` from the operator table: do not edit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torchlike._api.arguments import ONE, static_number
from torchlike._api.generated import return_types
from torchlike._api.older_forms import older_form
from torchlike._api.out import written
from torchlike._api.types import Number
from torchlike._ops.all import ROWS
from torchlike._record.bind import binary, bind, unary
from torchlike._record.tensor import Tensor

_CHOLESKY_SOLVE = ROWS["cholesky_solve"]
_ADDMM = ROWS["addmm"]
_BADDBMM = ROWS["baddbmm"]
_ADDBMM = ROWS["addbmm"]
_ADDMV = ROWS["addmv"]
_ADDR = ROWS["addr"]
_PDIST = ROWS["pdist"]
_GEQRF = ROWS["geqrf"]
_ORMQR = ROWS["ormqr"]
_LU_UNPACK = ROWS["lu_unpack"]
_record_mm = binary(ROWS["mm"])
_record_bmm = binary(ROWS["bmm"])
_record_mv = binary(ROWS["mv"])
_record_dot = binary(ROWS["dot"])
_record_vdot = binary(ROWS["vdot"])
_record_trace = unary(ROWS["trace"])


def cholesky_solve(input: Tensor, input2: Tensor, upper: bool = False, *, out: Tensor | None = None) -> Tensor:
    """X in A X = B where A is given by its Cholesky factor.

    Args:
        input: Tensor of any shape.
        input2: (N) right-hand sides.
        upper: use the upper triangle.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.cholesky_solve.html
    """
    if out is not None:
        return written(out, "cholesky_solve", (), cholesky_solve, input, input2, upper)
    return bind(_CHOLESKY_SOLVE, (input, input2), (), (upper,))


def mm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The product of two matrices.

    Args:
        input: Tensor of any shape.
        mat2: (M, K) matrix.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.mm.html
    """
    if out is not None:
        return written(out, "mm", (), mm, input, mat2)
    return _record_mm(input, mat2)


def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *older: Any, beta: Number = 1, alpha: Number = 1,
          out: Tensor | None = None) -> Tensor:
    """beta `self` + alpha times the product of two matrices.

    Args:
        input: Tensor of any shape.
        mat1: (N, M) matrix.
        mat2: (M, K) matrix.
        beta: a factor of `input`.
        alpha: a factor of the second operand.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.addmm.html
    """
    if older:
        return older_form(addmm, _ADDMM, (input, mat1, mat2, *older), out=out)
    if out is not None:
        return written(out, "addmm", (), addmm, input, mat1, mat2, beta=beta, alpha=alpha)
    return bind(_ADDMM, (input, mat1, mat2), (None if beta is ONE else beta, None if alpha is ONE else alpha))


def bmm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The products of two batches of matrices.

    Args:
        input: Tensor of any shape.
        mat2: (M, K) matrix.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.bmm.html
    """
    if out is not None:
        return written(out, "bmm", (), bmm, input, mat2)
    return _record_bmm(input, mat2)


def baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *older: Any, beta: Number = 1, alpha: Number = 1,
            out: Tensor | None = None) -> Tensor:
    """beta `self` + alpha times the products of two batches of matrices.

    Args:
        input: Tensor of any shape.
        batch1: (B, N, M) matrices.
        batch2: (B, M, K) matrices.
        beta: a factor of `input`.
        alpha: a factor of the second operand.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.baddbmm.html
    """
    if older:
        return older_form(baddbmm, _BADDBMM, (input, batch1, batch2, *older), out=out)
    if out is not None:
        return written(out, "baddbmm", (), baddbmm, input, batch1, batch2, beta=beta, alpha=alpha)
    return bind(_BADDBMM, (input, batch1, batch2), (None if beta is ONE else beta, None if alpha is ONE else alpha))


def addbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *older: Any, beta: Number = 1, alpha: Number = 1,
           out: Tensor | None = None) -> Tensor:
    """beta `self` + alpha times the sum of the products of two batches of matrices.

    Args:
        input: Tensor of any shape.
        batch1: (B, N, M) matrices.
        batch2: (B, M, K) matrices.
        beta: a factor of `input`.
        alpha: a factor of the second operand.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.addbmm.html
    """
    if older:
        return older_form(addbmm, _ADDBMM, (input, batch1, batch2, *older), out=out)
    if out is not None:
        return written(out, "addbmm", (), addbmm, input, batch1, batch2, beta=beta, alpha=alpha)
    return bind(_ADDBMM, (input, batch1, batch2), (None if beta is ONE else beta, None if alpha is ONE else alpha))


def mv(input: Tensor, vec: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The product of a matrix and a vector.

    Args:
        input: Tensor of any shape.
        vec: (M) vector.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.mv.html
    """
    if out is not None:
        return written(out, "mv", (), mv, input, vec)
    return _record_mv(input, vec)


def addmv(input: Tensor, mat: Tensor, vec: Tensor, *older: Any, beta: Number = 1, alpha: Number = 1,
          out: Tensor | None = None) -> Tensor:
    """beta `self` + alpha times the product of a matrix and a vector.

    Args:
        input: Tensor of any shape.
        mat: (N, M) matrix.
        vec: (M) vector.
        beta: a factor of `input`.
        alpha: a factor of the second operand.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.addmv.html
    """
    if older:
        return older_form(addmv, _ADDMV, (input, mat, vec, *older), out=out)
    if out is not None:
        return written(out, "addmv", (), addmv, input, mat, vec, beta=beta, alpha=alpha)
    return bind(_ADDMV, (input, mat, vec), (None if beta is ONE else beta, None if alpha is ONE else alpha))


def dot(input: Tensor, tensor: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The sum of the products of two vectors' elements.

    Args:
        input: Tensor of any shape.
        tensor: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.dot.html
    """
    if out is not None:
        return written(out, "dot", (), dot, input, tensor)
    return _record_dot(input, tensor)


def vdot(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The same as `dot` with the first vector conjugated.

    Args:
        input: Tensor of any shape.
        other: the second operand, of a shape that broadcasts with the first.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.vdot.html
    """
    if out is not None:
        return written(out, "vdot", (), vdot, input, other)
    return _record_vdot(input, other)


def addr(input: Tensor, vec1: Tensor, vec2: Tensor, *older: Any, beta: Number = 1, alpha: Number = 1,
         out: Tensor | None = None) -> Tensor:
    """beta `self` + alpha times the outer product of two vectors.

    Args:
        input: Tensor of any shape.
        vec1: (N) vector.
        vec2: (M) vector.
        beta: a factor of `input`.
        alpha: a factor of the second operand.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.addr.html
    """
    if older:
        return older_form(addr, _ADDR, (input, vec1, vec2, *older), out=out)
    if out is not None:
        return written(out, "addr", (), addr, input, vec1, vec2, beta=beta, alpha=alpha)
    return bind(_ADDR, (input, vec1, vec2), (None if beta is ONE else beta, None if alpha is ONE else alpha))


def trace(input: Tensor) -> Tensor:
    """The sum of a matrix's diagonal.

    Args:
        input: Tensor of any shape.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.trace.html
    """
    return _record_trace(input)


def pdist(input: Tensor, p: float = 2.0) -> Tensor:
    """The `p`-norm distances between all pairs of rows.

    Args:
        input: Tensor of any shape.
        p: the exponent, or the probability.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.pdist.html
    """
    return bind(_PDIST, (input,), (), (static_number(p),))


def geqrf(input: Tensor, *, out: Sequence[Tensor] | None = None) -> return_types.geqrf:
    """The QR decomposition as reflectors and their factors, as LAPACK stores it.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A named tuple of Tensors: a, tau.

    https://pytorch.org/docs/stable/generated/torch.geqrf.html
    """
    if out is not None:
        return written(out, "geqrf", (), geqrf, input)
    return return_types.geqrf(*bind(_GEQRF, (input,)))


def ormqr(input: Tensor, input2: Tensor, input3: Tensor, left: bool = True, transpose: bool = False, *,
          out: Tensor | None = None) -> Tensor:
    """A matrix times the orthogonal factor that `geqrf` gives.

    Args:
        input: Tensor of any shape.
        input2: (N) right-hand sides.
        input3: the factor.
        left: solve A X = B; else X A = B.
        transpose: use the transposed matrix.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.ormqr.html
    """
    if out is not None:
        return written(out, "ormqr", (), ormqr, input, input2, input3, left, transpose)
    return bind(_ORMQR, (input, input2, input3), (), (left, transpose))


def lu_unpack(LU_data: Tensor, LU_pivots: Tensor, unpack_data: bool = True, unpack_pivots: bool = True, *,
              out: Sequence[Tensor] | None = None) -> return_types.lu_unpack:
    """P, L and U of a factorisation; what is not asked for is empty.

    Args:
        LU_data: (*, N, N) matrices, both factors in one.
        LU_pivots: (*, N) integers, from 1.
        unpack_data: give the two triangular factors.
        unpack_pivots: give the permutation matrix.
        out: written to and returned; resized if it has no elements.

    Returns:
        A named tuple of Tensors: P, L, U.

    https://pytorch.org/docs/stable/generated/torch.lu_unpack.html
    """
    if out is not None:
        return written(out, "lu_unpack", (), lu_unpack, LU_data, LU_pivots, unpack_data, unpack_pivots)
    return return_types.lu_unpack(*bind(_LU_UNPACK, (LU_data, LU_pivots), (), (unpack_data, unpack_pivots)))
