"""Functions of Tensors as pure functions of jax arrays, and calls of these on the tape.

Under a JAX transform a Tensor holds a tracer, and operators are applied to it outside of any trace (`apply_kernel` in
`_record/tracers.py`). Tensors that require grad, arguments and what the function captures, enter the outermost call as
sources of a graph of JAX's primitives (`_compile/primitive_graph.py`). The call's Node differentiates that graph: the
function itself runs once, as under PyTorch, and what it read may change afterwards.
"""

import contextlib
import weakref
from typing import Any

import jax
import jax.numpy as jnp

from torchlike._base.device import CPU
from torchlike._base.errors import UnsupportedError
from torchlike._base.settings import strided
from torchlike._compile import avals
from torchlike._compile.backends.registry import backend_of
from torchlike._compile.deferred import Deferred, compute, escaped, has_escaped
from torchlike._compile.eager import no_mesh
from torchlike._compile.jax_private import own_work, trace_of
from torchlike._compile.primitive_graph import Noted, Recorder, known, traced_back
from torchlike._modes import vmap_levels
from torchlike._modes.dual import dual, fitting, level_of, parts, widened
from torchlike._modes.vmap_levels import MUTATED
from torchlike._record.cell import Storage
from torchlike._record.history import edge_of
from torchlike._record.node_factory import nodes
from torchlike._record.tensor import wrap
from torchlike._record.thread import SEQUENCE
from torchlike._record.trace import force, run, state
from torchlike._record.tracers import cut, seen, stripped, tensor_of, with_derivative_of


def array_of(x) -> Any:
    """The jax array (or tracer) of a Tensor; UnsupportedError for a sparse one."""
    if x._cell.layout is not strided:
        raise UnsupportedError(f"a sparse tensor ({x._cell.layout}) as argument or result of a transform, torch.func or "
                               "vmap")
    return force(x._cell)


_RANDOM = (
    "vmap: called random operation while in randomness error mode. Please either use the 'same' or 'different' "
    "randomness flags on vmap or perform the randomness operation out of vmap")


_RANDOM_OF_GRADIENTS = (
    "vmap: We do not yet support calling random operations inside of vmap. Please perform random operations outside of vmap "
    "as a workaround")


class Frame:
    """One call of a transform. ``recorder``: notes what the outermost call computes from tensors with history; None in
    others. ``recording``: whether the tape was, outside; ``stopped``, ``level``: see `_record/tracers.py`. ``derivative``:
    in it no captured tensor may be written to.
    """

    stopped = False
    level = None
    leaves = ()  # tracers of the arguments that require grad here
    waiting = None  # kernels that JAX gets together, see `_compile/deferred.py`
    lane = None  # of a vmap, while it runs: (how many slices, a tracer of the slice's number)
    of_gradients = False  # a vmap of `side_by_side`
    source = None  # where random numbers come from, in place of a generator: source(sampler, generator, *its arguments)

    def __init__(self, randomness="same", derivative=False, recorder=None):
        self.randomness, self.derivative, self.recorder = randomness, derivative, recorder
        self.recording = state.thread.grad
        self._sources: dict = {}  # (id of a Tensor, its version) -> (the Tensor, what stands for it)
        self._written: list = []
        self.born = weakref.WeakSet()  # Storages made inside, as far as they have been computed
        self._start = next(SEQUENCE)

    def lift(self, x):
        """What stands for a tensor with history in the outermost call: a source. Any other tensor as it is."""
        if x._edge is None or self.recorder is None or not self.recording or x._cell.array.__class__ is Deferred:
            return x
        key = id(x), x._cell.version
        if key not in self._sources:
            array, edge = array_of(x), edge_of(x)
            if isinstance(array, jax.core.Tracer) or not self._reaches_outside(edge):
                return x
            read = wrap(Storage(None, -1, x._cell.aval, array))
            read._edge = edge
            self._sources[key] = x, wrap(Storage(None, -1, x._cell.aval, self.recorder.source(array, read)))
        return self._sources[key][1]

    def _reaches_outside(self, edge) -> bool:
        """Whether the history of a tensor that requires grad reaches what was there before the call, or there is none: a
        view without gradients. What is computed inside from what a derivative is taken by, but has none (`x.floor()`), holds
        no tracer, and has a history on the tape alone."""
        if edge is None:
            return True
        pending = [edge]
        looked: set = set()
        while pending:
            edge = pending.pop()
            if edge is None or edge[0] in looked:
                continue
            node = edge[0]
            looked.add(node)
            if not node.is_leaf:
                if node.seq < self._start:
                    return True
                pending += node.edges
            elif not any(node.variable._cell in f.born for f in state.thread.frames):
                return True
        return False

    def settle(self) -> None:
        """Compute what waits in it and is held by somebody."""
        if self.waiting is not None:
            self.waiting.settle()

    def leave(self, level) -> None:
        """What its function has left somewhere is computed, and from now on without the derivatives of `level`, JAX's trace
        of the transform, or escaped from it where that is a vmap."""
        self.settle()
        for storage in [*self.born]:
            _change(storage, lambda array: self._left(array, level))

    def _left(self, array, level):
        if array.__class__ is Deferred:
            if has_escaped(array):
                return array
            array = array.value
        if self.lane is not None and trace_of(self.lane[1]) is level:
            array = stripped(array)
            return escaped() if vmap_levels.differs(array, self.lane) else array
        return cut(array, level)

    def note_draw(self) -> None:
        """Random numbers are about to be drawn: RuntimeError where `vmap` allows none."""
        if self.randomness == "error":
            raise RuntimeError(_RANDOM_OF_GRADIENTS if self.of_gradients else _RANDOM)

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
        if self.recorder is not None:
            self._forget()
        alive = [(storage(), array) for storage, array in self._written if storage() is not None]
        left = [(storage, array) for storage, array in alive if isinstance(storage.array, jax.core.Tracer)]
        for storage, array in left:
            storage.array = array
        if left:
            raise RuntimeError(MUTATED.format(""))

    def _forget(self) -> None:
        """What outlives the call holds arrays, not what was noted of them."""
        for storage in [*self.born, *(storage() for storage, _ in self._written)]:
            if storage is not None:
                _change(storage, known)


def _change(storage, of) -> None:
    """A tracer that the storage holds, or one of its views, is ``of(tracer)`` from now on."""
    for cell in (storage, *(view() for view in storage.views or ())):
        if cell is not None and isinstance(cell.array, jax.core.Tracer):
            cell.array = of(cell.array)


def arrays_of(tensors) -> list:
    """`array_of` each, of what waits in a transform no more than these depend on."""
    compute(x._cell.array for x in tensors)
    return [*map(array_of, tensors)]


def _settle() -> None:
    """Compute what has been recorded: from here on only what is inside the next transform is pending."""
    if state.thread.frames:
        state.thread.frames[-1].settle()
        state.thread.frames[-1].born.update(
            c for c in state.trace.values if c is not None and c.base is None and c.array is None)
    run(state.trace)


@contextlib.contextmanager
def frame(randomness="same", derivative=False, recorder=None):
    """Inside, operators on tracers pass what they capture through a new Frame."""
    if not backend_of(CPU).runs_jax:
        raise UnsupportedError("torch.func in a forked process: start it by 'spawn' or 'forkserver'")
    _settle()
    before, made, trace = state.thread.frames, Frame(randomness, derivative, recorder), state.trace
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


def call(fn, tensors, randomness="same", derivative=True) -> list:
    """The Tensors of `fn(*arrays)`, a list of arrays, connected to `tensors` and to what `fn` captures."""
    if level_of(tensors) is not None:
        return _call_on_duals(fn, tensors, randomness, derivative)
    device = tensors[0]._cell.aval.device if tensors else avals.dev.CPU
    if state.thread.frames:
        arrays = seen(tensors)
        with own_work(), frame(randomness, derivative):
            results = fn(*arrays)
        return [tensor_of(r, device) for r in results]
    recorder = Recorder()
    with own_work(), no_mesh(), frame(randomness, derivative, recorder) as inside, recorder.recording():
        results = fn(*(array_of(inside.lift(x)) for x in tensors))
    outs = [tensor_of(known(r), device) for r in results]
    if state.thread.grad:
        _connect(outs, results)
    return outs


def _connect(outs, results) -> None:
    """History for those of the Tensors `outs` whose arrays in `results` depend on a source."""
    dependent = [i for i, r in enumerate(results) if r.__class__ is Noted]
    if dependent:
        sources, again, saves = traced_back([results[i] for i in dependent])
        node = nodes.pure(again, [x.owner for x in sources], [outs[i]._cell.aval for i in dependent], saves)
        for number, i in enumerate(dependent):
            outs[i]._edge = (node, number)


def _call_on_duals(fn, tensors, randomness, derivative) -> list:
    """`call` of tensors some of which are dual: so are the results."""
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

    found = call(both, [*(p for p, _ in pairs), *(fitting(*pairs[i]) for i in moving)], randomness, derivative)
    tangents = iter(widened(t, [pairs[i] for i in moving]) for t in found[len(floats):])
    return [dual(x, next(tangents), level) if is_float else x for x, is_float in
            zip(found[:len(floats)], floats, strict=True)]


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
        arrays = arrays_of([x for x in found if x is not None])
        inside.leave(trace_of(number))
        return arrays

    thread = state.thread
    before, thread.grad = thread.grad, thread.grad and history
    try:
        left = iter(call(lambda *arrays: jax.vmap(one)(jnp.arange(count), *arrays), tensors, "error", derivative=False))
    finally:
        thread.grad = before
    return [next(left) if is_there else None for is_there in there]

