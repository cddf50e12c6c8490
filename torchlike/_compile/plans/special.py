"""The error function, the gamma function and their kin.

Sources of the coefficients: erf in float32, the rational function that XLA and Eigen evaluate; erf and erfc in float64,
W. J. Cody, Rational Chebyshev approximations for the error function, Math. Comp. 23 (1969); erf_inv, M. J. Wichura,
Algorithm AS 241, Applied Statistics 37 (1988); lgamma and digamma, C. Lanczos, A precision approximation of the gamma
function, SIAM J. Numer. Anal. 1 (1964), with g = 7 and nine terms, as XLA has it.

Only erf in float32 is computed in float32: the others are rare, and exact to rounding when computed in float64.
"""

import math

import numpy as np

from torchlike._compile.plans.pointwise import in_float32
from torchlike._compile.plans.table import Equation, Pointwise, Ufunc, is_half, rule

_BLOCK = 16384  # elements that a chain of ufuncs works on at a time: they and the scratch stay in the cache



def _float32(*numbers):
    """As arrays without dimensions: ufuncs take them with the least ado, half of the time for few elements."""
    return tuple(np.array(number, np.float32) for number in numbers)


# Highest power first, here and below.
_ERF32_TOP = _float32(2.2905065861350646e-4, 3.4082910107109506e-3, 5.0955695062380861e-2, 1.8520832239976145e-1,
                      1.128379143519084)
_ERF32_BOTTOM = _float32(-1.1791602954361697e-7, 2.3547966471313185e-5, 1.0179625278914885e-3, 1.4070470171167667e-2,
                         1.1098505178285362e-1, 4.9746925110067538e-1, 1.0)
_ERF32_START, _ERF32_END = _float32(-3.82, 3.82)  # beyond them erf is 1 in float32, and there this is exactly 1

_NEAR = 0.46875
_ERF_TOP = (1.85777706184603153e-1, 3.16112374387056560, 1.13864154151050156e2, 3.77485237685302021e2,
            3.20937758913846947e3)
_ERF_BOTTOM = (1.0, 2.36012909523441209e1, 2.44024637934444173e2, 1.28261652607737228e3, 2.84423683343917062e3)
_ERFC_TOP = (2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594, 6.61191906371416295e1,
             2.98635138197400131e2, 8.81952221241769090e2, 1.71204761263407058e3, 2.05107837782607147e3,
             1.23033935479799725e3)
_ERFC_BOTTOM = (1.0, 1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2, 1.62138957456669019e3,
                3.29079923573345963e3, 4.36261909014324716e3, 3.43936767414372164e3, 1.23033935480374942e3)
_FAR_TOP = (1.63153871373020978e-2, 3.05326634961232344e-1, 3.60344899949804439e-1, 1.25781726111229246e-1,
            1.60837851487422766e-2, 6.58749161529837803e-4)
_FAR_BOTTOM = (1.0, 2.56852019228982242, 1.87295284992346725, 5.27905102951428412e-1, 6.05183413124413191e-2,
               2.33520497626869185e-3)

_MIDDLE_TOP = (2.5090809287301226727e3, 3.3430575583588128105e4, 6.7265770927008700853e4, 4.5921953931549871457e4,
               1.3731693765509461125e4, 1.9715909503065514427e3, 1.3314166789178437745e2, 3.3871328727963666080)
_MIDDLE_BOTTOM = (5.2264952788528545610e3, 2.8729085735721942674e4, 3.9307895800092710610e4, 2.1213794301586595867e4,
                  5.3941960214247511077e3, 6.8718700749205790830e2, 4.2313330701600911252e1, 1.0)
_OUTER_TOP = (7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1, 1.27045825245236838258,
              3.64784832476320460504, 5.76949722146069140550, 4.63033784615654529590, 1.42343711074968357734)
_OUTER_BOTTOM = (1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2,
                 1.48103976427480074590e-1, 6.89767334985100004550e-1, 1.67638483018380384940, 2.05319162663775882187, 1.0)
_TAIL_TOP = (2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3, 2.65321895265761230930e-2,
             2.96560571828504891230e-1, 1.78482653991729133580, 5.46378491116411436990, 6.65790464350110377720)
_TAIL_BOTTOM = (2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5,
                7.86869131145613259100e-4, 1.48753612908506148525e-2, 1.36929880922735805310e-1,
                5.99832206555887937690e-1, 1.0)

_LANCZOS_G = 7.5
_LANCZOS = (676.520368121885098567009190444019, -1259.13921672240287047156078755283, 771.3234287776530788486528258894,
            -176.61502916214059906584551354, 12.507343278686904814458936853, -0.13857109526572011689554707,
            9.984369578019570859563e-6, 1.50563273514931155834e-7)
_LANCZOS_FIRST = 0.99999999999980993227684700473478


def _polynomial(x, coefficients):
    """Highest power first."""
    found = x * coefficients[0]
    for c in coefficients[1:-1]:
        found += c
        found *= x
    found += coefficients[-1]
    return found


def _by_regions(x, regions, out):
    """`out` filled by the functions of (which, function), each called on those elements of `x` alone."""
    for which, function in regions:
        if which.all():
            out[...] = function(x)
            return out
        if which.any():
            out[which] = function(x[which])
    return out


# --- the error function ---------------------------------------------------------------------------

def _polynomial_into(x, coefficients, out):
    np.multiply(x, coefficients[0], out)
    for c in coefficients[1:-1]:
        np.add(out, c, out)
        np.multiply(out, x, out)
    return np.add(out, coefficients[-1], out)


def _erf32_block(x, out, square, part):
    """erf of one block, with two arrays of scratch. `out` may be `x`."""
    np.maximum(x, _ERF32_START, out=out)
    np.minimum(out, _ERF32_END, out=out)
    np.multiply(out, out, square)
    np.divide(out, _polynomial_into(square, _ERF32_BOTTOM, part), out)
    np.multiply(out, _polynomial_into(square, _ERF32_TOP, part), out)


def _erf32(x, out=None):
    """erf in float32, block by block."""
    given, x = out, np.asarray(x, order="C")
    if out is None or not out.flags.c_contiguous:
        out = np.empty(x.shape, np.float32)
    flat, to, size = x.reshape(-1), out.reshape(-1), x.size
    square, bottom = np.empty((2, min(size, _BLOCK)), np.float32)
    for start in range(0, size, _BLOCK):
        end = min(start + _BLOCK, size)
        _erf32_block(flat[start:end], to[start:end], square[:end - start], bottom[:end - start])
    if given is not None and given is not out:
        np.copyto(given, out)
    return out if given is None else given


def _erf_near(x):
    square = x * x
    return x * _polynomial(square, _ERF_TOP) / _polynomial(square, _ERF_BOTTOM)


def _gaussian(x):
    """exp(-x * x) without the error of the square."""
    cut = np.trunc(x * 16) / 16
    return np.exp(-cut * cut) * np.exp((cut - x) * (cut + x))


def _erfc_middle(x):
    return _gaussian(x) * _polynomial(x, _ERFC_TOP) / _polynomial(x, _ERFC_BOTTOM)


def _erfc_far(x):
    x = np.minimum(x, 30)  # erfc is 0 from 27.3 on
    inverse = 1 / (x * x)
    ratio = inverse * _polynomial(inverse, _FAR_TOP) / _polynomial(inverse, _FAR_BOTTOM)
    return _gaussian(x) * (1 / math.sqrt(math.pi) - ratio) / x


def _erfc_positive(x):
    """erfc of numbers above _NEAR."""
    far = x > 4
    return _by_regions(x, ((~far, _erfc_middle), (far, _erfc_far)), np.empty_like(x))


def _erf64(x):
    near = ~(np.abs(x) > _NEAR)  # nan too
    regions = (near, _erf_near), (~near, lambda x: np.copysign(1 - _erfc_positive(np.abs(x)), x))
    return _by_regions(x, regions, np.empty_like(x))


def _erfc64(x):
    near = ~(np.abs(x) > _NEAR)
    regions = ((near, lambda x: 1 - _erf_near(x)), (x > _NEAR, _erfc_positive),
               (x < -_NEAR, lambda x: 2 - _erfc_positive(-x)))
    return _by_regions(x, regions, np.empty_like(x))


def _erf_inv_outer(x):
    tail = np.sqrt(-np.log((1 - np.abs(x)) * 0.5))
    deep = tail > 5

    def outer(r):
        r = r - 1.6
        return _polynomial(r, _OUTER_TOP) / _polynomial(r, _OUTER_BOTTOM)

    def deepest(r):
        r = r - 5
        return _polynomial(r, _TAIL_TOP) / _polynomial(r, _TAIL_BOTTOM)

    found = _by_regions(tail, ((~deep, outer), (deep, deepest)), np.empty_like(tail))
    found[np.isposinf(tail)] = np.inf
    return np.copysign(found * math.sqrt(0.5), x)


def _erf_inv_middle(x):
    half = x * 0.5
    r = 0.180625 - half * half
    return half * math.sqrt(0.5) * _polynomial(r, _MIDDLE_TOP) / _polynomial(r, _MIDDLE_BOTTOM)


def _erf_inv64(x):
    middle = ~(np.abs(x) > 0.85)
    return _by_regions(x, ((middle, _erf_inv_middle), (~middle, _erf_inv_outer)), np.empty_like(x))


# --- the gamma function ---------------------------------------------------------------------------

def _lanczos(x):
    """(z, the sum, its derivative) for x >= 0.5, where z is x - 1."""
    z = x - 1
    total, slope = np.full_like(z, _LANCZOS_FIRST), np.zeros_like(z)
    for i, c in enumerate(_LANCZOS, 1):
        inverse = 1 / (z + i)
        part = c * inverse
        total += part
        slope -= part * inverse
    return z, total, slope


def _lgamma_upper(x):
    z, total, _ = _lanczos(x)
    t = z + _LANCZOS_G
    log_t = math.log(_LANCZOS_G) + np.log1p(z / _LANCZOS_G)
    return (z + 0.5 - t / log_t) * log_t + (0.5 * math.log(2 * math.pi) + np.log(total))


def _lgamma_lower(x):
    """By reflection; x < 0.5."""
    part = np.abs(x) - np.floor(np.abs(x))
    log_sine = np.log(np.sin(np.pi * np.where(part > 0.5, 1 - part, part)))
    return np.where(np.isinf(log_sine), -log_sine, math.log(math.pi) - log_sine - _lgamma_upper(1 - x))


def _lgamma64(x):
    lower = x < 0.5
    found = _by_regions(x, ((~lower, _lgamma_upper), (lower, _lgamma_lower)), np.empty_like(x))
    found[np.isinf(x)] = np.inf
    return found


def _digamma_upper(x):
    z, total, slope = _lanczos(x)
    t = z + _LANCZOS_G
    log_t = math.log(_LANCZOS_G) + np.log1p(z / _LANCZOS_G)
    return log_t + slope / total - (_LANCZOS_G - 0.5) / t


def _digamma_lower(x):
    """By reflection; x < 0.5, minus infinity at zeros, as XLA has it since jax 0.11, and nan at the other poles."""
    part = x + np.abs(np.floor(x + 0.5))
    found = _digamma_upper(1 - x) - np.pi / np.tan(np.pi * part)
    return np.where((x <= 0) & (x == np.floor(x)), np.where(x == 0, -np.inf, np.nan), found)


def _digamma64(x):
    lower = x < 0.5
    return _by_regions(x, ((~lower, _digamma_upper), (lower, _digamma_lower)), np.empty_like(x))


_IN_FLOAT64 = {"erf": _erf64, "erfc": _erfc64, "erf_inv": _erf_inv64, "lgamma": _lgamma64, "digamma": _digamma64}


@rule(*_IN_FLOAT64)
def _special(equation: Equation):
    out = equation.outs[0].dtype
    if equation.name == "erf" and out == np.float32:
        return Ufunc(_erf32)
    if equation.name == "erf" and is_half(out):
        return Pointwise(in_float32(_erf32, equation))
    call = _IN_FLOAT64[equation.name]

    def function(x):
        # Regions are filled in place, which takes an array with a dimension.
        wide = np.atleast_1d(np.asarray(x).astype(np.float64))
        return call(wide).astype(out).reshape(np.shape(x))

    return Pointwise(function)
