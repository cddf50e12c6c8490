"""The random stream of PyTorch's CPU generator, in numpy.

The engine is MT19937 (Matsumoto and Nishimura 1998); numpy ships the same one, so raw words come at
full speed. What is here is between words and samples: seeding, how many words a sample takes, which
bits become the number, which roundings happen. Facts established by experiment with PyTorch 2.13.

Samplers return flat arrays of n elements. dtype is a name; half-precision samples come as float32
arrays whose values are already rounded. A "53-bit uniform" takes two words, the first the high half.
"""

import math
import secrets

import ml_dtypes
import numpy as np

from torchlike._base.forkable import forkable
from torchlike._random import mt19937_rejection as rejection
from torchlike._random.mt19937_samplers import CHUNK, box_muller32, box_muller64, fma32, fma64, libm, swapped

DEFAULT_SEED = 67280421310721
_HALVES = {"float16": np.dtype(np.float16), "bfloat16": np.dtype(ml_dtypes.bfloat16)}
_NARROW = ("float32", *_HALVES)
# random_() without bounds draws modulo these: the integers a dtype holds exactly.
RANDOM_LIMITS = {
    "float64": 2**53 + 1, "float32": 2**24 + 1, "float16": 2**11 + 1, "bfloat16": 2**8 + 1, "bool": 2,
    "uint8": 2**8, "int8": 2**7, "int16": 2**15, "int32": 2**31, "int64": 2**63,
}
_WIDE_SPAN = 1 << 28  # from this span on, randint takes two words an element
_STATE = np.dtype([
    ("seed", "<u8"), ("left", "<i4"), ("seeded", "<i4"), ("next", "<u8"), ("state", "<u8", 624),
    ("normal_x", "<f8"), ("normal_y", "<f8"), ("normal_rho", "<f8"), ("normal_valid", "<i4"), ("pad", "<i4"),
    ("float_sample", "<f4"), ("float_valid", "<i4"),
])
_BAD_PROBABILITY = (
    "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message be improved?  "
    "If so, please report an enhancement request to PyTorch.)"
)


def _round(values, dtype):
    """float32 values rounded to the narrower dtype, still as float32."""
    half = _HALVES.get(dtype)
    if half is None:
        return values
    with np.errstate(over="ignore"):
        return values.astype(half).astype(np.float32)


def _finish(values, dtype):
    """float64 values as a sample of `dtype`; integers are the caller's to cast."""
    return _round(values.astype(np.float32), dtype) if dtype in _NARROW else values


def _function(exact, fast, dtype):
    """`exact` of module math where the last bit of float64 shows, numpy's `fast` elsewhere."""
    return fast if dtype in _NARROW else lambda x: libm(exact, x)


class Seeded:
    """A stream with a `manual_seed`, which keeps the seed as `_seed`."""

    _seed: int

    def seed(self) -> int:
        """Start a stream nobody can foresee; returns its seed."""
        self.manual_seed(secrets.randbits(64))
        return self._seed

    def initial_seed(self) -> int:
        """The seed given last."""
        return self._seed


def checked_state(state) -> np.ndarray:
    """The bytes of a state; TypeError unless uint8."""
    state = np.asarray(state)
    if state.dtype != np.uint8:
        raise TypeError("RNG state must be a torch.ByteTensor")
    return state


class MT19937(Seeded):
    """One stream: ``manual_seed``, states in PyTorch's byte layout, and the samplers.

    Not locked: one thread at a time. https://pytorch.org/docs/stable/generated/torch.Generator.html
    """

    def __init__(self, seed: int = DEFAULT_SEED):
        self._bits = np.random.MT19937(0)
        forkable(self._bits.lock)  # numpy's own
        self.manual_seed(seed)

    def manual_seed(self, seed: int) -> None:
        """Start the stream of `seed`: its low 32 bits count, a negative one is taken modulo 2**64."""
        self._seed = seed % (1 << 64)
        self._bits._legacy_seeding(self._seed & 0xFFFFFFFF)
        self._cached = None  # the second normal of a pair, waiting
        self._float_cached = (0.0, 0)  # the same in float32: no sampler uses it, but states contain it
        self._fresh = True  # nothing drawn since seeding, which the state records

    def get_state(self) -> np.ndarray:
        """5056 bytes (uint8) as `torch.get_rng_state` lays them out."""
        inner = self._bits.state["state"]
        record = np.zeros((), _STATE)
        position = int(inner["pos"])
        record["seed"], record["left"], record["seeded"] = self._seed, 625 - position, 1
        record["next"] = 0 if self._fresh else position
        record["state"] = inner["key"]
        if self._cached is not None:
            record["normal_y"], record["normal_valid"] = self._cached, 1
        record["float_sample"], record["float_valid"] = self._float_cached
        return np.frombuffer(record.tobytes(), np.uint8).copy()

    def set_state(self, state) -> None:
        """Continue from `get_state`'s bytes.

        TypeError unless uint8; RuntimeError for another size or bytes that are no state.
        """
        state = checked_state(state)
        if state.size != _STATE.itemsize:
            raise RuntimeError(f"Expected a CPUGeneratorImplState of size {_STATE.itemsize} but found the "
                               f"input RNG state size to be {state.size}")
        record = np.frombuffer(state.tobytes(), _STATE)[0]
        if not (record["seeded"] and 0 < record["left"] <= 624 and record["next"] <= 624):
            raise RuntimeError("Invalid mt19937 state")
        self._seed = int(record["seed"])
        inner = {"key": record["state"].astype(np.uint32), "pos": 625 - int(record["left"])}
        self._bits.state = {"bit_generator": "MT19937", "state": inner}
        self._fresh = bool(record["left"] == 1 and record["next"] == 0)
        self._cached = float(record["normal_y"]) if record["normal_valid"] else None
        self._float_cached = (float(record["float_sample"]), int(record["float_valid"]))

    # -- words, and uniforms of 24 and 53 bits

    def _words(self, n: int) -> np.ndarray:
        if not n:
            return np.empty(0, np.uint64)
        self._fresh = False
        return self._bits.random_raw(n)

    def _wide(self, n: int) -> np.ndarray:
        words = self._words(2 * n).reshape(n, 2)
        return (words[:, 0] << np.uint64(32)) | words[:, 1]

    def _bits53(self, n: int) -> np.ndarray:
        return (self._wide(n) & np.uint64(2**53 - 1)).view(np.int64)

    def _uniform53(self, n: int) -> np.ndarray:
        return self._bits53(n).astype(np.float64) * 2.0**-53

    def _uniform24(self, n: int) -> np.ndarray:
        values = (self._words(n).astype(np.int32) & 0xFFFFFF).astype(np.float32)
        values *= np.float32(2.0**-24)
        return values

    @staticmethod
    def _in_chunks(n, dtype, make) -> np.ndarray:
        """n elements, `make(count)` at a time: faster, and the words of a large array never exist at once."""
        out = np.empty(n, dtype)
        for start in range(0, n, CHUNK):
            piece = out[start:start + CHUNK]
            piece[:] = make(len(piece))
        return out

    # -- uniform

    def uniform(self, n, dtype="float32", low=0.0, high=1.0) -> np.ndarray:
        """Uniform in [low, high): low + u * (high - low) rounded once; what rounds up to high becomes low."""
        if dtype == "float64":
            return self._in_chunks(n, np.float64, lambda m: self._uniform64(m, low, high))
        return self._in_chunks(n, np.float32, lambda m: self._uniform32(m, dtype, low, high))

    def _uniform64(self, n, low, high):
        values = self._uniform53(n)
        if (low, high) == (0.0, 1.0):
            return values
        values = fma64(values, high - low, low)
        values[values >= high] = low
        return values

    def _uniform32(self, n, dtype, low, high):
        values = self._uniform24(n)
        low, high = np.float32(low), np.float32(high)
        if (low, high) != (0.0, 1.0):
            values = fma32(values, high - low, low)
        elif dtype == "float32":
            return values
        values = _round(values, dtype)
        values[values >= _round(high, dtype)] = _round(low, dtype)
        return values

    # -- normal

    def normal(self, n, dtype="float32", mean=0.0, std=1.0, blocks=True) -> np.ndarray:
        """Normal; blocks of 16 for 16 elements or more, pairs with one kept back for fewer.

        PyTorch fills tensors that are not contiguous in pairs whatever their size: `blocks` False.
        """
        if n < 16 or not blocks:
            return _finish(self._pairs(n, mean, std), dtype)
        wide = dtype == "float64"
        make = self._blocks64 if wide else self._blocks32
        out = np.empty(n, np.float64 if wide else np.float32)
        whole = n - n % 16
        for start in range(0, whole, CHUNK):
            piece = out[start:min(start + CHUNK, whole)]
            piece[:] = make(len(piece), mean, std)
        if whole < n:
            # The last 16 elements are drawn anew. The uniforms that stood there first are lost, except in
            # half precision, where they are never drawn.
            if dtype not in _HALVES:
                self._words((2 if wide else 1) * (n - whole))
            out[n - 16:] = make(16, mean, std)
        return _round(out, dtype)

    def _blocks32(self, n, mean, std):
        values = box_muller32(self._uniform24(n))
        mean, std = np.float32(mean), np.float32(std)
        if std != 1.0:
            return fma32(values, std, mean)
        values += mean  # also where mean is 0: it turns -0.0 into 0.0
        return values

    def _blocks64(self, n, mean, std):
        return fma64(box_muller64(self._uniform53(n)), std, mean)

    def _pairs(self, n, mean, std) -> np.ndarray:
        """float64 normals in pairs; of an odd number the last one's partner is kept for the next call."""
        values = [] if self._cached is None or not n else [self._cached]
        if values:
            self._cached = None
        u = iter(self._uniform53((n - len(values) + 1) // 2 * 2).tolist())
        for u1, u2 in zip(u, u, strict=True):
            radius, angle = math.sqrt(-2.0 * math.log1p(-u2)), 2.0 * math.pi * u1
            values += (radius * math.cos(angle), radius * math.sin(angle))
        if len(values) > n:
            self._cached = values.pop()
        if (mean, std) == (0.0, 1.0):
            return np.array(values) + 0.0  # -0.0 becomes 0.0
        return fma64(np.array(values), std, mean)

    # -- integers

    def randint(self, n, low, high, dtype="int64") -> np.ndarray:
        """Integers in [low, high) as int64, whatever the dtype; low = -2**63, high = 2**63 is every int64."""
        low, high = int(low), int(high)
        span, shift = high - low, np.int64((low + (1 << 63)) % (1 << 64) - (1 << 63))
        return self._in_chunks(n, np.int64, lambda m: self._modulo(m, span) + shift)

    def _modulo(self, n, span):
        if span < _WIDE_SPAN:
            return (self._words(n).astype(np.uint32) % np.uint32(span)).astype(np.int64)
        words = self._wide(n)
        return (words if span >= 1 << 64 else words % np.uint64(span)).view(np.int64)

    def random_(self, n, dtype="int64") -> np.ndarray:
        """Integers from 0 over all that the dtype holds exactly, as int64."""
        limit = np.uint64(RANDOM_LIMITS[dtype])
        draw = self._wide if dtype in ("int64", "float64") else self._words
        return self._in_chunks(n, np.int64, lambda m: (draw(m) % limit).view(np.int64))

    def randperm(self, n) -> np.ndarray:
        """A permutation of 0..n-1 (int64) by the swap loop; only the draws are vectorised."""
        if n < 2:
            return np.arange(n)
        steps = np.arange(n)
        steps[:-1] += self._words(n - 1).view(np.int64) % np.arange(n, 1, -1)
        return swapped(steps)

    # -- other distributions

    def bernoulli(self, n, p) -> np.ndarray:
        """n bools, true with probability `p`."""
        limit = math.ceil(math.ldexp(p, 53))  # u * 2**-53 < p, without leaving the integers
        return self._in_chunks(n, np.bool_, lambda m: self._bits53(m) < limit)

    def bernoulli_tensor(self, p) -> np.ndarray:
        """Bools, each with its own probability; RuntimeError if one is outside [0, 1]."""
        p = np.asarray(p).reshape(-1)
        if p.dtype != np.float64:
            p = p.astype(np.float32)
        if not ((p >= 0) & (p <= 1)).all():
            raise RuntimeError(_BAD_PROBABILITY)
        draw = self._uniform53 if p.dtype == np.float64 else self._uniform24
        return draw(p.size) < p

    def exponential(self, n, dtype="float32", lambd=1.0) -> np.ndarray:
        """Exponential with rate `lambd`."""
        log1p = _function(math.log1p, np.log1p, dtype)
        return self._samples(n, dtype, lambda m: -1.0 / lambd * log1p(-self._uniform53(m)))

    def log_normal(self, n, dtype="float32", mean=1.0, std=2.0) -> np.ndarray:
        """exp of a normal; the normals come in pairs at any n."""
        values = self._pairs(n, mean, std)
        # math.exp raises where the result should be infinite.
        exp = _function(math.exp, np.exp, dtype if (values < 709.0).all() else "float32")
        with np.errstate(over="ignore"):
            return _finish(exp(values), dtype)

    def cauchy(self, n, dtype="float32", median=0.0, sigma=1.0) -> np.ndarray:
        """Cauchy."""
        tan = _function(math.tan, np.tan, dtype)

        def make(m):
            return fma64(tan(math.pi * (self._uniform53(m) - 0.5)), sigma, median)

        return self._samples(n, dtype, make)

    def geometric(self, n, dtype="float32", p=0.5) -> np.ndarray:
        """Number of trials up to the first success; float64 for integer dtypes."""
        scale = math.log1p(-p)
        with np.errstate(divide="ignore"):
            return self._samples(n, dtype, lambda m: np.ceil(np.log(self._uniform53(m)) / scale))

    def _samples(self, n, dtype, make):
        kept = np.float32 if dtype in _NARROW else np.float64
        return self._in_chunks(n, kept, lambda m: _finish(make(m), dtype))

    # -- by rejection

    def poisson(self, rates) -> np.ndarray:
        """Poisson numbers as float64; RuntimeError for a rate that is negative."""
        return self._rejected(rejection.poisson, rates)

    def binomial(self, counts, probs) -> np.ndarray:
        """Binomial numbers as float64, from flat arrays of one floating dtype."""
        return self._rejected(rejection.binomial, counts, probs)

    def gamma(self, alpha) -> np.ndarray:
        """Standard gamma numbers as float64, from a flat array of shapes."""
        return self._rejected(rejection.gamma, alpha, normal=True)

    def _rejected(self, sampler, *args, normal=False):
        uniform = rejection.Uniforms(self, min(3 * args[0].size + 8, CHUNK))
        try:
            return sampler(*args, uniform, lambda: self._one_normal(uniform)) if normal else sampler(*args, uniform)
        finally:
            uniform.close()

    def _one_normal(self, uniform):
        """One of a pair of normals, as `_pairs` makes them."""
        if self._cached is not None:
            value, self._cached = self._cached, None
            return value
        u1, u2 = uniform(), uniform()
        radius, angle = math.sqrt(-2.0 * math.log1p(-u2)), 2.0 * math.pi * u1
        self._cached = radius * math.sin(angle)
        return radius * math.cos(angle)

    # -- by weights

    def multinomial(self, probs, num, replacement) -> np.ndarray:
        """(rows, num) int64 indices by the weights in `probs` (rows, categories).

        Without replacement, and for one draw, by the exponential race. RuntimeError for a row of zeros.
        """
        probs = np.asarray(probs)
        if not (probs.sum(-1, dtype=np.float64) > 0).all():
            raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
        if not replacement or num == 1:
            return self._race(probs, num)
        sums = probs.dtype if probs.dtype == np.float64 else np.float32
        cumulative = np.cumsum(probs.astype(sums), -1, dtype=sums)
        cumulative /= cumulative[:, -1:]
        draws = self._uniform53(probs.shape[0] * num).reshape(probs.shape[0], num)
        found = np.empty(draws.shape, np.int64)
        for row, (steps, u) in enumerate(zip(cumulative.astype(np.float64), draws, strict=True)):
            found[row] = np.searchsorted(steps, u, side="left")
        return found

    def _race(self, probs, num):
        race = self.exponential(probs.size, probs.dtype.name).astype(probs.dtype).reshape(probs.shape)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            score = (probs / race).astype(np.float64)
        if num == 1:
            return score.argmax(-1)[:, None]
        return np.argsort(-score, axis=-1, kind="stable")[:, :num]
