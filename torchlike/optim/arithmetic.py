"""How a rule computes: numbers in 64 bits until they meet an array, halves rounded after each of
PyTorch's steps, complex parameters as pairs of reals.
"""

import jax
import jax.numpy as jnp

from torchlike._base import dtypes as dt

SCALAR_STATES = frozenset({"step", "mu_product", "eta", "mu"})  # 0-d tensors of their own dtype


class Hyper:
    """Flags and hyper-parameters of a rule by name, and its arithmetic on one parameter.

    Hyper-parameters are float64 scalars, as Python's are: bias corrections lose digits in 32 bits.
    """

    def __init__(self, dtype, flags, numbers):
        self.__dict__.update(flags)
        self.__dict__.update(numbers)
        self.half = dtype if dtype in (dt.float16, dt.bfloat16) else None
        self.compute = jnp.float32 if self.half else dtype.to_real().np

    def num(self, number):
        """A number in the dtype of the arrays."""
        return jnp.asarray(number).astype(self.compute)

    def rnd(self, array):
        """Rounded to a half precision as PyTorch stores every intermediate; else as it is."""
        if self.half is dt.bfloat16:  # XLA may drop a conversion there and back
            return jax.lax.reduce_precision(array, 8, 7)
        if self.half is dt.float16:  # and here reduce_precision has no subnormal numbers
            return array.astype(jnp.float16).astype(jnp.float32)
        return array


def part_function(rule, flags, names, marks, ins):
    """The function of flat arrays that updates one parameter: (p, states.., g, tensors.., numbers..)."""
    count = 1 + len(names)
    dtype = ins[0].dtype
    named_flags = dict(zip(rule.flags, flags, strict=True))
    kept = [name in SCALAR_STATES for name in ("param", *names)]

    def function(*arrays):
        owned, g, rest = arrays[:count], arrays[count], arrays[count + 1:]
        n_tensors = marks.count("t")
        tensors, numbers = iter(rest[:n_tensors]), iter(rest[n_tensors:])
        given = {name: _hyper(mark, tensors, numbers) for name, mark in zip(rule.numbers, marks, strict=True)}
        h = Hyper(dtype, named_flags, given)
        p, *states = (a if as_is else lift(a) for a, as_is in zip(owned, kept, strict=True))
        new = rule.function(h, p, lift(g), *states)
        return tuple(b if as_is else lower(b, a) for b, a, as_is in zip(new, owned, kept, strict=True))

    return function


def _hyper(mark, tensors, numbers):
    if mark == "t":
        return next(tensors).reshape(()).astype(jnp.float64)
    return next(numbers) if mark == "n" else 0.0


def lift(array):
    """What a rule computes with: pairs of reals for complex numbers, float32 for halves."""
    if jnp.iscomplexobj(array):
        return jnp.stack([array.real, array.imag], -1)
    return array.astype(jnp.float32) if array.dtype.itemsize == 2 else array


def lower(new, like):
    """The reverse of `lift`."""
    if jnp.iscomplexobj(like):
        return jax.lax.complex(new[..., 0], new[..., 1])
    return new.astype(like.dtype)
