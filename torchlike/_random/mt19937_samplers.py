"""The arithmetic between uniform numbers and samples, rounding for rounding as PyTorch 2.13 does it.

Two ideas. A fused multiply-add rounds once; numpy has none, so float32 ones are made of float64 operations
(the product of two float32 is exact there) and float64 ones of error-free sums and products (Dekker 1971,
Knuth TAOCP 4.2.2). Functions of float64 come from the C library, as in PyTorch, because numpy's own vector
versions differ from it in the last bit; where the result becomes float32 that bit is gone, and numpy serves.
"""

import math

import numpy as np

CHUNK = 32 * 1024  # uniforms at a time: the work arrays together stay in the second-level cache
_F32, _F64, _I32 = np.float32, np.float64, np.int32

# Single-precision approximations of the Cephes library (Moshier 1992), which PyTorch's vector kernel uses.
_SQRT_HALF = int(np.array(0.707106781186547524, _F32).view(_I32))
_LOG = [float(_F32(c)) for c in (
    7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1,
    2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1)]
_LN2_LOW, _LN2_HIGH = float(_F32(-2.12194440e-4)), 0.693359375
_FOUR_OVER_PI = _F32(1.27323954473516)
_PI_PARTS = [float(_F32(c)) for c in (-0.78515625, -2.4187564849853515625e-4, -3.77489497744594108e-8)]
_COS = [float(_F32(c)) for c in (2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2)]
_SIN = [float(_F32(c)) for c in (-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)]
_TWO_PI = _F32(2.0 * math.pi)


def fma32(x, y, z) -> np.ndarray:
    """x*y + z of float32 `x`, rounded once to float32."""
    out = np.multiply(x, _F64(y), dtype=_F64)
    out += _F64(z)
    return out.astype(_F32)


def fma64(x, y: float, z: float) -> np.ndarray:
    """x*y + z of float64 `x`, rounded once."""
    product = x * y
    low = _product_error(x, _F64(y), product)
    total = product + z
    part = total - product
    low += (product - (total - part)) + (z - part)
    # Beyond 2**996 the splitting overflows; one more rounding is all that is lost.
    return np.where(np.isfinite(low), total + low, total)


def _product_error(x, y, product):
    """What rounding took from `product` = x*y (Dekker)."""
    with np.errstate(over="ignore", invalid="ignore"):
        (xh, xl), (yh, yl) = _halves(x), _halves(y)
        return ((xh * yh - product) + xh * yl + xl * yh) + xl * yl


def _halves(x):
    big = x * 134217729.0  # 2**27 + 1
    high = big - (big - x)
    return high, x - high


def libm(function, x) -> np.ndarray:
    """The C library's `function` (of module math) of each element."""
    return np.fromiter(map(function, x.ravel().tolist()), _F64, x.size).reshape(x.shape)


def cos_sin(angle):
    """The C library's cosines and sines; numpy's complex exp calls them."""
    turned = np.zeros(angle.shape, np.complex128)
    turned.imag = angle
    turned = np.exp(turned)
    return turned.real, turned.imag


def swapped(partners) -> np.ndarray:
    """0..n-1 after exchanging element i with element `partners[i]` >= i, for i = 0, 1, ...

    Without a loop over i. Element i is final after its own step: it is what stood at its partner's place,
    which the last earlier step with the same partner brought there, or nobody did. So each step points to
    an earlier one, and following the pointers to their ends (halving the ways) gives every element.
    """
    n = len(partners)
    steps = np.arange(n)
    order = np.sort((partners << 32) | steps)  # by partner, then by step
    step, partner = order & 0xFFFFFFFF, order >> 32
    same = partner[1:] == partner[:-1]
    before = np.full(n, -1)  # the last earlier step with the same partner
    before[step[1:][same]] = step[:-1][same]
    # What stands at place i when its step comes was brought by the last step with partner i, but i itself.
    source = steps.copy()
    last = np.flatnonzero(np.append(~same, True))
    own = step[last] == partner[last]
    bringer = np.where(own, before[step[last]], step[last])
    source[partner[last][bringer >= 0]] = bringer[bringer >= 0]
    while not np.array_equal(source, further := source[source]):
        source = further
    return np.where(before >= 0, source[before], partners)


def box_muller64(u) -> np.ndarray:
    """Float64 uniforms, 16 a block (8 radii, 8 angles), to normals."""
    blocks = u.reshape(-1, 2, 8)
    radius = np.sqrt(-2.0 * libm(math.log, 1.0 - blocks[:, 0]))
    cos, sin = cos_sin(2.0 * math.pi * blocks[:, 1])
    return np.stack([radius * cos, radius * sin], 1).reshape(-1)


def box_muller32(u) -> np.ndarray:
    """Float32 uniforms, 16 a block (8 radii, 8 angles), to normals, bit for bit as the vector kernel does."""
    blocks = u.reshape(-1, 2, 8)
    radius = _log32(_F32(1) - blocks[:, 0])
    radius *= _F32(-2)
    np.sqrt(radius, out=radius)
    out = np.empty(blocks.shape, _F32)
    cos, sin = _cos_sin32(blocks[:, 1] * _TWO_PI)
    np.multiply(radius, cos, out=out[:, 0])
    np.multiply(radius, sin, out=out[:, 1])
    return out.reshape(-1)


def _rounded(wide, narrow):
    """Round the float64 array to float32 in place; `narrow` keeps the float32 copy."""
    np.copyto(narrow, wide, casting="same_kind")
    np.copyto(wide, narrow)


def _horner(coefficients, x, narrow):
    """The polynomial with a fused multiply-add each step, as float64 holding float32 values."""
    total = x * coefficients[0]
    total += coefficients[1]
    _rounded(total, narrow)
    for c in coefficients[2:]:
        total *= x
        total += c
        _rounded(total, narrow)
    return total


def _log32(x) -> np.ndarray:
    """log of float32 `x` in (0, 1]: x = m * 2**e with m in [sqrt(1/2), sqrt(2)), a polynomial in m - 1."""
    bits = x.view(_I32)
    exponent = (bits - _SQRT_HALF) >> 23
    m = (bits - (exponent << 23)).view(_F32)
    m -= _F32(1)
    e, t, square, narrow = exponent.astype(_F64), m.astype(_F64), m * m, np.empty_like(m)
    y = _horner(_LOG, t, narrow)
    narrow *= m
    np.multiply(narrow, square, out=y, dtype=_F64)
    low = e * _LN2_LOW
    _rounded(low, narrow)
    y += low
    _rounded(y, narrow)
    square = square.astype(_F64)
    square *= 0.5
    y -= square
    np.copyto(narrow, y, casting="same_kind")
    narrow += m
    e *= _LN2_HIGH
    e += narrow
    np.copyto(narrow, e, casting="same_kind")
    return narrow


def _cos_sin32(x):
    """Cosines and sines of float32 `x` in [0, 2 pi]: less a multiple of pi/4, two polynomials, the octant."""
    octant = (x * _FOUR_OVER_PI).astype(_I32)
    octant += 1
    octant &= ~1
    turns, t, narrow = octant.astype(_F64), x.astype(_F64), np.empty_like(x)
    for part in _PI_PARTS:
        t += turns * part
        _rounded(t, narrow)
    x = narrow.copy()
    z = x * x
    square = z.astype(_F64)
    cos = _cos_polynomial(square, z, narrow)
    sin = _sin_polynomial(square, z, x, t, narrow)
    return _by_octant(octant, cos, sin)


def _cos_polynomial(square, z, narrow):
    y = _horner(_COS, square, narrow)
    cos = narrow * z
    np.multiply(cos, square, out=y)
    y -= square * 0.5
    np.copyto(cos, y, casting="same_kind")
    cos += _F32(1)
    return cos


def _sin_polynomial(square, z, x, t, narrow):
    y = _horner(_SIN, square, narrow)
    sin = narrow * z
    np.multiply(sin, x, out=y, dtype=_F64)
    y += t
    np.copyto(sin, y, casting="same_kind")
    return sin


def _by_octant(octant, cos, sin):
    """Exchange and negate by bit operations: np.where would take as long as a polynomial."""
    cos_bits, sin_bits = cos.view(_I32), sin.view(_I32)
    swap = octant << 30
    swap >>= 31
    swap &= cos_bits ^ sin_bits
    cos_bits ^= swap
    sin_bits ^= swap
    sin_bits ^= (octant & 4) << 29
    octant += 2
    cos_bits ^= (octant & 4) << 29
    return cos, sin
