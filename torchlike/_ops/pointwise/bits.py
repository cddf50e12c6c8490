"""What looks at how numbers are stored: mantissas and exponents, and a hash of bit patterns."""

import jax.numpy as jnp
from jax import lax

from torchlike._base.errors import wrap_dim
from torchlike._ops.rules import is_complex, is_float, like, scalar_name, wide
from torchlike._ops.table import op


def _frexp_gradient(g0, result1):
    return None if g0 is None else g0 / jnp.exp2(result1.astype(wide(g0).dtype))


@op("frexp.Tensor(Tensor self) -> (Tensor mantissa, Tensor exponent)", layout="pointwise", node="FrexpBackward0",
    grads={"self": _frexp_gradient})
def frexp(x):
    """(mantissa in [0.5, 1), int32 exponent) with x = mantissa * 2 ** exponent; RuntimeError unless floating-point.

    Subnormal numbers count as zero, as everywhere here.
    https://pytorch.org/docs/stable/generated/torch.frexp.html"""
    if not is_float(x):
        raise RuntimeError("torch.frexp() only supports floating-point dtypes")
    mantissa, exponent = jnp.frexp(wide(x))
    finite = jnp.isfinite(x)
    return like(jnp.where(finite, mantissa, wide(x)), x), jnp.where(finite, exponent, 0).astype(jnp.int32)


def _words(x):
    """Each element as 64 bits: floating-point numbers as float64, integers with their sign carried on."""
    if is_float(x):
        return lax.bitcast_convert_type(x.astype(jnp.float64), jnp.uint64)
    return x.astype(jnp.int64).astype(jnp.uint64)


@op("hash_tensor(Tensor self, int[1] dim=[], *, bool keepdim=False, int mode=0) -> Tensor")
def hash_tensor(x, *, dim, keepdim, mode):
    """The exclusive or of all elements along `dim` (all dimensions if there is none), as uint64.

    RuntimeError for another `mode` than 0, NotImplementedError for complex numbers, IndexError for an empty dimension.
    https://pytorch.org/docs/stable/generated/torch.hash_tensor.html"""
    if mode != 0:
        raise RuntimeError(f"Unknown hash_tensor mode: {mode}")
    given = (dim,) if isinstance(dim, int) else tuple(dim or ())
    dims = sorted({wrap_dim(d, x.ndim) for d in given})
    if len(dims) != len(given):
        twice = next(d for d in dims if [wrap_dim(e, x.ndim) for e in given].count(d) > 1)
        raise RuntimeError(f"dim {twice} appears multiple times in the list of dims")
    _check_sizes(x, dims)
    dims = tuple(dims or range(x.ndim)) if x.ndim else ()
    if is_complex(x):
        if x.size:
            raise NotImplementedError(f"\"xor_sum_cpu\" not implemented for '{scalar_name(x)}'")
        x = x.real
    total = lax.reduce(_words(x), jnp.uint64(0), lax.bitwise_xor, dims)
    return jnp.expand_dims(total, dims) if keepdim else total


def _check_sizes(x, dims):
    if x.size:
        return
    if not dims:
        raise RuntimeError("hash_tensor: Expected reduction dim to be specified for input.numel() == 0. Specify the "
                           "reduction dim with the 'dim' argument.")
    for d in dims:
        if x.ndim and not x.shape[d]:
            raise IndexError(f"hash_tensor: Expected reduction dim {d} to have non-zero size.")
