"""Random numbers of JAX's keys, for modules that run under JAX's transforms: there a generator's would be constants."""

import jax

from torchlike._base.dtypes import BY_NAME
from torchlike._base.errors import UnsupportedError


class KeySource:
    """Draws from keys of JAX's: one for all numbers of a call, asked for when the first is drawn.

    Args:
        next_key: a function that gives a key.
    """

    def __init__(self, next_key):
        self.next_key, self.key, self.count = next_key, None, 0

    def __call__(self, name, generator, *args):
        """As `torchlike._random.generator.draw`. UnsupportedError for other samplers, and for a generator of one's own."""
        if generator is not None:
            raise UnsupportedError("a torch.Generator in a module that draws from JAX's keys")
        if name not in _SAMPLERS:
            raise UnsupportedError(f"the random numbers of '{name}' in a module that draws from JAX's keys")
        if self.key is None:
            self.key = self.next_key()
        self.count += 1
        return _SAMPLERS[name](jax.random.fold_in(self.key, self.count), *args)


def _width(dtype):
    """The dtype in which JAX draws: of 32 bits, unless jax_enable_x64 is set. What draws casts to its own."""
    return jax.dtypes.canonicalize_dtype(BY_NAME[dtype].np)


_SAMPLERS = {
    "uniform": lambda key, n, dtype, low, high: jax.random.uniform(key, (n,), _width(dtype), low, high),
    "normal": lambda key, n, dtype, mean, std: jax.random.normal(key, (n,), _width(dtype)) * std + mean,
    "randint": lambda key, n, low, high, dtype: jax.random.randint(key, (n,), low, high, _width(dtype)),
    "bernoulli": lambda key, n, p: jax.random.bernoulli(key, p, (n,)),
    "exponential": lambda key, n, dtype, rate: jax.random.exponential(key, (n,), _width(dtype)) / rate,
}
