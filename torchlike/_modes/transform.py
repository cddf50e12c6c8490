"""Functions of Tensors as pure functions of jax arrays, and calls of these on the tape.

Under a JAX transform a Tensor holds a tracer, and each operator is applied to it at once (`apply_kernel` in
`_record/tracers.py`). A tensor that the function captured and that requires grad is a constant to JAX. The
tape must know it all the same: a Frame notes it on the way, and if it matters the call's Node runs the
function again with tracers in the places of what was captured.
"""

import contextlib
import weakref
from typing import Any

import jax
import jax.numpy as jnp

from torchlike._base import dtypes as dt
from torchlike._base.device import CPU
from torchlike._base.errors import UnsupportedError
from torchlike._compile import avals
from torchlike._compile.backends.registry import backend_of
from torchlike._modes import vmap_levels
from torchlike._modes.dual import dual, level_of, parts
from torchlike._modes.vmap_levels import MUTATED
from torchlike._random import generator
from torchlike._record.cell import Storage
from torchlike._record.node_factory import nodes
from torchlike._record.tensor import Tensor, wrap
from torchlike._record.trace import force, run, state
from torchlike._record.tracers import noted, seen, with_derivative_of


def array_of(x) -> Any:
    """The jax array (or tracer) of a Tensor."""
    return force(x._cell)


def tensor_of(array, device) -> Tensor:
    """A Tensor of a jax array or tracer."""
    aval = avals.aval(tuple(array.shape), dt.from_np(array.dtype), device)
    return noted(wrap(Storage(None, -1, aval, array)))


_RANDOM = (
    "vmap: called random operation while in randomness error mode. Please either use the 'same' or 'different' "
    "randomness flags on vmap or perform the randomness operation out of vmap")


_RANDOM_OF_GRADIENTS = (
    "vmap: We do not yet support calling random operations inside of vmap. Please perform random operations outside of vmap "
    "as a workaround")


class Frame:
    """One call of a transform. ``captured``: the tensors with history that the function met, in order of
    appearance; ``stand_ins``: what to put in their places, in that order. ``recording``: whether the tape was,
    outside; ``stopped``, ``level``: see `_record/tracers.py`. ``derivative``: in it no captured tensor may be written to.
    """

    stopped = False
    level = None
    leaves = ()  # tracers of the arguments that require grad here
    lane = None  # of a vmap, while it runs: (how many slices, a tracer of the slice's number)
    of_gradients = False  # a vmap of `side_by_side`
    source = None  # where random numbers come from, in place of a generator: source(sampler, generator, *its arguments)
    numbers = None  # the random generator's state before the first number was drawn

    def __init__(self, stand_ins=(), randomness="same", derivative=False):
        self.stand_ins, self.captured, self.randomness, self.derivative = stand_ins, [], randomness, derivative
        self.recording = state.thread.grad
        self._places: dict = {}
        self._written: list = []
        self.born = weakref.WeakSet()  # Storages made inside, as far as they have been computed

    def lift(self, x):
        """The stand-in of a captured tensor with history; any other tensor as it is."""
        if x._edge is None or not self.recording or isinstance(x._cell.array, jax.core.Tracer):
            return x
        place = self._places.get(id(x))
        if place is None:
            place = self._places[id(x)] = len(self.captured)
            self.captured.append(x)
        return self.stand_ins[place] if place < len(self.stand_ins) else x

    def note_draw(self) -> None:
        """Random numbers are about to be drawn: RuntimeError where `vmap` allows none."""
        if self.randomness == "error":
            raise RuntimeError(_RANDOM_OF_GRADIENTS if self.of_gradients else _RANDOM)
        if self.numbers is None:
            self.numbers = generator.get_state()

    def to_write(self, storage, value) -> Any:
        """The array that is about to be written into `storage` for `value`."""
        array = force(storage)
        if not isinstance(array, jax.core.Tracer):
            if isinstance(value, jax.core.Tracer):
                self._written.append((weakref.ref(storage), array))
        elif self.stopped and self.level is not None and (array.shape, array.dtype) == (value.shape, value.dtype):
            return with_derivative_of(array, value)
        return value

    def check_write(self, row, operands, params) -> None:
        """RuntimeError where the row may not be applied in place: see `vmap_levels.check_write`."""
        vmap_levels.check_write(row, operands, params)

    def kept_apart(self, x, out):
        """`out`, the new value of `x`, which differs between slices where `x` does."""
        return vmap_levels.kept_apart(x, out)

    def close(self) -> None:
        """RuntimeError if a tracer was written into a tensor that outlives the call; its old value is back then."""
        alive = [(storage(), array) for storage, array in self._written if storage() is not None]
        for storage, array in alive:
            storage.array = array
        if alive:
            raise RuntimeError(MUTATED.format(""))


def _settle() -> None:
    """Compute what has been recorded: from here on only what is inside the next transform is pending."""
    if state.thread.frames:
        state.thread.frames[-1].born.update(
            c for c in state.trace.values if c is not None and c.base is None and c.array is None)
    run(state.trace)


@contextlib.contextmanager
def frame(stand_ins=(), randomness="same", derivative=False):
    """Inside, operators on tracers pass what they capture through a new Frame."""
    if not backend_of(CPU).runs_jax:
        raise UnsupportedError("torch.func in a forked process: start it by 'spawn' or 'forkserver'")
    _settle()
    before, made, trace = state.thread.frames, Frame(stand_ins, randomness, derivative), state.trace
    made.stopped = bool(before) and before[-1].stopped
    state.thread.frames = (*before, made)
    trace.thread.grad = not trace.thread.inference
    try:
        yield made
    finally:
        state.thread.frames, trace.thread.grad = before, made.recording
        if before:
            before[-1].born.update(made.born)
    made.close()


def call(fn, tensors, randomness="same", first=None, met=None, derivative=True) -> list:
    """The Tensors of `fn(*arrays)`, a list of arrays, connected to `tensors` and to what `fn` captures.

    `first`: computes the same the first time, from what an earlier call has kept; `met` is the Frame of that
    call, which knows what `fn` captures.
    """
    return framed(fn, tensors, randomness, first, met, derivative)[0]


def framed(fn, tensors, randomness="same", first=None, met=None, derivative=True) -> tuple:
    """(what `call` returns, the Frame that it ran in)."""
    if level_of(tensors) is not None:
        return _framed_duals(fn, tensors, randomness, derivative)
    device = tensors[0]._cell.aval.device if tensors else avals.dev.CPU
    arrays = seen(tensors) if state.thread.frames else [array_of(x) for x in tensors]
    with jax.enable_x64(True), frame((), randomness, derivative) as inside:
        results = (first or fn)(*arrays)
    outs = [tensor_of(r, device) for r in results]
    known = inside if met is None else met
    sources = [*tensors, *known.captured]
    if state.thread.grad and any(x._edge is not None for x in sources):
        _connect(fn, len(tensors), sources, outs, known)
    return outs, inside


def _framed_duals(fn, tensors, randomness, derivative) -> tuple:
    """`framed` of tensors some of which are dual: so are the results."""
    pairs, level = [parts(x) for x in tensors], level_of(tensors)
    moving = [i for i, (_, t) in enumerate(pairs) if t is not None]
    count, floats = len(tensors), []

    def both(*arrays):
        def of_moving(*moved):
            inner = list(arrays[:count])
            for i, a in zip(moving, moved, strict=True):
                inner[i] = a
            return fn(*inner)

        outs, moved = jax.jvp(of_moving, tuple(arrays[i] for i in moving), tuple(arrays[count:]))
        floats[:] = [jnp.issubdtype(x.dtype, jnp.inexact) for x in outs]
        return [*outs, *(t for t, is_float in zip(moved, floats, strict=True) if is_float)]

    found, met = framed(both, [*(p for p, _ in pairs), *(pairs[i][1] for i in moving)], randomness, derivative=derivative)
    tangents = iter(found[len(floats):])
    return [dual(x, next(tangents), level) if is_float else x for x, is_float in
            zip(found[:len(floats)], floats, strict=True)], met


def side_by_side(fn, tensors, count, history) -> list:
    """The results of ``fn(*slices)`` for `count` slices of the tensors along their first dimension, stacked; None where
    it returns that. `fn` runs once, under a vmap. `history`: whether the results have one."""
    device = tensors[0]._cell.aval.device
    there: list = []

    def one(number, *arrays):
        inside = state.thread.frames[-1]
        inside.lane, inside.of_gradients = (count, number), True
        found = fn(*(tensor_of(a, device) for a in arrays))
        there[:] = [x is not None for x in found]
        return [array_of(x) for x in found if x is not None]

    thread = state.thread
    before, thread.grad = thread.grad, thread.grad and history
    try:
        left = iter(call(lambda *arrays: jax.vmap(one)(jnp.arange(count), *arrays), tensors, "error", derivative=False))
    finally:
        thread.grad = before
    return [next(left) if is_there else None for is_there in there]


def _connect(fn, count, sources, outs, met):
    device = sources[0]._cell.aval.device

    def lifted(*arrays):
        """As it was the first time: with history, so that the same is captured, and the same random numbers."""
        before, state.thread.grad = state.thread.grad, True
        present = generator.get_state()
        if met.numbers is not None:
            generator.set_state(met.numbers)
        try:
            with frame([tensor_of(a, device) for a in arrays[count:]], met.randomness, met.derivative):
                return fn(*arrays[:count])
        finally:
            state.thread.grad = before
            generator.set_state(present)

    node = nodes.pure(lifted, sources, [x._cell.aval for x in outs])
    for i, out in enumerate(outs):
        if out.dtype.category >= dt.FLOAT:
            out._edge = (node, i)
