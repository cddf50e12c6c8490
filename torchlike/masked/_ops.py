"""Reductions and normalisations of the elements that a mask leaves."""

from typing import Any

from torchlike import _api as ops
from torchlike._base import dtypes as dt
from torchlike._base.settings import sparse_coo, sparse_csr, strided
from torchlike.masked._masks import canonical_dims, filled, input_mask
from torchlike.masked._sparse_reductions import of_coo, of_csr
from torchlike.masked._where import where

_LAYOUTS = "masked {} expects strided, sparse_coo or sparse_csr tensor (got {} tensor)"


def _summed(input, dtype):
    """(what is summed, the dtype of its sum): int64 for integers."""
    if dtype is not None:
        return input, dtype
    if input.dtype.category >= dt.FLOAT or input.dtype is dt.int64:
        return input, input.dtype
    if input.layout == sparse_csr:
        input = input.to_sparse_coo().to(dtype=dt.int64).to_sparse_csr()
    return input, dt.int64


def _strided(name, x):
    """`x`; ValueError for a sparse tensor."""
    if x.layout != strided:
        raise ValueError(f"masked {name} expects strided tensor (got {x.layout} tensor)")
    return x


def _check_explicit(name, x, mask) -> None:
    """What a sparse tensor does not specify might count, so that is said by a mask."""
    if mask is None:
        raise ValueError(f"masked {name} expects explicit mask for {str(x.layout).partition('.')[2]} tensor input")


def _sparse(name, x, dims, keepdim, dtype, error=AssertionError):
    if x.layout == sparse_coo:
        return of_coo(name, x, dims, keepdim, dtype)
    if x.layout == sparse_csr:
        return of_csr(name, x, dims, keepdim, dtype, error)
    raise ValueError(_LAYOUTS.format(name, x.layout))


def _extreme(name, input, dim, keepdim, dtype, mask):
    dtype = input.dtype if dtype is None else dtype
    x = filled(name, input, mask)
    dims = canonical_dims(dim, x.ndim)
    if x.layout == strided:
        return getattr(ops, name)(x, dims, bool(keepdim)).to(dtype=dtype)
    _check_explicit("amax" if x.layout == sparse_coo else name, x, mask)
    return _sparse(name, x, dims, bool(keepdim), dtype)


def _counted(input, dim, keepdim, mask):
    """(how many elements are left, the mask)."""
    if mask is None:
        ones = ops.ones(input.shape, dtype=dt.int64, device=input.device)
        return sum(ones, dim, keepdim=keepdim), None
    wanted = input_mask(input, mask=mask)
    return wanted.sum(dim=dim, keepdim=keepdim), wanted


def _spread(input, dim, unbiased, correction, keepdim, dtype, mask):
    """The variance."""
    if unbiased is not None and correction is not None:
        raise AssertionError("Only one of unbiased and correction may be given")
    if correction is None:
        correction = 1.0 if unbiased is None else float(unbiased)
    if dtype is None:
        dtype = dt.float32 if input.dtype.category < dt.FLOAT else input.dtype
    inner = dt.float32 if dtype.category < dt.FLOAT else dtype
    if input.layout != strided:
        raise ValueError(f"masked std/var expects strided tensor (got {input.layout} tensor)")
    count, wanted = _counted(input, dim, True, mask)
    apart = ops.subtract(input, ops.divide(sum(input, dim, keepdim=True, dtype=dtype, mask=wanted), count))
    total = sum(apart * apart.conj(), dim, keepdim=keepdim, dtype=inner, mask=wanted)
    count = count if keepdim else count.reshape(total.shape)
    if correction:
        count = ops.subtract(count.to(inner.to_real()), float(correction)).clamp(min=0)
    return ops.divide(total, count).to(dtype=dtype)


def sum(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The sum of the elements that a mask leaves; 0 where there are none.
    https://pytorch.org/docs/stable/masked.html

    Args:
        input: (*), of any dtype; strided, COO or CSR, or a `MaskedTensor`, whose own mask counts.
        dim: the dimension or dimensions to reduce; None and () mean all.
        keepdim: whether they stay, of size 1.
        dtype: what `input` is cast to first; None means that integers and bools are summed in int64.
        mask: broadcastable to `input`; the elements where it is 0 or False are left out. None leaves all.
            It has the layout of `input`, or is converted.

    Returns:
        (*) without the reduced dimensions.

    Raises:
        RuntimeError: a dimension twice; layout CSR without `keepdim`.
        ValueError: another layout.
    """
    input, dtype = _summed(input, dtype)
    dims = canonical_dims(dim, input.ndim)
    x = filled("sum", input, mask)
    if x.layout == strided:
        return ops.sum(x, dims, bool(keepdim), dtype=dtype)
    return _sparse("sum", x, dims, bool(keepdim), dtype, RuntimeError)


def prod(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The product of the elements that a mask leaves; 1 where there are none.
    https://pytorch.org/docs/stable/masked.html

    Args: as for `masked.sum`.

    Returns:
        (*) without the reduced dimensions.
    """
    input, dtype = _summed(input, dtype)
    dims = canonical_dims(dim, input.ndim)
    x = filled("prod", input, mask)
    if x.layout == strided:
        x = x.to(dtype=dtype)
        for d in reversed(dims):
            x = ops.prod(x, d, bool(keepdim))
        return x
    _check_explicit("prod", x, mask)
    return _sparse("prod", x, dims, bool(keepdim), dtype, RuntimeError)


def cumsum(input, dim, *, dtype=None, mask=None):
    """Sums of the elements that a mask leaves, up to each.
    https://pytorch.org/docs/stable/masked.html

    Args:
        input, mask: as for `masked.sum`.
        dim: the dimension to go along.
        dtype: that of the result; None means `input`'s.

    Returns:
        (*). Elements that are left out have the sum before them.
    """
    dtype = input.dtype if dtype is None else dtype
    d = canonical_dims(dim, input.ndim)[0]
    x = _strided("cumsum", filled("sum", input, mask))
    return ops.cumsum(x, d, dtype=dtype).to(dtype=dtype)


def cumprod(input, dim, *, dtype=None, mask=None):
    """Products of the elements that a mask leaves, up to each.
    https://pytorch.org/docs/stable/masked.html

    Args: as for `masked.cumsum`.

    Returns:
        (*). Elements that are left out have the product before them.
    """
    dtype = input.dtype if dtype is None else dtype
    d = canonical_dims(dim, input.ndim)[0]
    x = _strided("cumprod", filled("prod", input, mask))
    return ops.cumprod(x, d, dtype=dtype).to(dtype=dtype)


def amax(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The largest of the elements that a mask leaves; the lowest value of the dtype, or -inf, where there are none.
    https://pytorch.org/docs/stable/masked.html

    Args:
        input: (*), real; of a layout as for `masked.sum`, but that a sparse one wants a mask.
        dtype: that of the result; None means `input`'s.
        dim, keepdim, mask: as for `masked.sum`.

    Returns:
        (*) without the reduced dimensions.
    """
    return _extreme("amax", input, dim, keepdim, dtype, mask)


def amin(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The smallest of the elements that a mask leaves; the highest value of the dtype, or inf, where there are none.
    https://pytorch.org/docs/stable/masked.html

    Args: as for `masked.amax`.

    Returns:
        (*) without the reduced dimensions.
    """
    return _extreme("amin", input, dim, keepdim, dtype, mask)


def argmax(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """Where the largest of the elements is that a mask leaves.
    https://pytorch.org/docs/stable/masked.html

    Args:
        input: (*), real.
        dim: the dimension to reduce; None means all, flattened.
        keepdim: whether it stays, of size 1.
        dtype: that of the result; None means `input`'s, as in PyTorch, which does not hold every position.
        mask: as for `masked.sum`.

    Returns:
        (*) without the reduced dimension.
    """
    dtype = input.dtype if dtype is None else dtype
    x = _strided("argmax", filled("argmax", input, mask))
    return ops.argmax(x, dim, bool(keepdim)).to(dtype=dtype)


def argmin(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """Where the smallest of the elements is that a mask leaves.
    https://pytorch.org/docs/stable/masked.html

    Args: as for `masked.argmax`.

    Returns:
        (*) without the reduced dimension.
    """
    dtype = input.dtype if dtype is None else dtype
    x = _strided("argmin", filled("argmin", input, mask))
    return ops.argmin(x, dim, bool(keepdim)).to(dtype=dtype)


def mean(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The mean of the elements that a mask leaves; nan where there are none.
    https://pytorch.org/docs/stable/masked.html

    Args:
        input: (*), floating or complex, or of any dtype with `dtype`.
        dtype: what `input` is cast to first; None means its own.
        dim, keepdim, mask: as for `masked.sum`.

    Returns:
        (*) without the reduced dimensions.

    Raises:
        ValueError: integers without `dtype`.
    """
    source = "Input" if dtype is None else "Optional"
    dtype = input.dtype if dtype is None else dtype
    if dtype.category < dt.FLOAT:
        raise ValueError(f"mean(): Could not infer output dtype. {source} dtype must be either a floating point or complex "
                         f"dtype. Got: {dtype}")
    if input.layout == strided:
        count, wanted = _counted(input, dim, bool(keepdim), mask)
        return sum(input, dim, keepdim=keepdim, dtype=dtype, mask=wanted) / count
    if input.layout != sparse_csr:
        raise ValueError(f"masked mean expects strided or sparse_csr tensor (got {input.layout} tensor)")
    _check_explicit("mean", input, mask)
    x = where(input_mask(input, mask=mask), input, ops.tensor(0, dtype=input.dtype, device=input.device))
    return of_csr("mean", x, canonical_dims(dim, x.ndim), bool(keepdim), dtype)


def median(input, dim=-1, *, keepdim=False, dtype=None, mask=None):
    """The median of the elements that a mask leaves, the lower one of two; nan where there are none.
    https://pytorch.org/docs/stable/masked.html

    Args:
        input: (*), real.
        dim: the dimension to reduce.
        keepdim: whether it stays, of size 1.
        dtype: that of the result where `input` is of integers; None means its own.
        mask: as for `masked.sum`.

    Returns:
        (*) without the reduced dimension.

    Raises:
        ValueError: integers of which nothing is left.
    """
    dtype = input.dtype if dtype is None else dtype
    d = canonical_dims(dim, input.ndim)[0]
    exact = input.dtype.category < dt.FLOAT
    x = _strided("median", filled("median", input.to(dtype=dt.float32) if exact else input, mask))
    result: Any = ops.nanmedian(x, d, keepdim)[0]
    if exact and bool(ops.isnan(result).any()):
        raise ValueError("masked median expects no fully masked out rows if dtype is not floating point")
    return result.to(dtype=dtype) if exact else result


def norm(input, ord=2.0, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The norm of the elements that a mask leaves.
    https://pytorch.org/docs/stable/masked.html

    Args:
        input: (*), floating or complex.
        ord: which norm, a number, inf or -inf, see `torch.linalg.vector_norm`.
        dtype: what `input` is cast to first; None means its own.
        dim, keepdim, mask: as for `masked.sum`.

    Returns:
        (*) without the reduced dimensions.
    """
    dtype = input.dtype if dtype is None else dtype
    x = _strided("norm", filled("norm", input, mask, ord))
    return ops.linalg_vector_norm(x, ord, canonical_dims(dim, input.ndim), bool(keepdim), dtype=dtype)


def var(input, dim=None, unbiased=None, *, correction=None, keepdim=False, dtype=None, mask=None):
    """The variance of the elements that a mask leaves.
    https://pytorch.org/docs/stable/masked.html

    Args:
        input: (*), of any dtype; integers are cast to float32.
        unbiased: the old form of `correction`: True for 1, False for 0.
        correction: what is taken off the number of elements; None means 1.
        dtype: what `input` is cast to first; None means its own.
        dim, keepdim, mask: as for `masked.sum`.

    Returns:
        (*) without the reduced dimensions; of complex numbers complex, as in PyTorch.

    Raises:
        AssertionError: both `unbiased` and `correction`.
        ValueError: a sparse layout.
    """
    return _spread(input, dim, unbiased, correction, keepdim, dtype, mask)


def std(input, dim=None, unbiased=None, *, correction=None, keepdim=False, dtype=None, mask=None):
    """The standard deviation of the elements that a mask leaves.
    https://pytorch.org/docs/stable/masked.html

    Args: as for `masked.var`.

    Returns:
        As for `masked.var`.

    Raises:
        As for `masked.var`.
    """
    return _spread(input, dim, unbiased, correction, keepdim, dtype, mask).sqrt()


def softmax(input, dim, *, dtype=None, mask=None):
    """The softmax of the elements that a mask leaves; 0 for the others, nan where there are none.
    https://pytorch.org/docs/stable/masked.html

    Args:
        input: (*), of floating dtype.
        dim: the dimension along which the results add up to 1.
        dtype: what `input` is cast to first; None means its own.
        mask: as for `masked.sum`.

    Returns:
        (*)
    """
    dtype = input.dtype if dtype is None else dtype
    d = canonical_dims(dim, input.ndim)[0]
    return ops.softmax(_strided("softmax", filled("amax", input, mask)), d, dtype=dtype)


def log_softmax(input, dim, *, dtype=None, mask=None):
    """The logarithm of `masked.softmax`, computed without overflow; -inf for the elements that are left out.
    https://pytorch.org/docs/stable/masked.html

    Args: as for `masked.softmax`.

    Returns:
        (*)
    """
    dtype = input.dtype if dtype is None else dtype
    d = canonical_dims(dim, input.ndim)[0]
    return ops.log_softmax(_strided("log_softmax", filled("amax", input, mask)), d, dtype=dtype)


def softmin(input, dim, *, dtype=None, mask=None):
    """`masked.softmax` of the negated elements.
    https://pytorch.org/docs/stable/masked.html

    Args: as for `masked.softmax`.

    Returns:
        (*)
    """
    dtype = input.dtype if dtype is None else dtype
    d = canonical_dims(dim, input.ndim)[0]
    return ops.softmax(-_strided("softmin", filled("amin", input, mask)), d, dtype=dtype)


def normalize(input, ord, dim, *, eps=1e-12, dtype=None, mask=None):
    """The elements that a mask leaves, divided by their norm; 0 for the others.
    https://pytorch.org/docs/stable/masked.html

    Args:
        input: (*), floating or complex.
        ord: which norm: as for `masked.norm`.
        dim: the dimension or dimensions that the norm is over.
        eps: the least norm that is divided by.
        dtype: what `input` is cast to first; None means its own.
        mask: as for `masked.sum`.

    Returns:
        (*)
    """
    dtype = input.dtype if dtype is None else dtype
    x = _strided("normalize", filled("sum", input, mask))
    length = norm(input, ord, dim, keepdim=True, dtype=dtype, mask=mask)
    return ops.divide(x, ops.maximum(length, length.new_full((), eps)))


def logaddexp(input, other, *, dtype=None, input_mask=None, other_mask=None):
    """log(exp(input) + exp(other)), where elements that are left out count as exp(-inf).
    https://pytorch.org/docs/stable/masked.html

    Args:
        input, other: (*), of floating dtype, broadcastable to one another.
        dtype: that of the result; None means that of `input`.
        input_mask, other_mask: each as the mask of `masked.sum`.

    Returns:
        (*)

    Raises:
        ValueError: a sparse layout.
    """
    dtype = input.dtype if dtype is None else dtype
    if input.layout != strided or other.layout != strided:
        raise ValueError(f"masked logaddexp expects strided tensors (got {input.layout} tensor for input, "
                         f"{other.layout} for other)")
    return ops.logaddexp(filled("logaddexp", input, input_mask), filled("logaddexp", other, other_mask)).to(dtype=dtype)


def logsumexp(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The logarithm of the sum of the exponentials of the elements that a mask leaves; -inf where there are none.
    https://pytorch.org/docs/stable/masked.html

    Args:
        input: (*), of floating dtype.
        dtype: that of the result; None means `input`'s.
        dim, keepdim, mask: as for `masked.sum`.

    Returns:
        (*) without the reduced dimensions.
    """
    dtype = input.dtype if dtype is None else dtype
    dims = canonical_dims(dim, input.ndim)
    x = _strided("logsumexp", filled("logsumexp", input, mask))
    return ops.logsumexp(x, dims, keepdim=keepdim).to(dtype=dtype)
