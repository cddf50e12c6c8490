"""Tensors turned round: flip, fliplr, flipud. https://pytorch.org/docs/stable/generated/torch.flip.html"""

from __future__ import annotations

from collections.abc import Sequence

from torchlike._api.arguments import varargs
from torchlike._api.joining import _FLIP
from torchlike._record.bind import bind
from torchlike._record.tensor import Tensor
from torchlike._record.wrong_calls import checked, judged


def flip_function(input: Tensor, dims: int | Sequence[int]) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.flip.html"""
    return bind(_FLIP, (input,), (), (_list(dims, " (position 2)"),))


def _list(dims, place) -> tuple:
    """A list of dimensions; TypeError for anything else."""
    if not isinstance(dims, tuple | list):
        raise TypeError(f"flip(): argument 'dims'{place} must be tuple of ints, not {type(dims).__name__}")
    for i, dim in enumerate(dims):
        if isinstance(dim, bool) or not hasattr(dim, "__index__"):
            raise TypeError(f"flip(): argument 'dims'{place} must be tuple of ints, but found element of type "
                            f"{type(dim).__name__} at pos {i}")
    return varargs((dims,))


@judged
def flip(self: Tensor, *given: int | Sequence[int], dims: Sequence[int] | None = None) -> Tensor:
    """`torch.flip`."""
    if dims is not None:
        return bind(_FLIP, (self,), (), (_list(dims, ""),))
    one = len(given) == 1 and (isinstance(given[0], bool) or not hasattr(given[0], "__index__"))
    return bind(_FLIP, (self,), (), (_list(given[0] if one else given, " (position 1)"),))


@checked
def fliplr(input: Tensor) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.fliplr.html"""
    if input._cell.aval.ndim < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return flip_function(input, (1,))


@checked
def flipud(input: Tensor) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.flipud.html"""
    if input._cell.aval.ndim < 1:
        raise RuntimeError("Input must be >= 1-d.")
    return flip_function(input, (0,))


FUNCTIONS: dict = {"flip": flip_function, "fliplr": fliplr, "flipud": flipud}
METHODS: dict = {"flip": flip, "fliplr": fliplr, "flipud": flipud}
