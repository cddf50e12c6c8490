"""Dropout of elements and of channels. https://pytorch.org/docs/stable/nn.functional.html#dropout-functions"""

from __future__ import annotations

import math

from torchlike._api.creation import empty_like
from torchlike._base.errors import type_name
from torchlike._modes import vmap_levels
from torchlike._record.tensor import Tensor
from torchlike._record.wrong_calls import judged

_SELU_DROP = 1.7580993408473766  # minus what a unit of SELU far below 0 gives


def _noise_like(input, feature):
    if not feature:
        return empty_like(input)
    if input.dim() < 2:
        raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
    return input.new_empty((*input.shape[:2], *(1,) * (input.dim() - 2)))


def dropped(input, p, train, feature, alpha, in_place):
    """Dropout of all kinds: `feature` drops channels, `alpha` keeps mean and variance."""
    if not 0 <= p <= 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {p}")
    if not isinstance(input, Tensor):
        name = f"{'feature_' * feature}{'alpha_' * alpha}dropout"
        raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type_name(type(input))}")
    if p == 0 or not train or input.numel() == 0:
        return input
    multiply = input.mul_ if in_place else input.mul
    if p == 1:
        return multiply(input.new_zeros(()))
    noise = vmap_levels.everywhere(_noise_like(input, feature)).bernoulli_(1 - p)
    if not alpha:
        return multiply(noise.div_(1 - p))
    a = 1 / math.sqrt((_SELU_DROP * _SELU_DROP * p + 1) * (1 - p))
    shift = noise.add(-1).mul_(_SELU_DROP * a).add_(_SELU_DROP * a * p)
    scaled = multiply(noise.mul_(a))
    return scaled.add_(shift) if in_place else scaled.add(shift)


def dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """Elements dropped with the probability `p` if `train`.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.dropout.html"""
    return dropped(input, p, train, False, False, False)


def dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """Elements dropped with the probability `p` if `train`, in place.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.dropout.html"""
    return dropped(input, p, train, False, False, True)


@judged
def feature_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """Channels dropped with the probability `p` if `train`.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.feature_dropout.html"""
    return dropped(input, p, train, True, False, False)


@judged
def feature_dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """Channels dropped with the probability `p` if `train`, in place.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.feature_dropout.html"""
    return dropped(input, p, train, True, False, True)


@judged
def alpha_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """Elements dropped with the probability `p` if `train`, mean and variance kept.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.alpha_dropout.html"""
    return dropped(input, p, train, False, True, False)


@judged
def alpha_dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """Elements dropped with the probability `p` if `train`, mean and variance kept, in place.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.alpha_dropout.html"""
    return dropped(input, p, train, False, True, True)


@judged
def feature_alpha_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """Channels dropped with the probability `p` if `train`, mean and variance kept.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.feature_alpha_dropout.html"""
    return dropped(input, p, train, True, True, False)


@judged
def feature_alpha_dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """Channels dropped with the probability `p` if `train`, mean and variance kept, in place.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.feature_alpha_dropout.html"""
    return dropped(input, p, train, True, True, True)


FUNCTIONS: dict = {"dropout": dropout, "dropout_": dropout_, "feature_dropout": feature_dropout,
                   "feature_dropout_": feature_dropout_, "alpha_dropout": alpha_dropout, "alpha_dropout_": alpha_dropout_,
                   "feature_alpha_dropout": feature_alpha_dropout, "feature_alpha_dropout_": feature_alpha_dropout_}
