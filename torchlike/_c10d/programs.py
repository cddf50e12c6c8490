"""What the collectives compute, as functions of the arrays of one rank. All of them are one-dimensional.

What only moves numbers (`MOVES`) gets their bits as unsigned integers. A sum stands in for a broadcast and a scatter, which
XLA's code for the CPU has not: all ranks but one add zeros, so each bit arrives as it is.
"""

import collections
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec

from torchlike._compile.backends.xla import compiled

AXIS = "ranks"


def all_reduce(op: str, size: int) -> Callable:
    """The function that reduces an array over the ranks: "sum", "min", "max", "product", "band", "bor" or "bxor"."""
    if op == "sum":
        return lambda x: jax.lax.psum(x, AXIS)
    if op in _DIRECT:
        return lambda x: _DIRECT[op](x, AXIS)
    return lambda x: _folded(_IN_TURN[op], jax.lax.all_gather(x, AXIS), size)


_DIRECT = {"min": jax.lax.pmin, "max": jax.lax.pmax}
_IN_TURN = {"product": jnp.multiply, "band": jnp.bitwise_and, "bor": jnp.bitwise_or, "bxor": jnp.bitwise_xor}


def _folded(function, rows, size):
    """What all ranks have, in their order, so that each of them gets the same bits."""
    total = rows[0]
    for rank in range(1, size):
        total = function(total, rows[rank])
    return total


def all_gather(size: int) -> Callable:
    """The function from an array to those of all ranks, one after the other."""
    return lambda x: jax.lax.all_gather(x, AXIS, tiled=True)


def reduce_scatter(op: str, size: int) -> Callable:
    """The function that reduces an array over the ranks, of which each gets its part."""
    if op == "sum":
        return lambda x: jax.lax.psum_scatter(x, AXIS, tiled=True)
    reduced = all_reduce(op, size)

    def function(x):
        part = x.shape[0] // size
        return jax.lax.dynamic_slice(reduced(x), (jax.lax.axis_index(AXIS) * part,), (part,))

    return function


def all_to_all(size: int) -> Callable:
    """The function that sends the parts of an array to the ranks, and puts together what comes."""
    return lambda x: jax.lax.all_to_all(x, AXIS, 0, 0, tiled=True)


def broadcast(source: int, size: int) -> Callable:
    """The function from an array of integers to that of one rank."""
    return lambda x: jax.lax.psum(_only(source, x), AXIS)


def scatter(source: int, size: int) -> Callable:
    """The function from an array of integers to this rank's part of that of one rank."""
    return lambda x: jax.lax.psum_scatter(_only(source, x), AXIS, tiled=True)


def hand_over(source: int, size: int) -> Callable:
    """The function that sends an array from one of two ranks to the other."""
    return lambda x: jax.lax.ppermute(x, AXIS, [(source, 1 - source)])


def _only(source, x):
    return jnp.where(jax.lax.axis_index(AXIS) == source, x, jnp.zeros((), x.dtype))


def apart(function: Callable) -> Callable:
    """The function with some thousand operations more, as a second result. A program of less, XLA's client for the CPU runs
    in the thread that calls it, which would have to wait there for the other ranks, deaf to time-outs and signals."""
    def longer(x):
        idle = jnp.arange(_IDLE, dtype=jnp.int32) * jax.lax.axis_index(AXIS)
        return function(x), idle.sum(dtype=jnp.int32)

    return longer


_IDLE = 2048  # numbers
MAKERS: dict = {"all_reduce": all_reduce, "all_gather": all_gather, "reduce_scatter": reduce_scatter,
                "all_to_all": all_to_all, "broadcast": broadcast, "scatter": scatter, "hand_over": hand_over}
MOVES = frozenset({"all_gather", "all_to_all", "broadcast", "scatter", "hand_over"})  # what does not look at the numbers
_KEPT = 256  # programs of a group
# Such a program does one thing: to compile it takes 22 ms with everything.
_OPTIONS = {"xla_backend_optimization_level": 0, "xla_allow_excess_precision": False}


def bits(array: np.ndarray) -> np.ndarray:
    """The bits of numbers, as unsigned integers."""
    return array.view(f"u{min(array.itemsize, 8)}")


class Programs:
    """The compiled collectives of a group.

    Args:
        sharding: over the devices of its members.
    """

    def __init__(self, sharding: NamedSharding):
        self.sharding = sharding
        self._made: collections.OrderedDict = collections.OrderedDict()

    def of(self, kind: str, how: tuple, given: jax.Array) -> Callable:
        """The program of a collective.

        Args:
            kind, how: the function of this file, and its arguments.
            given: what it is called with.

        Returns:
            the function; what the members get is its first result.
        """
        key = kind, how, given.shape, given.dtype
        made = self._made.get(key)
        if made is None:
            size = self.sharding.mesh.size
            function = jax.shard_map(apart(MAKERS[kind](*how, size)), mesh=self.sharding.mesh, in_specs=PartitionSpec(),
                                     out_specs=PartitionSpec(), check_vma=False)
            made = self._made[key] = compiled(jax.jit(function).lower(given), _OPTIONS)
            if len(self._made) > _KEPT:
                self._made.popitem(last=False)
        return made

    def clear(self) -> None:
        """Let go of them."""
        self._made.clear()
