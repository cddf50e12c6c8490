"""What runs side by side under `torchlike.func.vmap`: which tensors differ from slice to slice, and random numbers.

Each vmap that runs has a lane in its frame: (how many slices there are, a tracer of the slice's number).
Random numbers that differ are drawn for all slices at once, and each slice takes its own by that tracer.
"""

import jax

from torchlike import dtypes as dt
from torchlike._lower import avals
from torchlike._storage import Storage
from torchlike._tensor import Tensor
from torchlike._trace.trace import force, state

_UNBATCHED = (
    "vmap: Cannot ask for different inplace randomness on an unbatched tensor. This will appear like same randomness. If "
    "this is necessary for your usage, please file an issue with functorch.")
_SAME_GIVEN = (
    "Vmap does not currently support same randomness with a batched tensor input. Please file an issue with functorch")


def differs(array, lane) -> bool:
    """Whether the array differs from slice to slice of the lane."""
    trace = lane[1]._trace
    while isinstance(array, jax.core.Tracer):
        if array._trace is trace:
            return True
        array = getattr(array, "primal", getattr(array, "val", None))
    return False


def batched(x) -> bool:
    """Whether `x` differs between slices of some vmap that is running."""
    return any(f.lane is not None and differs(force(x._cell), f.lane) for f in state.frames)


def _drawn() -> list:
    """The lanes for which random numbers differ, the outermost first."""
    return [f.lane for f in state.frames if f.lane is not None and f.randomness == "different"]


def shape() -> tuple:
    """How many draws are needed for each number: the sizes of those lanes."""
    return tuple(size for size, _ in _drawn()) if state.frames else ()


def pick(array):
    """Of an array that starts with the dimensions of `shape`, what this slice takes."""
    with jax.enable_x64(True):
        for _, number in _drawn():
            array = jax.lax.dynamic_index_in_dim(array, number, 0, keepdims=False)
    return array


def check_written(x) -> None:
    """RuntimeError where different numbers are to be written to a tensor that is one for all slices."""
    for f in reversed(state.frames):
        if f.lane is not None and f.randomness == "different" and not differs(force(x._cell), f.lane):
            raise RuntimeError(_UNBATCHED)


def check_given(*values) -> None:
    """RuntimeError where the same numbers are to be drawn by parameters that differ."""
    for f in state.frames:
        for x in values:
            if f.lane is not None and f.randomness == "same" and isinstance(x, Tensor) and differs(force(x._cell), f.lane):
                raise RuntimeError(_SAME_GIVEN)


def like(made, x) -> Tensor:
    """`made`, a tensor that nobody else has: it differs where `x` does, if only because it may be written to."""
    return _spread(made, [f.lane for f in state.frames if f.lane is not None and differs(force(x._cell), f.lane)]) \
        if state.frames else made


def everywhere(made) -> Tensor:
    """`made` as a tensor that differs in all lanes."""
    return _spread(made, [f.lane for f in state.frames if f.lane is not None])


def _spread(made, found) -> Tensor:
    if not found:
        return made
    array = force(made._cell)
    with jax.enable_x64(True):
        for _, number in found:
            array = jax.lax.select(jax.lax.broadcast(number < 0, array.shape), array, array)
    made._cell = Storage(None, -1, avals.aval(tuple(array.shape), dt.from_np(array.dtype), made._cell.aval.device), array)
    return made
