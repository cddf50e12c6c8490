"""Looking values up and counting them: searchsorted, bucketize, isin, bincount, histc.

https://pytorch.org/docs/stable/generated/torch.searchsorted.html
"""

import jax.numpy as jnp
from jax import lax

from torchlike._base import dtypes as dt
from torchlike._ops.indexing.joining import shape_text
from torchlike._ops.promotion import promote_types
from torchlike._ops.rules import is_integral, not_implemented, refuse, scalar_name, wide
from torchlike._ops.table import op


def _first_place(rows, values, right):
    """By bisection, along the last dimension: the first place whose element is >= (>) the value.

    Written out because a NaN must steer the search as it does PyTorch's.
    """
    n = rows.shape[-1]
    low, high = jnp.zeros(values.shape, jnp.int64), jnp.full(values.shape, n, jnp.int64)

    def halve(_, bounds):
        low, high = bounds
        middle = (low + high) // 2
        at = jnp.minimum(middle, n - 1)
        element = rows[at] if rows.ndim == 1 else jnp.take_along_axis(rows, at, -1)
        go_on = ~(element > values if right else element >= values) & (low < high)
        return jnp.where(go_on, middle + 1, low), jnp.where(go_on | (low >= high), high, middle)

    return lax.fori_loop(0, n.bit_length(), halve, (low, high))[0] if n else low


_NAME = "torch.searchsorted()"


def _check_search(rows, values, right, side, sorter):
    if side not in (None, "left", "right"):
        raise RuntimeError(f"{_NAME}: side can only be 'left' or 'right' but got {side}")
    if side == "left" and right:
        raise RuntimeError(f"{_NAME}: side and right can't be set to opposites, got side of left while "
                           "right was True")
    if sorter is not None and sorter.shape != rows.shape:
        raise RuntimeError(f"{_NAME}: boundary and sorter must have the same size, but got boundary tensor "
                           f"{shape_text(rows.shape)}and got sorter tensor {shape_text(sorter.shape)}")
    if sorter is not None and sorter.dtype != jnp.int64:
        raise RuntimeError(f"{_NAME}: sorter must be a tensor of long dtype but got dtype "
                           f"{scalar_name(sorter)}")
    if rows.ndim == 0:
        raise RuntimeError(f"{_NAME}: boundaries tensor should have positive dimension, but got 0 dimension")
    if values.ndim == 0 and rows.ndim != 1:
        raise RuntimeError(f"{_NAME}: input value can be a scalar only when boundaries tensor dimension is "
                           "1, but we "
                           f"got boundaries tensor dim({rows.ndim}) and input value's dim(0) numel(1)")
    if rows.ndim != 1 and rows.shape[:-1] != values.shape[:-1]:
        raise RuntimeError(f"{_NAME}: boundaries tensor should be 1 dimension or the first N-1 dimensions of "
                           "boundaries tensor and input value tensor must match, but we got boundaries "
                           "tensor "
                           f"{shape_text(rows.shape)} and input value tensor {shape_text(values.shape)}")


def _search(rows, values, *, out_int32, right, side=None, sorter=None):
    if isinstance(values, tuple):
        raise TypeError("searchsorted(): argument 'input' must be a Tensor or a Number")
    _check_search(rows, values, right, side, sorter)
    if sorter is not None:
        rows = jnp.take_along_axis(rows, sorter, -1)
    common = promote_types(dt.from_np(rows.dtype), dt.from_np(values.dtype)).np
    rows = rows.astype(common)
    refuse(rows, "searchsorted_out_cpu", (dt.BOOL, dt.COMPLEX))
    found = _first_place(rows, values.astype(common), right or side == "right")
    return found.astype(jnp.int32) if out_int32 else found


@op("searchsorted.Tensor(Tensor sorted_sequence, Tensor|Scalar self, *, bool out_int32=False, bool right=False, "
    "str? side=None, Tensor? sorter=None) -> Tensor", method=False, function=False,
    doc="Where each value would be inserted into a sorted sequence to keep its order.")
def _searchsorted(rows, values, sorter, *, out_int32, right, side):
    return _search(rows, values, out_int32=out_int32, right=right, side=side, sorter=sorter)


@op("bucketize.Tensor(Tensor|Scalar self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor",
    method=False, doc="Which of the intervals between sorted `boundaries` each value lies in.", by_hand="function")
def _bucketize(values, boundaries, *, out_int32, right):
    if boundaries.ndim != 1:
        raise RuntimeError(f"boundaries tensor must be 1 dimension, but got dim({boundaries.ndim})")
    return _search(boundaries, values, out_int32=out_int32, right=right)


_FEW = 32  # up to here comparing with each element beats a sort


@op("isin.Tensor_Tensor(Tensor|Scalar elements, Tensor|Scalar test_elements, *, bool assume_unique=False, "
    "bool invert=False) -> Tensor", method=False, doc="Whether each element is one of `test_elements`.", by_hand="function")
def _isin(elements, tests, *, assume_unique, invert):
    for x in (elements, tests):
        if x.dtype == jnp.bool_ or jnp.issubdtype(x.dtype, jnp.complexfloating):
            raise RuntimeError(f"Unsupported input type encountered for isin(): {scalar_name(x)}")
    common = promote_types(dt.from_np(elements.dtype), dt.from_np(tests.dtype)).np
    elements, tests = elements.astype(common), tests.reshape(-1).astype(common)
    if tests.size <= _FEW:
        found = (elements[..., None] == tests).any(-1)
    else:
        ordered = jnp.sort(tests)
        place = jnp.minimum(jnp.searchsorted(ordered, elements), tests.size - 1)
        found = ordered[place] == elements
    return ~found if invert else found


@op("_histogram(Tensor value, Tensor source) -> Tensor", method=False, function=False, node="NotImplemented",
    grads={"source": not_implemented("histogram")}, dispatch="histogram.default")
def _histogram(value, source):
    """`value`, counted on the host; the row gives it PyTorch's history."""
    return value


@op("_bincount(Tensor self, Tensor? weights, int size) -> Tensor", method=False, function=False,
    grads={"weights": not_implemented("bincount")}, node="NotImplemented", dispatch="bincount.default")
def _bincount(x, weights, *, size):
    """`size` is one more than the largest element, which only the caller can know."""
    if weights is None:
        return jnp.zeros(size, jnp.int64).at[x].add(1, mode="drop")
    if weights.dtype != jnp.float32:
        weights = weights.real.astype(jnp.float64)
    return jnp.zeros(size, weights.dtype).at[x].add(weights, mode="drop")


def histogram_range(x, low, high):
    """The range that PyTorch takes: the given one, or that of the elements, widened if it is a point."""
    given = low != high
    least, most = (jnp.min(x), jnp.max(x)) if x.size else (jnp.zeros((), x.dtype), jnp.zeros((), x.dtype))
    low, high = jnp.where(given, low, least), jnp.where(given, high, most)
    point = low == high
    return jnp.where(point, low - 1, low), jnp.where(point, high + 1, high)


@op("histc(Tensor self, int bins=100, Scalar min=0, Scalar max=0) -> Tensor",
    doc="How many elements fall into each of `bins` equal intervals from `min` to `max`.", by_hand="function method")
def _histc(x, *, bins, min, max):
    refuse(x, "histogram_cpu", (dt.BOOL, dt.INT, dt.COMPLEX))
    if bins <= 0:
        raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {bins} for dimension 0")
    kind, x = x.dtype, wide(x.reshape(-1))
    low, high = histogram_range(x, min.astype(x.dtype), max.astype(x.dtype))
    place = jnp.floor((x - low) * (bins / (high - low)))
    inside = (x >= low) & (x <= high)
    place = jnp.where(inside, jnp.minimum(place, bins - 1), bins).astype(jnp.int64)
    return jnp.zeros(bins, x.dtype).at[place].add(1, mode="drop").astype(kind)


def is_searchable(x) -> bool:
    """Whether bincount takes this dtype."""
    return is_integral(x) and x.dtype != jnp.bool_
