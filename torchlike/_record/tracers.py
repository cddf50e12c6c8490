"""What the recorder knows of JAX's transforms: their tracers, and the frames of `torchlike.func` that are running.

A Tensor that holds a jax tracer is in no trace. An operation on one is applied at once, and JAX sees it.
"""

import weakref
from typing import Protocol

import jax

from torchlike._base import dtypes as dt
from torchlike._compile import avals, deferred, jax_private
from torchlike._compile.avals import NUMBER_DTYPES
from torchlike._compile.custom_jvp import as_custom_jvp
from torchlike._compile.deferred import Deferred, Graph
from torchlike._compile.gradients import differentiable_operands, plan
from torchlike._compile.jax_private import own_work
from torchlike._compile.primitive_graph import Noted, Recorder
from torchlike._compile.program import Call
from torchlike._record.cell import Storage
from torchlike._record.history import attach
from torchlike._record.tensor import Tensor, wrap
from torchlike._record.trace import force, state
from torchlike._record.tree import TreeNode

NO_RULE = "Batching rule not implemented for aten::{}. We could not generate a fallback."


class Frame(Protocol):
    """One call of a transform, on the stack ``state.thread.frames`` (`_modes/transform.py` has the class).

    Attributes:
        born: Storages made inside, which may be written to there.
        stopped: whether derivatives are not wanted (under no_grad inside of the transform).
        level: JAX's trace of a transform that gives gradients, to which `stopped` applies; None for others, which leave it
            to those around them.
        of_gradients: whether it is a vmap that autograd runs itself, whose error texts differ.
        recorder: what notes the primitives of the outermost call, for a backward; None in calls inside of it, and under
            JAX's own transforms.
        lane: (how many slices, tracer of the slice's number) of a vmap; None otherwise.
        waiting: the kernels that have been applied to tracers in it, as far as JAX has not got them yet.
    """

    born: weakref.WeakSet
    stopped: bool
    level: object
    of_gradients: bool
    recorder: Recorder | None
    lane: tuple | None
    waiting: Graph | None

    def lift(self, x: Tensor) -> Tensor:
        """What stands in for a captured tensor."""
        ...

    def to_write(self, storage: Storage, value):
        """The array that is about to be written into `storage` for `value`."""
        ...

    def check_write(self, row, operands: tuple, params: tuple) -> None:
        """RuntimeError where the row may not be applied in place to the first operand."""
        ...

    def kept_apart(self, x: Tensor, out: Tensor) -> Tensor:
        """`out`, the new value of `x`, which differs between slices of a vmap where `x` does."""
        ...


def noted(made: Tensor) -> Tensor:
    """`made`, a new tensor, which may be written to by the transforms that are running."""
    frames = state.thread.frames
    if frames:
        frames[-1].born.add(made._cell)
    return made


def tensor_of(array, device, strides=None, offset=0) -> Tensor:
    """A Tensor of a jax array or tracer; without `strides` contiguous."""
    made = avals.aval(tuple(array.shape), dt.from_np(array.dtype), device, strides, offset)
    return noted(wrap(Storage(None, -1, made, array)))


def stripped(array):
    """The array without the vmaps that it is under, but takes no part in."""
    while isinstance(array, jax.core.Tracer) and getattr(array, "batch_dim", 0) is None:
        array = array.val
    return array


def of_gradients() -> bool:
    """Whether the innermost vmap is one that autograd runs itself, as for ``is_grads_batched``."""
    innermost = next((frame for frame in reversed(state.thread.frames) if frame.lane is not None), None)
    return innermost is not None and innermost.of_gradients


def seen(tensors) -> list:
    """The arrays that an operation on these tensors gets from the transforms that are running: with stand-ins for what they
    have captured, and without the derivatives that are not wanted."""
    return [array.value if array.__class__ is Deferred else array for array in _seen(tensors)]


def _seen(tensors) -> list:
    """The same, of what waits as Deferred."""
    frames = state.thread.frames
    levels, taped = _stopped(frames) if any(f.stopped for f in frames) else ((), True)
    whole = taped and not levels and _may_wait()
    arrays = []
    for x in tensors:
        for f in frames if taped else ():
            x = f.lift(x)
        waits = whole and x._cell.array.__class__ is Deferred
        array = x._cell.array if waits else force(x._cell)
        for level in levels:
            array = cut(array, level)
        arrays.append(array if taped else cut(array, None))
    return arrays


def undifferentiated(x: Tensor) -> Tensor:
    """`x` as a constant to every transform that differentiates, for what a kernel writes beside its result."""
    return tensor_of(_value_of(force(x._cell)), x._cell.aval.device) if is_differentiated(x) else x


def is_differentiated(x: Tensor) -> bool:
    """Whether a transform that is running takes derivatives of `x`."""
    array = force(x._cell)
    while isinstance(array, jax.core.Tracer):
        if hasattr(array, "primal"):
            return True
        array = getattr(array, "val", None)
    return False


def _value_of(array):
    if not isinstance(array, jax.core.Tracer):
        return array
    if jax_private.is_batched(array):
        return jax_private.like(array, _value_of(array.val), array.batch_dim)
    return _value_of(array.primal) if hasattr(array, "primal") else array


def _stopped(frames) -> tuple:
    """(the levels at which derivatives are not wanted, whether they are by the tape). As in PyTorch a transform that gives
    gradients begins with them switched on; where they are off, they are off for all that is around it, too."""
    stopped, levels = False, []
    for f in reversed(frames):
        stopped = stopped or f.stopped
        if stopped and f.level is not None:
            levels.append(f.level)
    return levels, not stopped


def cut(array, level):
    """The array as a constant to this level, which others may be inside of; None is the tape."""
    if array.__class__ is Deferred:
        array = array.value
    if not isinstance(array, jax.core.Tracer):
        return array
    if jax_private.trace_of(array) is level or (level is None and array.__class__ is Noted):
        return array.primal
    if jax_private.is_batched(array):
        return jax_private.like(array, cut(array.val, level), array.batch_dim)
    if jax_private.is_dual(array):
        return jax_private.like(array, cut(array.primal, level), cut(array.tangent, level))
    return array


@jax.custom_jvp
def with_derivative_of(old, new):
    """`new` with the derivative of `old`: what was written in place where derivatives are not wanted, for PyTorch then
    leaves the tensor's history as it was."""
    return new


@with_derivative_of.defjvp
def _derivative_of_old(primals, tangents):
    return with_derivative_of(*primals), tangents[0]


def _may_wait() -> bool:
    """Whether kernels are handed to JAX together. In a function for JAX they are not: it shows the same each time."""
    frames = state.thread.frames
    return bool(frames) and frames[0].recorder is not None


def apply_kernel(kernel, tensors, given, forms) -> list:
    """The results of the kernel's function on the arrays as they are, with history.

    Args:
        kernel: the Kernel.
        tensors: its operands, some of which hold tracers.
        given: its Python numbers.
        forms: the Avals of its results.

    Returns:
        A list of Tensors.
    """
    arrays = _seen(tensors)
    flags = differentiable_operands(kernel)
    if not any(flags):  # what waits is cut by `jitted`
        arrays = [array if array.__class__ is Deferred else cut(array, None) for array in arrays]
    with own_work():
        numbers = [NUMBER_DTYPES[kind].type(n) for kind, n in zip(kernel.numbers, given, strict=True)]
        if _may_wait():
            frames = state.thread.frames
            frames[-1].waiting = waiting = deferred.graph(frames[-1].waiting, frames[0].recorder)
            results = waiting.apply(kernel, [*arrays, *numbers], _saves(kernel, flags, arrays))
        else:
            results = as_custom_jvp(kernel)(*arrays, *numbers)
    outs = [noted(wrap(Storage(None, -1, aval, result))) for aval, result in zip(forms, results, strict=True)]
    attach_alone(kernel, forms, tensors, given, outs)
    return outs


def _saves(kernel, flags, arrays) -> bool:
    """Whether PyTorch's Node of the kernel would save anything: its graph cannot be freed of what it has not."""
    needed = tuple(i for i, flag in enumerate(flags) if flag and isinstance(arrays[i], jax.core.Tracer))
    kept = plan(kernel, needed)
    return bool(kept.save_ins or kept.save_outs or kept.save_numbers)


def attach_alone(kernel, forms, tensors, given, outs) -> None:
    """History of results that no instruction of the trace makes."""
    t = state.trace
    if t.thread.grad and any(x._edge is not None for x in tensors):
        attach(t, TreeNode(None, Call(kernel, ()), forms), outs, tensors, given)

