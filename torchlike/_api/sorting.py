"""Elements in order: sort, msort, kthvalue. https://pytorch.org/docs/stable/torch.html#comparison-ops"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torchlike._api.arguments import numpys
from torchlike._api.generated import ops, return_types
from torchlike._api.out import written, written_apart
from torchlike._ops.all import ROWS
from torchlike._record.bind import bind
from torchlike._record.tensor import Tensor
from torchlike._record.wrong_calls import judged


@judged
def sort(input: Tensor, *args: Any, dim: int = -1, descending: bool = False, stable: bool | None = None,
         axis: int | None = None, out: Sequence[Tensor] | None = None) -> return_types.sort:
    """https://pytorch.org/docs/stable/generated/torch.sort.html"""
    if axis is not None:
        dim = numpys("axis", dim, axis, -1)
    if out is not None:
        return written(out, "sort", (), sort, input, *args, dim=dim, descending=descending, stable=stable)
    if args:
        dim, descending = (*args, descending)[:2]
    name = "sort" if stable is None else "sort.stable"
    found = bind(ROWS[name], (input,), (), (dim, descending) if stable is None else (stable, dim, descending))
    return return_types.sort(*found)


def msort(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.msort.html"""
    if out is not None:
        return written(out, "msort", (), msort, input)
    made = bind(ROWS["sort"], (input,), (), (0, False))[0]
    return made


@judged
def kthvalue(input: Tensor, k: int, dim: int = -1, keepdim: bool = False, *, out: Sequence[Tensor] | None = None):
    """The k-th smallest along a dimension, and where it is.
    https://pytorch.org/docs/stable/generated/torch.kthvalue.html"""
    if out is not None:
        return written_apart(out, "kthvalue", (input,), kthvalue, input, k, dim, keepdim)
    return ops.kthvalue(input, k, dim, keepdim)


FUNCTIONS: dict = {"sort": sort, "msort": msort, "kthvalue": kthvalue}
METHODS: dict = {"sort": sort, "msort": msort}
