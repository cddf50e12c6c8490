"""Random sampling: each row as a function, with the row's own signature.

Written by ``python -m compat.api`` from the operator table: do not edit.
"""

from __future__ import annotations

from collections.abc import Sequence

from torchlike._ops.all import ROWS
from torchlike._record.bind import binary, bind
from torchlike._record.tensor import Tensor

__DRAWN = ROWS["_drawn"]
__DRAWN_BINOMIAL = ROWS["_drawn_binomial"]
__DIRICHLET_GRAD = ROWS["_dirichlet_grad"]
_record__drawn_apart = binary(ROWS["_drawn_apart"])
_record__drawn_gamma = binary(ROWS["_drawn_gamma"])
_record__drawn_dirichlet = binary(ROWS["_drawn_dirichlet"])
_record__drawn_poisson = binary(ROWS["_drawn_poisson"])
_record__standard_gamma_grad = binary(ROWS["_standard_gamma_grad"])


def _drawn(value: Tensor, sources: Sequence[Tensor], node: str) -> Tensor:
    """`value`, which was drawn by the parameters `sources`."""
    return bind(__DRAWN, (value, tuple(sources)), (), (node,))


def _drawn_apart(value: Tensor, source: Tensor) -> Tensor:
    """`value`, drawn by a number in the shape of `source`: PyTorch has no formula for its gradient."""
    return _record__drawn_apart(value, source)


def _drawn_gamma(self: Tensor, sample: Tensor) -> Tensor:
    """PyTorch's operator `aten::_drawn_gamma`."""
    return _record__drawn_gamma(self, sample)


def _drawn_dirichlet(self: Tensor, sample: Tensor) -> Tensor:
    """PyTorch's operator `aten::_drawn_dirichlet`."""
    return _record__drawn_dirichlet(self, sample)


def _drawn_poisson(self: Tensor, sample: Tensor) -> Tensor:
    """PyTorch's operator `aten::_drawn_poisson`."""
    return _record__drawn_poisson(self, sample)


def _drawn_binomial(self: Tensor, prob: Tensor, sample: Tensor) -> Tensor:
    """PyTorch's operator `aten::_drawn_binomial`."""
    return bind(__DRAWN_BINOMIAL, (self, prob, sample))


def _standard_gamma_grad(self: Tensor, output: Tensor) -> Tensor:
    """dx/d(alpha) of a standard gamma number x."""
    return _record__standard_gamma_grad(self, output)


def _dirichlet_grad(x: Tensor, alpha: Tensor, total: Tensor) -> Tensor:
    """dx/d(alpha) / (1 - x) of a number x of Beta(alpha, total - alpha), whose second parameter is fixed."""
    return bind(__DIRICHLET_GRAD, (x, alpha, total))


__all__ = [
    "_drawn",
    "_drawn_apart",
    "_drawn_gamma",
    "_drawn_dirichlet",
    "_drawn_poisson",
    "_drawn_binomial",
    "_standard_gamma_grad",
    "_dirichlet_grad",
]
