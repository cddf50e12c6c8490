"""Differences and integrals along a dimension, composed as PyTorch composes them.

https://pytorch.org/docs/stable/generated/torch.diff.html
"""

from __future__ import annotations

from torchlike._api.generated import ops
from torchlike._api.out import written
from torchlike._api.types import Number
from torchlike._base import dtypes as dt
from torchlike._base.errors import wrap_dim
from torchlike._record.tensor import Tensor


def _once(x, dim):
    size = x.shape[dim]
    later, earlier = x.narrow(dim, 1, size - 1), x.narrow(dim, 0, size - 1)
    return ops.logical_xor(later, earlier) if x.dtype is dt.bool_ else ops.sub(later, earlier)


def diff(input: Tensor, n: int = 1, dim: int = -1, prepend: Tensor | None = None, append: Tensor | None = None, *,
         out: Tensor | None = None) -> Tensor:
    """The n-th differences of neighbours along `dim`.
    https://pytorch.org/docs/stable/generated/torch.diff.html"""
    if out is not None:
        return written(out, "diff", (), diff, input, n, dim, prepend, append)
    if input.ndim < 1:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    axis = wrap_dim(dim, input.ndim)
    pieces = [piece for piece in (prepend, input, append) if piece is not None] if n else [input]
    x = ops.cat(tuple(pieces), axis) if len(pieces) > 1 else input
    if n == 0:
        result = ops.clone(x)
    elif n >= x.shape[axis]:
        result = x.narrow(axis, 0, 0)
    else:
        result = x
        for _ in range(n):
            result = _once(result, axis)
    return result


def _sides(y, dim):
    size = y.shape[dim]
    return y.narrow(dim, 1, size - 1), y.narrow(dim, 0, size - 1)


def _points(y, x, dim):
    """The points shaped to meet `y`: a vector lies along `dim`."""
    if x.ndim == 1:
        if x.shape[0] != y.shape[dim]:
            raise RuntimeError("trapezoid: There must be one `x` value for each sample point")
        shape = [1] * y.ndim
        shape[dim] = x.shape[0]
        return x.reshape(shape)
    return x


def _steps(y, x, dim):
    points = _points(y, x, dim)
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


def trapezoid(y: Tensor, x: Tensor | None = None, *, dx: Number | None = None, dim: int = -1) -> Tensor:
    """The integral along `dim` by the trapezoidal rule, at points `x` or at distance `dx`.
    https://pytorch.org/docs/stable/generated/torch.trapezoid.html"""
    axis = _checked("trapezoid", y, x, dx, dim)
    if y.shape[axis] == 0:
        return y.sum(axis) * 0
    if isinstance(x, Tensor):
        later, earlier = _sides(y, axis)
        return ((later + earlier) * _steps(y, x, axis)).sum(axis) / 2
    ends = (y.select(axis, 0) + y.select(axis, -1)) * 0.5
    return (y.sum(axis) - ends) * (1 if dx is None else dx)


def cumulative_trapezoid(y: Tensor, x: Tensor | None = None, *, dx: Number | None = None, dim: int = -1) -> Tensor:
    """The running integral along `dim` by the trapezoidal rule.
    https://pytorch.org/docs/stable/generated/torch.cumulative_trapezoid.html"""
    axis = _checked("cumulative_trapezoid", y, x, dx, dim)
    later, earlier = _sides(y, axis)
    if isinstance(x, Tensor):
        return ((later + earlier) * _steps(y, x, axis)).cumsum(axis) / 2
    return ((later + earlier) * ((1 if dx is None else dx) / 2)).cumsum(axis)


METHODS: dict = {"diff": diff}
FUNCTIONS: dict = {"diff": diff, "trapezoid": trapezoid, "trapz": trapezoid,
             "cumulative_trapezoid": cumulative_trapezoid}
