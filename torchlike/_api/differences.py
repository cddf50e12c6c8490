"""Differences and integrals along a dimension: diff, gradient, trapezoid.

https://pytorch.org/docs/stable/torch.html#other-operations
"""

from __future__ import annotations

from collections.abc import Sequence

from torchlike._api import creation
from torchlike._api.arguments import numpys
from torchlike._api.generated import ops
from torchlike._api.out import written
from torchlike._api.types import Number
from torchlike._base import dtypes as dt
from torchlike._base.errors import wrap_dim
from torchlike._record.tensor import Tensor
from torchlike._record.wrong_calls import judged


@judged
def gradient(input: Tensor, *, spacing=None, dim: int | Sequence[int] | None = None, edge_order: int = 1,
             axis: int | Sequence[int] | None = None) -> tuple[Tensor, ...]:
    """Second-order central differences along each dimension.
    https://pytorch.org/docs/stable/generated/torch.gradient.html"""
    if axis is not None:
        dim = numpys("axis", dim, axis)
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
    for step in steps:
        if isinstance(step, Tensor) and step.dim() > 1:
            raise RuntimeError("torch.gradient expected each element of spacing to have one dimension, but got an element "
                               f"with {step.dim()} dimensions!")
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


def _once(x, dim):
    size = x.shape[dim]
    later, earlier = x.narrow(dim, 1, size - 1), x.narrow(dim, 0, size - 1)
    return ops.logical_xor(later, earlier) if x.dtype is dt.bool_ else ops.sub(later, earlier)


@judged
def diff(input: Tensor, n: int = 1, dim: int = -1, prepend: Tensor | None = None, append: Tensor | None = None, *,
         axis: int | None = None, out: Tensor | None = None) -> Tensor:
    """The n-th differences of neighbours along `dim`.
    https://pytorch.org/docs/stable/generated/torch.diff.html"""
    if axis is not None:
        dim = numpys("axis", dim, axis, -1)
    if out is not None:
        return written(out, "diff", (), diff, input, n, dim, prepend, append)
    if input.ndim < 1:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    place = wrap_dim(dim, input.ndim)
    pieces = [piece for piece in (prepend, input, append) if piece is not None] if n else [input]
    x = ops.cat(tuple(pieces), place) if len(pieces) > 1 else input
    if n == 0:
        result = ops.clone(x)
    elif n >= x.shape[place]:
        result = x.narrow(place, 0, 0)
    else:
        result = x
        for _ in range(n):
            result = _once(result, place)
    return result


def _sides(y, dim):
    size = y.shape[dim]
    return y.narrow(dim, min(size, 1), max(size - 1, 0)), y.narrow(dim, 0, max(size - 1, 0))


def _points(name, y, x, dim):
    """The points shaped to meet `y`: a vector lies along `dim`."""
    if x.ndim == 1:
        if x.shape[0] != y.shape[dim]:
            raise RuntimeError(f"{name}: There must be one `x` value for each sample point")
        shape = [1] * y.ndim
        shape[dim] = x.shape[0]
        return x.reshape(shape)
    return x


def _steps(name, y, x, dim):
    points = _points(name, y, x, dim)
    later, earlier = _sides(points, dim if points.ndim == y.ndim else dim - y.ndim + points.ndim)
    return ops.sub(later, earlier)


def _checked(name, y, x, dx, dim) -> int:
    """The dimension, after PyTorch's checks of the arguments."""
    axis = wrap_dim(dim, y.ndim)
    given = [points for points in (x, y) if isinstance(points, Tensor)]
    if any(points.dtype is dt.bool_ for points in given):
        which = "`y`" if len(given) == 1 else "`x` or `y`"
        raise RuntimeError(f"{name}: received a bool input for {which}, but bool is not supported")
    if isinstance(dx, bool | complex):
        raise RuntimeError(f"{name}: Currently, we only support dx as a real number.")
    return axis


@judged
def trapezoid(y: Tensor, x: Tensor | None = None, *, dx: Number | None = None, dim: int = -1) -> Tensor:
    """The integral along `dim` by the trapezoidal rule, at points `x` or at distance `dx`.
    https://pytorch.org/docs/stable/generated/torch.trapezoid.html"""
    axis = _checked("trapezoid", y, x, dx, dim)
    if y.shape[axis] == 0:
        return y.new_zeros([n for i, n in enumerate(y.shape) if i != axis])
    if isinstance(x, Tensor):
        later, earlier = _sides(y, axis)
        return ((later + earlier) * _steps("trapezoid", y, x, axis)).sum(axis) / 2
    ends = (y.select(axis, 0) + y.select(axis, -1)) * 0.5
    return (y.sum(axis) - ends) * (1 if dx is None else dx)


@judged
def cumulative_trapezoid(y: Tensor, x: Tensor | None = None, *, dx: Number | None = None, dim: int = -1) -> Tensor:
    """The running integral along `dim` by the trapezoidal rule.
    https://pytorch.org/docs/stable/generated/torch.cumulative_trapezoid.html"""
    axis = _checked("cumulative_trapezoid", y, x, dx, dim)
    later, earlier = _sides(y, axis)
    if isinstance(x, Tensor):
        return ((later + earlier) * _steps("cumulative_trapezoid", y, x, axis)).cumsum(axis) / 2
    return ((later + earlier) * ((1 if dx is None else dx) / 2)).cumsum(axis)


FUNCTIONS: dict = {"gradient": gradient, "diff": diff, "trapezoid": trapezoid, "trapz": trapezoid,
                   "cumulative_trapezoid": cumulative_trapezoid}
METHODS: dict = {"diff": diff}
