"""Where a value lives: a slot of a running trace, or a jax array. State only.

A Storage is shared by a tensor and all its views and holds the version counter. A ViewCell reads
through to its Storage by a chain of view operators, so there is one value and nothing to keep equal.
"""

import threading

from torchlike._base.forkable import forkable
from torchlike._base.settings import strided

_FORGETTING = forkable(threading.RLock())  # dead views



class Cell:
    """A value.

    ``trace, slot``: where it is in a running trace (None: not in one). ``array``: the jax array, or
    None while it is only recorded. ``aval``: shape, dtype, strides, device.
    """

    __slots__ = ("__weakref__", "array", "aval", "slot", "trace")
    base = None
    layout = strided
    handler = None  # does the operations on tensors of such cells, in the recorder's place: see dispatch.py

    def __init__(self, trace, slot, aval, array=None):
        self.trace = trace
        self.slot = slot
        self.aval = aval
        self.array = array


class Storage(Cell):
    """A Cell that owns its memory. ``version`` counts in-place writes; ``views`` are weak references
    to the ViewCells that read it (None until there is one); ``inference`` marks inference tensors;
    ``written`` is where the last write was (see `torchlike/_record/site.py`; unset before).
    """

    __slots__ = ("inference", "version", "views", "written")

    def __init__(self, trace, slot, aval, array=None):
        self.trace = trace
        self.slot = slot
        self.aval = aval
        self.array = array
        self.version = 0
        self.views = None
        self.inference = False


class Counter:
    """A version counter apart from its Storage's: writes through ``.data`` go unnoticed by others. ``is_inference``: its
    tensors are inference tensors; ``inference``: they may not be written to elsewhere, as a Storage has it."""

    __slots__ = ("inference", "is_inference", "version", "written")

    def __init__(self, is_inference):
        self.version = 0
        self.inference, self.is_inference = False, is_inference


class ViewCell(Cell):
    """A view: ``base`` is the Storage, ``chain`` the (row, params) steps that lead from it here.

    It is stale (``trace`` and ``array`` None) after a write to the base and after each run; reading
    it records the chain again. ``counter`` holds the version: the Storage, or for what comes from
    ``.data`` a Counter of its own. ``owner`` is a weak reference to the differentiable view tensor. ``apart``: it
    enters a trace as an input, read on the host (see ``_may_stay_apart`` in views.py).
    """

    __slots__ = ("apart", "base", "chain", "counter", "owner")

    def __init__(self, trace, slot, aval, base, chain, counter):
        Cell.__init__(self, trace, slot, aval)
        self.base = base
        self.chain = chain
        self.counter = counter
        self.owner = None
        self.apart = False

    @property
    def version(self):
        return self.counter.version

    @property
    def inference(self):
        return self.counter.is_inference if self.counter.__class__ is Counter else self.base.inference


def storage_of(cell) -> Storage:
    """The Storage behind a cell."""
    return cell if cell.base is None else cell.base


def counter_of(cell):
    """What holds the version of a cell: has a ``version`` to read and write."""
    return cell if cell.base is None else cell.counter


def was_written(storage: Storage) -> bool:
    """Whether anything was written to it, if only what its version does not count."""
    return hasattr(storage, "written")


def is_read_elsewhere(cell) -> bool:
    """Whether views other than this cell read its memory."""
    others = [reference() for reference in storage_of(cell).views or ()]
    return any(other is not None and other is not cell and (other.owner is None or other.owner() is not None)
               for other in others)


def register_view(base: Storage, reference) -> None:
    """Remember a view; references to dead ones go when the list has doubled."""
    views = base.views
    if views is None:
        base.views = [reference]
        return
    count = len(views)
    if count >= 16 and count & (count - 1) == 0:
        with _FORGETTING:  # other threads add further ones meanwhile, at the end
            count = len(views)
            views[:count] = [r for r in views[:count] if r() is not None]
    views.append(reference)
