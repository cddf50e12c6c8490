"""Functions of one operand, element by element.

https://pytorch.org/docs/stable/torch.html#pointwise-ops. Gradients are functions of what PyTorch
saves (the result where it can); at poles and branch points they are PyTorch's, not `jax.vjp`'s.
"""

import math

import jax
import jax.numpy as jnp

from torchlike import dtypes as dt
from torchlike._ops.rules import ELEMENTWISE, is_complex, is_float, is_integral, like, refuse, sgn, wide, zeros
from torchlike._ops.table import SAME, op

_FLOAT = {"promote": "float", **ELEMENTWISE}
_CONJ = jnp.conj


def _rule(name, fn, rule, **options):
    op(f"{name}(Tensor self) -> Tensor", fn, grads={"self": rule}, **{**_FLOAT, **options})


# -- exponentials and logarithms

_rule("exp", jnp.exp, lambda g, result: g * _CONJ(result))
_rule("exp2", jnp.exp2, lambda g, result: g * _CONJ(result) * math.log(2))
_rule("expm1", jnp.expm1, lambda g, result: g * (_CONJ(result) + 1))
_rule("log", jnp.log, lambda g, self: g / _CONJ(self))
_rule("log2", jnp.log2, lambda g, self: g / (_CONJ(self) * math.log(2)))
_rule("log10", jnp.log10, lambda g, self: g / (_CONJ(self) * math.log(10)))
_rule("log1p", jnp.log1p, lambda g, self: g / _CONJ(self + 1), node="Log1PBackward0")
_rule("sqrt", jnp.sqrt, lambda g, result: g / (2 * _CONJ(result)))
_rule("rsqrt", lambda x: 1 / jnp.sqrt(x), lambda g, result: -0.5 * g * _CONJ(result * result * result))
_rule("reciprocal", lambda x: 1 / x, lambda g, result: -g * _CONJ(result * result))

# -- trigonometry

_rule("sin", jnp.sin, lambda g, self: g * _CONJ(jnp.cos(self)))
_rule("cos", jnp.cos, lambda g, self: g * _CONJ(-jnp.sin(self)))
_rule("tan", jnp.tan, lambda g, result: g * _CONJ(1 + result * result))
_rule("asin", jnp.arcsin, lambda g, self: g * _CONJ(_rsqrt(1 - self * self)))
_rule("acos", jnp.arccos, lambda g, self: g * _CONJ(-_rsqrt(1 - self * self)))
_rule("atan", jnp.arctan, lambda g, self: g / _CONJ(self * self + 1))
_rule("sinh", jnp.sinh, lambda g, self: g * _CONJ(jnp.cosh(self)))
_rule("cosh", jnp.cosh, lambda g, self: g * _CONJ(jnp.sinh(self)))
_rule("tanh", jnp.tanh, lambda g, result: like(_tanh_gradient(wide(g), wide(result)), g))
_rule("asinh", jnp.arcsinh, lambda g, self: g * _CONJ(_rsqrt(self * self + 1)))
_rule("acosh", jnp.arccosh, lambda g, self: g * _CONJ(_acosh_slope(self)))
_rule("atanh", jnp.arctanh, lambda g, self: g / _CONJ(1 - self * self))


def _tanh_gradient(g, result):
    return g * _CONJ(1 - result * result)


def _rsqrt(x):
    return 1 / jnp.sqrt(x)


def _acosh_slope(x):
    return _rsqrt(x + 1) * _rsqrt(x - 1) if is_complex(x) else _rsqrt(x * x - 1)


# -- sign and modulus

def _neg(x):
    if x.dtype == jnp.bool_:
        raise RuntimeError("Negation, the `-` operator, on a bool tensor is not supported. If you are "
                           "trying to invert a mask, use the `~` or `logical_not()` operator instead.")
    return -x


_rule("neg", _neg, lambda g: -g, promote=None)
def _abs(x):
    refuse(x, "abs_cpu", (dt.BOOL,))
    return jnp.abs(x)


_rule("abs", _abs, lambda g, self: g * sgn(self), promote=None)
