"""Tensors from nothing: constant and evenly spaced values; and complex numbers from their parts.

Rows without operands are recorded like any other, so they are part of the compiled program.
https://pytorch.org/docs/stable/torch.html#creation-ops
"""

import jax.numpy as jnp
from jax import lax

from torchlike._base import dtypes as dt
from torchlike._base.errors import UnsupportedError
from torchlike._ops.number_ranges import as_result
from torchlike._ops.promotion import cast, scalar_dtype
from torchlike._ops.rules import is_float, scalar_name, sgn
from torchlike._ops.table import op

_CONSTANT = {"method": False, "function": False}


@op("_full(int[] size, Scalar fill_value, *, ScalarType dtype, Device device) -> Tensor",
    dispatch="full.default", **_CONSTANT)
def _full(*, size, fill_value, dtype, device):
    return jnp.broadcast_to(cast(fill_value, dtype), size)


@op("_full_like(Tensor self, Scalar fill_value, *, ScalarType dtype) -> Tensor", layout="preserve",
    dispatch="full_like.default", **_CONSTANT)
def _full_like(x, *, fill_value, dtype):
    """The operand lends its shape and strides only."""
    return jnp.broadcast_to(cast(fill_value, dtype), x.shape)


@op("_arange(int count, Scalar start, Scalar step, *, ScalarType dtype, Device device) -> Tensor",
    dispatch="arange.default", **_CONSTANT)
def _arange(*, count, start, step, dtype, device):
    kind = jnp.int64 if dtype.category <= dt.INT else jnp.float64
    return (start.astype(kind) + jnp.arange(count, dtype=kind) * step.astype(kind)).astype(dtype.np)


def _spaced(start, end, steps, kind):
    """`steps` points from start to end, counted from the nearer end as PyTorch does."""
    start, end = start.astype(kind), end.astype(kind)
    if steps == 1:
        return jnp.broadcast_to(start, 1)
    number = lax.iota(jnp.int64, steps).astype(kind)
    step = (end - start) / (steps - 1)
    rising, falling = start + step * number, end - step * (steps - 1 - number)
    return jnp.where(number < steps // 2, rising, falling)


def _kind(dtype):
    return jnp.dtype(jnp.float64) if dtype.category <= dt.INT else scalar_dtype(dtype).np


@op("_linspace(int steps, Scalar start, Scalar end, *, ScalarType dtype, Device device) -> Tensor",
    dispatch="linspace.default", fits={"start": as_result, "end": as_result}, **_CONSTANT)
def _linspace(*, steps, start, end, dtype, device):
    start, end = (cast(x, dtype) for x in (start, end))
    return cast(_spaced(start, end, steps, _kind(dtype)), dtype)


@op("_logspace(int steps, Scalar start, Scalar end, Scalar base, *, ScalarType dtype, Device device) -> "
    "Tensor",
    dispatch="logspace.default", **_CONSTANT)
def _logspace(*, steps, start, end, base, dtype, device):
    exponents = _spaced(start, end, steps, _kind(dtype))
    wide = jnp.complex128 if dtype.is_complex else jnp.float64
    return cast(jnp.power(base.astype(wide), exponents.astype(wide)), dtype)


# -- complex numbers

def _check_parts(a, b):
    if not (is_float(a) and is_float(b)) or jnp.bfloat16 in (a.dtype, b.dtype):
        raise RuntimeError("Expected both inputs to be Half, Float or Double tensors but got "
                           f"{scalar_name(a)} and {scalar_name(b)}")
    if a.dtype != b.dtype:
        raise RuntimeError(f"Expected object of scalar type {scalar_name(a)} but got scalar type "
                           f"{scalar_name(b)} for second argument")
    if a.dtype == jnp.float16:
        raise UnsupportedError("complex32: JAX has no complex numbers of half precision")


@op("complex(Tensor real, Tensor imag) -> Tensor", layout="pointwise", method=False,
    grads={"real": lambda g, real: g.real, "imag": lambda g, imag: g.imag},
    doc="Complex numbers from their real and imaginary parts.", by_hand="function")
def _complex(real, imag):
    _check_parts(real, imag)
    return lax.complex(*jnp.broadcast_arrays(real, imag))


def _turned(g, result):
    """PyTorch's polar_backward: the unit number is `sgn` of the result, so it is 0 where abs is 0."""
    return (jnp.conj(g) * sgn(result)).real


@op("polar(Tensor abs, Tensor angle) -> Tensor", layout="pointwise", method=False,
    grads={"abs": _turned, "angle": lambda g, result: (jnp.conj(g) * result * 1j).real}, autocast={"cpu": "fp32"},
    doc="Complex numbers from their absolute values and angles.", by_hand="function")
def _polar(abs, angle):
    _check_parts(abs, angle)
    return lax.complex(abs * jnp.cos(angle), abs * jnp.sin(angle))
