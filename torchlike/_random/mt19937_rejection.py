"""Samplers that draw until a candidate is accepted: gamma, Poisson and binomial numbers, as PyTorch 2.13 draws them.

How many uniforms an element takes is not known before, so there is a loop over the elements. Each function takes
flat arrays and ``uniform()``, which gives the next 53-bit uniform.

- Gamma: Marsaglia and Tsang, A simple method for generating gamma variables (2000).
- Poisson: products of uniforms below a rate of 10, from there on Hörmann's PTRS (1993).
- Binomial: sums of geometric numbers up to a mean of 10, from there on Hörmann's BTRS (1993).
"""

import functools
import math
import operator

import numpy as np

_F32 = np.float32
_THIRD, _SQUEEZE = float(_F32(1) / _F32(3)), float(_F32(0.0331))  # single precision in PyTorch, whatever the dtype
# log(k!) less Stirling's formula, for k up to 9.
_TAIL = (0.0810614667953272, 0.0413406959554092, 0.0276779256849983, 0.02079067210376509, 0.0166446911898211,
         0.0138761288230707, 0.0118967099458917, 0.0104112652619720, 0.00925546218271273, 0.00833056343336287)
BAD_RATE = "invalid Poisson rate, expected rate to be non-negative"


class Uniforms:
    """The engine's 53-bit uniforms one at a time, drawn in blocks; `close` puts the rest back."""

    def __init__(self, engine, block: int):
        self._engine, self._block = engine, block
        self._rest = iter(())

    def __call__(self) -> float:
        for value in self._rest:
            return value
        self._before = self._engine._bits.state
        self._rest = iter(self._engine._uniform53(self._block).tolist())
        return next(self._rest)

    def close(self) -> None:
        """Leave the engine where the last number that was given ends."""
        left = operator.length_hint(self._rest)
        if left:
            self._engine._bits.state = self._before
            self._engine._uniform53(self._block - left)


# -- gamma

def gamma(alpha, uniform, normal) -> np.ndarray:
    """float64 standard gamma numbers of shapes `alpha`, float32 or float64, in which some steps are rounded."""
    kind = alpha.dtype.type
    small = alpha < 1
    with np.errstate(divide="ignore"):
        powers = (1 / alpha).tolist()
    shapes = (np.where(small, alpha + kind(1), alpha) - kind(_THIRD)).tolist()
    found = np.empty(alpha.size, np.float64)
    for i, (a, power, d, is_small) in enumerate(zip(alpha.tolist(), powers, shapes, small.tolist(), strict=True)):
        found[i] = 0.0 if a == 0 else _marsaglia_tsang(d, (1 - uniform()) ** power if is_small else 1.0, uniform, normal)
    return found


def _marsaglia_tsang(d, scale, uniform, normal) -> float:
    """`scale` times a gamma number of shape d + 1/3 >= 1; nan where PyTorch would draw forever."""
    if not d > 0:
        return math.nan
    c = 1 / math.sqrt(9 * d)
    while True:
        x = normal()
        y = 1 + c * x
        if y <= 0:
            continue
        v, u, xx = y * y * y, 1 - uniform(), x * x
        if u < 1 - _SQUEEZE * xx * xx or math.log(u) < 0.5 * xx + d * (1 - v + math.log(v)):
            return scale * d * v


# -- Poisson

def poisson(rates, uniform) -> np.ndarray:
    """float64 Poisson numbers; RuntimeError for a rate below 0 or nan."""
    rates = np.asarray(rates, np.float64)
    if not (rates >= 0).all():
        raise RuntimeError(BAD_RATE)
    return np.array([0.0 if r == 0 else _poisson_ptrs(r, uniform) if r >= 10 else _poisson_product(r, uniform)
                     for r in rates.tolist()], np.float64)


def _poisson_product(rate, uniform) -> int:
    limit, count, product = math.exp(-rate), 0, uniform()
    while product > limit:
        count += 1
        product *= uniform()
    return count


@functools.lru_cache
def _ptrs_constants(rate) -> tuple:
    b = 0.931 + 2.53 * math.sqrt(rate)
    return b, -0.059 + 0.02483 * b, math.log(1.1239 + 1.1328 / (b - 3.4)), 0.9277 - 3.6224 / (b - 2), math.log(rate)


def _poisson_ptrs(rate, uniform) -> float:
    b, a, log_inverse_alpha, accepted, log_rate = _ptrs_constants(rate)
    while True:
        u, v = uniform() - 0.5, uniform()
        us = 0.5 - abs(u)
        if us == 0:  # the candidate is infinite
            continue
        k = math.floor((2 * a / us + b) * u + rate + 0.43)
        if us >= 0.07 and v <= accepted:
            return k
        if k < 0 or (us < 0.013 and v > us):
            continue
        if _log(v) + log_inverse_alpha - math.log(a / (us * us) + b) <= -rate + k * log_rate - math.lgamma(k + 1):
            return k


def _log(v) -> float:
    return math.log(v) if v else -math.inf


# -- binomial

def binomial(counts, probs, uniform) -> np.ndarray:
    """float64 binomial numbers of float arrays `counts` and `probs` of one dtype, in which their products are rounded."""
    found = np.empty(counts.size, np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        high = probs > 0.5
        rare = np.where(high, 1 - probs.astype(np.float64), probs).astype(probs.dtype)
        means = (counts * rare).astype(probs.dtype)
    rows = zip(counts.tolist(), probs.tolist(), rare.tolist(), means.tolist(), high.tolist(), strict=True)
    for i, (n, p, q, mean, flipped) in enumerate(rows):
        if n <= 0 or p <= 0:
            found[i] = 0
        elif p >= 1:
            found[i] = n
        elif p != p or n != n:
            found[i] = math.nan
        else:
            k = _binomial_btrs(n, q, probs.dtype.type, uniform) if mean >= 10 else _binomial_sum(n, q, uniform)
            found[i] = n - k if flipped else k
    return found


def _binomial_sum(n, p, uniform) -> int:
    """How many geometric numbers fit into n."""
    scale, total, count, log, ceil = math.log1p(-p), 0.0, 0, math.log, math.ceil
    while True:
        total += ceil(log(u) / scale) if (u := uniform()) else math.inf
        if total > n:
            return count
        count += 1


@functools.lru_cache
def _btrs_constants(n, p, kind) -> tuple:
    """Some products are rounded to the dtype `kind`, as PyTorch's compiler has it."""
    n, p = kind(n), kind(p)
    spread = float(np.sqrt(n * p * (1 - p)))
    b = 1.15 + 2.53 * spread
    return (b, -0.0873 + 0.0248 * b + 0.01 * float(p), float(n * p) + 0.5, 0.92 - 4.2 / b, (2.83 + 5.1 / b) * spread,
            math.floor((n + 1) * p), float(p / (1 - p)))


def _binomial_btrs(n, p, kind, uniform) -> float:
    b, a, centre, accepted, alpha, mode, odds = _btrs_constants(n, p, kind)
    while True:
        u, v = uniform() - 0.5, uniform()
        us = 0.5 - abs(u)
        if us == 0:
            continue
        k = math.floor((2 * a / us + b) * u + centre)
        if k < 0 or k > n:
            continue
        if us >= 0.07 and v <= accepted:
            return k
        bound = ((mode + 0.5) * math.log((mode + 1) / (odds * (n - mode + 1)))
                 + (n + 1) * math.log((n - mode + 1) / (n - k + 1))
                 + (k + 0.5) * math.log(odds * (n - k + 1) / (k + 1))
                 + _tail(mode) + _tail(n - mode) - _tail(k) - _tail(n - k))
        if _log(v * alpha / (a / (us * us) + b)) <= bound:
            return k


def _tail(k) -> float:
    if k <= 9:
        return _TAIL[int(k)]
    square = (k + 1) * (k + 1)
    return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1)
