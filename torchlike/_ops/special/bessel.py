"""Rows of Bessel and Airy functions, and erfcx. https://pytorch.org/docs/stable/special.html

They are computed in float64, see `numerics/bessel.py`.
"""

import math

import jax.numpy as jnp
from jax.scipy import special as jsp

from torchlike._ops.numerics import bessel
from torchlike._ops.rules import ELEMENTWISE, no_half
from torchlike._ops.table import op


def _in_float64(function):
    """A kernel that computes in float64 and gives what it was given."""
    def kernel(x):
        return function(x.astype(jnp.float64)).astype(x.dtype)

    return kernel


def _rule(name, kernel, doc, argument="x", **options):
    op(f"special_{name}(Tensor {argument}) -> Tensor", _in_float64(kernel), promote=no_half(f"{name}_cpu"), doc=doc,
       **{**ELEMENTWISE, "inplace": False, "method": False, **options})


_FIRST, _SECOND = "The Bessel function of the first kind, of order", "The Bessel function of the second kind, of order"
_MODIFIED = "modified Bessel function of the {} kind, of order"
for _n in (0, 1):
    _rule(f"bessel_j{_n}", lambda x, n=_n: bessel.j(x, n), f"{_FIRST} {_n}.", "self")
    _rule(f"bessel_y{_n}", lambda x, n=_n: bessel.y(x, n), f"{_SECOND} {_n}.", "self")
    _rule(f"modified_bessel_i{_n}", (jsp.i0, jsp.i1)[_n], f"The {_MODIFIED.format('first')} {_n}.", "self")
    _rule(f"modified_bessel_k{_n}", lambda x, n=_n: bessel.k(x, n, False), f"The {_MODIFIED.format('second')} {_n}.",
          "self")
    _rule(f"scaled_modified_bessel_k{_n}", lambda x, n=_n: bessel.k(x, n, True),
          f"exp(x) times the {_MODIFIED.format('second')} {_n}.")
_rule("spherical_bessel_j0", bessel.spherical, "The spherical Bessel function of the first kind, of order 0: sin(x) / x.")
_rule("airy_ai", bessel.airy, "The Airy function Ai.")
_rule("erfcx", bessel.erfcx, "exp(x**2) erfc(x).", "self",
      grads={"self": lambda g, self, result: (2 * self * result - 2 / math.sqrt(math.pi)) * g})
