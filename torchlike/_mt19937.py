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

DEFAULT_SEED = 67280421310721
_FLOAT32, _FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)
_HALVES = {"float16": np.dtype(np.float16), "bfloat16": np.dtype(ml_dtypes.bfloat16)}
_RANDOM_LIMITS = {"float64": 2**53 + 1, "float32": 2**24 + 1, "float16": 2**11 + 1, "bfloat16": 2**8 + 1,
                  "uint8": 2**8, "int8": 2**7, "int16": 2**15, "int32": 2**31, "int64": 2**63, "bool": 2}
_STATE = np.dtype([("seed", "<u8"), ("left", "<i4"), ("seeded", "<i4"), ("next", "<u8"), ("state", "<u8", 624),
                   ("normal_x", "<f8"), ("normal_y", "<f8"), ("normal_rho", "<f8"), ("normal_valid", "<i4"),
                   ("pad", "<i4"), ("float_sample", "<f4"), ("float_valid", "<i4")])


def _round(values, dtype):
    """float32 values rounded to the narrower dtype, still as float32."""
    half = _HALVES.get(dtype)
    return values if half is None else values.astype(half).astype(np.float32)


class MT19937:
    """One stream. ``manual_seed``, states in PyTorch's byte layout, and the samplers."""

    def __init__(self, seed: int = DEFAULT_SEED):
        self._bits = np.random.MT19937(0)
        self.manual_seed(seed)

    def manual_seed(self, seed: int) -> None:
        """Start the stream of `seed` (its low 32 bits count, as in PyTorch)."""
        self._seed = seed
        self._bits._legacy_seeding(seed & 0xFFFFFFFF)
        self._cached = None
        self._fresh = True

    def seed(self) -> int:
        """Start a stream nobody can foresee; returns its seed."""
        self.manual_seed(secrets.randbits(53))
        return self._seed

    def initial_seed(self) -> int:
        """The seed given last."""
        return self._seed

    def get_state(self) -> np.ndarray:
        """5056 bytes as `torch.get_rng_state` lays them out."""
        inner = self._bits.state["state"]
        record = np.zeros((), _STATE)
        position = int(inner["pos"])
        record["seed"], record["left"], record["seeded"] = self._seed, 625 - position, 1
        record["next"] = 0 if self._fresh else position
        record["state"] = inner["key"]
        if self._cached is not None:
            record["normal_y"], record["normal_valid"] = self._cached, 1
        return np.frombuffer(record.tobytes(), np.uint8).copy()

    def set_state(self, state) -> None:
        """Continue from `get_state`'s bytes; RuntimeError where they are not a state."""
        state = np.asarray(state)
        if state.dtype != np.uint8:
            raise TypeError("expected a torch.ByteTensor, but got a tensor of another type")
        if state.size != _STATE.itemsize:
            raise RuntimeError("Expected either a CPUGeneratorImplStateLegacy of size 5048 or a CPUGeneratorImplState of "
                               f"size 5056 but found the input RNG state size to be {state.size}")
        record = np.frombuffer(state.tobytes(), _STATE)[0]
        if not 0 < record["left"] <= 624 or not record["seeded"]:
            raise RuntimeError("Invalid mt19937 state")
        self._seed = int(record["seed"])
        self._bits.state = {"bit_generator": "MT19937",
                            "state": {"key": record["state"].astype(np.uint32), "pos": 625 - int(record["left"])}}
        self._fresh = record["left"] == 1 and record["next"] == 0
        self._cached = float(record["normal_y"]) if record["normal_valid"] else None

    # -- words

    def _words(self, n: int) -> np.ndarray:
        if n:
            self._fresh = False
        return self._bits.random_raw(n) if n else np.empty(0, np.uint64)

    def _wide(self, n: int) -> np.ndarray:
        words = self._words(2 * n).reshape(n, 2)
        return (words[:, 0] << np.uint64(32)) | words[:, 1]

    def _uniform53(self, n: int) -> np.ndarray:
        return (self._wide(n) & np.uint64(2**53 - 1)).astype(np.float64) * 2.0**-53

    def _uniform24(self, n: int) -> np.ndarray:
        return (self._words(n) & np.uint64(2**24 - 1)).astype(np.float32) * np.float32(2.0**-24)

    # -- uniform and normal

    def uniform(self, n, dtype="float32", low=0.0, high=1.0) -> np.ndarray:
        """Uniform in [low, high)."""
        if dtype == "float64":
            span = np.longdouble(high - low)  # one rounding, as a fused multiply-add has
            return (self._uniform53(n).astype(np.longdouble) * span + low).astype(np.float64)
        low, high = (_round(np.float32(v), dtype) for v in (low, high))
        span = np.float64(high - low)
        wide = self._uniform24(n).astype(np.float64) * span + np.float64(low)
        return _round(wide.astype(np.float32), dtype)

    def normal(self, n, dtype="float32", mean=0.0, std=1.0) -> np.ndarray:
        """Normal; blocks of 16 for 16 elements or more, pairs with one kept back for fewer."""
        if n < 16:
            values = np.array([self._one_normal() for _ in range(n)]) * std + mean
            return values if dtype == "float64" else _round(values.astype(np.float32), dtype)
        draw = self._uniform53 if dtype == "float64" else self._uniform24
        data = draw(n)
        tail = draw(16) if n % 16 else None
        whole = n - n % 16
        data[:whole] = self._box_muller(data[:whole])
        if tail is not None:
            data[n - 16:] = self._box_muller(tail)
        kind = data.dtype.type
        if mean != 0.0 or std != 1.0:
            data = (data.astype(np.float64) * float(kind(std)) + float(kind(mean))).astype(data.dtype)
        return data if dtype == "float64" else _round(data, dtype)

    @staticmethod
    def _box_muller(u):
        """16 uniforms to 16 normals: 8 radii, 8 angles. Each step is rounded to the dtype, as
        PyTorch's vector kernel does; the functions themselves are exact to the last bit."""
        kind = u.dtype.type
        blocks = u.reshape(-1, 2, 8)
        first = (kind(1) - blocks[:, 0]).astype(np.float64)
        radius = np.sqrt(kind(-2) * np.log(first).astype(u.dtype))
        angle = (kind(2.0 * math.pi) * blocks[:, 1]).astype(np.float64)
        out = np.stack([radius * np.cos(angle).astype(u.dtype), radius * np.sin(angle).astype(u.dtype)], 1)
        return out.reshape(-1)

    def _one_normal(self) -> float:
        if self._cached is not None:
            value, self._cached = self._cached, None
            return value
        u1, u2 = self._uniform53(2).tolist()
        radius, angle = math.sqrt(-2.0 * math.log1p(-u2)), 2.0 * math.pi * u1
        self._cached = radius * math.sin(angle)
        return radius * math.cos(angle)

    # -- integers

    def randint(self, n, low, high, dtype="int64") -> np.ndarray:
        """Integers in [low, high)."""
        span = int(high) - int(low)
        if span >= 1 << 32:
            words = self._wide(n)
            words = words if span >= 1 << 64 else words % np.uint64(span)
        else:
            words = self._words(n) % np.uint64(span)
        return (words + np.uint64(int(low) % (1 << 64))).astype(np.int64)

    def random_(self, n, dtype="int64") -> np.ndarray:
        """Integers over the whole range that the dtype holds exactly."""
        limit = _RANDOM_LIMITS[dtype]
        words = self._wide(n) if dtype in ("int64", "float64") else self._words(n)
        return (words % np.uint64(limit)).astype(np.int64)

    def randperm(self, n) -> np.ndarray:
        """A permutation by the swap loop."""
        found = np.arange(n)
        if n > 1:
            shifts = (self._words(n - 1) % np.arange(n, 1, -1).astype(np.uint64)).tolist()
            items = found.tolist()
            for i, shift in enumerate(shifts):
                items[i], items[i + shift] = items[i + shift], items[i]
            found = np.array(items)
        return found

    # -- other distributions

    def bernoulli(self, n, p) -> np.ndarray:
        """True with probability `p`."""
        return self._uniform53(n) < p

    def bernoulli_tensor(self, p) -> np.ndarray:
        """True with each element's own probability."""
        p = np.asarray(p)
        draw = self._uniform53 if p.dtype == np.float64 else self._uniform24
        return draw(p.size) < p.reshape(-1)

    def exponential(self, n, dtype="float32", lambd=1.0) -> np.ndarray:
        """Exponential with rate `lambd`."""
        return self._finish(-1.0 / lambd * np.log1p(-self._uniform53(n)), dtype)

    def log_normal(self, n, dtype="float32", mean=1.0, std=2.0) -> np.ndarray:
        """exp of a normal."""
        values = np.array([self._one_normal() for _ in range(n)])
        return self._finish(np.exp(values * std + mean), dtype)

    def cauchy(self, n, dtype="float32", median=0.0, sigma=1.0) -> np.ndarray:
        """Cauchy."""
        return self._finish(median + sigma * np.tan(math.pi * (self._uniform53(n) - 0.5)), dtype)

    def geometric(self, n, dtype="float32", p=0.5) -> np.ndarray:
        """Number of trials up to the first success."""
        return self._finish(np.ceil(np.log(self._uniform53(n)) / math.log1p(-p)), dtype)

    def multinomial(self, probs, num, replacement) -> np.ndarray:
        """(rows, num) indices drawn by weight: without replacement by the exponential race."""
        probs = np.asarray(probs)
        if not replacement or num == 1:
            race = self.exponential(probs.size, probs.dtype.name).reshape(probs.shape).astype(probs.dtype)
            with np.errstate(divide="ignore", invalid="ignore"):
                score = probs / race
            if num == 1:
                return score.argmax(-1)[:, None]
            return np.argsort(-score, axis=-1, kind="stable")[:, :num]
        cumulative = np.cumsum(probs.astype(np.float64), -1)
        cumulative /= cumulative[:, -1:]
        draws = self._uniform53(probs.shape[0] * num).reshape(probs.shape[0], num)
        return np.stack([np.searchsorted(c, d, side="left") for c, d in zip(cumulative, draws, strict=True)])

    @staticmethod
    def _finish(values, dtype):
        if dtype == "float64":
            return values
        return _round(values.astype(np.float32), dtype) if dtype in ("float32", *_HALVES) else values
