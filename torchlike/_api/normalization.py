"""Layer, group, batch and instance norm, in PyTorch's steps.

https://pytorch.org/docs/stable/nn.html#normalization-layers
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from torchlike._api.generated import ops
from torchlike._api.out import written
from torchlike._compile.avals import is_in_format, suggested_format
from torchlike._modes.composite import composite
from torchlike._modes.vmap_levels import check_lanes
from torchlike._record.cell import counter_of
from torchlike._record.inplace import copy_of, write
from torchlike._record.tensor import Tensor
from torchlike._record.trace import state
from torchlike._record.tracers import undifferentiated
from torchlike._record.wrong_calls import checked, judged

_BATCHED = (
    "Batch norm got a batched tensor as input while the running_mean or running_var, which will be updated in place, were "
    "not batched.\nIf you are using a module and do not need eval mode, please set `track_running_stats` to be False.If you "
    "are using a prebuilt module and do not need eval mode, please see the functorch website for resources on how to patch "
    "your module to work with vmap")


def _ints(v) -> tuple:
    return (v,) if isinstance(v, int) else tuple(v)


@composite("native_layer_norm")
def native_layer_norm(input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None, bias: Tensor | None,
                      eps: float) -> tuple[Tensor, Tensor, Tensor]:
    """Layer norm's output, and the means and reciprocal deviations, which have no history."""
    out, mean, rstd = ops.native_layer_norm(input, _ints(normalized_shape), weight, bias, eps)
    return out, ops._constant(mean), ops._constant(rstd)


@composite("layer_norm")
def layer_norm(input: Tensor, normalized_shape: int | Sequence[int], weight: Tensor | None = None,
               bias: Tensor | None = None, eps: float = 1e-5, cudnn_enable: bool = True) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.nn.functional.layer_norm.html"""
    return ops.native_layer_norm(input, _ints(normalized_shape), weight, bias, eps)[0]


@judged
def native_group_norm(input: Tensor, weight: Tensor | None, bias: Tensor | None, N: int, C: int,  # noqa: N803
                      HxW: int, group: int, eps: float) -> tuple[Tensor, Tensor, Tensor]:  # noqa: N803
    """Group norm's output, and each group's mean and reciprocal deviation, (N, group)."""
    aval = input._cell.aval
    if not is_in_format(aval, suggested_format(aval)):
        raise RuntimeError("Expected X.is_contiguous(memory_format) to be true, but got false.  (Could this error message "
                           "be improved?  If so, please report an enhancement request to PyTorch.)")
    return ops.native_group_norm(input, weight, bias, N, C, HxW, group, eps)


@composite("group_norm")
def group_norm(input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5,
               cudnn_enabled: bool = True) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.nn.functional.group_norm.html"""
    if num_groups <= 0:
        raise RuntimeError(f"Expected num groups to be greater than 0, got {num_groups}")
    n, c = input.shape[:2]
    rest = math.prod(input.shape[2:])
    if suggested_format(input._cell.aval) is None:
        input = input.contiguous()
    return ops.native_group_norm(input, weight, bias, n, c, rest, num_groups, eps)[0]


@composite("rms_norm")
def rms_norm(input: Tensor, normalized_shape: int | Sequence[int], weight: Tensor | None = None,
             eps: float | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.nn.functional.rms_norm.html"""
    shape = list(_ints(normalized_shape))
    if not shape:
        raise RuntimeError("Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one "
                           f"element, but got normalized_shape = {shape}")
    if weight is not None and list(weight.shape) != shape:
        raise RuntimeError("Expected weight to be of same shape as normalized_shape, but got weight of shape "
                           f"{list(weight.shape)} and normalized_shape = {shape}")
    if list(input.shape[-len(shape):]) != shape:
        raise RuntimeError(f"Given normalized_shape={shape}, expected input with shape [*{', '.join(map(str, shape))}], "
                           f"but got input of size{list(input.shape)}")
    dims = list(range(input.dim() - len(shape), input.dim()))
    if not (input.is_floating_point() or input.is_complex()):
        raise NotImplementedError(f"\"rms_norm\" not implemented for '{input.dtype.scalar_name}'")
    half = input.dtype.itemsize < 4
    x = input.float() if half else input
    if eps is None:
        eps = 2.220446049250313e-16 if input.dtype.to_real().itemsize == 8 else 1.1920928955078125e-07
    mean = ops.pow_Tensor_Scalar(x, 2).mean(dims, keepdim=True)
    out = x * (mean + eps).rsqrt()
    out = out if weight is None else out * weight
    return out if out.dtype is input.dtype else out.type_as(input)


@checked
def native_batch_norm(input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None,
                      running_var: Tensor | None, training: bool, momentum: float,
                      eps: float) -> tuple[Tensor, Tensor, Tensor]:
    """Batch norm's output, the mean and reciprocal deviation without history; the running statistics are updated."""
    out, mean, rstd = _batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps)
    return out, ops._constant(mean), ops._constant(rstd)


@judged
def native_batch_norm_function(input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None,
                               running_var: Tensor | None, training: bool, momentum: float, eps: float, *,
                               out: Sequence[Tensor] | None = None) -> tuple[Tensor, Tensor, Tensor]:
    """Batch norm's output, the mean and reciprocal deviation without history; the running statistics are updated."""
    if out is not None:
        return written(out, "native_batch_norm", (), native_batch_norm, input, weight, bias, running_mean, running_var,
                       training, momentum, eps)
    return native_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps)


def _batch_norm(*operands):
    running, training = operands[3:5], operands[5]
    early = training and bool(state.thread.hooks) and any(x is not None for x in running)
    if early:  # a hook may end the call, as checkpoints do that have all they need: PyTorch's kernel has written by then
        thread = state.thread
        before, thread.grad = thread.grad, False
        try:
            _update_statistics(running, ops._native_batch_norm(*operands)[3:])
        finally:
            thread.grad = before
    out, mean, rstd, *new = ops._native_batch_norm(*operands)
    if training and not early:
        _update_statistics(running, new)
    return out, mean, rstd


def _update_statistics(running, new) -> None:
    for old, value in zip(running, new, strict=True):
        if old is not None:
            _update_uncounted(old, value)


def _update_uncounted(running, value):
    """PyTorch's kernel writes a running statistic without a version bump."""
    counter = counter_of(running._cell)
    version = counter.version
    try:
        _update(running, value)
    finally:
        counter.version = version


def _update(running, value):
    """Write a running statistic, which has no derivative."""
    if state.thread.frames:
        check_lanes(running, value, _BATCHED)
        value = undifferentiated(value)
    thread = state.thread
    before, thread.grad = thread.grad, False
    try:
        write(running, copy_of(value.to(running.dtype)), None)
    finally:
        thread.grad = before


@checked
def batch_norm(input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None,
               running_var: Tensor | None, training: bool, momentum: float, eps: float,
               cudnn_enabled: bool = True) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.nn.functional.batch_norm.html"""
    if input.numel() == 0:
        out = input.clone()
        out = out if weight is None else out * weight[0]
        return out if bias is None else out + bias[0]
    return _batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps)[0]


@checked
def instance_norm(input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None,
                  running_var: Tensor | None, use_input_stats: bool, momentum: float, eps: float,
                  cudnn_enabled: bool = True) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.nn.functional.instance_norm.html"""
    if not use_input_stats and (running_mean is None or running_var is None):
        raise RuntimeError("Expected running_mean and running_var to be defined when use_input_stats is false")
    b, c = input.shape[:2]
    flat = input.contiguous().view(1, b * c, *input.shape[2:])
    weight, bias, mean, var = (None if v is None else v.repeat(b) for v in (weight, bias, running_mean, running_var))
    mean, var = (None if v is None else v.to(input.dtype) for v in (mean, var))
    out = batch_norm(flat, weight, bias, mean, var, use_input_stats, momentum, eps)
    for running, repeated in ((running_mean, mean), (running_var, var)):
        if running is not None:
            _update(running, repeated.view(b, c).mean(0))
    return out.view(*input.shape)


FUNCTIONS: dict = {"layer_norm": layer_norm, "group_norm": group_norm, "rms_norm": rms_norm,
                   "native_layer_norm": native_layer_norm, "native_group_norm": native_group_norm,
                   "native_batch_norm": native_batch_norm_function,
                   "batch_norm": batch_norm, "instance_norm": instance_norm}
