"""torch.special: functions of the torch namespace.

Written by ``python -m compat.api`` from the operator table: do not edit.
"""

from __future__ import annotations

from collections.abc import Sequence

from torchlike._api.arguments import by_axis, integer, ints, numpys
from torchlike._api.out import written
from torchlike._api.types import Number
from torchlike._ops.all import ROWS
from torchlike._record.bind import binary, bind, unary
from torchlike._record.tensor import Tensor

_ROUND_DECIMALS = ROWS["round.decimals"]
_LOGSUMEXP = ROWS["logsumexp"]
_POLYGAMMA = ROWS["polygamma"]
_LOGIT = ROWS["logit"]
_MVLGAMMA = ROWS["mvlgamma"]
_record_xlogy_Scalar_Self = binary(ROWS["xlogy.Scalar_Self"])
_record_xlogy_Scalar_Other = binary(ROWS["xlogy.Scalar_Other"])
_record_xlogy = binary(ROWS["xlogy"])
_record_special_xlog1py_self_scalar = binary(ROWS["special_xlog1py.self_scalar"])
_record_special_xlog1py_other_scalar = binary(ROWS["special_xlog1py.other_scalar"])
_record_special_xlog1py = binary(ROWS["special_xlog1py"])
_record_exp2 = unary(ROWS["exp2"])
_record_expm1 = unary(ROWS["expm1"])
_record_log1p = unary(ROWS["log1p"])
_record_round = unary(ROWS["round"])
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
_record_erf = unary(ROWS["erf"])
_record_erfc = unary(ROWS["erfc"])
_record_erfinv = unary(ROWS["erfinv"])
_record_special_ndtri = unary(ROWS["special_ndtri"])
_record_special_log_ndtr = unary(ROWS["special_log_ndtr"])
_record_lgamma = unary(ROWS["lgamma"])
_record_digamma = unary(ROWS["digamma"])
_record_sigmoid = unary(ROWS["sigmoid"])
_record_sinc = unary(ROWS["sinc"])
_record_special_entr = unary(ROWS["special_entr"])
_record_special_i0e = unary(ROWS["special_i0e"])
_record_i0 = unary(ROWS["i0"])
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
_record_igamma = binary(ROWS["igamma"])
_record_igammac = binary(ROWS["igammac"])


def special_xlogy(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Another name of `torch.xlogy`: `self` log(`other`), and 0 where `self` is 0."""
    if out is not None:
        return written(out, "xlogy", (input, other), special_xlogy, input, other)
    if not isinstance(input, Tensor):
        return _record_xlogy_Scalar_Self(input, other)
    if not isinstance(other, Tensor):
        return _record_xlogy_Scalar_Other(input, other)
    return _record_xlogy(input, other)


def special_xlog1py(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """`self` log(1 + `other`), and 0 where `self` is 0.

    Args:
        input: Tensor of any shape.
        other: the second operand, of a shape that broadcasts with the first.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to; integers become the default dtype.

    https://pytorch.org/docs/stable/special.html
    """
    if out is not None:
        return written(out, "special_xlog1py", (input, other), special_xlog1py, input, other)
    if not isinstance(input, Tensor):
        return _record_special_xlog1py_self_scalar(input, other)
    if not isinstance(other, Tensor):
        return _record_special_xlog1py_other_scalar(input, other)
    return _record_special_xlog1py(input, other)


def special_exp2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Another name of `torch.exp2`: 2 to the power of each element."""
    if out is not None:
        return written(out, "exp2", (input,), special_exp2, input)
    return _record_exp2(input)


def special_expm1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Another name of `torch.expm1`: exp(x) - 1, exact also near 0."""
    if out is not None:
        return written(out, "expm1", (input,), special_expm1, input)
    return _record_expm1(input)


def special_log1p(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Another name of `torch.log1p`: log(1 + x), exact also near 0."""
    if out is not None:
        return written(out, "log1p", (input,), special_log1p, input)
    return _record_log1p(input)


def special_round(input: Tensor, *, decimals: int = 0, out: Tensor | None = None) -> Tensor:
    """Another name of `torch.round`: the nearest whole number, the even one at a half."""
    if out is not None:
        return written(out, "round", (input,), special_round, input, decimals=decimals)
    if decimals == 0:
        return _record_round(input)
    return bind(_ROUND_DECIMALS, (input,), (), (integer(decimals),))


def special_logsumexp(input: Tensor, dim: int | Sequence[int] | None = None, keepdim: bool = False, *,
                      axis: int | Sequence[int] | None = None, keepdims: bool | None = None,
                      out: Tensor | None = None) -> Tensor:
    """Another name of `torch.logsumexp`: the logarithm of the sum of exponentials along `dim`, without overflow."""
    if dim is None or axis is not None:
        dim = by_axis("logsumexp", dim, axis)
    if keepdims is not None:
        keepdim = numpys("keepdims", keepdim, keepdims, False)
    if out is not None:
        return written(out, "logsumexp", (), special_logsumexp, input, dim, keepdim)
    return bind(_LOGSUMEXP, (input,), (), (ints(dim), keepdim))


def special_bessel_j0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Bessel function of the first kind, of order 0.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`.

    https://pytorch.org/docs/stable/special.html
    """
    if out is not None:
        return written(out, "special_bessel_j0", (input,), special_bessel_j0, input)
    return _record_special_bessel_j0(input)


def special_bessel_y0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Bessel function of the second kind, of order 0.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`.

    https://pytorch.org/docs/stable/special.html
    """
    if out is not None:
        return written(out, "special_bessel_y0", (input,), special_bessel_y0, input)
    return _record_special_bessel_y0(input)


def special_modified_bessel_i0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the first kind, of order 0.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`.

    https://pytorch.org/docs/stable/special.html
    """
    if out is not None:
        return written(out, "special_modified_bessel_i0", (input,), special_modified_bessel_i0, input)
    return _record_special_modified_bessel_i0(input)


def special_modified_bessel_k0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the second kind, of order 0.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`.

    https://pytorch.org/docs/stable/special.html
    """
    if out is not None:
        return written(out, "special_modified_bessel_k0", (input,), special_modified_bessel_k0, input)
    return _record_special_modified_bessel_k0(input)


def special_scaled_modified_bessel_k0(x: Tensor, *, out: Tensor | None = None) -> Tensor:
    """exp(x) times the modified Bessel function of the second kind, of order 0.

    Args:
        x: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`.

    https://pytorch.org/docs/stable/special.html
    """
    if out is not None:
        return written(out, "special_scaled_modified_bessel_k0", (x,), special_scaled_modified_bessel_k0, x)
    return _record_special_scaled_modified_bessel_k0(x)


def special_bessel_j1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Bessel function of the first kind, of order 1.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`.

    https://pytorch.org/docs/stable/special.html
    """
    if out is not None:
        return written(out, "special_bessel_j1", (input,), special_bessel_j1, input)
    return _record_special_bessel_j1(input)


def special_bessel_y1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Bessel function of the second kind, of order 1.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`.

    https://pytorch.org/docs/stable/special.html
    """
    if out is not None:
        return written(out, "special_bessel_y1", (input,), special_bessel_y1, input)
    return _record_special_bessel_y1(input)


def special_modified_bessel_i1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the first kind, of order 1.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`.

    https://pytorch.org/docs/stable/special.html
    """
    if out is not None:
        return written(out, "special_modified_bessel_i1", (input,), special_modified_bessel_i1, input)
    return _record_special_modified_bessel_i1(input)


def special_modified_bessel_k1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the second kind, of order 1.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`.

    https://pytorch.org/docs/stable/special.html
    """
    if out is not None:
        return written(out, "special_modified_bessel_k1", (input,), special_modified_bessel_k1, input)
    return _record_special_modified_bessel_k1(input)


def special_scaled_modified_bessel_k1(x: Tensor, *, out: Tensor | None = None) -> Tensor:
    """exp(x) times the modified Bessel function of the second kind, of order 1.

    Args:
        x: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`.

    https://pytorch.org/docs/stable/special.html
    """
    if out is not None:
        return written(out, "special_scaled_modified_bessel_k1", (x,), special_scaled_modified_bessel_k1, x)
    return _record_special_scaled_modified_bessel_k1(x)


def special_spherical_bessel_j0(x: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The spherical Bessel function of the first kind, of order 0: sin(x) / x.

    Args:
        x: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`.

    https://pytorch.org/docs/stable/special.html
    """
    if out is not None:
        return written(out, "special_spherical_bessel_j0", (x,), special_spherical_bessel_j0, x)
    return _record_special_spherical_bessel_j0(x)


def special_airy_ai(x: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Airy function Ai.

    Args:
        x: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`.

    https://pytorch.org/docs/stable/special.html
    """
    if out is not None:
        return written(out, "special_airy_ai", (x,), special_airy_ai, x)
    return _record_special_airy_ai(x)


def special_erfcx(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """exp(x**2) erfc(x).

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`.

    https://pytorch.org/docs/stable/special.html
    """
    if out is not None:
        return written(out, "special_erfcx", (input,), special_erfcx, input)
    return _record_special_erfcx(input)


def special_erf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Another name of `torch.erf`: the error function."""
    if out is not None:
        return written(out, "erf", (input,), special_erf, input)
    return _record_erf(input)


def special_erfc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Another name of `torch.erfc`: 1 minus the error function."""
    if out is not None:
        return written(out, "erfc", (input,), special_erfc, input)
    return _record_erfc(input)


def special_erfinv(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Another name of `torch.erfinv`: the inverse of the error function."""
    if out is not None:
        return written(out, "erfinv", (input,), special_erfinv, input)
    return _record_erfinv(input)


def special_ndtri(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of the normal distribution function.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`.

    https://pytorch.org/docs/stable/special.html
    """
    if out is not None:
        return written(out, "special_ndtri", (input,), special_ndtri, input)
    return _record_special_ndtri(input)


def special_log_ndtr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the normal distribution function.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`.

    https://pytorch.org/docs/stable/special.html
    """
    if out is not None:
        return written(out, "special_log_ndtr", (input,), special_log_ndtr, input)
    return _record_special_log_ndtr(input)


def special_gammaln(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Another name of `torch.lgamma`: the logarithm of the gamma function's absolute value."""
    if out is not None:
        return written(out, "lgamma", (input,), special_gammaln, input)
    return _record_lgamma(input)


def special_digamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Another name of `torch.digamma`: the derivative of the logarithm of the gamma function."""
    if out is not None:
        return written(out, "digamma", (input,), special_digamma, input)
    return _record_digamma(input)


def special_psi(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Another name of `torch.digamma`: the derivative of the logarithm of the gamma function."""
    if out is not None:
        return written(out, "digamma", (input,), special_psi, input)
    return _record_digamma(input)


def special_polygamma(n: int, input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Another name of `torch.polygamma`: the `n`-th derivative of `digamma`."""
    if out is not None:
        return written(out, "polygamma", (input,), special_polygamma, n, input)
    return bind(_POLYGAMMA, (input,), (), (integer(n),))


def special_expit(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Another name of `torch.sigmoid`: 1 / (1 + exp(-x))."""
    if out is not None:
        return written(out, "sigmoid", (input,), special_expit, input)
    return _record_sigmoid(input)


def special_logit(input: Tensor, eps: float | None = None, *, out: Tensor | None = None) -> Tensor:
    """Another name of `torch.logit`: log(x / (1 - x)), with x moved to between `eps` and 1 - `eps`."""
    if out is not None:
        return written(out, "logit", (input,), special_logit, input, eps)
    return bind(_LOGIT, (input,), (eps,))


def special_sinc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Another name of `torch.sinc`: sin(pi x) / (pi x), and 1 at 0."""
    if out is not None:
        return written(out, "sinc", (input,), special_sinc, input)
    return _record_sinc(input)


def special_entr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """-x log(x), 0 at 0 and minus infinity below.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`; integers become the default dtype.

    https://pytorch.org/docs/stable/special.html
    """
    if out is not None:
        return written(out, "special_entr", (input,), special_entr, input)
    return _record_special_entr(input)


def special_i0e(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """exp(-|x|) times the modified Bessel function of the first kind, of order 0.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`; integers become the default dtype.

    https://pytorch.org/docs/stable/special.html
    """
    if out is not None:
        return written(out, "special_i0e", (input,), special_i0e, input)
    return _record_special_i0e(input)


def special_i0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Another name of `torch.i0`: the modified Bessel function of the first kind, of order 0."""
    if out is not None:
        return written(out, "i0", (input,), special_i0, input)
    return _record_i0(input)


def special_i1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the first kind, of order 1.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`; integers become the default dtype.

    https://pytorch.org/docs/stable/special.html
    """
    if out is not None:
        return written(out, "special_i1", (input,), special_i1, input)
    return _record_special_i1(input)


def special_i1e(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """exp(-|x|) times the modified Bessel function of the first kind, of order 1.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`; integers become the default dtype.

    https://pytorch.org/docs/stable/special.html
    """
    if out is not None:
        return written(out, "special_i1e", (input,), special_i1e, input)
    return _record_special_i1e(input)


def special_multigammaln(input: Tensor, p: int, *, out: Tensor | None = None) -> Tensor:
    """Another name of `torch.mvlgamma`: the logarithm of the multivariate gamma function of dimension `p`."""
    if out is not None:
        return written(out, "mvlgamma", (input,), special_multigammaln, input, p)
    return bind(_MVLGAMMA, (input,), (), (integer(p),))


def special_chebyshev_polynomial_t(x: Tensor | Number, n: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The Chebyshev polynomial T of degree `n`.

    Args:
        x: Tensor of any shape.
        n: the order, an integer.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to.

    https://pytorch.org/docs/stable/special.html
    """
    if out is not None:
        return written(out, "special_chebyshev_polynomial_t", (x, n), special_chebyshev_polynomial_t, x, n)
    return _record_special_chebyshev_polynomial_t(x, n)


def special_chebyshev_polynomial_u(x: Tensor | Number, n: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The Chebyshev polynomial U of degree `n`.

    Args:
        x: Tensor of any shape.
        n: the order, an integer.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to.

    https://pytorch.org/docs/stable/special.html
    """
    if out is not None:
        return written(out, "special_chebyshev_polynomial_u", (x, n), special_chebyshev_polynomial_u, x, n)
    return _record_special_chebyshev_polynomial_u(x, n)


def special_chebyshev_polynomial_v(x: Tensor | Number, n: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The Chebyshev polynomial V of degree `n`.

    Args:
        x: Tensor of any shape.
        n: the order, an integer.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to.

    https://pytorch.org/docs/stable/special.html
    """
    if out is not None:
        return written(out, "special_chebyshev_polynomial_v", (x, n), special_chebyshev_polynomial_v, x, n)
    return _record_special_chebyshev_polynomial_v(x, n)


def special_chebyshev_polynomial_w(x: Tensor | Number, n: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The Chebyshev polynomial W of degree `n`.

    Args:
        x: Tensor of any shape.
        n: the order, an integer.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to.

    https://pytorch.org/docs/stable/special.html
    """
    if out is not None:
        return written(out, "special_chebyshev_polynomial_w", (x, n), special_chebyshev_polynomial_w, x, n)
    return _record_special_chebyshev_polynomial_w(x, n)


def special_shifted_chebyshev_polynomial_t(x: Tensor | Number, n: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The shifted Chebyshev polynomial T of degree `n`.

    Args:
        x: Tensor of any shape.
        n: the order, an integer.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to.

    https://pytorch.org/docs/stable/special.html
    """
    if out is not None:
        return written(out, "special_shifted_chebyshev_polynomial_t", (x, n), special_shifted_chebyshev_polynomial_t, x, n)
    return _record_special_shifted_chebyshev_polynomial_t(x, n)


def special_shifted_chebyshev_polynomial_u(x: Tensor | Number, n: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The shifted Chebyshev polynomial U of degree `n`.

    Args:
        x: Tensor of any shape.
        n: the order, an integer.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to.

    https://pytorch.org/docs/stable/special.html
    """
    if out is not None:
        return written(out, "special_shifted_chebyshev_polynomial_u", (x, n), special_shifted_chebyshev_polynomial_u, x, n)
    return _record_special_shifted_chebyshev_polynomial_u(x, n)


def special_shifted_chebyshev_polynomial_v(x: Tensor | Number, n: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The shifted Chebyshev polynomial V of degree `n`.

    Args:
        x: Tensor of any shape.
        n: the order, an integer.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to.

    https://pytorch.org/docs/stable/special.html
    """
    if out is not None:
        return written(out, "special_shifted_chebyshev_polynomial_v", (x, n), special_shifted_chebyshev_polynomial_v, x, n)
    return _record_special_shifted_chebyshev_polynomial_v(x, n)


def special_shifted_chebyshev_polynomial_w(x: Tensor | Number, n: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The shifted Chebyshev polynomial W of degree `n`.

    Args:
        x: Tensor of any shape.
        n: the order, an integer.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to.

    https://pytorch.org/docs/stable/special.html
    """
    if out is not None:
        return written(out, "special_shifted_chebyshev_polynomial_w", (x, n), special_shifted_chebyshev_polynomial_w, x, n)
    return _record_special_shifted_chebyshev_polynomial_w(x, n)


def special_hermite_polynomial_h(x: Tensor | Number, n: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The Hermite polynomial H of degree `n`.

    Args:
        x: Tensor of any shape.
        n: the order, an integer.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to.

    https://pytorch.org/docs/stable/special.html
    """
    if out is not None:
        return written(out, "special_hermite_polynomial_h", (x, n), special_hermite_polynomial_h, x, n)
    return _record_special_hermite_polynomial_h(x, n)


def special_hermite_polynomial_he(x: Tensor | Number, n: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The Hermite polynomial He of degree `n`.

    Args:
        x: Tensor of any shape.
        n: the order, an integer.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to.

    https://pytorch.org/docs/stable/special.html
    """
    if out is not None:
        return written(out, "special_hermite_polynomial_he", (x, n), special_hermite_polynomial_he, x, n)
    return _record_special_hermite_polynomial_he(x, n)


def special_laguerre_polynomial_l(x: Tensor | Number, n: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The Laguerre polynomial of degree `n`.

    Args:
        x: Tensor of any shape.
        n: the order, an integer.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to.

    https://pytorch.org/docs/stable/special.html
    """
    if out is not None:
        return written(out, "special_laguerre_polynomial_l", (x, n), special_laguerre_polynomial_l, x, n)
    return _record_special_laguerre_polynomial_l(x, n)


def special_legendre_polynomial_p(x: Tensor | Number, n: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The Legendre polynomial of degree `n`.

    Args:
        x: Tensor of any shape.
        n: the order, an integer.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to.

    https://pytorch.org/docs/stable/special.html
    """
    if out is not None:
        return written(out, "special_legendre_polynomial_p", (x, n), special_legendre_polynomial_p, x, n)
    return _record_special_legendre_polynomial_p(x, n)


def special_zeta(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """sum over k >= 0 of (k + q) ** -x, with PyTorch's values at the poles.

    Args:
        input: Tensor of any shape.
        other: the second operand, of a shape that broadcasts with the first.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to.

    https://pytorch.org/docs/stable/special.html
    """
    if out is not None:
        return written(out, "special_zeta", (input, other), special_zeta, input, other)
    return _record_special_zeta(input, other)


def special_gammainc(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Another name of `torch.igamma`: the regularized lower incomplete gamma function."""
    if out is not None:
        return written(out, "igamma", (input, other), special_gammainc, input, other)
    return _record_igamma(input, other)


def special_gammaincc(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Another name of `torch.igammac`: the regularized upper incomplete gamma function."""
    if out is not None:
        return written(out, "igammac", (input, other), special_gammaincc, input, other)
    return _record_igammac(input, other)
