"""torch.special: each row as a function, with the row's own signature.

Written by ``python -m compat.api`` from the operator table: do not edit.
"""

from __future__ import annotations

from torchlike._api.types import Number
from torchlike._ops.all import ROWS
from torchlike._record.bind import binary, unary
from torchlike._record.tensor import Tensor

_record_special_xlog1py = binary(ROWS["special_xlog1py"])
_record_special_xlog1py_self_scalar = binary(ROWS["special_xlog1py.self_scalar"])
_record_special_xlog1py_other_scalar = binary(ROWS["special_xlog1py.other_scalar"])
_record_special_bessel_j0 = unary(ROWS["special_bessel_j0"])
_record_special_bessel_y0 = unary(ROWS["special_bessel_y0"])
_record_special_modified_bessel_i0 = unary(ROWS["special_modified_bessel_i0"])
_record_special_modified_bessel_k0 = unary(ROWS["special_modified_bessel_k0"])
_record_special_scaled_modified_bessel_k0 = unary(ROWS["special_scaled_modified_bessel_k0"])
_record_special_bessel_j1 = unary(ROWS["special_bessel_j1"])
_record_special_bessel_y1 = unary(ROWS["special_bessel_y1"])
_record_special_modified_bessel_i1 = unary(ROWS["special_modified_bessel_i1"])
_record_special_modified_bessel_k1 = unary(ROWS["special_modified_bessel_k1"])
_record_special_scaled_modified_bessel_k1 = unary(ROWS["special_scaled_modified_bessel_k1"])
_record_special_spherical_bessel_j0 = unary(ROWS["special_spherical_bessel_j0"])
_record_special_airy_ai = unary(ROWS["special_airy_ai"])
_record_special_erfcx = unary(ROWS["special_erfcx"])
_record_special_ndtri = unary(ROWS["special_ndtri"])
_record_special_log_ndtr = unary(ROWS["special_log_ndtr"])
_record_special_entr = unary(ROWS["special_entr"])
_record_special_i0e = unary(ROWS["special_i0e"])
_record_special_i1 = unary(ROWS["special_i1"])
_record_special_i1e = unary(ROWS["special_i1e"])
_record_special_chebyshev_polynomial_t = binary(ROWS["special_chebyshev_polynomial_t"])
_record_special_chebyshev_polynomial_u = binary(ROWS["special_chebyshev_polynomial_u"])
_record_special_chebyshev_polynomial_v = binary(ROWS["special_chebyshev_polynomial_v"])
_record_special_chebyshev_polynomial_w = binary(ROWS["special_chebyshev_polynomial_w"])
_record_special_shifted_chebyshev_polynomial_t = binary(ROWS["special_shifted_chebyshev_polynomial_t"])
_record_special_shifted_chebyshev_polynomial_u = binary(ROWS["special_shifted_chebyshev_polynomial_u"])
_record_special_shifted_chebyshev_polynomial_v = binary(ROWS["special_shifted_chebyshev_polynomial_v"])
_record_special_shifted_chebyshev_polynomial_w = binary(ROWS["special_shifted_chebyshev_polynomial_w"])
_record_special_hermite_polynomial_h = binary(ROWS["special_hermite_polynomial_h"])
_record_special_hermite_polynomial_he = binary(ROWS["special_hermite_polynomial_he"])
_record_special_laguerre_polynomial_l = binary(ROWS["special_laguerre_polynomial_l"])
_record_special_legendre_polynomial_p = binary(ROWS["special_legendre_polynomial_p"])
_record_special_zeta = binary(ROWS["special_zeta"])


def special_xlog1py(self: Tensor | Number, other: Tensor | Number) -> Tensor:
    """`self` log(1 + `other`), and 0 where `self` is 0."""
    return _record_special_xlog1py(self, other)


def special_xlog1py_self_scalar(self: Tensor | Number, other: Tensor | Number) -> Tensor:
    """`self` log(1 + `other`), and 0 where `self` is 0."""
    return _record_special_xlog1py_self_scalar(self, other)


def special_xlog1py_other_scalar(self: Tensor | Number, other: Tensor | Number) -> Tensor:
    """`self` log(1 + `other`), and 0 where `self` is 0."""
    return _record_special_xlog1py_other_scalar(self, other)


def special_bessel_j0(self: Tensor) -> Tensor:
    """The Bessel function of the first kind, of order 0."""
    return _record_special_bessel_j0(self)


def special_bessel_y0(self: Tensor) -> Tensor:
    """The Bessel function of the second kind, of order 0."""
    return _record_special_bessel_y0(self)


def special_modified_bessel_i0(self: Tensor) -> Tensor:
    """The modified Bessel function of the first kind, of order 0."""
    return _record_special_modified_bessel_i0(self)


def special_modified_bessel_k0(self: Tensor) -> Tensor:
    """The modified Bessel function of the second kind, of order 0."""
    return _record_special_modified_bessel_k0(self)


def special_scaled_modified_bessel_k0(x: Tensor) -> Tensor:
    """exp(x) times the modified Bessel function of the second kind, of order 0."""
    return _record_special_scaled_modified_bessel_k0(x)


def special_bessel_j1(self: Tensor) -> Tensor:
    """The Bessel function of the first kind, of order 1."""
    return _record_special_bessel_j1(self)


def special_bessel_y1(self: Tensor) -> Tensor:
    """The Bessel function of the second kind, of order 1."""
    return _record_special_bessel_y1(self)


def special_modified_bessel_i1(self: Tensor) -> Tensor:
    """The modified Bessel function of the first kind, of order 1."""
    return _record_special_modified_bessel_i1(self)


def special_modified_bessel_k1(self: Tensor) -> Tensor:
    """The modified Bessel function of the second kind, of order 1."""
    return _record_special_modified_bessel_k1(self)


def special_scaled_modified_bessel_k1(x: Tensor) -> Tensor:
    """exp(x) times the modified Bessel function of the second kind, of order 1."""
    return _record_special_scaled_modified_bessel_k1(x)


def special_spherical_bessel_j0(x: Tensor) -> Tensor:
    """The spherical Bessel function of the first kind, of order 0: sin(x) / x."""
    return _record_special_spherical_bessel_j0(x)


def special_airy_ai(x: Tensor) -> Tensor:
    """The Airy function Ai."""
    return _record_special_airy_ai(x)


def special_erfcx(self: Tensor) -> Tensor:
    """exp(x**2) erfc(x)."""
    return _record_special_erfcx(self)


def special_ndtri(self: Tensor) -> Tensor:
    """The inverse of the normal distribution function."""
    return _record_special_ndtri(self)


def special_log_ndtr(self: Tensor) -> Tensor:
    """The logarithm of the normal distribution function."""
    return _record_special_log_ndtr(self)


def special_entr(self: Tensor) -> Tensor:
    """-x log(x), 0 at 0 and minus infinity below."""
    return _record_special_entr(self)


def special_i0e(self: Tensor) -> Tensor:
    """exp(-|x|) times the modified Bessel function of the first kind, of order 0."""
    return _record_special_i0e(self)


def special_i1(self: Tensor) -> Tensor:
    """The modified Bessel function of the first kind, of order 1."""
    return _record_special_i1(self)


def special_i1e(self: Tensor) -> Tensor:
    """exp(-|x|) times the modified Bessel function of the first kind, of order 1."""
    return _record_special_i1e(self)


def special_chebyshev_polynomial_t(x: Tensor | Number, n: Tensor | Number) -> Tensor:
    """The Chebyshev polynomial T of degree `n`."""
    return _record_special_chebyshev_polynomial_t(x, n)


def special_chebyshev_polynomial_u(x: Tensor | Number, n: Tensor | Number) -> Tensor:
    """The Chebyshev polynomial U of degree `n`."""
    return _record_special_chebyshev_polynomial_u(x, n)


def special_chebyshev_polynomial_v(x: Tensor | Number, n: Tensor | Number) -> Tensor:
    """The Chebyshev polynomial V of degree `n`."""
    return _record_special_chebyshev_polynomial_v(x, n)


def special_chebyshev_polynomial_w(x: Tensor | Number, n: Tensor | Number) -> Tensor:
    """The Chebyshev polynomial W of degree `n`."""
    return _record_special_chebyshev_polynomial_w(x, n)


def special_shifted_chebyshev_polynomial_t(x: Tensor | Number, n: Tensor | Number) -> Tensor:
    """The shifted Chebyshev polynomial T of degree `n`."""
    return _record_special_shifted_chebyshev_polynomial_t(x, n)


def special_shifted_chebyshev_polynomial_u(x: Tensor | Number, n: Tensor | Number) -> Tensor:
    """The shifted Chebyshev polynomial U of degree `n`."""
    return _record_special_shifted_chebyshev_polynomial_u(x, n)


def special_shifted_chebyshev_polynomial_v(x: Tensor | Number, n: Tensor | Number) -> Tensor:
    """The shifted Chebyshev polynomial V of degree `n`."""
    return _record_special_shifted_chebyshev_polynomial_v(x, n)


def special_shifted_chebyshev_polynomial_w(x: Tensor | Number, n: Tensor | Number) -> Tensor:
    """The shifted Chebyshev polynomial W of degree `n`."""
    return _record_special_shifted_chebyshev_polynomial_w(x, n)


def special_hermite_polynomial_h(x: Tensor | Number, n: Tensor | Number) -> Tensor:
    """The Hermite polynomial H of degree `n`."""
    return _record_special_hermite_polynomial_h(x, n)


def special_hermite_polynomial_he(x: Tensor | Number, n: Tensor | Number) -> Tensor:
    """The Hermite polynomial He of degree `n`."""
    return _record_special_hermite_polynomial_he(x, n)


def special_laguerre_polynomial_l(x: Tensor | Number, n: Tensor | Number) -> Tensor:
    """The Laguerre polynomial of degree `n`."""
    return _record_special_laguerre_polynomial_l(x, n)


def special_legendre_polynomial_p(x: Tensor | Number, n: Tensor | Number) -> Tensor:
    """The Legendre polynomial of degree `n`."""
    return _record_special_legendre_polynomial_p(x, n)


def special_zeta(self: Tensor | Number, other: Tensor | Number) -> Tensor:
    """sum over k >= 0 of (k + q) ** -x, with PyTorch's values at the poles."""
    return _record_special_zeta(self, other)


__all__ = [
    "special_xlog1py",
    "special_xlog1py_self_scalar",
    "special_xlog1py_other_scalar",
    "special_bessel_j0",
    "special_bessel_y0",
    "special_modified_bessel_i0",
    "special_modified_bessel_k0",
    "special_scaled_modified_bessel_k0",
    "special_bessel_j1",
    "special_bessel_y1",
    "special_modified_bessel_i1",
    "special_modified_bessel_k1",
    "special_scaled_modified_bessel_k1",
    "special_spherical_bessel_j0",
    "special_airy_ai",
    "special_erfcx",
    "special_ndtri",
    "special_log_ndtr",
    "special_entr",
    "special_i0e",
    "special_i1",
    "special_i1e",
    "special_chebyshev_polynomial_t",
    "special_chebyshev_polynomial_u",
    "special_chebyshev_polynomial_v",
    "special_chebyshev_polynomial_w",
    "special_shifted_chebyshev_polynomial_t",
    "special_shifted_chebyshev_polynomial_u",
    "special_shifted_chebyshev_polynomial_v",
    "special_shifted_chebyshev_polynomial_w",
    "special_hermite_polynomial_h",
    "special_hermite_polynomial_he",
    "special_laguerre_polynomial_l",
    "special_legendre_polynomial_p",
    "special_zeta",
]
