"""Reductions with several overloads, and the ones PyTorch composes.

https://pytorch.org/docs/stable/torch.html#reduction-ops. `axis` and `keepdims` are numpy's names for
`dim` and `keepdim`, which PyTorch takes too.
"""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Sequence
from typing import cast

from torchlike._api.arguments import numpys
from torchlike._api.creation import zeros_like
from torchlike._api.generated import ops, reduction
from torchlike._api.out import written
from torchlike._api.sparse.reductions import sparse_norm
from torchlike._api.types import Number
from torchlike._base import dtypes as dt
from torchlike._base.dtypes import dtype
from torchlike._base.errors import wrap_dim, wrap_dims
from torchlike._base.settings import strided
from torchlike._base.typed import F
from torchlike._modes import vmap_levels
from torchlike._modes.composite import composite
from torchlike._ops.reduction.moments import check_norm_dtype
from torchlike._record.tensor import Tensor
from torchlike._record.trace import state
from torchlike._record.wrong_calls import check_call, instead_of, judged


def _numpy_names(function: F) -> F:
    """The function with `axis` and `keepdims` also understood."""
    @functools.wraps(function)
    def face(*args, **kwargs):
        try:
            return function(*args, **_renamed(kwargs) if kwargs else kwargs)
        except Exception as error:  # noqa: BLE001 - any may come of wrong arguments
            raise instead_of(error) from None

    return cast("F", face)


def _renamed(kwargs) -> dict:
    names = {theirs: ours for ours, theirs in (("dim", "axis"), ("keepdim", "keepdims")) if ours not in kwargs}
    return {names.get(name, name): value for name, value in kwargs.items()}


# -- sums, means, products

@judged
@_numpy_names
def nanmean(input: Tensor, dim: int | Sequence[int] | None = None, keepdim: bool = False, *, dtype: dtype | None = None,
            out: Tensor | None = None) -> Tensor:
    """The mean of what is not NaN. https://pytorch.org/docs/stable/generated/torch.nanmean.html"""
    if input.dtype.category < dt.FLOAT:
        if out is not None:
            raise RuntimeError("nanmean(): integral types and 'Bool' are not supported for nanmean, even for empty tensors.")
        raise RuntimeError("nanmean(): expected input to have floating point or complex dtype but got "
                           f"{input.dtype.scalar_name}")
    if out is not None:
        return written(out, "nanmean", (), nanmean, input, dim, keepdim, dtype=dtype)
    present = ops.logical_not(ops.isnan(input.detach()))
    count = reduction.sum(present, dim, keepdim)
    return ops.div(ops.nansum(input, dim, keepdim, dtype=dtype), count)


# -- extrema

_MAX, _MIN = (ops.max, ops.max_dim, ops.maximum), (ops.min, ops.min_dim, ops.minimum)


def max(input: Tensor, dim: int | None = None, keepdim: bool = False, *, other: Tensor | None = None, axis=None,
        keepdims: bool | None = None, out: Tensor | Sequence[Tensor] | None = None):
    """The largest of all elements, (values, indices) along `dim`, or the larger ones of two tensors.
    https://pytorch.org/docs/stable/generated/torch.max.html"""
    if out is not None:
        return written(out, "max", (), max, input, dim, keepdim, other=other, axis=axis, keepdims=keepdims)
    return _extreme(_MAX, input, dim if axis is None else numpys("axis", dim, axis),
                    keepdim if keepdims is None else numpys("keepdims", keepdim, keepdims, False), other)


def min(input: Tensor, dim: int | None = None, keepdim: bool = False, *, other: Tensor | None = None, axis=None,
        keepdims: bool | None = None, out: Tensor | Sequence[Tensor] | None = None):
    """The smallest of all elements, (values, indices) along `dim`, or the smaller ones of two tensors.
    https://pytorch.org/docs/stable/generated/torch.min.html"""
    if out is not None:
        return written(out, "min", (), min, input, dim, keepdim, other=other, axis=axis, keepdims=keepdims)
    return _extreme(_MIN, input, dim if axis is None else numpys("axis", dim, axis),
                    keepdim if keepdims is None else numpys("keepdims", keepdim, keepdims, False), other)


def _extreme(rows, input, dim, keepdim, other):
    """By one of the rows for all elements, for one dimension and for two tensors."""
    of_all, along, of_two = rows
    if other is not None or isinstance(dim, Tensor):
        return of_two(input, dim if other is None else other)
    return of_all(input) if dim is None else along(input, dim, keepdim)


# -- variance

@_numpy_names
def var(input: Tensor, dim: int | Sequence[int] | None = None, unbiased: bool | None = None, keepdim: bool = False, *,
        correction: Number | None = None, out: Tensor | None = None) -> Tensor:
    """The variance over `dim`, with `correction` (default 1) subtracted from the count.
    https://pytorch.org/docs/stable/generated/torch.var.html"""
    if out is not None:
        return written(out, "var", (), var, input, dim, unbiased, keepdim, correction=correction)
    return _moment(ops.var_correction, "var", input, dim, unbiased, keepdim, correction)


@_numpy_names
def std(input: Tensor, dim: int | Sequence[int] | None = None, unbiased: bool | None = None, keepdim: bool = False, *,
        correction: Number | None = None, out: Tensor | None = None) -> Tensor:
    """The standard deviation over `dim`, with `correction` (default 1) subtracted from the count.
    https://pytorch.org/docs/stable/generated/torch.std.html"""
    if out is not None:
        return written(out, "std", (), std, input, dim, unbiased, keepdim, correction=correction)
    return _moment(ops.std_correction, "std", input, dim, unbiased, keepdim, correction)


@judged
@_numpy_names
def var_mean(input: Tensor, dim: int | Sequence[int] | None = None, unbiased: bool | None = None, keepdim: bool = False, *,
             correction: Number | None = None) -> tuple[Tensor, Tensor]:
    """The variance and the mean over `dim`, with `correction` (default 1) subtracted from the count.
    https://pytorch.org/docs/stable/generated/torch.var_mean.html"""
    return _moment(ops.var_mean_correction, "var_mean", input, dim, unbiased, keepdim, correction)


@judged
@_numpy_names
def std_mean(input: Tensor, dim: int | Sequence[int] | None = None, unbiased: bool | None = None, keepdim: bool = False, *,
             correction: Number | None = None) -> tuple[Tensor, Tensor]:
    """The standard deviation and the mean over `dim`, with `correction` (default 1) subtracted from the count.
    https://pytorch.org/docs/stable/generated/torch.std_mean.html"""
    return _moment(ops.std_mean_correction, "std_mean", input, dim, unbiased, keepdim, correction)


def _moment(row, name, input, dim, unbiased, keepdim, correction):
    """``name(dim, unbiased, keepdim)``, ``name(unbiased)`` and ``name(dim, *, correction, keepdim)``."""
    if dim is True or dim is False:
        dim, unbiased = None, dim
    if correction is None and unbiased is not None:
        if unbiased.__class__ is not bool:
            check_call()
        correction = 1 if unbiased else 0
    _warn_freedom(name, input, dim, correction)
    return row(input, dim, correction=correction, keepdim=keepdim)


def _warn_freedom(name, input, dim, correction):
    count = math.prod(input.shape[d] for d in wrap_dims(_tuple(dim), input.ndim))
    if count - (1 if correction is None else correction) <= 0 and input.dtype.category >= dt.FLOAT:
        warnings.warn(f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the "
                      "reduction factor (input numel divided by output numel).", stacklevel=5)


def _tuple(dim):
    return tuple(dim) if isinstance(dim, list) else int(dim) if isinstance(dim, Tensor) else dim




# -- norms

@composite("norm")
def norm(input: Tensor, p: Number | str | None = "fro", dim: int | Sequence[int] | None = None, keepdim: bool = False,
         out: Tensor | None = None, dtype: dtype | None = None) -> Tensor:
    """The norm of the elements over `dim`; "fro" is 2, "nuc" the sum of the singular values.
    https://pytorch.org/docs/stable/generated/torch.norm.html"""
    if out is not None:
        return written(out, "norm", (), norm, input, p, dim, keepdim, dtype)
    if p == "nuc":
        return _nuclear(input if dtype is None else input.to(dtype), dim, keepdim)
    if isinstance(p, str) and p != "fro":
        raise RuntimeError(f"linalg.matrix_norm: Order {p} not supported.")
    order = 2 if p is None or p == "fro" else p
    if input._cell.layout is not strided:
        return sparse_norm(input, order, dim)
    return ops.linalg_vector_norm(input, order, dim, keepdim, dtype=dtype)


def _norm_method(self: Tensor, p: Number | str | None = "fro", dim: int | Sequence[int] | None = None, keepdim: bool = False,
                 dtype: dtype | None = None) -> Tensor:
    return norm(self, p, dim, keepdim, dtype=dtype)


def _nuclear(input, dim, keepdim):
    return linalg_matrix_norm(input, "nuc", (-2, -1) if dim is None else dim, keepdim)


def _singular_values(input, rows, columns):
    if input.dtype in (dt.float16, dt.bfloat16):
        raise RuntimeError(f"linalg.matrix_norm: Low precision dtypes not supported. Got {input.dtype.scalar_name}")
    return input.movedim((rows, columns), (-2, -1)).svd(some=True)[1]


def _restored(total, keepdim, *dims):
    """The dimensions of a matrix norm back, of size 1, if they are kept."""
    if keepdim:
        for d in sorted(dims):
            total = total.unsqueeze(d)
    return total


@judged
@composite("linalg_matrix_norm")
def linalg_matrix_norm(input: Tensor, ord: Number | str = "fro", dim: Sequence[int] = (-2, -1), keepdim: bool = False,
                       *, dtype: dtype | None = None, out: Tensor | None = None) -> Tensor:
    """The norm of the matrices in two dimensions of `input`: "fro", "nuc", inf, -inf, 1, -1, 2 or -2.
    https://pytorch.org/docs/stable/generated/torch.linalg.matrix_norm.html"""
    if out is not None:
        return written(out, "linalg_matrix_norm", (), linalg_matrix_norm, input, ord, dim, keepdim, dtype=dtype)
    if input.ndim < 2:
        raise RuntimeError("linalg.matrix_norm: The input tensor A must have at least 2 dimensions.")
    if len(dim) != 2:
        raise RuntimeError("linalg.matrix_norm: dim must be a 2-tuple. Got "
                           f"{' '.join(map(str, dim))}")
    rows, columns = (wrap_dim(d, input.ndim) for d in dim)
    if rows == columns:
        raise RuntimeError(f"linalg.matrix_norm: dims must be different. Got ({dim[0]}, {dim[1]})")
    check_norm_dtype(input.dtype, dtype, "linalg.matrix_norm")
    cast = input if dtype is None else input.to(dtype)
    return _matrix_norm(cast, ord, rows, columns, keepdim)


def _matrix_norm(x, ord, rows, columns, keepdim):
    if ord == "fro":
        return ops.linalg_vector_norm(x, 2, (rows, columns), keepdim)
    if ord == "nuc":
        return _restored(_singular_values(x, rows, columns).sum(-1), keepdim, rows, columns)
    if isinstance(ord, str) or abs(ord) not in (1, 2, math.inf):
        raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported.")
    if abs(ord) == 2:
        return _restored(_extremum(_singular_values(x, rows, columns), ord, -1, False), keepdim, rows, columns)
    summed, picked = (columns, rows) if abs(ord) == math.inf else (rows, columns)
    lengths = ops.linalg_vector_norm(x, 1, summed, keepdim)
    return _extremum(lengths, ord, picked - (summed < picked and not keepdim), keepdim)


def _extremum(x, ord, dim, keepdim):
    """The largest along `dim`, for negative orders the smallest. Of nothing the largest is 0, and has no history."""
    if ord < 0:
        return ops.amin(x, dim, keepdim)
    return ops.amax(x, dim, keepdim) if x.shape[dim] else zeros_like(x.detach().sum(dim, keepdim))


def linalg_norm(input: Tensor, ord: Number | str | None = None, dim: int | Sequence[int] | None = None,
                keepdim: bool = False, *, out: Tensor | None = None, dtype: dtype | None = None) -> Tensor:
    """A vector norm, or a matrix norm where two dimensions (or a 2-d input) and an order are given.
    https://pytorch.org/docs/stable/generated/torch.linalg.norm.html"""
    if out is not None:
        return written(out, "linalg_norm", (), linalg_norm, input, ord, dim, keepdim, dtype=dtype)
    dims = None if dim is None else (dim,) if isinstance(dim, int) else tuple(dim)
    if ord is not None:
        if dims is not None and len(dims) not in (1, 2):
            raise RuntimeError("linalg.norm: If dim is specified, it must be of length 1 or 2. Got "
                               f"[{', '.join(map(str, dims))}]")
        if dims is None and input.ndim not in (1, 2):
            raise RuntimeError("linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. "
                               f"Got {input.ndim}D.")
        if (input.ndim if dims is None else len(dims)) == 2:
            return linalg_matrix_norm(input, ord, dims or (0, 1), keepdim, dtype=dtype, out=out)
        if isinstance(ord, str):
            raise RuntimeError(f"linalg.norm: Order {ord} not supported.")
    return ops.linalg_vector_norm(input, 2 if ord is None else ord, dims, keepdim, dtype=dtype)


# -- quantiles

def _check_quantile(name, input, q, interpolation):
    if input.dtype not in (dt.float32, dt.float64):
        raise RuntimeError(f"{name}() input tensor must be either float or double dtype")
    if interpolation not in ("linear", "lower", "higher", "midpoint", "nearest"):
        raise RuntimeError(f"{name}() interpolation must be one of linear, lower, higher, midpoint or "
                           f"nearest, but got {interpolation}")
    if input.numel() == 0:
        raise RuntimeError(f"{name}() input tensor must be non-empty")
    if not isinstance(q, Tensor):
        if not 0 <= q <= 1:
            raise RuntimeError(f"{name}() q must be in the range [0, 1] but got {q:g}")
        return
    if q.ndim > 1:
        raise RuntimeError(f"{name}() q must be a scalar or 1D tensor")
    if q.dtype is not input.dtype:
        raise RuntimeError(f"{name}() q tensor must be same dtype as the input tensor")
    values = vmap_levels.known(q) if state.thread.frames else None  # of all slices, if their values are at hand
    if not (bool(((q >= 0) & (q <= 1)).all()) if values is None else ((values >= 0) & (values <= 1)).all()):
        raise RuntimeError(f"{name}() q values must be in the range [0, 1]")


def _ranks(ordered, q, skip_nan):
    """Where between the sorted elements the quantiles lie; where there is a NaN, at a NaN."""
    last = ordered.shape[-1] - 1
    if skip_nan:
        count = ops.logical_not(ops.isnan(ordered.detach())).sum(-1, keepdim=True)
        return (q * (count - 1)).clamp(min=0)
    has_nan = ops.isnan(ordered.detach()).any(-1, keepdim=True)
    return ops.where_self(has_nan, float(last), q * last)


def _between(ordered, ranks, interpolation):
    """The elements at the ranks, interpolated."""
    if interpolation == "nearest":
        return ordered.gather(-1, ranks.round().long())
    if interpolation == "higher":
        return ordered.gather(-1, ranks.ceil().long())
    below = ranks.long()
    low = ordered.gather(-1, below)
    if interpolation == "lower":
        return low
    weight = ranks * 0 + 0.5 if interpolation == "midpoint" else ranks - below
    return ops.lerp_Tensor(low, ordered.gather(-1, ranks.ceil().long()), weight)


@judged
@composite("quantile")
@_numpy_names
def quantile(input: Tensor, q: Tensor | float, dim: int | None = None, keepdim: bool = False, *,
             interpolation: str = "linear", out: Tensor | None = None) -> Tensor:
    """The quantiles `q` of the elements over `dim`; several come first.
    https://pytorch.org/docs/stable/generated/torch.quantile.html"""
    if out is not None:
        return written(out, "quantile", (), quantile, input, q, dim, keepdim, interpolation=interpolation)
    return _quantile("quantile", input, q, dim, keepdim, interpolation, skip_nan=False)


@judged
@composite("nanquantile")
@_numpy_names
def nanquantile(input: Tensor, q: Tensor | float, dim: int | None = None, keepdim: bool = False, *,
                interpolation: str = "linear", out: Tensor | None = None) -> Tensor:
    """The quantiles `q` of what is not NaN over `dim`; several come first.
    https://pytorch.org/docs/stable/generated/torch.nanquantile.html"""
    if out is not None:
        return written(out, "nanquantile", (), nanquantile, input, q, dim, keepdim, interpolation=interpolation)
    return _quantile("nanquantile", input, q, dim, keepdim, interpolation, skip_nan=True)


def _quantile(name, input, q, dim, keepdim, interpolation, skip_nan):
    _check_quantile(name, input, q, interpolation)
    quantiles = q if isinstance(q, Tensor) else input.new_tensor(q)
    whole, axis = dim is None, 0 if dim is None else wrap_dim(dim, input.ndim)
    rows = input.flatten().unsqueeze(-1) if whole else input.unsqueeze(-1)
    ordered = rows.transpose(axis, -1).sort(-1)[0]
    ranks = _ranks(ordered, quantiles.reshape(-1), skip_nan)
    ranks = ranks.expand(*ordered.shape[:-1], ranks.shape[-1])
    found = _between(ordered, ranks, interpolation)
    return _arranged(found, quantiles.ndim, axis, whole, keepdim, input.ndim)


def _arranged(found, q_ndim, axis, whole, keepdim, ndim):
    """Quantiles first (if q is 1-d), the reduced dimension gone or of size 1."""
    if whole:
        found = found.squeeze(0)
        if keepdim:
            found = found.reshape([1] * ndim + [found.shape[-1]])
    elif not keepdim:
        found = found.squeeze(axis)
    if q_ndim == 0:
        return found.squeeze(-1)
    return found.movedim(-1, 0)


METHODS: dict = {"nanmean": nanmean, "max": max, "min": min, "var": var, "std": std, "quantile": quantile,
                 "nanquantile": nanquantile, "norm": _norm_method}
FUNCTIONS: dict = {"nanmean": nanmean, "max": max, "min": min, "var": var, "std": std, "quantile": quantile,
                   "nanquantile": nanquantile, "var_mean": var_mean, "std_mean": std_mean, "norm": norm,
                   "linalg_matrix_norm": linalg_matrix_norm, "linalg_norm": linalg_norm}
