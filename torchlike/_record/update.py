"""Updates: one instruction whose results become what many tensors hold, an optimizer's step."""

from torchlike._compile.kernels import Kernel
from torchlike._compile.program import Call, Input
from torchlike._ops.table import ROWS
from torchlike._record import tree
from torchlike._record.bind import bind_kernel, check_numbers
from torchlike._record.dispatch import observer
from torchlike._record.inplace import check_writable, inplace, write, writing
from torchlike._record.saved import rewrapped
from torchlike._record.shared_memory import is_outside
from torchlike._record.site import here
from torchlike._record.trace import NotHere, OtherDevice, relieve, run, state
from torchlike._record.views import mark_stale


def update(kernel: Kernel, owned: list, others: list, numbers: tuple) -> None:
    """Record `kernel` on cells. Its results, in order, become what the first of them hold.

    Args:
        kernel: it has as many results as there are `owned`, of the same form.
        owned: Storages that are read and then overwritten, all of one device, each once; no inference tensors.
        others: cells that are only read.
        numbers: Python floats, one for each of the kernel's numbers.
    """
    t = state.open
    if t is None:
        t = state.trace
        if observer() is not None:
            update_views(kernel, owned, others, numbers)
            return
    try:
        slots = tuple(_enter(t, owned + others))
    except OtherDevice:
        run(t)
        slots = tuple([t.enter(c) for c in owned + others])
    except NotHere:
        update_views(kernel, owned, others, numbers)
        return
    key = (kernel, slots)
    child = t.node.get(key)
    if child is None:
        call = Call(kernel, slots, numbers, [n == 0 for n in numbers])  # 0.0 == -0.0 hides a change
        child = tree.add(t.node, key, call, kernel.outs)
    if child.item.constants != numbers:
        check_numbers(child, numbers)
    _overwrite(t, child, owned, numbers)
    if child.over:
        relieve(t)


_CONCRETE: set = set()  # the classes of arrays that `Trace.enter` has taken: no tracers


def _enter(t, cells) -> list:
    """`Trace.enter` for many cells: most are states, which only the last step has touched."""
    values, places, inputs = t.values, t.places, t.inputs
    node, device = t.node, t.device
    if len(values) != node.width:
        t.mend()
    slots = []
    for c in cells:
        if c.trace is t:
            slots.append(c.slot)
            continue
        aval, array = c.aval, c.array
        if array.__class__ not in _CONCRETE or c.trace is not None or c.base is not None or aval.device is not device:
            if is_outside(c):  # what is written there has to run at once
                raise NotHere
            slots.append(t.enter(c))
            node, device = t.node, t.device
            if array is not None:
                _CONCRETE.add(array.__class__)
            continue
        slot = len(values)
        slots.append(slot)
        values.append(c)
        places.append(slot)
        inputs.append(array)
        child = node.get(aval)
        node = t.node = child if child is not None else tree.add(node, aval, Input(aval), (aval,))
        if c.trace is None and c.array is array:
            c.slot, c.trace = slot, t
        else:  # another thread has taken the cell meanwhile
            values[slot] = None
            slots[-1] = t.enter(c)
            node = t.node
    return slots


def _overwrite(t, child, cells, numbers) -> None:
    """Record the instruction `child` with these numbers; its results, one a cell, become what the cells hold."""
    values = t.values
    site = here()
    if len(values) != child.first:
        t.mend()
    values += cells
    t.numbers += numbers
    t.node = child
    for slot, c in enumerate(cells, child.first):
        if c.views is not None:
            mark_stale(c, c)  # first: an interruption finds no view that has the old value beside the new one
        before = c.trace
        if before is t:
            values[c.slot] = None
        else:
            if before is not None and before.values:
                before.values[c.slot] = None
            c.trace = t
        c.slot = slot
        c.array = None
        c.version += 1
        c.written = site


def update_views(kernel: Kernel, owned: list, others: list, numbers: tuple) -> None:
    """`update` by a write to each of `owned`, which may be any cells: views, inference tensors, those of transforms.

    Raises:
        RuntimeError: what a write to one of them raises.
    """
    targets = [rewrapped(c) for c in owned]
    for x in targets:
        check_writable(x, False)
    asked = observer()
    for x, out in zip(targets, bind_kernel(kernel, targets + [rewrapped(c) for c in others], numbers), strict=True):
        handler = asked or x._cell.handler
        if handler is not None and handler.sees_all:
            inplace(ROWS["copy"], (x, out))
        else:
            with writing():
                write(x, out, None)
