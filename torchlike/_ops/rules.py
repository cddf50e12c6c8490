"""What the row files share: half precision, PyTorch's `sgn`, and gradients that do not exist."""

import jax.numpy as jnp
from jax import lax

from torchlike._base import dtypes as dt
from torchlike._ops import promotion

HALVES = (jnp.float16, jnp.bfloat16)
ELEMENTWISE = {"layout": "pointwise", "inplace": True}
DIFFERENCE_OF_BOOLS = ("Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
                       "`logical_xor()` operator instead.")


def wide(x):
    """A half-precision array as float32, the dtype in which PyTorch's kernels compute."""
    return x.astype(jnp.float32) if x.dtype in HALVES else x


def like(result, x):
    """`result` rounded back to the dtype that `x` came with, where that is half precision."""
    return result.astype(x.dtype) if x.dtype in HALVES else result


def rounded(x, dtype):
    """A real `x` with the precision of `dtype`, kept as it is; no rule of XLA's simplifier looks through it."""
    kind = jnp.finfo(dtype)
    return lax.reduce_precision(x, kind.nexp, kind.nmant)


def settled(x):
    """`x` as it is; XLA does not combine what made it with what is made of it: a sum with a division, so that a sum that
    overflows stays infinite."""
    if is_complex(x):
        return lax.complex(rounded(x.real, x.real.dtype), rounded(x.imag, x.real.dtype))
    return rounded(x, x.dtype) if is_float(x) else x


def doubled(x):
    """`x` in the dtype that PyTorch keeps running and squared sums in: of 64 bits, but float32 for half precision."""
    return wide(x) if is_half(x) else x.astype(jnp.promote_types(x.dtype, jnp.float64)) if not is_integral(x) else x


def is_complex(x) -> bool:
    """Whether `x`, an array or an aval, is complex."""
    return jnp.issubdtype(x.dtype, jnp.complexfloating)


def is_float(x) -> bool:
    """Whether `x` is real floating."""
    return jnp.issubdtype(x.dtype, jnp.floating)


def is_integral(x) -> bool:
    """Whether `x` is an integer or bool."""
    return not jnp.issubdtype(x.dtype, jnp.inexact)


def scalar_name(x) -> str:
    """PyTorch's word for the dtype of `x` in error texts ("Long")."""
    return dt.from_np(x.dtype).scalar_name


def cpp_name(x) -> str:
    """The dtype of `x` as C++ prints it ("long int")."""
    return dt.from_np(x.dtype).cpp_name


def is_half(x) -> bool:
    """Whether `x` is float16 or bfloat16."""
    return x.dtype in (jnp.float16, jnp.bfloat16)


def refuse(x, kernel: str, categories: tuple) -> None:
    """NotImplementedError if the dtype of `x` is of one of `categories` (dtypes.BOOL, INT, ...)."""
    if dt.from_np(x.dtype).category in categories:
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{scalar_name(x)}'")


def guarded(base: str, name: str, guard) -> str:
    """The promotion rule `base` after `guard`, which sees the operands before they are cast."""
    rule = promotion.RULES[base]

    def check(operands):
        guard(operands)
        return rule(operands)

    promotion.RULES[f"{base}, {name}"] = check
    return f"{base}, {name}"


def promote_except(base: str, kernel: str, refused) -> str:
    """The promotion rule `base`; `kernel` is not implemented for common dtypes with ``refused(dtype)``."""
    def guard(operands):
        common = promotion.result_type(operands)
        if refused(common):
            raise NotImplementedError(f"\"{kernel}\" not implemented for '{common.scalar_name}'")

    return guarded(base, kernel, guard)


def no_half(kernel: str) -> str:
    """The promotion rule "float" of a kernel that PyTorch has for float32 and float64 only."""
    return promote_except("float", kernel, lambda common: common in (dt.float16, dt.bfloat16) or common.is_complex)


def promote_whole(kernel: str, *categories) -> str:
    """The common dtype, which `kernel` refuses if it is of one of `categories`."""
    return promote_except("default", kernel, lambda common: common.category in categories)


def sgn(x):
    """x / |x|, and 0 at 0 and NaN, as PyTorch has it; its derivative is finite everywhere."""
    if x.dtype == jnp.bool_:
        return x
    if not is_complex(x):
        return (x > 0).astype(x.dtype) - (x < 0).astype(x.dtype)
    zero = x == 0
    safe = jnp.where(zero, 1, x)
    size = jnp.where(jnp.isinf(safe.real) | jnp.isinf(safe.imag), jnp.inf, jnp.abs(safe))  # also beside nan
    return jnp.where(zero, 0, lax.complex(safe.real / size, safe.imag / size))


def zeros(g):
    """The gradient of steps (floor, sign): defined, and zero."""
    return jnp.zeros_like(g)


def not_implemented(name: str):
    """A rule for what PyTorch records but cannot differentiate; the Node is called NotImplemented."""

    def rule(g):
        raise RuntimeError(f"derivative for aten::{name} is not implemented")

    return rule


def no_formula(name: str):
    """A rule for a gradient that PyTorch names and does not have."""

    def rule(g):
        raise NotImplementedError(f"the derivative for '{name}' is not implemented.")

    return rule
