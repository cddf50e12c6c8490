"""Activations and softmax.

https://pytorch.org/docs/stable/nn.functional.html#non-linear-activation-functions. Half precision is
computed in float32 throughout, as PyTorch's kernels do. Gradients that are functions although the
input is saved follow PyTorch at the kinks; the others are `jax.vjp` of the row.
"""

import math

import jax
import jax.numpy as jnp
import numpy as np

from torchlike._base import dtypes as dt
from torchlike._base.errors import wrap_dim
from torchlike._ops.number_ranges import as_computed, as_result
from torchlike._ops.numerics import complexes, lean
from torchlike._ops.numerics.lean import Lean
from torchlike._ops.rules import ELEMENTWISE, is_complex, is_integral, like, refuse, wide
from torchlike._ops.table import Write, op

_KEEPS = {"promote": "first", **ELEMENTWISE}
_NOT_FLOAT = (dt.BOOL, dt.INT, dt.COMPLEX)

# -- pieces of straight lines


@op("relu(Tensor self) -> Tensor", grads={"self": lambda g, result: lean.where(Lean(result) <= 0, 0, g)},
    inplace_functions=("relu_",), out=False, grad_is_operator=True, **ELEMENTWISE)
def _relu(x):
    """max(x, 0), NaN kept."""
    if x.dtype == jnp.bool_:
        raise RuntimeError("Boolean inputs not supported for relu")
    if is_complex(x):
        raise NotImplementedError("clamp is not supported for complex types")
    return lean.where(Lean(x) < 0, 0, x)


def _leaky(x, slope):
    return jnp.where(x > 0, x, x * slope)


@op("leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor",
    grads={"self": lambda g, self, negative_slope: jnp.where(self > 0, g, g * negative_slope)},
    function=False, method=False, grad_is_operator=True, write=Write(node="LeakyReluBackward1"),
    fits={"negative_slope": as_computed}, doc="x where it is positive, else `negative_slope` x.", **_KEEPS)
def _leaky_relu(x, *, negative_slope):
    refuse(x, "leaky_relu_cpu", _NOT_FLOAT)
    return _leaky(x, negative_slope)


@op("hardtanh(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor", static=("min_val", "max_val"),
    grads={"self": lambda g, self, min_val, max_val: jnp.where((self <= min_val) | (self >= max_val), 0, g)},
    function=False, method=False, grad_is_operator=True,
    doc="x, but not below `min_val` and not above `max_val`.", **_KEEPS)
def _hardtanh(x, *, min_val, max_val):
    if x.dtype == jnp.bool_:
        raise RuntimeError("Bool inputs not supported for hardtanh")
    if is_complex(x):
        raise NotImplementedError("clamp is not supported for complex types")
    if is_integral(x):
        for limit in (min_val, max_val):
            as_result(dt.int64).check(limit)
        min_val, max_val = int(min_val), int(max_val)
        if jnp.issubdtype(x.dtype, jnp.unsignedinteger) and (min_val < 0 or max_val < 0):
            raise RuntimeError("cannot do hardtanh on an unsigned type with negative limits")
    for limit in (min_val, max_val):
        as_result(dt.from_np(x.dtype)).check(limit)
    low, high = jnp.asarray(min_val, x.dtype), jnp.asarray(max_val, x.dtype)
    return jnp.minimum(high, jnp.maximum(low, x))  # -0.0 stays at a bound of 0


def _hardswish_gradient(g, self):
    x = wide(self)
    return like(jnp.where(x <= -3, 0, jnp.where(x < 3, wide(g) * (x / 3 + 0.5), wide(g))), g)


@op("hardswish(Tensor self) -> Tensor", grads={"self": _hardswish_gradient}, function=False, method=False,
    doc="x min(max(x + 3, 0), 6) / 6.", **_KEEPS)
def _hardswish(x):
    refuse(x, "hardswish_cpu", _NOT_FLOAT)
    return x * jnp.clip(x + 3, 0, 6) / 6


_SIXTH = float(np.float32(1 / 6))  # PyTorch keeps this factor in float32, also for float64


@op("hardsigmoid(Tensor self) -> Tensor", function=False, method=False,
    grads={"self": lambda g, self: jnp.where((self > -3) & (self < 3), g * _SIXTH, 0)}, grad_is_operator=True,
    doc="min(max(x + 3, 0), 6) / 6.", **_KEEPS)
def _hardsigmoid(x):
    refuse(x, "hardsigmoid_cpu", _NOT_FLOAT)
    return jnp.clip(x + 3, 0, 6) / 6


def _within(x, width):
    return (x >= -width) & (x <= width)


@op("hardshrink(Tensor self, Scalar lambd=0.5) -> Tensor", promote="first", layout="pointwise",
    grads={"self": lambda g, self, lambd: jnp.where(_within(self, lambd), 0, g)}, grad_is_operator=True,
    fits={"lambd": as_result}, doc="x where its absolute value is greater than `lambd`, else 0.")
def _hardshrink(x, *, lambd):
    refuse(x, "hardshrink_cpu", _NOT_FLOAT)
    return jnp.where(_within(x, lambd), 0, x)


@op("softshrink(Tensor self, Scalar lambd=0.5) -> Tensor", promote="first", layout="pointwise",
    grads={"self": lambda g, self, lambd: jnp.where(_within(self, lambd), 0, g)}, static=("lambd",),
    function=False, method=False, grad_is_operator=True,
    doc="x moved by `lambd` towards 0, and 0 where it is nearer than that.")
def _softshrink(x, *, lambd):
    refuse(x, "softshrink_check", _NOT_FLOAT)
    if not lambd >= 0:  # nan neither
        limits = {"float32": ("3.40282e+38", "Float"), "float64": ("1.79769e+308", "Double")}
        largest, name = limits[x.dtype.name]
        raise RuntimeError(f"lambda must be in range [0, {largest}] for input dtype {name}, but found "
                           f"{lambd:g}")
    moved = jnp.where(x > lambd, x - lambd, x + lambd)
    return jnp.where(_within(x, lambd), x * 0, moved)


@op("threshold(Tensor self, Scalar threshold, Scalar value) -> Tensor", method=False,
    grads={"self": lambda g, self, threshold: jnp.where(self <= threshold, 0, g)},
    inplace_functions=("threshold_",), grad_is_operator=True, write=Write(node="ThresholdBackward1"),
    fits={"threshold": as_computed, "value": as_result},
    doc="x where it is greater than `threshold`, else `value`.", **_KEEPS)
def _threshold(x, *, threshold, value):
    refuse(x, "threshold_cpu", (dt.BOOL, dt.COMPLEX))
    if jnp.issubdtype(x.dtype, jnp.integer):
        threshold = threshold.astype(x.dtype)
    return jnp.where(x <= threshold, value.astype(x.dtype), x)


# -- exponentials

def _elu_value(x, alpha, scale, input_scale):
    negative = jnp.where(x < 0, x, 0)
    return jnp.where(x < 0, jnp.expm1(negative * input_scale) * (alpha * scale), x * scale)


def _elu_slope(g, x, alpha, scale, input_scale):
    w = wide(x)
    negative = jnp.where(w < 0, w, 0)
    slope = input_scale * (alpha * scale) * jnp.exp(negative * input_scale)
    return like(jnp.where(w <= 0, wide(g) * slope, wide(g) * scale), g)


def _elu_gradient(g, self, alpha, scale, input_scale):
    return _elu_slope(g, self, alpha, scale, input_scale)


@op("elu(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor",
    grads={"self": _elu_gradient}, function=False, method=False, write=Write(node="EluBackward1"),
    fits=dict.fromkeys(("alpha", "scale", "input_scale"), as_computed),
    doc="`scale` x where it is positive, else `scale` alpha (exp(`input_scale` x) - 1).", **_KEEPS)
def _elu(x, *, alpha, scale, input_scale):
    refuse(x, "elu_cpu", _NOT_FLOAT)
    return _elu_value(x, alpha, scale, input_scale)


@op("celu(Tensor self, Scalar alpha=1.0) -> Tensor", method=False, out=False, static=("alpha",),
    grads={"self": lambda g, self, alpha: _elu_slope(g, self, alpha, 1, 1 / float(np.float32(alpha)))},
    inplace_functions=("celu_",), write=Write(node="CeluBackward1"),
    doc="max(0, x) + min(0, alpha (exp(x / alpha) - 1)).", **_KEEPS)
def _celu(x, *, alpha):
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    refuse(x, "elu_cpu", _NOT_FLOAT)
    return _elu_value(x, alpha, 1, 1 / alpha)


def _gelu_gradient(g, self, approximate):
    """Of -x erf is computed anew. The same erf as in the forward pass XLA would keep until the backward pass, which is a
    fifth of what a transformer's step needs in memory; reading it again takes as long as this."""
    x = Lean(wide(self))
    if approximate == "none":
        normal = 0.5 * (1 - lean.erf(x * -math.sqrt(0.5)))
        slope = lean.exp(x * x * -0.5) * (1 / math.sqrt(2 * math.pi))
        return like(wide(g) * (normal + x * slope), g)
    inner = lean.tanh(-math.sqrt(2 / math.pi) * (x + 0.044715 * (x * x * x)))
    slope = (1 - inner * inner) * (math.sqrt(2 / math.pi) * (1 + 3 * 0.044715 * (x * x)))
    return like(wide(g) * (0.5 * (1 - inner) + 0.5 * x * slope), g)


@op("gelu(Tensor self, *, str approximate='none') -> Tensor", grads={"self": _gelu_gradient}, promote="first",
    layout="pointwise", function=False, method=False,
    doc="x times the normal distribution function at x, or its approximation by tanh.")
def _gelu(x, *, approximate):
    """By erf, never by erfc: that is 35 times slower on CPU."""
    refuse(x, "GeluKernelImpl", _NOT_FLOAT)
    x = Lean(x)
    if approximate == "none":
        return 0.5 * x * (1 + lean.erf(x * math.sqrt(0.5)))
    if approximate != "tanh":
        raise RuntimeError("approximate argument must be either none or tanh.")
    inner = math.sqrt(2 / math.pi) * (x + 0.044715 * (x * x * x))
    return 0.5 * x * (1 + lean.tanh(inner))


@op("silu(Tensor self) -> Tensor", grads={"self": "self"}, function=False, method=False,
    doc="x times its sigmoid.", **_KEEPS)
def _silu(x):
    refuse(x, "silu_cpu", (dt.BOOL, dt.INT))
    if is_complex(x):
        return complexes.divided(x, 1 + complexes.exp(-x))
    return Lean(x) * lean.logistic(x)


@op("mish(Tensor self) -> Tensor", grads={"self": "self"}, function=False, method=False,
    doc="x tanh(softplus(x)).", **_KEEPS)
def _mish(x):
    refuse(x, "mish_cpu", _NOT_FLOAT)
    return x * jnp.tanh(jax.nn.softplus(x))


def _softplus_gradient(g, self, beta, threshold):
    x = wide(self) * beta
    return like(jnp.where(x > threshold, wide(g), wide(g) * jax.nn.sigmoid(x)), g)


@op("softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor", promote="first",
    layout="pointwise", grads={"self": _softplus_gradient}, function=False, method=False, autocast={"cuda": "fp32"},
    fits={"beta": as_computed, "threshold": as_computed},
    doc="log(1 + exp(`beta` x)) / `beta`, and x where `beta` x is above `threshold`.")
def _softplus(x, *, beta, threshold):
    refuse(x, "softplus_cpu", _NOT_FLOAT)
    linear = x * beta > threshold
    return jnp.where(linear, x, jnp.log1p(jnp.exp(jnp.where(linear, 0, x * beta))) / beta)


@op("log_sigmoid(Tensor self) -> Tensor", promote="first", layout="pointwise", function=False, method=False,
    grads={"self": lambda g, self: like(wide(g) * jax.nn.sigmoid(-wide(self)), g)}, doc="The logarithm of the sigmoid.")
def _log_sigmoid(x):
    refuse(x, "log_sigmoid_cpu", _NOT_FLOAT)
    return jnp.minimum(x, 0) - jnp.log1p(jnp.exp(-jnp.abs(x)))


# -- with weights, noise or a gate

@op("_prelu_kernel(Tensor self, Tensor weight) -> Tensor", promote="default", layout="pointwise",
    grads={"self": lambda g, self, weight: jnp.where(self > 0, g, weight * g),
           "weight": lambda g, self: jnp.where(self >= 0, 0, self * g)}, method=False, function=False,
    grad_is_operator=True)
def _prelu_kernel(x, weight):
    refuse(x, "prelu_cpu", _NOT_FLOAT)
    return _leaky(x, weight)


def _rrelu_gradient(g, self, noise, lower, upper, training):
    slope = (lower + upper) / 2
    if training and upper - lower > 1e-6:
        return g * noise
    return jnp.where(self > 0, g, g * slope)


@op("rrelu_with_noise(Tensor self, Tensor? noise, Scalar lower=0.125, Scalar upper=0.3333333333333333, "
    "bool training=False) -> Tensor", promote="first", layout="pointwise", static=("lower", "upper"),
    grads={"self": _rrelu_gradient}, method=False, function=False, inplace=True,
    grad_is_operator=True, write=Write(node="RreluWithNoiseBackward1"),
    doc="x where it is positive, else x times a slope that is drawn between `lower` and `upper` in training.")
def _rrelu_with_noise(x, noise, *, lower, upper, training):
    """`noise` holds the slope of every element (1 where x > 0) when `training`."""
    if not training:
        refuse(x, "leaky_relu_cpu", _NOT_FLOAT)
        return _leaky(x, (lower + upper) / 2)
    return x * noise


@op("glu(Tensor self, int dim=-1) -> Tensor", grads={"self": "self"}, promote="first", function=False,
    method=False, layout="channels", gradient="contiguous",
    doc="The first half along `dim` times the sigmoid of the second.")
def _glu(x, *, dim):
    if x.ndim == 0:
        raise RuntimeError("glu does not support 0-dimensional tensors")
    axis = wrap_dim(dim, x.ndim)
    if x.shape[axis] % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {axis} is size {x.shape[axis]}")
    refuse(x, "glu_cpu", _NOT_FLOAT)
    value, gate = jnp.split(x, 2, axis)
    return value * jax.nn.sigmoid(gate)


# -- softmax

def _softmax_checked(name, fn):
    """PyTorch has two kernels, by whether the dimension is the last; their names are in the error."""
    def softmax(x, *, dim, half_to_float):
        axis = wrap_dim(dim, x.ndim)
        if x.size == 0:
            return x
        kernel = f"{name}_lastdim_kernel_impl" if axis == max(x.ndim - 1, 0) else f"{name}_kernel_impl"
        refuse(x, kernel, _NOT_FLOAT)
        return like(fn(wide(x), axis), x) if x.ndim else like(fn(wide(x)[None], 0)[0], x)

    return softmax


def _shifted(x, axis):
    """x with its largest value at 0."""
    x = Lean(x)
    return x - jax.lax.stop_gradient(x.max(axis, keepdims=True).array)


def _softmax_value(x, axis):
    e = lean.exp(_shifted(x, axis))
    return (e / e.sum(axis, keepdims=True)).array


def _log_softmax_value(x, axis):
    shifted = _shifted(x, axis)
    return (shifted - lean.log(lean.exp(shifted).sum(axis, keepdims=True))).array


def _total(x, dim):
    return x.sum(wrap_dim(dim, x.ndim), keepdims=True) if x.ndim else x


def _softmax_gradient(g, result, dim):
    g, y = Lean(wide(g)), Lean(wide(result))
    return y * (g - _total(g * y, dim))


def _log_softmax_gradient(g, result, dim):
    g, y = Lean(wide(g)), Lean(wide(result))
    return g - lean.exp(y) * _total(g, dim)


op("_softmax(Tensor self, int dim, bool half_to_float=False) -> Tensor",
   _softmax_checked("softmax", _softmax_value), grads={"self": _softmax_gradient}, method=False,
   function=False)
op("_log_softmax(Tensor self, int dim, bool half_to_float=False) -> Tensor",
   _softmax_checked("log_softmax", _log_softmax_value), grads={"self": _log_softmax_gradient},
   method=False, function=False)
