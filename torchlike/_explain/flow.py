"""What was recorded lately, as a flow of values: which operation read which, and where gradients followed.

Made from the prefix tree when somebody asks. The line of an operation is that of its last Node at this place of the
trace; where it had none, the one that recorded it there for the first time. The notes have the very line
(`torchlike/_record/explain_log.py`).
"""

from torchlike._compile.program import Call
from torchlike._record import explain_log
from torchlike._record.cell import storage_of


class Operation:
    """``node``: its place in the prefix tree. ``reads``, ``makes``: values. ``off``: None, or where gradients were
    switched off. ``carries``: for each operand whether it required grad; ``flows``: whether the results then had
    history. ``kind``: None, or the kind of stretch it is part of; ``stretch``: which one. ``position``: its number.
    """

    def __init__(self, node, name, reads, makes):
        self.node, self.site, self.name, self.reads, self.makes = node, node.site, name, reads, makes
        self.off = self.stretch = None
        self.kind: str | None = None
        self.carries: tuple = ()
        self.flows, self.position = False, 0


class Backward:
    """A backward pass: its line, the values it started from, the Nodes of these (references, weak), and its
    ``position`` among the operations: how many came before. ``failed``: it raised.
    """

    def __init__(self, site, values, nodes, position):
        self.site, self.values, self.nodes, self.position, self.failed = site, values, nodes, position, False


class Flow:
    """``operations`` in order; ``detached``, ``read``: {value: line}; ``backwards``; ``of_cell``: {id of a living
    Storage: its values, the last one last}; ``made_by``: {value: Operation}.
    """

    def __init__(self, trace):
        self.operations: list = []
        self.detached, self.read, self.backwards, self.made_by = {}, {}, [], {}
        self.of_cell, self._alive = {}, []
        self.off, self.stretches = None, []  # where gradients are off, and what stretches are open, at this point
        stretches = [(past.end, past.notes, past.cells) for past in trace.thread.past]
        now = trace.entered + [(slot, _Strong(cell)) for slot, cell in enumerate(trace.values) if cell is not None]
        stretches.append((trace.node, trace.notes, now))
        for number, (end, notes, cells) in enumerate(stretches):
            self._add(number, end, notes, cells)

    def values_of(self, x) -> list:
        """The values that the memory of a tensor has had, the last one last."""
        return self.of_cell.get(id(storage_of(x._cell)), [])

    def _add(self, number, end, notes, cells):
        held = {}
        for slot, reference in cells:
            cell = reference()
            if cell is not None:
                self._alive.append(cell)
                held[slot] = storage_of(cell)
        values, slot, made = {}, 0, []
        for node in _path(end):
            if node.item.__class__ is Call:
                operation = self._operation(node, values, slot, number)
                made.append((slot, operation))
                for value in operation.makes:
                    self.made_by[value] = operation
            else:
                self._enter(values, slot, number, held)
            slot += len(node.outs)
        for slot, storage in held.items():
            if slot in values:
                self._known(storage, values[slot])
        _apply(self, notes, values, made)

    def _enter(self, values, slot, number, held):
        """An input is the value that its memory had before."""
        storage = held.get(slot)
        known = self.of_cell.get(id(storage)) if storage is not None else None
        values[slot] = known[-1] if known else (number, slot)
        if storage is not None:
            self._known(storage, values[slot])

    def _known(self, storage, value):
        listed = self.of_cell.setdefault(id(storage), [])
        if value not in listed:
            listed.append(value)

    def _operation(self, node, values, slot, number):
        call = node.item
        makes = tuple((number, slot + i) for i in range(len(node.outs)))
        for i, value in enumerate(makes):
            values[slot + i] = value
        row = call.kernel.row
        found = Operation(node, call.kernel.name if row is None else row.face, [values[s] for s in call.slots], makes)
        found.kind = "kernel" if row is None else None
        mask = 0
        for key, entry in node.plans.items():
            mask |= key
            found.flows |= entry[1] is not None
        found.carries = tuple(bool(mask >> i & 1) for i in range(len(call.slots)))
        found.position = len(self.operations)
        self.operations.append(found)
        return found


class _Strong:
    """A reference that is always good."""

    def __init__(self, cell):
        self._cell = cell

    def __call__(self):
        return self._cell


def _path(end) -> list:
    nodes = []
    while end.parent is not None:
        nodes.append(end)
        end = end.parent
    nodes.reverse()
    return nodes


def _apply(flow, notes, values, made) -> None:
    """Mark the operations of a trace by its notes, and keep what happened to values."""
    position = 0
    for kind, slot, site, what in notes:
        if kind in (explain_log.DETACHED, explain_log.READ):
            _note_value(flow, flow.detached if kind == explain_log.DETACHED else flow.read, values, slot, site, what)
            continue
        position = _mark(flow, made, position, slot)
        if kind == explain_log.GRAD:
            flow.off = None if what else site
        elif kind == explain_log.END:
            if flow.stretches and flow.stretches.pop()[0] == explain_log.BACKWARD and what == "failed":
                flow.backwards[-1].failed = True
        else:
            flow.stretches.append((kind, what, site))
            if kind == explain_log.BACKWARD:
                flow.backwards.append(Backward(site, set(_roots(flow, what)), [node for _, node, _ in what],
                                               made[position][1].position if position < len(made) else len(flow.operations)))
    _mark(flow, made, position, None)


def _mark(flow, made, position, until) -> int:
    """The operations from `position` on, up to the slot `until`; returns the next position."""
    while position < len(made) and (until is None or made[position][0] < until):
        operation = made[position][1]
        operation.off = flow.off
        if flow.stretches:
            operation.kind, operation.stretch = flow.stretches[-1][0], flow.stretches[-1]
        position += 1
    return position


def _roots(flow, roots):
    """The values that these Nodes made: by their instruction, or for a custom Function by its line."""
    for child, _, site in roots:
        for operation in reversed(flow.operations):
            if child is not None and operation.node is child:
                yield from operation.makes
                break
            if child is None and operation.kind == explain_log.FUNCTION and operation.stretch[2] == site:
                yield from operation.makes


def _note_value(flow, table, values, slot, site, cell) -> None:
    if slot is not None:
        value = values.get(slot)
    else:
        cell = cell()
        known = flow.of_cell.get(id(storage_of(cell)), ()) if cell is not None else ()
        value = known[-1] if known else None
    if value is not None:
        table[value] = site
