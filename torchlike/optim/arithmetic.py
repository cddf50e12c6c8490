"""How a rule computes: numbers in 64 bits until they meet an array, halves rounded after each of
PyTorch's steps, complex parameters as pairs of reals.
"""

import jax
import jax.numpy as jnp

from torchlike._base import dtypes as dt
from torchlike._ops.numerics import lean
from torchlike._ops.numerics.lean import Lean

SCALAR_STATES = frozenset({"step", "mu_product", "eta", "mu"})  # 0-d tensors of their own dtype


class Hyper:
    """Flags and hyperparameters of a rule by name, and its arithmetic on one parameter.

    Hyperparameters are float64 scalars, as Python's are: bias corrections lose digits in 32 bits.

    Args:
        dtype: the parameter's.
        flags: name -> Python value.
        numbers: name -> 0-d float64 Lean, or 0.0.
    """

    def __init__(self, dtype, flags, numbers):
        self.__dict__.update(flags)
        self.__dict__.update(numbers)
        self.half = dtype if dtype in (dt.float16, dt.bfloat16) else None
        self.compute = jnp.float32 if self.half else dtype.to_real().np

    def num(self, number):
        """A number in the dtype of the arrays.

        Args:
            number: a Python number or a 0-d array.

        Returns:
            A 0-d Lean: float32 for a parameter in half precision, else of the parameter's real dtype.
        """
        return lean.number(number, self.compute)

    def rnd(self, array):
        """Rounds to a half precision, as PyTorch stores every intermediate.

        Args:
            array: of any shape, float32 for half precisions.

        Returns:
            An array of the same dtype; the same one for other precisions.
        """
        if self.half is dt.bfloat16:  # XLA may drop a conversion there and back
            return Lean(jax.lax.reduce_precision(lean.raw(array), 8, 7))
        if self.half is dt.float16:  # and here reduce_precision has no subnormal numbers
            return array.astype(jnp.float16).astype(jnp.float32)
        return array


def part_function(rule, flags, names, marks, ins):
    """The function of flat arrays that updates one parameter.

    Args:
        rule: the `Rule`.
        flags: the values of its flags.
        names: the names of the parameter's states.
        marks: for each number of the rule "t", "n" or "0": see `sort_numbers`.
        ins: the Avals of the arrays.

    Returns:
        A function of the parameter, its states, its gradient, the hyperparameters that are Tensors and the numbers; it
        returns the new parameter and states.
    """
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
        p, *states = (Lean(a if as_is else lift(a)) for a, as_is in zip(owned, kept, strict=True))
        new = rule.function(h, p, Lean(lift(g)), *states)
        new = map(lean.raw, new)
        return tuple(b if as_is else lower(b, a) for b, a, as_is in zip(new, owned, kept, strict=True))

    return function


def _hyper(mark, tensors, numbers):
    if mark == "t":
        return Lean(next(tensors)).reshape(()).astype(jnp.float64)
    return Lean(next(numbers)) if mark == "n" else 0.0


def lift(array):
    """What a rule computes with.

    Args:
        array: (*), of any dtype.

    Returns:
        (*, 2), pairs of reals, for complex numbers; float32 for halves; else the array.
    """
    if jnp.iscomplexobj(array):
        return jnp.stack([array.real, array.imag], -1)
    return array.astype(jnp.float32) if array.dtype.itemsize == 2 else array


def lower(new, like):
    """The reverse of `lift`.

    Args:
        new: what a rule computed.
        like: the array before it was lifted.

    Returns:
        `new` in the shape and dtype of `like`.
    """
    if jnp.iscomplexobj(like):
        return jax.lax.complex(new[..., 0], new[..., 1])
    return jax.lax.convert_element_type(new, like.dtype)
