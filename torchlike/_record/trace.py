"""The running trace of a thread, and running it."""

import threading
from sys import getrefcount
from typing import Any
from weakref import ref

import jax
import numpy as np

from torchlike._base import config
from torchlike._base.device import CPU
from torchlike._base.errors import lack_of_memory, outward
from torchlike._base.forkable import forkable
from torchlike._compile import avals
from torchlike._compile import program as programs
from torchlike._compile.backends.registry import backend_of
from torchlike._compile.deferred import Deferred
from torchlike._compile.executors.interruption import Interrupted
from torchlike._compile.executors.stack import stack as executors
from torchlike._compile.fork_locks import held_by_runs
from torchlike._compile.jax_private import HOST_COPY
from torchlike._record import explain_log, tree
from torchlike._record.caches import caches
from torchlike._record.cell import Cell, ViewCell, storage_of
from torchlike._record.deferred_checks import concerning, fail_for, settle
from torchlike._record.host_window import on_host
from torchlike._record.layout import step
from torchlike._record.shared_memory import Outside, is_outside
from torchlike._record.thread import ThreadState

counters = {"runs": 0, "dropped": 0, "peeks": 0}
_STEP = 8  # instructions: a shorter step is not worth a launch of its own,
_STEP_BYTES = 1 << 20  # unless it makes so much: until it runs, the gradients that it reads stay in memory
_NO_DATA = "a tensor without data was used: it is on device 'meta', or it could not be computed when its trace ran"


class NotHere(Exception):
    """Raised by `Trace.enter`: the running trace cannot take an operand as it is."""

    def take(self, operation):
        """The result of the operation (see `dispatch.py`) that has such an operand."""
        raise NotImplementedError


class HasTracer(NotHere):
    """The operand holds a jax tracer."""

    def take(self, operation):
        """The operation is applied at once, or done by the handler that another operand brings."""
        handler = _handler_among(operation.operands)
        return operation.apply_now() if handler is None else handler.handle(operation)


def _handler_among(operands):
    for x in operands:
        cells = [y._cell for y in x if y is not None] if isinstance(x, tuple) else [getattr(x, "_cell", None)]
        for cell in cells:
            if cell is not None and cell.handler is not None:
                return cell.handler
    return None


class HasHandler(NotHere):
    """The operand brings a handler of its own, as dual tensors do."""

    def __init__(self, handler):
        self.handler = handler

    def take(self, operation):
        """What the handler makes of it."""
        return self.handler.handle(operation)


class OtherDevice(NotHere):
    """The operand lives on another device than the trace."""

    def take(self, operation):
        """The trace is run, and the operation begins the next one, on that device."""
        operation = operation.on_one_device()
        run(state.trace)
        return operation.run()


class Trace:
    """What a thread has recorded since its last run.

    ``node``: the place in the tree. ``values``: the Cell of each slot (None once nobody can read it).
    ``inputs``: the array of each Input, ``places``: its slot. ``numbers``: the Python numbers met, in order.

    ``thread``: its thread's modes. ``token`` identifies a stretch of recording, from one run to the next.
    ``foreign``: what entered from elsewhere: a cell's array and its slot, by cell; the slot of a view, by its cell and the
    slot of its base. ``entered`` (slot and cell, weakly, of each input) and ``notes`` are for `explain`, see
    explain_log.py. ``at_once``: its program is compiled before its first run. ``failed``: whether a run of it has failed.

    Several threads may use a cell: the last one that wrote to it, or the first one that reads it, has it in its trace, the
    others take its value from there (`peek`). CPython goes on to another thread only where a function of Python begins,
    behind a call of C and at the heads of loops. So a cell's ``trace``, ``slot`` and ``array`` are looked at, and changed,
    together, with no call in between, and whoever has called something meanwhile looks again.
    """

    __slots__ = ("at_once", "device", "entered", "failed", "foreign", "inputs", "lock", "node", "notes", "numbers", "places",
                 "thread", "token", "values")

    def __init__(self, thread):
        self.lock = held_by_runs(forkable(threading.RLock()))
        self.thread = thread
        self._reset()

    def _reset(self):
        self.node = caches.root
        self.at_once = self.thread.compiled_calls > 0
        self.token = object()
        self.values, self.places, self.inputs, self.numbers = [], [], [], []
        self.foreign, self.notes, self.entered = {}, [], []
        self.device = None
        self.failed = False

    def enter(self, cell) -> int:
        """The slot of `cell` in this trace, which it joins as an input if it is not there yet."""
        trace, array = cell.trace, cell.array
        if trace is self:
            return cell.slot
        if cell.base is not None and array is None:
            return self._derive(cell)
        if trace is not None:
            return self._enter_foreign(cell)
        if cell.handler is not None:
            raise HasHandler(cell.handler)
        if array.__class__ is not np.ndarray and isinstance(array, jax.core.Tracer):
            raise HasTracer
        if array is None:
            raise RuntimeError(_NO_DATA)
        slot = self._input(cell.aval, array, cell)
        self.entered.append((slot, ref(cell)))
        if cell.trace is None and cell.array is array:
            cell.slot, cell.trace = slot, self
            return slot
        self.values[slot] = None  # another thread has taken the cell meanwhile
        return self.enter(cell)

    def mend(self) -> None:
        """Drop what an interrupted operation has left behind.

        An operation appends its results first, then its numbers and inputs, and moves ``node`` to its instruction last. So
        after an exception between two of these writes (Ctrl-C) there are more results than ``node`` tells, and what is
        more than it tells is no part of the trace.
        """
        width = self.node.width
        numbers = sum(len(item.constants) for item in self.node.path() if item.__class__ is programs.Call)
        inputs = sum(slot < width for slot in self.places)
        entered = [(slot, cell) for slot, cell in self.entered if slot < width]
        del self.numbers[numbers:], self.places[inputs:], self.inputs[inputs:]
        self.entered[:] = entered
        del self.values[width:]  # last: while there are too many this is called again

    def _input(self, aval, array, cell=None) -> int:
        if aval.device is not self.device:
            self.check_device(aval.device)
            self.device = aval.device
        child = self.node.get(aval)
        if child is None:
            child = tree.add(self.node, aval, programs.Input(aval), (aval,))
        slot = child.first
        if len(self.values) != slot:
            self.mend()
        self.values.append(cell)
        self.places.append(slot)
        self.inputs.append(array)
        self.node = child
        return slot

    def check_device(self, device) -> None:
        """OtherDevice if what is recorded by now runs on another device."""
        if self.device is None and self.values:  # tensors were created, none has entered
            self.device = self.node.item.kernel.device
        if self.device is not None and self.device is not device:
            raise OtherDevice

    def _enter_foreign(self, cell) -> int:
        """A value recorded by another thread: it is computed there and enters here as an input. So do values in memory
        that others write to, each time with what is there now."""
        if cell.trace.__class__ is Outside:
            if not is_outside(cell):
                return self.enter(cell)
            return self._input(cell.aval, backend_of(cell.aval.device).place(np.array(cell.array)))
        array = _computed_elsewhere(cell)
        known = self.foreign.get(cell)
        if known is None or known[0] is not array:
            known = self.foreign[cell] = array, self._input(cell.aval, array)
        return known[1]

    def _derive(self, cell) -> int:
        """A stale view reads its base again."""
        base, array = cell.base, cell.base.array
        values = on_host(cell) if cell.apart else None
        if base.trace.__class__ is Outside and is_outside(base):
            return self._recorded(cell, self.enter(base)) if values is None else self._read(cell.aval, values)
        if values is None:
            return self._derived_from(cell, self.enter(base))
        known = self.foreign.get(cell)
        slot = known[1] if known is not None and known[0] is array else self._read(cell.aval, values)
        if cell.trace is None and base.array is array:
            self.values[slot] = cell
            cell.slot, cell.trace = slot, self
        else:
            self.foreign[cell] = array, slot
        return slot

    def _derived_from(self, cell, source) -> int:
        """A view whose base is in the slot `source`."""
        base, slot = cell.base, self.foreign.get((cell, source))
        if slot is None:
            slot = self._recorded(cell, source)
        known = self.foreign.get(base, (None, -1))
        if cell.trace is None and (base.slot == source if base.trace is self else
                                   known[1] == source and known[0] is base.array):
            self.values[slot] = cell
            cell.slot, cell.trace = slot, self
        else:
            self.foreign[cell, source] = slot
        return slot

    def _recorded(self, cell, slot) -> int:
        """The chain of a view, step by step, from the slot of its base on."""
        aval = cell.base.aval
        for row, params in cell.chain:
            child = step(self.node, (slot,), (aval,), row, params)
            slot, aval = child.first, child.out
            if len(self.values) != slot:
                self.mend()
            self.values.append(None)
            self.node = child
        return slot

    def _read(self, aval, values) -> int:
        """The values of a window, as an input: one instruction for all windows of its form, wherever they lie."""
        return self._input(avals.aval(tuple(aval.shape), aval.dtype, aval.device, aval.strides),
                           backend_of(aval.device).place(np.array(values)))


def _computed_elsewhere(cell):
    """The array of another thread's cell, which is computed if need be."""
    while True:
        trace, array = cell.trace, cell.array
        if array is None and trace is None:
            raise RuntimeError(_NO_DATA)
        if array is None:
            array = peek(cell)
        if array is not None:
            return array


class _State(threading.local):
    """``state.thread`` holds the calling thread's modes, ``state.trace`` is what it records; ``state.open`` is the trace,
    too, or None where operations go to handlers first, see `dispatch.py`."""

    def __init__(self):
        self.thread = ThreadState()
        self.trace = Trace(self.thread)
        self.open: Trace | None = self.trace


state = _State()


def _measure_baseline() -> int:
    """What getrefcount says of an object that only a list holds."""
    probe = [object()]
    return next(map(getrefcount, reversed(probe)))


_INTERRUPTIONS = 1000  # more than come one after the other
_ONLY_LISTED = _measure_baseline()


def run(trace: Trace) -> None:
    """Compute every value of the trace that somebody still holds, and start an empty trace."""
    if trace.thread.expected:
        settle(trace, wait=False)
    with trace.lock:
        values, places = trace.values, trace.places
        if len(values) != trace.node.width:
            trace.mend()
        live, cells = _live(trace, values)
        if values:
            explain_log.keep(trace, cells)
        results, interruption = (), None
        if live:
            try:
                results = _results(trace, live)
            except Interrupted as late:
                results, interruption = late.results, late.__cause__
            except Exception as error:
                _raise_for_memory(error, trace.device)
                if not trace.failed:  # it may work the next time
                    trace.failed = True
                    _raise_outward(error)
                    raise
                results, interruption = _each_apart(trace, live), error
            if trace.thread.frames:  # what a transform finds pending was made in it
                trace.thread.frames[-1].born.update(cells)
        elif values:
            counters["dropped"] += 1
        finish(lambda: _deliver(trace, cells, results, values, places))
    caches.trim()
    if interruption is not None:
        try:
            _raise_for_memory(interruption, None)
            _raise_outward(interruption)
            raise interruption
        finally:
            del interruption  # a ring, as in `_raise_for_memory`
    if trace.thread.expected:
        settle(trace, wait=False)  # the thread may end here, and others go on with its values


def relieve(trace: Trace) -> None:
    """Run a trace that has become long, or whose inputs would be gone by now if it did not hold them."""
    limits = config.settings
    if trace.node.depth >= limits.max_trace or _held_alone(trace) >= limits.max_bytes:
        run(trace)


def _held_alone(trace) -> int:
    """The bytes of inputs that were overwritten, or whose cells nobody else holds."""
    held = {cell.slot for cell in held_cells(trace)}
    return sum(array.nbytes for slot, array in zip(trace.places, trace.inputs, strict=True) if slot not in held)


def held_cells(trace: Trace) -> list:
    """The cells of a trace that somebody else holds."""
    values = trace.values
    counts = [*map(getrefcount, values)]
    return [cell for cell, count in zip(values, counts, strict=True) if cell is not None and count > _ONLY_LISTED]


def finish(action) -> None:
    """Call `action` until it has ended, from its start after each interruption; then the interruption goes on. What raises
    every time is none."""
    interruption = None
    for _ in range(_INTERRUPTIONS):
        try:
            action()
            break
        except BaseException as error:  # noqa: BLE001 - Ctrl-C, or what a signal's handler raises
            interruption = error
    if interruption is not None:
        try:
            raise interruption
        finally:
            del interruption  # a ring, as in `_raise_for_memory`


def _deliver(trace, cells, results, values, places) -> None:
    """The results go where they belong, and the trace is empty. Doing it twice changes nothing."""
    for cell, result in zip(cells, results, strict=True):
        if cell.trace is trace:  # no other thread has written to it meanwhile
            cell.array = result
            cell.trace = None
    for slot in places:
        cell = values[slot]
        if cell is not None and cell.trace is trace:
            cell.trace = None
    notes = [] if values else trace.notes  # the end of a stretch that an earlier trace began, say
    trace._reset()
    trace.notes = notes


def _live(trace, values):
    """Slots that must be computed and their cells. Views are left stale: they read their base.

    Cells of which nobody knows are dropped. The last slot is first: a view goes before it is counted who holds its base.
    """
    live, cells = [], []
    floor = _ONLY_LISTED
    slot = len(values)
    for count in map(getrefcount, reversed(values)):
        slot -= 1
        cell = values[slot]
        if count <= floor:
            values[slot] = cell = None
            continue
        if cell is None or cell.slot != slot or cell.trace is not trace:
            continue
        if cell.__class__ is ViewCell:
            cell.trace = None
        elif cell.array is None:
            live.append(slot)
            cells.append(cell)
        else:
            cell.trace = None
    live.reverse()
    cells.reverse()
    return live, cells


def _results(trace, live) -> list:
    """The arrays of the live slots. The program may take over the buffers of inputs that nobody else holds. If it fails, for
    lack of memory say, the trace has its inputs still: a smaller run of it works."""
    node, inputs = trace.node, trace.inputs
    donated = _donations(trace)
    key = (tuple(live), donated)
    program = node.programs.get(key)
    dynamic = node.dynamic()
    if program is None or program.dynamic != dynamic:
        program = caches.new_program(node, key, dynamic)
    counters["runs"] += 1
    if program.compiled is not None:
        _as_jax(backend_of(program.device), trace, donated)
    return executors.run(program, inputs, trace.numbers, trace.at_once)


def _raise_for_memory(error, device) -> None:
    lack = lack_of_memory(error, backend_of(CPU if device is None else device).in_host_memory)
    if lack is not None:
        try:
            raise lack from None
        finally:
            del lack  # its traceback has this frame: a ring, in which the values that need the memory would live on


def _raise_outward(error) -> None:
    """What a user is told in the place of an error of JAX's."""
    told = outward(error)
    if told is not error:
        try:
            raise told from error
        finally:
            del told


def _each_apart(trace, live) -> list:
    """As `_results`, for a trace that fails each time: None for what cannot be computed. What it has nothing to do with is
    not lost, and what is recorded from now on does not fail, too."""
    items, found = trace.node.path(), []
    for slot in live:
        try:
            found += executors.run(programs.for_one_run(items, (slot,)), trace.inputs.copy(), trace.numbers)
        except Exception:  # noqa: BLE001 - the whole trace has told
            found.append(None)
    return found


# JAX takes 10 us for each array of numpy's in a call, 3 for one of its own, and 70 to make one of the other.
_KEPT, _DYING = 4096, 262144  # bytes: a larger array is made JAX's, if it lives on, or dies with this run


def _as_jax(backend, trace, donated) -> None:
    """Make large numpy arrays jax's, where they are held, too: whole programs copy them else each time that they run."""
    for position, (array, slot) in enumerate(zip(trace.inputs, trace.places, strict=True)):
        if array.__class__ is np.ndarray and array.nbytes > _KEPT and (array.nbytes > _DYING or position not in donated):
            cell = trace.values[slot]
            trace.inputs[position] = made = backend.to_jax(array)
            if cell is not None and cell.array is array:
                cell.array = made


def _donations(trace) -> tuple:
    """Inputs whose buffers die with this run: overwritten in place, or held by nobody any more."""
    values, arrays = trace.values, trace.inputs
    holders = [*map(getrefcount, arrays)]
    return tuple([position for position, slot in enumerate(trace.places) if values[slot] is None
                  and holders[position] <= _ONLY_LISTED and getattr(arrays[position], HOST_COPY, None) is None])


def peek(cell) -> Any:
    """Compute one value of another thread's trace, which goes on unchanged: its array, None if it has gone elsewhere."""
    trace = cell.trace
    if trace is None:
        return cell.array
    with trace.lock:
        slot, array = cell.slot, cell.array
        if array is not None or cell.trace is not trace:
            return array
        counters["peeks"] += 1
        items = trace.node.path()  # its thread goes on recording; everything that these items read exists
        expected = concerning(trace, items, slot)
        slots = (slot, *(flag._cell.slot for flag, *_ in expected))
        try:
            array, *flags = executors.run(programs.for_one_run(items, slots), trace.inputs.copy(), trace.numbers)
        except Exception as error:
            _raise_for_memory(error, trace.device)
            raise
        fail_for(expected, flags)
        if cell.trace is trace and cell.slot == slot:  # its thread has not written to it meanwhile
            cell.array = array
        return array


def force(cell) -> Any:
    """The jax array of a cell (in a forked process, which has none, numpy's); runs the trace if need be."""
    array = computed(cell)
    if array.__class__ is np.ndarray:
        shared = is_outside(storage_of(cell))
        made = backend_of(cell.aval.device).to_jax(array.copy() if shared else array)
        if cell.array is array and not shared:
            cell.array = made
        return made
    return array


def computed(cell) -> Any:
    """The array of a cell, as its backend has it, or a jax tracer; runs the trace if need be."""
    mine = state.trace
    while True:
        trace, array = cell.trace, cell.array
        if array is not None:
            return array if array.__class__ is not Deferred else _settled(cell, array)
        if cell.base is not None and (trace is None or trace is mine):
            return _force_view(mine, cell)
        if trace is None:
            raise RuntimeError(_NO_DATA)
        if trace is mine:
            run(mine)
            if cell.trace is mine and cell.array is None:
                raise RuntimeError(_NO_DATA)
        elif (array := peek(cell)) is not None:
            return array


def _settled(cell, array):
    """The value of what a transform has put off."""
    value = array.value
    if cell.array is array:
        cell.array = value
    return value


def _force_view(mine, cell):
    """The array of a view, computed through a cell that nobody else reads."""
    try:
        slot = mine.enter(cell)
    except NotHere:
        return _through_chain(cell)
    temporary = Cell(mine, slot, cell.aval)
    mine.values[slot] = temporary
    cell.trace = None
    run(mine)
    return temporary.array


def _through_chain(cell):
    """A view of a jax tracer: its rows are applied at once."""
    value = force(cell.base)
    for row, params in cell.chain:
        value = row.fn(value, **dict(zip(row.params, params, strict=True)))
    return value


def end_of_backward() -> None:
    """A natural place to run a trace that has become long. An optimizer's step may follow and belong to it."""
    trace = state.trace
    if trace.node.depth > config.settings.soft_trace:
        run(trace)


def end_of_step() -> None:
    """Every training step is a trace of its own, so that steps that are looked at and others are one program."""
    trace = state.trace
    if trace.node.depth > _STEP or trace.node.bytes > _STEP_BYTES:
        run(trace)
