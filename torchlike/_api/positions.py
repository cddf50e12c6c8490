"""`Tensor.index`: indexing of dimensions by their positions. There are no first-class dimensions (PyTorch's
``functorch.dim``) here, so what it binds dimensions to are indices.
"""

from __future__ import annotations

import math

from torchlike._base.errors import wrap_dim
from torchlike._record.tensor import Tensor


def _position(value, ndim) -> int:
    if not isinstance(value, int):
        raise TypeError(f"expected a dimension specifyer but found {value}")
    return wrap_dim(value, ndim)


def index(self: Tensor, positions, dims) -> Tensor:
    """Indexes dimensions: a position, or a sequence of them, whose dimensions count as one, and what stands for it between
    brackets; or sequences of both, of one length."""
    pairs = isinstance(positions, list | tuple) and isinstance(dims, list | tuple)
    positions, dims = (positions, dims) if pairs else ([positions], [dims])
    if len(positions) != len(dims):
        raise TypeError(f"dims ({len(positions)}) and indices ({len(dims)}) must have the same length")
    groups = [[_position(each, self.ndim) for each in (group if isinstance(group, list | tuple) else (group,))]
              for group in positions]
    first = {group[0]: (group, value) for group, value in zip(groups, dims, strict=True)}
    taken = {position for group in groups for position in group[1:]}
    order, shape, brackets = [], [], []
    for position in range(self.ndim):
        if position not in taken:
            group, value = first.get(position, ([position], slice(None)))
            order += group
            shape.append(math.prod(self.shape[each] for each in group))
            brackets.append(value)
    x = self if order == [*range(self.ndim)] else self.permute(order)
    return (x.reshape(shape) if len(shape) < self.ndim else x)[tuple(brackets)]


METHODS: dict = {"index": index}
