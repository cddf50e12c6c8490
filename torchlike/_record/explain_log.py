"""What a thread has recorded lately, for `torchlike.explain`: its last traces, and notes of what leaves no
instruction. A note costs a look at the stack; nothing is kept for each operation.
"""

import collections
import contextlib
import weakref

from torchlike._record.site import here

TRACES, NOTES = 8, 256  # how many are remembered

# A note is (kind, slot, site, what): the place in the trace, or the slot of the value concerned; the line.
# GRAD: gradients were switched on or off (`what`). DETACHED, READ: a value lost its history, or left for Python
# (slot None: `what` is its cell, weakly). BACKWARD (`what`: tree node, Node and line of each root), FUNCTION (its
# name, and whether it has history): a stretch until its END whose instructions are not the user's lines; the END
# of one that raised is "failed".
GRAD, DETACHED, READ, BACKWARD, FUNCTION, END = "grad", "detached", "read", "backward", "function", "end"


class Past:
    """A trace that has run: the tree node at its ``end``, its notes, (slot, weak reference) of the cells that it read and
    that outlived it, its token and its numbers.
    """

    __slots__ = ("cells", "end", "notes", "numbers", "token")

    def __init__(self, end, notes, cells, token, numbers):
        self.end, self.notes, self.cells, self.token, self.numbers = end, notes, cells, token, numbers


def new_past():
    """The traces of a thread that begins."""
    return collections.deque(maxlen=TRACES)


def note(trace, kind, what=None) -> None:
    """Something happens at this place of the trace."""
    _add(trace, (kind, len(trace.values), here(), what))


def note_grad(trace, on) -> None:
    """Gradients are switched on or off."""
    _add(trace, (GRAD, len(trace.values), None if on else here(), on))


def note_end(trace, how="") -> None:
    """The stretch that was noted last and is not over yet is over."""
    _add(trace, (END, len(trace.values), None, how))


def note_value(trace, kind, cell) -> None:
    """Something happens to the value of a cell."""
    if cell.trace is trace:
        _add(trace, (kind, cell.slot, here(), None))
    else:
        _add(trace, (kind, None, here(), weakref.ref(cell)))


def _add(trace, entry) -> None:
    trace.notes.append(entry)
    if len(trace.notes) > NOTES:
        del trace.notes[0]


@contextlib.contextmanager
def unnoticed(trace):
    """What is recorded inside is not remembered; the trace that was running before is."""
    before, running = list(trace.thread.past), bool(trace.values)
    try:
        yield
    finally:
        since = [past for past in trace.thread.past if past not in before]
        trace.thread.past = new_past()
        trace.thread.past.extend(before + since[:running])


def keep(trace, cells) -> None:
    """Remember a trace that is about to run; `cells` are those that outlive it."""
    trace.entered += [(cell.slot, weakref.ref(cell)) for cell in cells]
    trace.thread.past.append(Past(trace.node, trace.notes, trace.entered, trace.token, trace.numbers))
