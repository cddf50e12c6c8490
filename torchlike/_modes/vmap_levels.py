"""What runs side by side under `torchlike.func.vmap`: which tensors differ from slice to slice, and random numbers.

Each vmap that runs has a lane in its frame: (how many slices there are, a tracer of the slice's number).
Random numbers that differ are drawn for all slices at once, and each slice takes its own by that tracer.
"""

import jax
import numpy as np

from torchlike._compile.jax_private import own_work, trace_of
from torchlike._ops import dispatcher_names
from torchlike._record.cell import storage_of
from torchlike._record.tensor import Tensor, wrap
from torchlike._record.trace import force, state
from torchlike._record.tracers import NO_RULE, stripped, tensor_of

_UNBATCHED = (
    "vmap: Cannot ask for different inplace randomness on an unbatched tensor. This will appear like same randomness. If "
    "this is necessary for your usage, please file an issue with functorch.")
_SAME_GIVEN = (
    "Vmap does not currently support same randomness with a batched tensor input. Please file an issue with functorch")


def differs(array, lane) -> bool:
    """Whether the array differs from slice to slice of the lane."""
    trace = trace_of(lane[1])
    while isinstance(array, jax.core.Tracer):
        if trace_of(array) is trace and array.batch_dim is not None:
            return True
        array = getattr(array, "primal", getattr(array, "val", None))
    return False


def batched(x) -> bool:
    """Whether `x` differs between slices of some vmap that is running."""
    return any(f.lane is not None and differs(force(x._cell), f.lane) for f in state.thread.frames)


def _drawn() -> list:
    """The lanes for which random numbers differ, the outermost first."""
    return [f.lane for f in state.thread.frames if f.lane is not None and f.randomness == "different"]


def shape() -> tuple:
    """How many draws are needed for each number: the sizes of those lanes."""
    return tuple(size for size, _ in _drawn()) if state.thread.frames else ()


def pick(array):
    """Of an array that starts with the dimensions of `shape`, what this slice takes."""
    with own_work():
        for _, number in _drawn():
            array = jax.lax.dynamic_index_in_dim(array, number, 0, keepdims=False)
    return array


def gathered(x) -> np.ndarray:
    """The values of `x` in all slices that random numbers differ for: an array that starts with the dimensions of
    `shape`, or with ones. RuntimeError where the values are not known, as under `jax.jit`."""
    values = _known(x, _drawn(), apart=True)
    if values is None:
        raise RuntimeError("random numbers are drawn on the host: the values of their parameters are not known here")
    return values


def known(x) -> np.ndarray | None:
    """The values of `x`, those of all slices of all vmaps that it differs for; None where there are none (`jax.jit`)."""
    return _known(x, [f.lane for f in state.thread.frames if f.lane is not None], apart=False)


def _known(x, lanes, apart):
    """The values with the dimensions of the lanes first; `apart`: also, as ones, of lanes in which they do not differ."""
    array = force(x._cell)
    for lane in reversed(lanes):
        if differs(array, lane):
            array, at = _unmapped(array, lane)
            array = jax.numpy.moveaxis(array, at, 0) if at else array
        elif apart:
            array = jax.numpy.expand_dims(array, 0)
    while isinstance(array := stripped(array), jax.core.Tracer):
        array = getattr(array, "primal", None)
        if array is None:
            return None
    return np.asarray(array)


def _unmapped(array, lane):
    """(the array of all slices of the lane, the dimension that they are in)."""
    trace = trace_of(lane[1])
    while trace_of(array) is not trace:
        array = getattr(array, "primal", getattr(array, "val", None))
    return array.val, array.batch_dim


def check_written(x) -> None:
    """RuntimeError where different numbers are to be written to a tensor that is one for all slices."""
    for f in reversed(state.thread.frames):
        if f.lane is not None and f.randomness == "different" and not differs(force(x._cell), f.lane):
            raise RuntimeError(_UNBATCHED)


def check_given(*values) -> None:
    """RuntimeError where the same numbers are to be drawn by parameters that differ."""
    for f in state.thread.frames:
        for x in values:
            if f.lane is not None and f.randomness == "same" and isinstance(x, Tensor) and differs(force(x._cell), f.lane):
                raise RuntimeError(_SAME_GIVEN)


def like(made, x) -> Tensor:
    """`made`, a tensor that nobody else has: it differs where `x` does, if only because it may be written to."""
    return _spread(made, [f.lane for f in state.thread.frames if f.lane is not None and differs(force(x._cell), f.lane)]) \
        if state.thread.frames else made


def everywhere(made) -> Tensor:
    """`made` as a tensor that differs in all lanes."""
    return _spread(made, [f.lane for f in state.thread.frames if f.lane is not None])


def _spread(made, found) -> Tensor:
    if not found:
        return made
    array = force(made._cell)
    with own_work():
        for _, number in found:
            array = jax.lax.select(jax.lax.broadcast(number < 0, array.shape), array, array)
    return tensor_of(array, made._cell.aval.device)


# -- what depends on values

_SHAPE = ("vmap: We do not support batching operators that can output dynamic shape. Attempted to vmap over aten::{}. "
          "Please file an issue at https://github.com/pytorch/pytorch/issues if you need this feature.")


def check_shape(x, name) -> None:
    """RuntimeError where the shape of the result of the operator `name` would differ from slice to slice."""
    refuse_batched(x, _SHAPE.format(name))


def check_rule(x, name) -> None:
    """RuntimeError where the operator `name`, which PyTorch's vmap does not know, would be batched over `x`."""
    refuse_batched(x, NO_RULE.format(name))


def refuse_batched(x, text) -> None:
    """RuntimeError with this text where `x` differs between slices of a vmap."""
    if state.thread.frames and isinstance(x, Tensor) and batched(x):
        raise RuntimeError(text)


# -- writes

MUTATED = (
    "During a grad (vjp, jvp, grad, etc) transform, the function provided attempted to call in-place operation {}that "
    "would mutate a captured Tensor. This is not supported; please rewrite the function being transformed to explicitly "
    "accept the mutated Tensor(s) as inputs.")
_WIDER = (
    "vmap: {0}(self, *extra_args) is not possible because there exists a Tensor `other` in extra_args that has more "
    "elements than `self`. This happened due to `other` being vmapped over but `self` not being vmapped over {1}. Please "
    "try to use out-of-place operators instead of {0}. If said operator is being called inside the PyTorch framework, "
    "please file a bug report instead.")


def check_lanes(x, value, text) -> None:
    """RuntimeError with this text where `value`, which is to be written to `x`, differs between slices of a vmap in which
    `x` is one tensor."""
    old, new = force(x._cell), force(value._cell)
    if any(f.lane is not None and differs(new, f.lane) and not differs(old, f.lane) for f in state.thread.frames):
        raise RuntimeError(text)


def check_other(name, x, other) -> None:
    """RuntimeError where `other`, which the operator `name` writes `x` by, differs between slices of a vmap in which `x` is
    one tensor."""
    for level, f in reversed(list(enumerate(state.thread.frames, 1))):
        if f.lane is not None and differs(force(other._cell), f.lane) and not differs(force(x._cell), f.lane):
            raise RuntimeError(_WIDER.format(f"aten::{name}", f"at level {level}"))


def check_write(row, operands, params) -> None:
    """RuntimeError where the row may not be applied in place: to what a derivative captures, or to what is one tensor
    for all slices, with operands that differ."""
    name = dispatcher_names.name_of(row, tuple(isinstance(x, Tensor) for x in operands), params, True)
    check_captured(name, storage_of(operands[0]._cell))
    _check_leaf(operands[0])
    arrays = [force(x._cell) for x in operands if isinstance(x, Tensor)]
    arrays += [force(y._cell) for x in operands if isinstance(x, tuple) for y in x if isinstance(y, Tensor)]
    for level, f in reversed(list(enumerate(state.thread.frames, 1))):
        if f.lane is None or differs(arrays[0], f.lane) or not any(differs(a, f.lane) for a in arrays[1:]):
            continue
        if f.of_gradients:
            raise RuntimeError(_WIDER.format(f"aten::{name.partition('.')[0]}", "at level 1"))
        if row.write.vmap == "broadcast":
            raise RuntimeError(_added(arrays))
        plain = row.write.vmap in ("plain", "arithmetic")
        word = "inplace arithmetic" if row.write.vmap == "arithmetic" else name.partition(".")[0]
        raise RuntimeError(_WIDER.format(word if plain else f"aten::{word}", "in a vmap" if plain else f"at level {level}"))


def _check_leaf(x) -> None:
    """RuntimeError where `x` is what `torchlike.func.grad` and the like differentiate by."""
    array, is_view = force(storage_of(x._cell)), x._cell.base is not None
    while isinstance(array, jax.core.Tracer):
        if any(array is leaf for f in state.thread.frames if not f.stopped for leaf in f.leaves):
            raise RuntimeError(f"a {'view of a ' if is_view else ''}leaf Variable that requires grad is being used in an "
                               "in-place operation.")
        array = getattr(array, "val", None)


def kept_apart(x, out):
    """`out`, the new value of `x`: it differs between slices where `x` does."""
    missing = [f.lane for f in state.thread.frames if f.lane is not None and differs(force(x._cell), f.lane)
               and not differs(force(out._cell), f.lane)]
    if missing:
        edge = out._edge
        out = _spread(wrap(out._cell), missing)
        out._edge = edge
    return out


def _added(arrays) -> str:
    """PyTorch adds whole batches, and finds that their shapes do not fit."""
    lanes = [f.lane for f in state.thread.frames if f.lane is not None and any(differs(a, f.lane) for a in arrays)]
    mine = [size if differs(arrays[0], (size, number)) else 1 for size, number in lanes]
    mine = [] if all(n == 1 for n in mine) else mine
    full = np.broadcast_shapes(*(a.shape for a in arrays))
    return (f"output with shape {[*mine, *arrays[0].shape]} doesn't match the broadcast shape "
            f"{[*(size for size, _ in lanes), *full]}")


def check_captured(name, storage) -> None:
    """RuntimeError where the operation `name` would write to a tensor from outside of a derivative."""
    if storage.array is None and storage.trace is state.trace:  # recorded since the innermost transform began
        return
    for f in reversed(state.thread.frames):
        if storage in f.born:
            return
        if f.derivative:
            raise RuntimeError(MUTATED.format(f"(aten::{name.removesuffix('.default')}) "))
