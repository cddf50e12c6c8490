"""`torch.masked`: reductions and normalisations over the elements that a mask leaves.

https://pytorch.org/docs/stable/masked.html. Elements that are masked out are replaced by what changes nothing: 0 in a
sum, 1 in a product, the lowest value in a maximum. `MaskedTensor` is not there.
"""

import math

import numpy as np

from torchlike import _api as ops
from torchlike._api.type_info import get_default_dtype
from torchlike._base import dtypes as dt
from torchlike._base.errors import wrap_dim


def _filled(input, mask, value):
    """`input` with `value` where the mask is false."""
    if mask is None:
        return input
    return ops.where(mask.expand(input.shape).to(dt.bool_), input, input.new_tensor(value))


def _summed(input, dtype):
    """The dtype of sums: int64 for integers."""
    if dtype is None:
        dtype = dt.int64 if input.dtype.category < dt.FLOAT else input.dtype
    return input.to(dtype)


def _floating(input, dtype, name):
    if dtype is None and input.dtype.category < dt.FLOAT:
        raise ValueError(f"{name}(): Could not infer output dtype. Input dtype must be either a floating point or complex "
                         f"dtype. Got: {input.dtype}")
    return input if dtype is None else input.to(dtype)


def _dims(input, dim) -> tuple:
    """All dimensions for None and (); each once."""
    if dim is None or (isinstance(dim, tuple | list) and not dim):
        return tuple(range(input.dim()))
    dims = (dim,) if isinstance(dim, int) else tuple(dim)
    found = tuple(wrap_dim(d, input.dim()) for d in dims)
    if len(set(found)) != len(found):
        raise RuntimeError(f"dim={next(d for d in found if found.count(d) > 1)} appears multiple times in the list of dims")
    return tuple(sorted(found))


def _lowest(dtype):
    if dtype.category >= dt.FLOAT:
        return -math.inf
    return False if dtype is dt.bool_ else int(np.iinfo(dtype.np).min)


def _highest(dtype):
    if dtype.category >= dt.FLOAT:
        return math.inf
    return True if dtype is dt.bool_ else int(np.iinfo(dtype.np).max)


def _over(x, dims, reduce, keepdim):
    """A reduction over one dimension, applied to several from the last to the first."""
    if not x.dim():
        return x.clone()
    for d in reversed(dims):
        x = reduce(x, d)
    if keepdim:
        for d in dims:
            x = x.unsqueeze(d)
    return x


# -- sums, products, extremes

def sum(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The sum of the elements that a mask leaves; 0 where there are none.
    https://pytorch.org/docs/stable/masked.html

    Args:
        input: (*), of any dtype.
        dim: the dimension or dimensions to reduce; None and () mean all.
        keepdim: whether they stay, of size 1.
        dtype: what `input` is cast to first; None means that integers and bools are summed in int64.
        mask: broadcastable to `input`; the elements where it is 0 or False are left out. None leaves all.

    Returns:
        (*) without the reduced dimensions.

    Raises:
        RuntimeError: a dimension twice.
    """
    return ops.sum(_filled(_summed(input, dtype), mask, 0), _dims(input, dim), keepdim)


def prod(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The product of the elements that a mask leaves; 1 where there are none.
    https://pytorch.org/docs/stable/masked.html

    Args: as for `masked.sum`.

    Returns:
        (*) without the reduced dimensions.
    """
    return _over(_filled(_summed(input, dtype), mask, 1), _dims(input, dim), lambda x, d: ops.prod(x, d), keepdim)


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
    return ops.cumsum(_filled(_summed(input, dtype), mask, 0), dim).to(dtype or input.dtype)


def cumprod(input, dim, *, dtype=None, mask=None):
    """Products of the elements that a mask leaves, up to each.
    https://pytorch.org/docs/stable/masked.html

    Args: as for `masked.cumsum`.

    Returns:
        (*). Elements that are left out have the product before them.
    """
    return ops.cumprod(_filled(_summed(input, dtype), mask, 1), dim).to(dtype or input.dtype)


def amax(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The largest of the elements that a mask leaves; the lowest value of the dtype, or -inf, where there are none.
    https://pytorch.org/docs/stable/masked.html

    Args:
        input: (*), real; or bools, which PyTorch refuses with a mask.
        dtype: what `input` is cast to first; None means its own.
        dim, keepdim, mask: as for `masked.sum`.

    Returns:
        (*) without the reduced dimensions.
    """
    x = input if dtype is None else input.to(dtype)
    return ops.amax(_filled(x, mask, _lowest(x.dtype)), _dims(input, dim), keepdim)


def amin(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The smallest of the elements that a mask leaves; the highest value of the dtype, or inf, where there are none.
    https://pytorch.org/docs/stable/masked.html

    Args: as for `masked.amax`.

    Returns:
        (*) without the reduced dimensions.
    """
    x = input if dtype is None else input.to(dtype)
    return ops.amin(_filled(x, mask, _highest(x.dtype)), _dims(input, dim), keepdim)


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
    return ops.argmax(_filled(input, mask, _lowest(input.dtype)), dim, bool(keepdim)).to(dtype)


def argmin(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """Where the smallest of the elements is that a mask leaves.
    https://pytorch.org/docs/stable/masked.html

    Args: as for `masked.argmax`.

    Returns:
        (*) without the reduced dimension.
    """
    dtype = input.dtype if dtype is None else dtype
    return ops.argmin(_filled(input, mask, _highest(input.dtype)), dim, bool(keepdim)).to(dtype)


# -- statistics

def _count(input, dims, keepdim, mask, dtype):
    ones = ops.ones(input.shape, dtype=dtype, device=input.device)
    return ops.sum(_filled(ones, mask, 0), dims, keepdim)


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
    x = _floating(input, dtype, "mean")
    dims = _dims(input, dim)
    if mask is None:
        return ops.mean(x, dims, keepdim)
    return ops.sum(_filled(x, mask, 0), dims, keepdim) / _count(input, dims, keepdim, mask, dt.int64)


def median(input, dim=-1, *, keepdim=False, dtype=None, mask=None):
    """The median of the elements that a mask leaves, the lower one of two; nan where there are none.
    https://pytorch.org/docs/stable/masked.html

    Args:
        input: (*), real.
        dim: the dimension to reduce.
        keepdim: whether it stays, of size 1.
        dtype: what `input` is cast to first; None means its own.
        mask: as for `masked.sum`.

    Returns:
        (*) without the reduced dimension.

    Raises:
        ValueError: integers of which nothing is left.
    """
    x = input if dtype is None else input.to(dtype)
    if x.dtype.category >= dt.FLOAT:
        return ops.nanmedian(_filled(x, mask, math.nan), dim, keepdim).values
    dims = _dims(input, dim)
    if mask is not None and bool((_count(input, dims, keepdim, mask, dt.int64) == 0).any()):
        raise ValueError("masked median expects no fully masked out rows if dtype is not floating point")
    wide = _filled(x.to(dt.float64), mask, math.nan)
    return ops.nanmedian(wide, dim, keepdim).values.to(x.dtype)


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
    x = input if dtype is None else input.to(dtype)
    filled = _filled(x, mask, math.inf if ord == -math.inf else 0)
    return ops.linalg_vector_norm(filled, ord, _dims(input, dim), bool(keepdim))


def _spread(input, dim, unbiased, correction, keepdim, dtype, mask, root):
    if unbiased is not None and correction is not None:
        raise ValueError("Only one of unbiased and correction may be given")
    correction = (1 if unbiased is None else int(unbiased)) if correction is None else correction
    x = input.to(ops.ones(()).dtype if dtype is None and input.dtype.category < dt.FLOAT else dtype or input.dtype)
    dims = _dims(input, dim)
    if mask is None:
        return (ops.std if root else ops.var)(x, dims, correction=correction, keepdim=bool(keepdim))
    count = _count(input, dims, True, mask, x.dtype.to_real())
    middle = ops.sum(_filled(x, mask, 0), dims, True) / count
    apart = x - middle
    total = ops.sum(_filled(apart * apart.conj() if x.is_complex() else apart * apart, mask, 0), dims, keepdim)
    count = count if keepdim else count.reshape(total.shape)
    total = total.real if total.is_complex() else total
    result = total / (count - correction).clamp(min=0) if correction else total / count
    return result.sqrt() if root else result


def var(input, dim=None, unbiased=None, *, correction=None, keepdim=False, dtype=None, mask=None):
    """The variance of the elements that a mask leaves.
    https://pytorch.org/docs/stable/masked.html

    Args:
        input: (*), of any dtype (PyTorch refuses bools with a mask); integers are cast to the default dtype.
        unbiased: the old form of `correction`: True for 1, False for 0.
        correction: what is taken off the number of elements; None means 1.
        dtype: what `input` is cast to first; None means its own.
        dim, keepdim, mask: as for `masked.sum`.

    Returns:
        (*) without the reduced dimensions; of complex numbers complex, as in PyTorch.

    Raises:
        ValueError: both `unbiased` and `correction`.
    """
    return _spread(input, dim, unbiased, correction, keepdim, dtype, mask, False).to(_inexact(input, dtype))


def std(input, dim=None, unbiased=None, *, correction=None, keepdim=False, dtype=None, mask=None):
    """The standard deviation of the elements that a mask leaves.
    https://pytorch.org/docs/stable/masked.html

    Args: as for `masked.var`.

    Returns:
        As for `masked.var`.

    Raises:
        As for `masked.var`.
    """
    return _spread(input, dim, unbiased, correction, keepdim, dtype, mask, True).to(_inexact(input, dtype))


def _inexact(input, dtype):
    """The dtype of a variance: complex numbers stay so, as in PyTorch."""
    if dtype is not None:
        return dtype
    return input.dtype if input.is_floating_point() or input.is_complex() else get_default_dtype()


# -- normalisations

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
    x = input if dtype is None else input.to(dtype)
    return ops.softmax(_filled(x, mask, _lowest(x.dtype)), dim)


def log_softmax(input, dim, *, dtype=None, mask=None):
    """The logarithm of `masked.softmax`, computed without overflow; -inf for the elements that are left out.
    https://pytorch.org/docs/stable/masked.html

    Args: as for `masked.softmax`.

    Returns:
        (*)
    """
    x = input if dtype is None else input.to(dtype)
    return ops.log_softmax(_filled(x, mask, _lowest(x.dtype)), dim)


def softmin(input, dim, *, dtype=None, mask=None):
    """`masked.softmax` of the negated elements.
    https://pytorch.org/docs/stable/masked.html

    Args: as for `masked.softmax`.

    Returns:
        (*)
    """
    x = input if dtype is None else input.to(dtype)
    return ops.softmax(-_filled(x, mask, _highest(x.dtype)), dim)


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
    x = input if dtype is None else input.to(dtype)
    length = norm(x, ord, dim, keepdim=True, dtype=dtype, mask=mask)
    return _filled(x, mask, 0) / ops.maximum(length, length.new_full((), eps))


def logaddexp(input, other, *, dtype=None, input_mask=None, other_mask=None):
    """log(exp(input) + exp(other)), where elements that are left out count as exp(-inf).
    https://pytorch.org/docs/stable/masked.html

    Args:
        input, other: (*), of floating dtype, broadcastable to one another.
        dtype: what both are cast to first; None means their own.
        input_mask, other_mask: each as the mask of `masked.sum`.

    Returns:
        (*)
    """
    a, b = (x if dtype is None else x.to(dtype) for x in (input, other))
    return ops.logaddexp(_filled(a, input_mask, -math.inf), _filled(b, other_mask, -math.inf))


def logsumexp(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The logarithm of the sum of the exponentials of the elements that a mask leaves; -inf where there are none.
    https://pytorch.org/docs/stable/masked.html

    Args:
        input: (*), of floating dtype.
        dtype: what `input` is cast to first; None means its own.
        dim, keepdim, mask: as for `masked.sum`.

    Returns:
        (*) without the reduced dimensions.
    """
    x = input if dtype is None else input.to(dtype)
    return ops.logsumexp(_filled(x, mask, _lowest(x.dtype)), _dims(input, dim), keepdim).to(x.dtype)


# -- masks of results

_ELEMENTWISE = {"softmax", "log_softmax", "softmin", "normalize", "cumsum", "cumprod", "logaddexp"}


def _input_mask(input, *args, **kwargs):
    """The mask as a bool tensor of the shape of `input`."""
    mask = kwargs.get("mask")
    return (ops.ones(input.shape, dtype=dt.bool_) if mask is None else mask.to(dt.bool_)).expand(input.shape)


def _output_mask(op, input, *args, **kwargs):
    """Which elements of the result of a function of this module have a value."""
    mask = _input_mask(input, **kwargs)
    if op.__name__ in _ELEMENTWISE:
        return mask
    at = 1 if op.__name__ == "norm" else 0
    dim = args[at] if len(args) > at else kwargs.get("dim", -1 if op.__name__ == "median" else None)
    return _over(mask, _dims(input, dim), lambda x, d: ops.any(x, d), kwargs.get("keepdim", False))
