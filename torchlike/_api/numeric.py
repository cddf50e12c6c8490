"""Numbers taken apart and counted: frexp, gradient, histogram, unravel_index, nonzero_static."""

from __future__ import annotations

import collections
import math
from collections.abc import Sequence

from torchlike._api import creation, selecting
from torchlike._api.generated import ops
from torchlike._api.out import written, written_apart
from torchlike._base import dtypes as dt
from torchlike._base.errors import wrap_dim
from torchlike._modes.composite import composite
from torchlike._record.tensor import Tensor

_count = range  # `range` is an argument of histograms


def unravel_index(indices, shape) -> tuple:
    """The coordinates of flat positions in an array of this shape.
    https://pytorch.org/docs/stable/generated/torch.unravel_index.html"""
    if indices.is_complex() or indices.is_floating_point() or indices.dtype is dt.bool_:
        raise ValueError(f"expected 'indices' to be integer dtype, but got {indices.dtype}")
    sizes = [shape] if isinstance(shape, int) else list(shape)
    if any(s < 0 for s in sizes):
        raise ValueError(f"'shape' cannot have negative values, but got {tuple(sizes)}")
    indices, found, step = indices.to(dt.int64), [], 1
    for size in reversed(sizes):
        found.append(indices.div(step, rounding_mode="floor") % size)
        step *= size
    return tuple(reversed(found))


def nonzero_static(input: Tensor, *, size: int, fill_value: int = -1, out: Tensor | None = None) -> Tensor:
    """The first `size` positions of non-zero elements, rows of `fill_value` after the last.
    https://pytorch.org/docs/stable/generated/torch.nonzero_static.html"""
    if out is not None:
        return written(out, "nonzero_static", (), nonzero_static, input, size=size, fill_value=fill_value)
    if size < 0:
        raise RuntimeError("nonzero_static: 'size' must be an non-negative integer")
    found = selecting.nonzero(input)[:size]
    missing = size - found.shape[0]
    return ops.cat((found, found.new_full((missing, found.shape[1]), fill_value)), 0) if missing else found


# -- finite differences

def gradient(input: Tensor, *, spacing=None, dim: int | Sequence[int] | None = None,
             edge_order: int = 1) -> tuple[Tensor, ...]:
    """Second-order central differences along each dimension.
    https://pytorch.org/docs/stable/generated/torch.gradient.html"""
    dims = list(range(input.dim())) if dim is None else [dim] if isinstance(dim, int) else list(dim)
    dims = [wrap_dim(d, input.dim()) for d in dims]
    for d in dims:
        if dims.count(d) > 1:
            raise RuntimeError(f"dim {d} appears multiple times in the list of dims")
    spacing = 1 if spacing is None else spacing
    if isinstance(spacing, tuple | list):
        steps = list(spacing)
        if len(steps) != len(dims):
            raise RuntimeError("torch.gradient expected spacing to be unspecified, a scalar, or a list of length equal to "
                               f"'self.dim() = {len(dims)}', but got a list of length {len(steps)}")
    else:
        steps = [spacing] * len(dims)
    if edge_order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    for d in dims:
        if input.shape[d] < edge_order + 1:
            raise RuntimeError("torch.gradient expected each dimension size to be at least edge_order+1")
    x = input if input.is_floating_point() or input.is_complex() else input.to(creation.ones(()).dtype)
    return tuple(_differences(x, d, h, edge_order) for d, h in zip(dims, steps, strict=True))


def _differences(x, d, h, edge_order):
    n = x.shape[d]
    points = h if isinstance(h, Tensor) and h.dim() else None

    def part(start, count):
        return ops.slice_Tensor(x, d, start, start + count)

    if points is None:
        inner = (part(2, n - 2) - part(0, n - 2)) / (2 * h)
        first, last = (part(1, 1) - part(0, 1)) / h, (part(n - 1, 1) - part(n - 2, 1)) / h
        if edge_order == 2:
            first = (-1.5 * part(0, 1) + 2 * part(1, 1) - 0.5 * part(2, 1)) / h
            last = (0.5 * part(n - 3, 1) - 2 * part(n - 2, 1) + 1.5 * part(n - 1, 1)) / h
        return ops.cat((first, inner, last), d)
    widths = points[1:] - points[:-1]
    left, right = widths[:-1], widths[1:]
    shape = [-1 if i == d else 1 for i in range(x.dim())]
    a = (-right / (left * (left + right))).reshape(shape)
    b = ((right - left) / (left * right)).reshape(shape)
    c = (left / (right * (left + right))).reshape(shape)
    inner = a * part(0, n - 2) + b * part(1, n - 2) + c * part(2, n - 2)
    first, last = (part(1, 1) - part(0, 1)) / widths[0], (part(n - 1, 1) - part(n - 2, 1)) / widths[-1]
    if edge_order == 2:
        u, v = widths[0], widths[1]
        first = (-(2 * u + v) / (u * (u + v))) * part(0, 1) + ((u + v) / (u * v)) * part(1, 1) \
            + (-u / (v * (u + v))) * part(2, 1)
        u, v = widths[-2], widths[-1]
        last = (v / (u * (u + v))) * part(n - 3, 1) + (-(u + v) / (u * v)) * part(n - 2, 1) \
            + ((u + 2 * v) / (v * (u + v))) * part(n - 1, 1)
    return ops.cat((first, inner, last), d)


# -- histograms

_Histogram = collections.namedtuple("histogram", ("hist", "bin_edges"))
_HistogramDD = collections.namedtuple("histogramdd", ("hist", "bin_edges"))
_Histogram.__module__ = _HistogramDD.__module__ = "torch.return_types"


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
    return creation.linspace(low, high, bins + 1, dtype=values.dtype)


def _place(values, edges):
    """(bin of each value, whether it is in any); the last bin includes its right edge."""
    at = selecting.searchsorted(edges, values.contiguous(), right=True) - 1
    last = edges.shape[0] - 2
    at = ops.where_self(values == edges[-1], ops.minimum(at, at.new_tensor(last)), at)
    return at.clamp(0, max(last, 0)), (values >= edges[0]) & (values <= edges[-1])


def histogramdd(input: Tensor, bins: int | Sequence[int] | Sequence[Tensor], *, range: Sequence[float] | None = None,
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
    return _HistogramDD(_counted(points, edges, weight, density), tuple(edges))


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


def histogram(input: Tensor, bins: Tensor | int, *, range: Sequence[float] | None = None, weight: Tensor | None = None,
              density: bool = False, out: Sequence[Tensor] | None = None) -> tuple[Tensor, Tensor]:
    """How many elements lie in each interval, and the edges of these.
    https://pytorch.org/docs/stable/generated/torch.histogram.html"""
    if out is not None:
        return written(out, "histogram", (), histogram, input, bins, range=range, weight=weight, density=density)
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
    return _Histogram(*(found if source is None else (ops._histogram(value, source) for value in found)))


def complex(real: Tensor, imag: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The complex numbers of these real and imaginary parts.
    https://pytorch.org/docs/stable/generated/torch.complex.html"""
    if out is not None:
        return written(out, "complex", (), _of_dtype_of, out, ops.complex, real, imag)
    return ops.complex(real, imag)


def polar(abs: Tensor, angle: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The complex numbers of these absolute values and angles.
    https://pytorch.org/docs/stable/generated/torch.polar.html"""
    if out is not None:
        return written(out, "polar", (), _of_dtype_of, out, ops.polar, abs, angle)
    return ops.polar(abs, angle)


def _of_dtype_of(out, function, *operands):
    """What the function gives; RuntimeError if `out` has another dtype."""
    made = function(*operands)
    want, got = made._cell.aval.dtype, out._cell.aval.dtype
    if want is not got:
        raise RuntimeError(f"Expected object of scalar type {want.scalar_name} but got scalar type {got.scalar_name} "
                           "for argument 'out'")
    return made


def kthvalue(input: Tensor, k: int, dim: int = -1, keepdim: bool = False, *, out: Sequence[Tensor] | None = None):
    """The k-th smallest along a dimension, and where it is.
    https://pytorch.org/docs/stable/generated/torch.kthvalue.html"""
    if out is not None:
        return written_apart(out, "kthvalue", (input,), kthvalue, input, k, dim, keepdim)
    return ops.kthvalue(input, k, dim, keepdim)


view_as_complex = composite("view_as_complex")(ops.view_as_complex)
FUNCTIONS: dict = {"complex": complex, "polar": polar, "kthvalue": kthvalue, "unravel_index": unravel_index,
                   "nonzero_static": nonzero_static, "gradient": gradient, "histogramdd": histogramdd,
                   "histogram": histogram, "view_as_complex": view_as_complex}
METHODS: dict = {"view_as_complex": view_as_complex, "nonzero_static": nonzero_static, "histogram": histogram}
