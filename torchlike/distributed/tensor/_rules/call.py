"""An operator's call, as rules see it, and what a rule is."""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from torchlike.distributed.tensor.placement_types import Partial, Placement, Replicate, Shard

R, SUM = Replicate(), Partial()
Strategy = tuple[tuple[Placement, ...], tuple[Placement, ...]]  # of the results, of the operands


@dataclasses.dataclass
class Call:
    """Args:
        name: that of the operator, without its overload.
        given: its arguments by name; positions where it has no row. A tensor is its sizes, a `Sizes`.
        operands: the sizes of the tensors among them, in order; owners: the names of their arguments.
        results: the sizes of its results.
    """

    name: str
    given: dict[Any, Any]
    operands: list[tuple]
    owners: list
    results: list[tuple]

    def get(self, *names, default=None) -> Any:
        """The first argument of these names or positions that is there."""
        return next((self.given[name] for name in names if name in self.given), default)

    def dims(self, *names, ndim: int | None = None) -> tuple:
        """The dimensions that an argument means, counted from the first; None or none at all are all."""
        ndim = len(self.operands[0]) if ndim is None else ndim
        found = self.get(*names)
        if found is None or (isinstance(found, Sequence) and not found):
            return tuple(range(ndim))
        return tuple(d % max(1, ndim) for d in (found if isinstance(found, Sequence) else [found]))

    def alike(self, outs, ins) -> Strategy:
        """A strategy; one placement instead of a tuple is that of all."""
        return (outs if isinstance(outs, tuple) else (outs,) * len(self.results),
                ins if isinstance(ins, tuple) else (ins,) * len(self.operands))


class Sizes(tuple):
    """The sizes of a tensor in the place of it."""


@dataclasses.dataclass(frozen=True)
class Rule:
    """Args:
        strategies: lists them for a Call.
        sizes: the position of an argument that is the sizes of the result: each rank gives those of its part.
        is_view: whether a part of the result must have the elements of the part of the operand.
        compute: what a rank does in the place of the operator, and compute_gradient of its gradient; see `compute.py`.
        is_scaled: whether a mean is divided by the number of all elements, not by that of a part, in the gradient, too.
        is_by_element: whether each element of the result is computed of those in its place.
    """

    strategies: Callable[[Call], list[Strategy]]
    sizes: int | None = None
    is_view: bool = False
    compute: Callable | None = None
    compute_gradient: Callable | None = None
    is_scaled: bool = False
    is_by_element: bool = False


def shard(dim: int | None) -> Placement:
    """Shard, or Replicate for no dimension."""
    return R if dim is None else Shard(dim)
