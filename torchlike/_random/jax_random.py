"""Random numbers made on a GPU, by JAX. PyTorch's there are Philox's: the same seed gives other numbers.

A stream is a seed and the number of draws so far, 16 bytes as in PyTorch. The samplers are those of `MT19937`, and give flat
jax arrays on the device where they draw many numbers at once; what is drawn by rejection or by weights is drawn in Python.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np

from torchlike._base.dtypes import BY_NAME
from torchlike._compile.backends.registry import backend_of
from torchlike._compile.jax_private import own_work
from torchlike._random.mt19937 import DEFAULT_SEED, MT19937, RANDOM_LIMITS, Seeded, checked_state

_STATE = np.dtype([("seed", "<u8"), ("offset", "<u8")])
_STEP = 4  # PyTorch's offsets are multiples of 4


def _wide(dtype):
    """The dtype in which to draw numbers that are then rounded to `dtype`."""
    return jnp.float64 if dtype == "float64" else jnp.float32


def _uniform(key, low, high, *, n, dtype):
    drawn = jax.random.uniform(key, (n,), _wide(dtype)) * (high - low).astype(_wide(dtype)) + low.astype(_wide(dtype))
    drawn = drawn.astype(BY_NAME[dtype].np)
    return jnp.where(drawn < high.astype(drawn.dtype), drawn, low.astype(drawn.dtype))  # rounding may reach it


def _normal(key, mean, std, *, n, dtype):
    return jax.random.normal(key, (n,), _wide(dtype)) * std.astype(_wide(dtype)) + mean.astype(_wide(dtype))


def _exponential(key, rate, *, n, dtype):
    return jax.random.exponential(key, (n,), _wide(dtype)) / rate.astype(_wide(dtype))


def _bernoulli(key, p, *, n):
    return jax.random.uniform(key, (n,), jnp.float32) < p.astype(jnp.float32)


def _bits(key, span, *, n):
    """Integers from 0 to below `span`, of 64 random bits each; 0 stands for 2**64."""
    bits = jax.random.bits(key, (n,), jnp.uint64)
    return jnp.where(span == 0, bits, bits % jnp.where(span == 0, 1, span)).astype(jnp.int64)


def _permutation(key, *, n):
    return jax.random.permutation(key, n)


@functools.partial(jax.jit, static_argnames=("sampler", "n", "dtype"))
def _drawn(words, numbers, *, sampler, **sizes):
    key = jax.random.wrap_key_data(words, impl="threefry2x32")
    return sampler(key, *numbers, **{name: value for name, value in sizes.items() if value is not None})


class JaxRandom(Seeded):
    """One stream on a device. Not locked: one thread at a time."""

    def __init__(self, device):
        self.backend = backend_of(device)
        self.backend.hardware()  # there is one
        self.device, self._seed, self._offset = device, DEFAULT_SEED, 0

    def manual_seed(self, seed: int) -> None:
        """Start the stream of `seed`."""
        self._seed, self._offset = seed % (1 << 64), 0

    def get_state(self) -> np.ndarray:
        """16 bytes (uint8): seed and offset."""
        return np.frombuffer(np.array((self._seed, self._offset), _STATE).tobytes(), np.uint8).copy()

    def set_state(self, state) -> None:
        """Continue from `get_state`'s bytes. TypeError unless uint8; RuntimeError for another size."""
        state = checked_state(state)
        if state.size != _STATE.itemsize:
            raise RuntimeError("RNG state is wrong size")
        record = np.frombuffer(state.tobytes(), _STATE)[0]
        self._seed, self._offset = int(record["seed"]), int(record["offset"])

    def _words(self) -> np.ndarray:
        """The next key: four hashed words would do, two are JAX's."""
        words = np.random.SeedSequence([self._seed, self._offset]).generate_state(2, np.uint32)
        self._offset += _STEP
        return words

    def _draw(self, sampler, *numbers, n, dtype=None):
        with own_work():
            words = self.backend.place(self._words())
            return _drawn(words, numbers, sampler=sampler, n=int(n), dtype=dtype)

    # -- the samplers of MT19937

    def uniform(self, n, dtype="float32", low=0.0, high=1.0):
        """Uniform in [low, high)."""
        return self._draw(_uniform, np.float64(low), np.float64(high), n=n, dtype=dtype)

    def normal(self, n, dtype="float32", mean=0.0, std=1.0, blocks=True):
        """Normal."""
        return self._draw(_normal, np.float64(mean), np.float64(std), n=n, dtype=dtype)

    def exponential(self, n, dtype="float32", lambd=1.0):
        """Exponential with rate `lambd`."""
        return self._draw(_exponential, np.float64(lambd), n=n, dtype=dtype)

    def bernoulli(self, n, p):
        """n bools, true with probability `p`."""
        return self._draw(_bernoulli, np.float64(p), n=n)

    def randint(self, n, low, high, dtype="int64"):
        """Integers in [low, high) as int64."""
        drawn = self._draw(_bits, np.uint64((int(high) - int(low)) % (1 << 64)), n=n)
        with own_work():
            return drawn + np.int64((int(low) + (1 << 63)) % (1 << 64) - (1 << 63))

    def random_(self, n, dtype="int64"):
        """Integers from 0 over all that the dtype holds exactly, as int64."""
        return self._draw(_bits, np.uint64(RANDOM_LIMITS[dtype]), n=n)

    def randperm(self, n):
        """A permutation of 0..n-1."""
        return self._draw(_permutation, n=n)

    def _in_python(self, name, *args, **options):
        """A sampler of `MT19937`, from a stream that begins here."""
        high, low = (int(word) for word in self._words())
        return getattr(MT19937(high << 32 | low), name)(*args, **options)

    bernoulli_tensor = functools.partialmethod(_in_python, "bernoulli_tensor")
    log_normal = functools.partialmethod(_in_python, "log_normal")
    cauchy = functools.partialmethod(_in_python, "cauchy")
    geometric = functools.partialmethod(_in_python, "geometric")
    poisson = functools.partialmethod(_in_python, "poisson")
    binomial = functools.partialmethod(_in_python, "binomial")
    gamma = functools.partialmethod(_in_python, "gamma")
    multinomial = functools.partialmethod(_in_python, "multinomial")
