"""Normalisations with a statistic pass: layer, group and batch norm.

https://pytorch.org/docs/stable/nn.functional.html#normalization-functions. Half precision computes in
float32. The gradients also take gradients of the saved statistics (g1, g2): the second derivative
reaches the input through them.

Layer norm, (2048, 128) float32, one CPU core, ms, torch / here: forward 0.13 / 0.13, backward 0.15 / 0.28.
Sums over rows are matrix-vector products where that saves a pass.
"""

import math

import jax.numpy as jnp

from torchlike._ops.numerics import lean
from torchlike._ops.numerics.lean import Lean
from torchlike._ops.rules import is_half, scalar_name
from torchlike._ops.table import op


def _wide(x):
    """x in the dtype of the computation: float32 for half precision. None stays."""
    return None if x is None else Lean(x).astype(jnp.float32) if is_half(x) else Lean(x)


def _refuse_non_float(x, kernel: str):
    if not jnp.issubdtype(x.dtype, jnp.floating):
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{scalar_name(x)}'")


def _check_mixed(x, *parameters):
    """Parameters have x's dtype, or all are float32 beside half precision."""
    for p in parameters:
        if p is not None and p.dtype != x.dtype and not (is_half(x) and p.dtype == jnp.float32):
            raise RuntimeError(f"mixed dtype (CPU): expect parameter to have scalar type of {_parameter_type(x)}")


def _parameter_type(x) -> str:
    return "Float" if is_half(x) else scalar_name(x)


def _statistics_dtype(x, *parameters):
    mixed = any(p is not None and p.dtype != x.dtype for p in parameters)
    return jnp.float32 if mixed else x.dtype


def _mean(x, axes, count):
    """The mean of `count` elements, kept with size 1. float32 is summed in float64, so that a mean of equal elements is one
    of them, and its rounding not among the distances from it, which may be small. float64 is summed in parts: a sum of large
    numbers would be infinite.
    """
    if x.dtype == jnp.float32:
        total = x.astype(jnp.float64).sum(axes, keepdims=True)
        return (total / lean.number(max(count, 1), jnp.float64)).astype(jnp.float32)
    return (x * lean.number(1 / max(count, 1), x.dtype)).sum(axes, keepdims=True)


def _moments(rows, eps):
    """Mean and 1 / sqrt(variance + eps) of each row, (R, 1) each, and the distances from the mean."""
    n = rows.shape[-1]
    mean = _mean(rows, -1, n)
    centred = rows - mean
    return mean, lean.rsqrt((centred * centred).sum(-1, keepdims=True) / n + lean.number(eps, rows.dtype)), centred


def _through_statistics(x, mean, rstd, g_mean, g_rstd, count):
    """What the gradients of mean and rstd give the input; None where there are none."""
    total = None
    if g_mean is not None:
        total = _wide(g_mean).reshape(mean.shape) / count
    if g_rstd is not None:
        part = -_wide(g_rstd).reshape(rstd.shape) * rstd ** 3 * (x - mean) / count
        total = part if total is None else total + part
    return total


def _sum_of(*terms):
    """The sum of those that are not None; None if there are none."""
    kept = [t for t in terms if t is not None]
    return sum(kept[1:], kept[0]) if kept else None


# --- layer norm ---------------------------------------------------------------------------------

def check_normalized_shape(x, normalized_shape, weight, bias, star=", "):
    """RuntimeError unless x ends with `normalized_shape` and the parameters have it."""
    shape = list(normalized_shape)
    if not shape:
        raise RuntimeError("Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one "
                           f"element, but got normalized_shape = {shape}")
    for name, p in (("weight", weight), ("bias", bias)):
        if p is not None and list(p.shape) != shape:
            raise RuntimeError(f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape "
                               f"{list(p.shape)} and normalized_shape = {shape}")
    if list(x.shape[x.ndim - len(shape):]) != shape or x.ndim < len(shape):
        want = "".join(f"{star}{s}" if i == 0 else f", {s}" for i, s in enumerate(shape))
        raise RuntimeError(f"Given normalized_shape={shape}, expected input with shape [*{want}], but got input of "
                           f"size{list(x.shape)}")


def _rows(x, normalized_shape):
    return _wide(x).reshape(-1, math.prod(normalized_shape)) if x.size else _wide(x).reshape(
        math.prod(x.shape[:x.ndim - len(normalized_shape)]), math.prod(normalized_shape))


def _layer_norm_input(g0, g1, g2, input, weight, result1, result2, normalized_shape):
    x = _rows(input, normalized_shape)
    mean, rstd = _wide(result1).reshape(-1, 1), _wide(result2).reshape(-1, 1)
    n = x.shape[1]
    main = None
    if g0 is not None:
        g = _rows(g0, normalized_shape)
        product = g * ((x - mean) * rstd)
        scale = lean.full((n,), 1, g.dtype) if weight is None else _wide(weight).reshape(-1)
        b, c = lean.dot(g, scale).expand(1) / n, lean.dot(product, scale).expand(1) / n
        main = rstd * (g * scale - b - (x - mean) * (rstd * c))
    total = _sum_of(main, _through_statistics(x, mean, rstd, g1, g2, n))
    return lean.broadcast_to(total, x.shape).reshape(input.shape)


def _layer_norm_weight(g0, input, result1, result2, weight_aval, normalized_shape):
    if g0 is None:
        return None
    x, g = _rows(input, normalized_shape), _rows(g0, normalized_shape)
    mean, rstd = _wide(result1).reshape(-1, 1), _wide(result2).reshape(-1, 1)
    return (g * ((x - mean) * rstd)).sum(0).reshape(weight_aval.shape)


def _layer_norm_bias(g0, bias, normalized_shape):
    return None if g0 is None else _rows(g0, normalized_shape).sum(0).reshape(bias.shape)


@op("native_layer_norm(Tensor input, int[] normalized_shape, Tensor? weight, Tensor? bias, float eps) "
    "-> (Tensor, Tensor, Tensor)", method=False,
    grads={"input": _layer_norm_input, "weight": _layer_norm_weight, "bias": _layer_norm_bias},
    autocast={"cuda": "fp32"}, plain_tuple=True, by_hand="function")
def native_layer_norm(input, weight, bias, *, normalized_shape, eps):
    """The output, and the mean and reciprocal deviation that the gradient needs."""
    check_normalized_shape(input, normalized_shape, weight, bias)
    _refuse_non_float(input, "LayerNormKernelImpl")
    _check_mixed(input, weight, bias)
    x = _rows(input, normalized_shape)
    mean, rstd, centred = _moments(x, eps)
    out = centred * rstd
    if weight is not None:
        out = out * _wide(weight).reshape(-1)
    if bias is not None:
        out = out + _wide(bias).reshape(-1)
    lead = input.shape[:input.ndim - len(normalized_shape)] + (1,) * len(normalized_shape)
    saved = _statistics_dtype(input, weight, bias)
    return (out.reshape(input.shape).astype(input.dtype), mean.reshape(lead).astype(saved),
            rstd.reshape(lead).astype(saved))


# --- group norm ---------------------------------------------------------------------------------

def _grouped(x, N, C, HxW, group):  # noqa: N803 - PyTorch's argument names
    return _wide(x).reshape(N * group, C // group * HxW)


def _per_channel(p, N, C, HxW, group):  # noqa: N803
    """A parameter (C,) as rows (N group, C / group HxW)."""
    return lean.broadcast_to(_wide(p).reshape(1, C, 1), (N, C, HxW)).reshape(N * group, C // group * HxW)


def _group_norm_input(g0, g1, g2, input, weight, result1, result2, N, C, HxW, group):  # noqa: N803
    x = _grouped(input, N, C, HxW, group)
    mean, rstd = _wide(result1).reshape(-1, 1), _wide(result2).reshape(-1, 1)
    main = None
    if g0 is not None:
        g = _grouped(g0, N, C, HxW, group)
        if weight is not None:
            g = g * _per_channel(weight, N, C, HxW, group)
        b = g.sum(-1, keepdims=True) / x.shape[1]
        c = (g * ((x - mean) * rstd)).sum(-1, keepdims=True) / x.shape[1]
        main = rstd * (g - b - (x - mean) * (rstd * c))
    total = _sum_of(main, _through_statistics(x, mean, rstd, g1, g2, x.shape[1]))
    return lean.broadcast_to(total, x.shape).reshape(input.shape)


def _group_norm_weight(g0, input, result1, result2, N, C, HxW, group):  # noqa: N803
    if g0 is None:
        return None
    x, g = _grouped(input, N, C, HxW, group), _grouped(g0, N, C, HxW, group)
    mean, rstd = _wide(result1).reshape(-1, 1), _wide(result2).reshape(-1, 1)
    return (g * ((x - mean) * rstd)).reshape(N, C, HxW).sum((0, 2))


def _group_norm_bias(g0, N, C, HxW):  # noqa: N803
    return None if g0 is None else _wide(g0).reshape(N, C, HxW).sum((0, 2))


@op("native_group_norm(Tensor input, Tensor? weight, Tensor? bias, int N, int C, int HxW, int group, float eps) "
    "-> (Tensor, Tensor, Tensor)", method=False,
    grads={"input": _group_norm_input, "weight": _group_norm_weight, "bias": _group_norm_bias}, out=False, plain_tuple=True,
    layout="channels", by_hand="function")
def native_group_norm(input, weight, bias, *, N, C, HxW, group, eps):  # noqa: N803
    """The output, and each group's mean and reciprocal deviation, (N, group)."""
    if C % group:
        raise RuntimeError("Expected number of channels in input to be divisible by num_groups, but got input of "
                           f"shape {list(input.shape)} and num_groups={group}")
    told = [0] if weight is None else list(weight.shape)  # PyTorch names weight's shape in both messages
    for name, p in (("weight", weight), ("bias", bias)):
        if p is not None and p.shape != (C,):
            raise RuntimeError(f"Expected {name} to be a vector of size equal to the number of channels in input, but "
                               f"got {name} of shape {told} and input of shape {list(input.shape)}")
    _refuse_non_float(input, "GroupNormKernelImpl")
    _check_mixed(input, weight, bias)
    x = _grouped(input, N, C, HxW, group)
    mean, rstd, centred = _moments(x, eps) if x.size else (lean.full((N * group, 1), 0, x.dtype),
                                                           lean.full((N * group, 1), jnp.nan, x.dtype), x)
    out = (centred * rstd).reshape(N, C, HxW)
    if weight is not None:
        out = out * _wide(weight).expand(1)
    if bias is not None:
        out = out + _wide(bias).expand(1)
    saved = _statistics_dtype(input, weight, bias)
    return (out.reshape(input.shape).astype(input.dtype), mean.reshape(N, group).astype(saved),
            rstd.reshape(N, group).astype(saved))


# --- batch norm ---------------------------------------------------------------------------------

def _channels(v, ndim):
    """A vector over channels, shaped to broadcast over (N, C, *)."""
    return _wide(v).reshape(1, -1, *(1,) * (ndim - 2))


def _over_channels(x):
    return (0, *range(2, x.ndim))


def _batch_statistics(input, running_mean, running_var, mean, rstd, training, eps):
    """The mean and reciprocal deviation that the output was made with."""
    if training:
        return _wide(mean), _wide(rstd)
    var = _wide(running_var)
    return _wide(running_mean), lean.rsqrt(var + lean.number(eps, var.dtype))


def _batch_norm_input(g0, g1, g2, input, weight, running_mean, running_var, result1, result2, training, eps):
    x = _wide(input)
    mean, rstd = _batch_statistics(x, running_mean, running_var, result1, result2, training, eps)
    mean, rstd = _channels(mean, x.ndim), _channels(rstd, x.ndim)
    count = x.size // max(x.shape[1], 1)
    main = None
    if g0 is not None:
        g = _wide(g0)
        main = g
        if training:
            axes = _over_channels(x)
            b = g.sum(axes, keepdims=True) / count
            c = (g * (x - mean)).sum(axes, keepdims=True) * (rstd * rstd) / count
            main = g - b - (x - mean) * c
        main = main * rstd
        main = main if weight is None else main * _channels(weight, x.ndim)
    parts = (None, None) if not training else (g1, g2)
    total = _sum_of(main, _through_statistics(x, mean, rstd, *parts, count))
    return None if total is None else lean.broadcast_to(total, x.shape)


def _batch_norm_weight(g0, input, running_mean, running_var, result1, result2, training, eps):
    if g0 is None:
        return None
    x, g = _wide(input), _wide(g0)
    mean, rstd = _batch_statistics(x, running_mean, running_var, result1, result2, training, eps)
    return (g * (x - _channels(mean, x.ndim))).sum(_over_channels(x)) * rstd


def _batch_norm_bias(g0):
    return None if g0 is None else _wide(g0).sum(_over_channels(g0))


def _check_batch_norm(x, vectors, training):
    if x.ndim < 2:
        raise IndexError("Dimension out of range (expected to be in range of [-1, 0], but got 1)")
    names = ("running_mean", "running_var")
    if not training:
        for name in names:
            if vectors[name] is None:
                raise RuntimeError(f"{name} must be defined in evaluation mode")
    for name in (*names, "weight", "bias"):
        v = vectors[name]
        if v is not None and v.shape != (x.shape[1],):
            raise RuntimeError(f"{name} should contain {x.shape[1]} elements not {v.size}")
    if not x.size:
        raise RuntimeError(f"input tensor must have at least one element, but got input_sizes = {list(x.shape)}")


def _updated(running, new, momentum):
    """The running statistic after this batch; empty where there is none."""
    if running is None:
        return jnp.zeros((0,), new.dtype)
    m = lean.number(momentum, new.dtype)
    return (m * new + (1 - m) * _wide(running)).astype(running.dtype)


@op("_native_batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, "
    "bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor, Tensor, Tensor)",
    node="NativeBatchNormBackward0", method=False, function=False,
    grads={"input": _batch_norm_input, "weight": _batch_norm_weight, "bias": _batch_norm_bias},
    dispatch="native_batch_norm.default", layout="channels")
def native_batch_norm(input, weight, bias, running_mean, running_var, *, training, momentum, eps):
    """The output, the saved mean and reciprocal deviation, and the new running statistics.

    Without training the last four are empty. Writing the running statistics back is the face's.
    """
    vectors = {"running_mean": running_mean, "running_var": running_var, "weight": weight, "bias": bias}
    _check_batch_norm(input, vectors, training)
    _refuse_non_float(input, "batch_norm")
    _check_mixed(input, *vectors.values())
    x = _wide(input)
    if training:
        axes, count = _over_channels(x), x.size // x.shape[1]
        mean = _mean(x, axes, count)
        centred, mean = x - mean, mean.reshape(-1)
        var = (centred * centred).sum(axes) / count
    else:
        mean, var, count, centred = _wide(running_mean), _wide(running_var), None, None
    rstd = lean.rsqrt(var + lean.number(eps, var.dtype))
    if centred is None:
        scale = rstd if weight is None else rstd * _wide(weight)
        shift = -mean * scale if bias is None else _wide(bias) - mean * scale
        out = x * _channels(scale, x.ndim) + _channels(shift, x.ndim)
    else:  # not x * scale, which may overflow and cancels
        out = centred * _channels(rstd, x.ndim)
        out = out if weight is None else out * _channels(weight, x.ndim)
        out = out if bias is None else out + _channels(bias, x.ndim)
    out = out.astype(input.dtype)
    if count is None:
        empty = jnp.zeros((0,), _statistics_dtype(input, weight, bias, running_mean, running_var))
        return out, empty, empty, empty, empty
    saved = _statistics_dtype(input, weight, bias, running_mean, running_var)
    unbiased = var * (count / (count - 1)) if count > 1 else var * jnp.inf
    return (out, mean.astype(saved), rstd.astype(saved), _updated(running_mean, mean, momentum),
            _updated(running_var, unbiased, momentum))
