"""Activations that PyTorch composes or checks in front of the row, and softmax.

https://pytorch.org/docs/stable/nn.functional.html#non-linear-activation-functions
"""

from __future__ import annotations

import math

import numpy as np

from torchlike._api.arguments import by_axis
from torchlike._api.generated import ops
from torchlike._api.out import written
from torchlike._api.types import Number
from torchlike._base import dtypes as dt
from torchlike._base.dtypes import dtype
from torchlike._modes import vmap_levels
from torchlike._modes.composite import composite
from torchlike._random.generator import Generator, draw
from torchlike._record.leaf import leaf, to_numpy
from torchlike._record.tensor import Tensor
from torchlike._record.wrong_calls import judged

_SELU_ALPHA = 1.6732632423543772848170429916717
_SELU_SCALE = 1.0507009873554804934193349852946
_LOWER, _UPPER = 1.0 / 8, 1.0 / 3  # rrelu's range of slopes


def selu(input: Tensor) -> Tensor:
    """The self-normalising elu. https://pytorch.org/docs/stable/generated/torch.nn.SELU.html"""
    return ops.elu(input, _SELU_ALPHA, _SELU_SCALE)


def selu_(input: Tensor) -> Tensor:
    """`selu` in place."""
    return ops.elu_(input, _SELU_ALPHA, _SELU_SCALE)


def relu6(input: Tensor) -> Tensor:
    """min(max(0, x), 6)."""
    return ops.hardtanh(input, 0, 6)


def relu6_(input: Tensor) -> Tensor:
    """`relu6` in place."""
    return ops.hardtanh_(input, 0, 6)


def _check_prelu(input, weight):
    if input.dtype is not weight.dtype:
        raise RuntimeError(f"prelu: Type promoting not supported. Got {input.dtype.scalar_name} and "
                           f"{weight.dtype.scalar_name}")
    if weight.ndim > 1:
        raise RuntimeError("prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = "
                           f"{weight.ndim}")
    if weight.numel() == 1:
        return
    if input.ndim == 0:
        raise RuntimeError("Not allow zero-dim input tensor.")
    channels = input.shape[1] if input.ndim > 1 else 1
    if channels != weight.numel():
        raise RuntimeError("Mismatch of parameter numbers and input channel size. Found parameter numbers = "
                           f"{weight.numel()} and channel size = {channels}.")


@composite("prelu")
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """x where x > 0, else weight x; one weight, or one a channel (dimension 1).
    https://pytorch.org/docs/stable/generated/torch.nn.functional.prelu.html"""
    _check_prelu(input, weight)
    if weight.ndim != input.ndim:
        shape = [1] * input.ndim
        if input.ndim > 1:
            shape[1] = weight.numel()
        weight = weight.reshape(shape)
    return ops._prelu_kernel(input, weight)


@judged
def rrelu(input: Tensor, lower: Number = _LOWER, upper: Number = _UPPER, training: bool = False,
          generator: Generator | None = None) -> Tensor:
    """x where x > 0, else x times a slope: the middle of [lower, upper], or when `training` a random one.

    RuntimeError for bounds that are not finite or in the wrong order, NotImplementedError for other dtypes than
    floating-point ones (and for float16 when `training`). Under vmap, where the signs are not known, every element
    draws a slope; else those below zero do, as in PyTorch.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.rrelu.html"""
    return ops.rrelu_with_noise(input, *_slopes(input, lower, upper, training, generator))


@judged
def rrelu_(input: Tensor, lower: Number = _LOWER, upper: Number = _UPPER, training: bool = False,
           generator: Generator | None = None) -> Tensor:
    """`rrelu` in place."""
    return ops.rrelu_with_noise_(input, *_slopes(input, lower, upper, training, generator))


def _slopes(input, lower, upper, training, generator):
    """The noise, which there is only when `training`, and the numbers."""
    _check_slopes(lower, upper)
    if not training:
        return None, lower, upper, training
    if input.dtype not in (dt.float32, dt.float64, dt.bfloat16):
        raise NotImplementedError(f"\"rrelu_with_noise_out_cpu\" not implemented for '{input.dtype.scalar_name}'")
    if vmap_levels.batched(input) or vmap_levels.shape():
        drawn = vmap_levels.everywhere(input.new_empty(input.shape)).uniform_(lower, upper, generator=generator)
        return ops.where_self(input.detach() <= 0, drawn, 1.0), lower, upper, training
    below = to_numpy(input) <= 0
    noise = np.ones(below.shape, np.float64)
    noise[below] = draw("uniform", generator, int(below.sum()), "float64", float(lower), float(upper))
    return leaf(noise.astype(input.dtype.np), input.device), lower, upper, training


def _check_slopes(lower, upper):
    if not lower <= upper and math.isfinite(lower) and math.isfinite(upper):
        raise RuntimeError("Lower bound should be less than or equal to the upper bound")
    for name, bound in (("lower", lower), ("upper", upper)):
        if not math.isfinite(bound):
            raise RuntimeError(f"rrelu: {name} bound must be finite, got {bound:g}")


@composite("softmax")
def softmax(input: Tensor, dim: int | None = None, dtype: dtype | None = None, *, axis: int | None = None,
            out: Tensor | None = None) -> Tensor:
    """exp(x) / sum(exp(x)) along `dim`. https://pytorch.org/docs/stable/generated/torch.nn.functional.softmax.html

    Args:
        input: (*), of a floating dtype, or of any with a `dtype`.
        dim, axis: the dimension that sums to one; `axis` is numpy's name of it.
        dtype: what `input` is cast to first.
        out: written to and returned; resized to fit.

    Returns: (*), of the dtype of `input` or `dtype`.
    """
    if dim is None or axis is not None:
        dim = by_axis("softmax", dim, axis)
    if out is not None:
        return written(out, "softmax", (), softmax, input, dim, dtype)
    result = ops._softmax(input if dtype is None else input.to(dtype), dim)  # pyrefly: ignore[bad-argument-type] - by_axis
    return result


@composite("log_softmax")
def log_softmax(input: Tensor, dim: int | None = None, dtype: dtype | None = None, *, axis: int | None = None,
                out: Tensor | None = None) -> Tensor:
    """log(softmax(x)) along `dim`. https://pytorch.org/docs/stable/generated/torch.nn.functional.log_softmax.html

    Args:
        input: (*), of a floating dtype, or of any with a `dtype`.
        dim, axis: the dimension that sums to one; `axis` is numpy's name of it.
        dtype: what `input` is cast to first.
        out: written to and returned; resized to fit.

    Returns: (*), of the dtype of `input` or `dtype`.
    """
    if dim is None or axis is not None:
        dim = by_axis("log_softmax", dim, axis)
    if out is not None:
        return written(out, "log_softmax", (), log_softmax, input, dim, dtype)
    result = ops._log_softmax(input if dtype is None else input.to(dtype), dim)  # pyrefly: ignore[bad-argument-type] - by_axis
    return result


def special_softmax(input: Tensor, dim: int | None = None, dtype: dtype | None = None, *, axis: int | None = None) -> Tensor:
    """`torch.softmax`, under its other name. https://pytorch.org/docs/stable/special.html"""
    return softmax(input, dim, dtype, axis=axis)


def special_log_softmax(input: Tensor, dim: int | None = None, *, axis: int | None = None,
                        dtype: dtype | None = None) -> Tensor:
    """`torch.log_softmax`, under its other name. https://pytorch.org/docs/stable/special.html"""
    return log_softmax(input, dim, dtype, axis=axis)


def _prelu_method(self: Tensor, weight: Tensor) -> Tensor:
    return prelu(self, weight)


METHODS: dict = {"softmax": softmax, "log_softmax": log_softmax, "prelu": _prelu_method}
FUNCTIONS: dict = {
    "selu": selu, "selu_": selu_, "prelu": prelu, "rrelu": rrelu, "rrelu_": rrelu_, "softmax": softmax,
    "log_softmax": log_softmax, "special_softmax": special_softmax,
    "special_log_softmax": special_log_softmax,
}
NN: dict = {"relu6": relu6, "relu6_": relu6_}
