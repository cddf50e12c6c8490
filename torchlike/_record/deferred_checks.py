"""What was expected of values that were not computed yet: the error comes when they are, at the next read or run.

PyTorch on CUDA finds such errors as late, and then ends the process; on CPU it waits for the values.
"""

import numpy as np

from torchlike._compile.backends.registry import backend_of
from torchlike._compile.program import Call, placed, slots_behind
from torchlike._ops.number_ranges import ZERO_DIVISION
from torchlike._ops.table import ROWS
from torchlike._record.cell import Storage
from torchlike._record.layout import step
from torchlike._record.site import here, located, noted
from torchlike._record.tensor import wrap


def settle(trace, wait) -> None:
    """Look at the flags that are computed (`wait`: that will be, too) and raise the first error among them.

    An expectation is (flag, error, site): a tensor (whether, value), a function from the value to an exception, and
    the line that expected it.
    """
    left, expected = [], trace.thread.expected  # which stays as it is until all is known: an interruption loses none
    for i, (flag, error, site) in enumerate(expected):
        array, backend = flag._cell.array, backend_of(flag._cell.aval.device)
        if not backend.has_values:
            continue
        if array is None or not (wait or backend.is_ready(array)):
            left.append(expected[i])
            continue
        try:
            wrong, value = np.asarray(array)
        except RuntimeError:  # it will never be known
            trace.thread.expected = [*left, *expected[i + 1:]]
            raise
        if wrong:
            _fail(error(int(value)), site, trace.thread, [*left, *expected[i + 1:]])
    trace.thread.expected = left


def concerning(trace, items, slot) -> list:
    """Of what another thread's trace expects, what is about the values that this slot is made of.

    Args:
        trace: the trace, which has `items` up to now.
        items: its instructions.
        slot: what the calling thread wants to read.
    """
    pending = [each for each in tuple(trace.thread.expected) if _is_pending(trace, each[0]._cell)]
    if not pending:
        return []
    behind, operands = slots_behind(items, slot), {out: item.slots for item, outs in placed(items) if item.__class__ is Call
                                                   for out in outs}
    return [each for each in pending if behind.issuperset(operands.get(each[0]._cell.slot, (-1,)))]


def _is_pending(trace, cell) -> bool:
    """Whether the value of a flag is still to be computed, at its place in its trace (another may be there by now)."""
    slot, values = cell.slot, trace.values
    return cell.trace is trace and cell.array is None and slot < len(values) and values[slot] is cell


def fail_for(expected, flags) -> None:
    """Raise the first error among expectations of another thread, whose flags are computed."""
    for (_, error, site), array in zip(expected, flags, strict=True):
        wrong, value = np.asarray(array)
        if wrong:
            _fail(error(int(value)), site)


def expect_no_zero(trace, slot) -> None:
    """RuntimeError if a 0 is among the integers of this slot, which something was divided by: now if they are known."""
    cell = trace.values[slot]
    if cell is None or trace.thread.frames:  # under a transform nothing may look at values
        return
    if cell.array is not None:
        if not np.asarray(cell.array).all():
            raise RuntimeError(ZERO_DIVISION)
        return
    child = step(trace.node, (slot,), (cell.aval,), ROWS["_zero_among"], ())
    flag = wrap(Storage(trace, child.first, child.out))
    trace.values.append(flag._cell)
    trace.node = child
    trace.thread.expected.append((flag, lambda value: RuntimeError(ZERO_DIVISION), here()))


def _fail(error, site, thread=None, left=()):
    """Raise the error with its line; then the thread that expects it has `left` to look at."""
    try:
        raise error
    except (IndexError, RuntimeError) as raised:
        if thread is not None:
            thread.expected = left
        noted(raised, located("Expected here, found when the values were computed", site))
        raise
