"""Tensors turned round: flip, fliplr, flipud. https://pytorch.org/docs/stable/generated/torch.flip.html"""

from __future__ import annotations

from collections.abc import Sequence

from torchlike._api.arguments import int_list, varargs
from torchlike._api.joining import _FLIP
from torchlike._record.bind import bind
from torchlike._record.tensor import Tensor


def flip_function(input: Tensor, dims: int | Sequence[int]) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.flip.html"""
    return bind(_FLIP, (input,), (), (int_list(dims),))


def flip(self: Tensor, *given: int | Sequence[int], dims: Sequence[int] | None = None) -> Tensor:
    """`torch.flip`."""
    return bind(_FLIP, (self,), (), (varargs(given, dims),))


def fliplr(input: Tensor) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.fliplr.html"""
    if input._cell.aval.ndim < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return flip_function(input, (1,))


def flipud(input: Tensor) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.flipud.html"""
    if input._cell.aval.ndim < 1:
        raise RuntimeError("Input must be >= 1-d.")
    return flip_function(input, (0,))


FUNCTIONS: dict = {"flip": flip_function, "fliplr": fliplr, "flipud": flipud}
METHODS: dict = {"flip": flip, "fliplr": fliplr, "flipud": flipud}
