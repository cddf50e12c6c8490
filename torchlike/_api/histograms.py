"""How often numbers occur: histogram, histogramdd, histc, bincount.

https://pytorch.org/docs/stable/generated/torch.histogram.html
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from torchlike._api import named_results, ranges
from torchlike._api.generated import ops
from torchlike._api.index_checks import known
from torchlike._api.out import written
from torchlike._api.searching import searchsorted
from torchlike._api.types import Number
from torchlike._modes.slices import slice_by_slice
from torchlike._ops.all import ROWS
from torchlike._ops.indexing.searching import is_searchable
from torchlike._record.bind import bind
from torchlike._record.leaf import leaf, to_numpy
from torchlike._record.tensor import Tensor
from torchlike._record.wrong_calls import judged

_count = range  # `range` is an argument of histograms


def _edges(values, bins, low_high, name):
    """The edges of one dimension, of equal width between the bounds or as given."""
    if isinstance(bins, Tensor):
        return bins
    if bins <= 0:
        raise RuntimeError(f"torch.{name}(): bins must be > 0, but got {bins}")
    if low_high is None:
        low, high = (float(values.min()), float(values.max())) if values.numel() else (0.0, 1.0)
    else:
        low, high = low_high
    if not (math.isfinite(low) and math.isfinite(high)):
        raise RuntimeError(f"torch.{name}(): dimension 0's range [{low:g}, {high:g}] is not finite")
    if low > high:
        raise RuntimeError(f"torch.{name}(): min should not exceed max, but got min {low:g} max {high:g} for dimension 0")
    if low == high:
        low, high = low - 0.5, high + 0.5
    return ranges.linspace(low, high, bins + 1, dtype=values.dtype)


def _place(values, edges):
    """(bin of each value, whether it is in any); the last bin includes its right edge."""
    at = searchsorted(edges, values.contiguous(), right=True) - 1
    last = edges.shape[0] - 2
    at = ops.where_self(values == edges[-1], ops.minimum(at, at.new_tensor(last)), at)
    return at.clamp(0, max(last, 0)), (values >= edges[0]) & (values <= edges[-1])


@judged
def histogramdd(input: Tensor, bins: int | Sequence[int] | Sequence[Tensor], range: Sequence[float] | None = None,
                weight: Tensor | None = None, density: bool = False) -> tuple[Tensor, tuple[Tensor, ...]]:
    """How many points, the rows of (*, n), lie in each box of an n-dimensional grid.
    https://pytorch.org/docs/stable/generated/torch.histogramdd.html"""
    points = input.detach().reshape(-1, input.shape[-1])
    n = points.shape[1]
    counts = [bins] * n if isinstance(bins, int) else list(bins)
    if len(counts) != n:
        raise RuntimeError("histogramdd: The size of bins must be equal to the innermost dimension of the input.")
    bounds = [None] * n if range is None else [tuple(range[2 * d:2 * d + 2]) for d in _count(n)]
    edges = [_edges(points[:, d], counts[d], bounds[d], "histogramdd") for d in _count(n)]
    return named_results.histogramdd(_counted(points, edges, weight, density), tuple(edges))


def _counted(points, edges, weight, density):
    sizes = [e.shape[0] - 1 for e in edges]
    flat = inside = None
    for d, e in enumerate(edges):
        at, ok = _place(points[:, d], e)
        flat, inside = (at, ok) if flat is None else (flat * sizes[d] + at, inside & ok)
    amounts = points.new_ones(points.shape[0]) if weight is None else weight.detach().reshape(-1).to(points.dtype)
    total = points.new_zeros(math.prod(sizes)).index_add(0, flat, amounts * inside)
    total = total.reshape(sizes)
    if density:
        total = total / total.sum()
        for d, e in enumerate(edges):
            total = total / (e[1:] - e[:-1]).reshape([-1 if i == d else 1 for i in _count(len(sizes))])
    return total


@judged
@slice_by_slice("histogram.bin_ct")
def histogram(input: Tensor, bins: Tensor | int = 100, *, range: Sequence[float] | None = None, weight: Tensor | None = None,
              density: bool = False, out: Sequence[Tensor] | None = None) -> tuple[Tensor, Tensor]:
    """How many elements lie in each interval, and the edges of these.
    https://pytorch.org/docs/stable/generated/torch.histogram.html"""
    if out is not None:
        return written(out, "histogram", (), histogram, input, bins, range=range, weight=weight, density=density)
    if isinstance(bins, Tensor) and bins.dtype is not input.dtype:
        raise RuntimeError("torch.histogramdd: input tensor and bins tensors should have the same dtype, but got input with "
                           f"dtype {input.dtype.cpp_name} and bins for dimension 0 with dtype {bins.dtype.cpp_name}")
    if not input.is_floating_point():
        raise NotImplementedError(f"\"histogram_cpu\" not implemented for '{input.dtype.scalar_name}'")
    values = input.detach().reshape(-1, 1)
    if weight is not None and weight.shape != input.shape:
        raise RuntimeError("torch.histogram(): if weight tensor is provided it should have the same shape as the input "
                           f"tensor excluding its innermost dimension, but got input with shape {list(input.shape)} and "
                           f"weight with shape {list(weight.shape)}")
    edges = _edges(values[:, 0], bins.detach() if isinstance(bins, Tensor) else bins, range, "histogram")
    found = _counted(values, [edges], weight, density), edges
    source = next((x for x in (input, bins, weight) if isinstance(x, Tensor) and x.requires_grad), None)
    return named_results.histogram(*(found if source is None else (ops._histogram(value, source) for value in found)))


@judged
@slice_by_slice("bincount")
def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """How often each number occurs; needs the values.
    https://pytorch.org/docs/stable/generated/torch.bincount.html"""
    aval = input._cell.aval
    if minlength < 0:
        raise RuntimeError("minlength should be >= 0")
    if aval.numel and not is_searchable(aval.sds):
        raise NotImplementedError(f"\"bincount_cpu\" not implemented for '{aval.dtype.scalar_name}'")
    values = to_numpy(input)
    if aval.ndim != 1 or (values.size and values.min() < 0):
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if weights is not None and weights._cell.aval.shape != aval.shape:
        raise RuntimeError("weights should be 1-d and have the same length as input")
    if not values.size:
        return leaf(np.zeros(minlength, np.int64), aval.device)
    return bind(ROWS["_bincount"], (input, weights), (), (max(int(values.max()) + 1, minlength),))


@judged
def histc(input: Tensor, bins: int = 100, min: Number = 0, max: Number = 0, *, out: Tensor | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.histc.html"""
    if out is not None:
        return written(out, "histc", (), histc, input, bins, min, max)
    if max < min:
        raise RuntimeError("torch.histc: max must be larger than min")
    values = known(input) if min == max else None
    if values is not None and values.dtype.kind == "f" and values.size:
        low, high = values.min(), values.max()
        if not np.isfinite(low + high):
            raise RuntimeError(f"torch.histc: range of [{low}, {high}] is not finite")
    return bind(ROWS["histc"], (input,), (min, max), (bins,))


FUNCTIONS: dict = {"histogramdd": histogramdd, "histogram": histogram, "bincount": bincount, "histc": histc}
METHODS: dict = {"histogram": histogram, "bincount": bincount, "histc": histc}
