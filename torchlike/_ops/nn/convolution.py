"""Convolution in one, two and three dimensions, plain and transposed: the row behind conv1d ... conv_transpose3d.

https://pytorch.org/docs/stable/generated/torch.nn.functional.conv2d.html. Input (N, C, *), weight
(O, C / groups, *) or, transposed, (C, O / groups, *); the faces add the batch dimension of unbatched
input and turn padding="same" into numbers.

Measured on one CPU core (batch 32, ms; torch / XLA's own gradient / the form chosen below):
input gradient of 1 -> 6 channels 5x5 on 28x28: 1.7 / 2.4 / 0.45, of 6 -> 16 5x5 on 14x14: 0.3 / 1.2 / 0.6;
weight gradient, two cores and batch 8, of 96 -> 24 1x1 on 56x56: 2.3 / 5.8 / 2.2, of 256 -> 1024 1x1 on 14x14: 8.5 / 8 / 30.
A channels-last form is no faster than channels-first (XLA transposes by itself).
"""

import itertools
import math

import jax
import jax.numpy as jnp
from jax import lax

from torchlike._ops.rules import cpp_name, is_half, scalar_name
from torchlike._ops.table import op

# Up to so many input channels the input gradient is a matrix product and shifted sums; from so many places on the weight
# gradient of a 1x1 kernel is a product for each sample (see the measurements above).
_FEW_CHANNELS = 8
_MANY_PLACES = 512
_LETTERS = "DHW"


def _spec(n: int):
    space = _LETTERS[-n:]
    return ("NC" + space, "OI" + space, "NC" + space)


def _plain(x, w, stride, pads, dilation, groups, lhs_dilation=None):
    return lax.conv_general_dilated(
        x, w, stride, pads, lhs_dilation=lhs_dilation, rhs_dilation=dilation,
        dimension_numbers=_spec(x.ndim - 2), feature_group_count=groups)


def _swap_in_out(w, groups):
    """A transposed convolution's weight (C, O/g, *) as an ordinary one's (O, C/g, *), flipped."""
    c, per_group = w.shape[:2]
    w = w.reshape(groups, c // groups, per_group, *w.shape[2:]).swapaxes(1, 2)
    w = w.reshape(groups * per_group, c // groups, *w.shape[3:])
    return jnp.flip(w, range(2, w.ndim))


def _apply(x, w, stride, padding, dilation, transposed, output_padding, groups):
    """The convolution without bias."""
    if not transposed:
        made = _plain(x, w, stride, [(p, p) for p in padding], dilation, groups)
        return made if x.shape[1] else made[:, :0]  # of no channels PyTorch makes none
    reach = [d * (k - 1) for d, k in zip(dilation, w.shape[2:], strict=True)]
    pads = [(r - p, r - p + o) for r, p, o in zip(reach, padding, output_padding, strict=True)]
    return _plain(x, _swap_in_out(w, groups), (1,) * len(stride), pads, dilation, groups, stride)


# --- gradients ----------------------------------------------------------------------------------

def _input_gradient(g, weight, input_aval, stride, padding, dilation, transposed, output_padding, groups):
    shape = tuple(input_aval.shape)
    dtype = _compute_dtype(weight)
    g, w = g.astype(dtype).conj(), weight.astype(dtype)
    plain = not transposed and groups == 1 and g.ndim == 4
    if plain and shape[1] <= _FEW_CHANNELS and math.prod(w.shape[2:]) > 1 and min(shape) > 0:
        return _input_gradient_by_shifts(g, w, shape, stride, padding, dilation).conj()

    def forward(x):
        return _apply(x, w, stride, padding, dilation, transposed, output_padding, groups)

    return jax.linear_transpose(forward, jax.ShapeDtypeStruct(shape, dtype))(g)[0].conj()


def _input_gradient_by_shifts(g, w, shape, stride, padding, dilation):
    """The gradient (N, C, H, W): one matrix product, then each kernel position's part is put in its place.

    XLA's transposed convolution is slow where few channels come out.
    """
    o, c, *kernel = w.shape
    n, _, *out = g.shape
    rows = g.transpose(0, 2, 3, 1).reshape(-1, o)
    parts = (rows @ w.transpose(0, 2, 3, 1).reshape(o, -1)).reshape(n, *out, *kernel, c)
    padded = [s + 2 * p for s, p in zip(shape[2:], padding, strict=True)]
    total = 0
    for at in itertools.product(*map(range, kernel)):
        low = [a * d for a, d in zip(at, dilation, strict=True)]
        high = [size - lo - (s * (m - 1) + 1) for size, lo, s, m in zip(padded, low, stride, out, strict=True)]
        config = [(0, 0, 0), *((lo, hi, s - 1) for lo, hi, s in zip(low, high, stride, strict=True)), (0, 0, 0)]
        total = total + lax.pad(parts[:, :, :, at[0], at[1]], jnp.zeros((), g.dtype), config)
    inside = tuple(slice(p, p + s) for p, s in zip(padding, shape[2:], strict=True))
    return total[(slice(None), *inside)].transpose(0, 3, 1, 2)


def _weight_gradient(g, input, weight_aval, stride, padding, dilation, transposed, output_padding, groups):
    shape = tuple(weight_aval.shape)
    dtype = _compute_dtype(input)
    g, x = g.astype(dtype).conj(), input.astype(dtype)
    pointwise = not transposed and groups == 1 and math.prod(shape[2:]) == 1 and set(padding) == {0}
    if pointwise and math.prod(g.shape[2:]) >= _MANY_PLACES:
        return _pointwise_weight_gradient(g, x, shape, stride).conj()

    def forward(w):
        return _apply(x, w, stride, padding, dilation, transposed, output_padding, groups)

    return jax.linear_transpose(forward, jax.ShapeDtypeStruct(shape, dtype))(g)[0].conj()


def _pointwise_weight_gradient(g, x, shape, stride):
    """The gradient (O, C, 1, ...) of a kernel of one element: a product over space for each sample."""
    n, o, *out = g.shape
    high = [s * (m - 1) + 1 for s, m in zip(stride, out, strict=True)]
    x = lax.slice(x, (0,) * x.ndim, (*x.shape[:2], *high), (1, 1, *stride)).reshape(n, shape[1], -1)
    return lax.dot_general(g.reshape(n, o, -1), x, (((2,), (2,)), ((0,), (0,)))).sum(0).reshape(shape)


def _bias_gradient(g, bias_aval):
    return g.sum((0, *range(2, g.ndim))) if g.shape[1] else jnp.zeros(bias_aval.shape, g.dtype)


# --- checks and the row -------------------------------------------------------------------------

def _compute_dtype(x):
    return jnp.float32 if is_half(x) else x.dtype


def _cpu_type(x) -> str:
    return f"torch.{scalar_name(x)}Tensor"


def _check_types(x, w, b):
    if x.dtype != w.dtype:
        raise RuntimeError(f"Input type ({_cpu_type(x)}) and weight type ({_cpu_type(w)}) should be the same or "
                           "input should be a MKLDNN tensor and weight is a dense tensor")
    if b is not None and b.dtype != x.dtype:
        raise RuntimeError(f"Input type ({cpp_name(x)}) and bias type ({cpp_name(b)}) should be the same")


def _check_kernel(x, dilation, transposed):
    """The dtypes that PyTorch's CPU kernels have: int64 and floating, and for plain ones all integers."""
    n = max(x.ndim - 2, 2)
    if transposed:
        kernel, refused = f"slow_conv_transpose{n}d_out_cpu", x.dtype != jnp.int64
    elif set(dilation) != {1}:
        kernel, refused = "slow_conv_dilated<>", x.dtype != jnp.int64
    else:
        kernel, refused = f"slow_conv{n}d_cpu", not jnp.issubdtype(x.dtype, jnp.integer)
    if refused and not jnp.issubdtype(x.dtype, jnp.floating) and x.size:
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{scalar_name(x)}'")


def _check_numbers(stride, padding, dilation, output_padding, groups):
    if any(p < 0 for p in padding):
        raise RuntimeError("negative padding is not supported")
    if any(p < 0 for p in output_padding):
        raise RuntimeError("negative output_padding is not supported")
    if any(s <= 0 for s in stride):
        raise RuntimeError("non-positive stride is not supported")
    if any(d < 0 for d in dilation):
        raise RuntimeError("dilation should be greater than zero")
    if 0 in dilation:
        raise RuntimeError("non-positive dilation is not supported")
    if groups <= 0:
        raise RuntimeError("non-positive groups is not supported")


def _check_channels(x, w, b, transposed, groups):
    sizes, given = list(w.shape), list(x.shape)
    if w.shape[0] < groups:
        raise RuntimeError(f"Given groups={groups}, expected weight to be at least {groups} at dimension 0, but "
                           f"got weight of size {sizes} instead")
    if w.shape[0] % groups:
        raise RuntimeError(f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but "
                           f"got weight of size [{sizes}] instead")
    want = w.shape[0] if transposed else w.shape[1] * groups
    start = f"Given transposed={int(transposed)}" if transposed else f"Given groups={groups}"
    if x.shape[1] != want:
        raise RuntimeError(f"{start}, weight of size {sizes}, expected input{given} to have {want} channels, but "
                           f"got {x.shape[1]} channels instead")
    out = w.shape[1] * groups if transposed else w.shape[0]
    if b is not None and b.shape != (out,):
        start = f"{start}, weight" if transposed else "Given weight"
        raise RuntimeError(f"{start} of size {sizes}, expected bias to be 1-dimensional with {out} elements, but "
                           f"got bias of size {list(b.shape)} instead")


def _check_sizes(x, w, stride, padding, dilation, transposed, output_padding):
    kernel = w.shape[2:]
    if transposed:
        if any(o >= s and o >= d for o, s, d in zip(output_padding, stride, dilation, strict=True)):
            parts = [f"{word}_{axis}: {v}" for word, values in (
                ("output_padding", output_padding), ("stride", stride), ("dilation", dilation))
                for axis, v in zip(("depth", "height", "width")[-len(values):], values, strict=True)]
            raise RuntimeError("output padding must be smaller than either stride or dilation, but got "
                               + " ".join(parts))
        return
    padded = [s + 2 * p for s, p in zip(x.shape[2:], padding, strict=True)]
    reach = [d * (k - 1) + 1 for d, k in zip(dilation, kernel, strict=True)]
    if any(p < r for p, r in zip(padded, reach, strict=True)):
        words = [" x ".join(map(str, v)) for v in (padded, reach)]
        raise RuntimeError(f"Calculated padded input size per channel: ({words[0]}). Kernel size: ({words[1]}). "
                           "Kernel size can't be greater than actual input size")


def _per_dimension(value, count: int, word: str) -> tuple:
    """A list with one entry for each spatial dimension, or one entry for all."""
    if len(value) not in (1, count):
        raise RuntimeError(f"expected {word} to be a single integer value or a list of {count} values to match the "
                           f"convolution dimensions, but got {word}={list(value)}")
    return tuple(value) * count if len(value) == 1 else tuple(value)


def _gradient(formula, needed):
    """`formula` with the lists filled in; the rule's parameter names say what it saves."""
    def rule(g, saved, aval, stride, padding, dilation, transposed, output_padding, groups):
        lists = (stride, padding, dilation)
        stride, padding, dilation = (v * (g.ndim - 2) if len(v) == 1 else v for v in lists)
        output_padding = output_padding * (g.ndim - 2) if len(output_padding) == 1 else output_padding
        return formula(g, saved, aval, stride, padding, dilation, transposed, output_padding, groups)

    if needed == "weight":
        return lambda g, weight, input_aval, stride, padding, dilation, transposed, output_padding, groups: rule(
            g, weight, input_aval, stride, padding, dilation, transposed, output_padding, groups)
    return lambda g, input, weight_aval, stride, padding, dilation, transposed, output_padding, groups: rule(
        g, input, weight_aval, stride, padding, dilation, transposed, output_padding, groups)


@op("convolution(Tensor input, Tensor weight, Tensor? bias, int[] stride, int[] padding, int[] dilation, "
    "bool transposed, int[] output_padding, int groups) -> Tensor", method=False, out=False,
    grads={"input": _gradient(_input_gradient, "weight"), "weight": _gradient(_weight_gradient, "input"),
           "bias": _bias_gradient}, autocast={"cuda": "lower_precision"}, precision="convolutions", layout="channels of two",
    doc="The convolution of a batch with a set of kernels, plain or transposed, in groups.")
def convolution(x, w, b, *, stride, padding, dilation, transposed, output_padding, groups):
    n = w.ndim - 2
    stride = _per_dimension(stride, n, "stride")
    padding = _per_dimension(padding, n, "padding")
    dilation = _per_dimension(dilation, n, "dilation")
    output_padding = _per_dimension(output_padding, n, "output_padding")
    _check_numbers(stride, padding, dilation, output_padding, groups)
    if x.ndim != w.ndim:
        raise RuntimeError(f"Expected {w.ndim}-dimensional input for {w.ndim}-dimensional weight {list(w.shape)}, but "
                           f"got {x.ndim}-dimensional input of size {list(x.shape)} instead")
    _check_channels(x, w, b, transposed, groups)
    _check_types(x, w, b)
    _check_sizes(x, w, stride, padding, dilation, transposed, output_padding)
    _check_kernel(x, dilation, transposed)
    dtype = _compute_dtype(x)
    y = _apply(x.astype(dtype), w.astype(dtype), stride, padding, dilation, transposed, output_padding, groups)
    if b is not None:
        y = y + b[:y.shape[1]].astype(dtype).reshape(-1, *(1,) * n)
    return y.astype(x.dtype)
