"""What a thread has recorded lately, and where in it a value is.

A stretch is what was recorded from one run of a trace to the next. An edge stands for the value that its Node made. What a
tensor with that edge holds when it is read may be another one: a write without history (under no_grad, through ``.data``)
changes the value and leaves the edge.
"""

import bisect
import weakref

from torchlike._compile.executors.stack import stack as executors
from torchlike._compile.program import Call, Input, for_one_run
from torchlike._record.cell import counter_of, storage_of, was_written
from torchlike._record.trace import state
from torchlike.autograd.special_nodes import CopySlices, Window


class Lost(Exception):
    """Nobody knows a value any more."""


class Stretches:
    """The stretches that the calling thread remembers.

    Args:
        order: the Nodes of a graph.
    """

    def __init__(self, order):
        trace = state.trace
        self._all = {past.token: Stretch(past.end, past.cells, past.numbers) for past in trace.thread.past}
        cells = [(slot, weakref.ref(cell)) for slot, cell in enumerate(trace.values) if cell is not None]
        self._all[trace.token] = Stretch(trace.node, [*trace.entered, *cells], trace.numbers,
                                         dict(zip(trace.places, trace.inputs, strict=True)))
        self._made = {}  # {edge: (stretch, slot)} of the values that Nodes made
        for node in order:
            self._learn(node)
        for edge, (stretch, slot) in self._made.items():
            stretch.known[slot] = edge

    def __iter__(self):
        """The last one first."""
        return reversed(self._all.values())

    def _learn(self, node) -> None:
        """Where the results of a Node were made."""
        fn = node.fn if node.__class__ is CopySlices else node
        stretch = self.of(fn)
        if stretch is None:
            return
        if fn is node:
            self._made.update(((node, k), (stretch, fn.child.first + k)) for k in range(node.n_outputs))
        elif (write := stretch.write_by(fn, len(node.chain))) is not None:
            self._made[node, 0] = stretch, write[1]

    def of(self, node):
        """The stretch in which a Node was made.

        Args:
            node: the Node, or None.

        Returns:
            The stretch, or None.
        """
        return None if node is None or node.child is None else self.by_token(node.token)

    def by_token(self, token):
        """The stretch with this token, or None."""
        return self._all.get(token)

    def place_of(self, cell):
        """Where the value of a cell was recorded.

        Args:
            cell: the Cell.

        Returns:
            (stretch, slot), the last one; None if it is not remembered.
        """
        for stretch in self:
            slot = stretch.slot_of(cell)
            if slot is not None:
                return stretch, slot
        return None

    def origin(self, stretch, slot) -> tuple:
        """Where what is in a slot was computed, or entered first: an input may have been in earlier stretches.

        Args:
            stretch, slot: where it is.

        Returns:
            (stretch, slot), of the earliest that is remembered.
        """
        reference = stretch.references.get(slot)
        if reference is None:
            return stretch, slot
        others = iter(self)
        while next(others) is not stretch:
            pass
        for other in others:
            if not stretch.is_input(slot):
                break
            found = other.slots.get(id(reference))
            if found is not None:
                stretch, slot = other, found
        return stretch, slot

    def memory(self, stretch, slot) -> tuple:
        """`origin` of what the value in a slot is a view of.

        Args:
            stretch, slot: where it is.

        Returns:
            (stretch, slot).
        """
        while True:
            stretch, slot = self.origin(stretch, stretch.viewed(slot))
            if stretch.viewed(slot) == slot:
                return stretch, slot

    def holds(self, stretch, slot, edge) -> bool:
        """Whether a slot holds what an edge stands for. Where nobody knows it does.

        Args:
            stretch, slot: where a Node read an operand.
            edge: that of the operand, which leads to no leaf but by operations.

        Returns:
            False for what was written to without history.
        """
        if self._made.get(edge) == self.origin(stretch, slot):
            return True
        base = viewed_edge(edge)
        if base is None:
            return True
        at, made = self.memory(stretch, slot), self._made.get(base)
        if made is None:
            return not _was_written_since(base, *at)
        # what enters without having been in an earlier stretch is another thread's, or memory shared with others
        return made == at or (made[0] is not at[0] and at[0].is_input(at[1]))


def viewed_edge(edge):
    """The edge of what an edge's value is a view of.

    Args:
        edge: (Node, output number).

    Returns:
        An edge, `edge` itself if its value is no view; None where that has no history.
    """
    while edge is not None:
        node = edge[0]
        row = None if node.plan is None else node.plan.kernel.row
        if node.__class__ is CopySlices or (node.__class__ is not Window and (row is None or row.view is None)):
            break
        edge = node.edges[0]
    return edge


def _was_written_since(edge, stretch, slot) -> bool:
    """Whether what has entered a stretch was written to since a Node, which is not remembered, had made it or written it."""
    reference = stretch.references.get(slot)
    cell = None if reference is None or not stretch.is_input(slot) else reference()
    return cell is not None and was_written(storage_of(cell)) and counter_of(cell).written != edge[0].site


class Stretch:
    """What was recorded from one run of a trace to the next.

    ``path``: the instructions. ``references``: {slot: weak reference} of cells; ``held``: {slot: cell} of those that live;
    ``slots``: the last slot of a cell, by the id of its reference. ``arrays``: those of inputs. ``known``: {slot: edge} of
    values with a history. ``made``: {slot: key} of others.

    Args:
        end: the last instruction, in the prefix tree.
        cells: (slot, weak reference) of cells, those of inputs first.
        numbers: the Python numbers of the instructions.
        arrays: {slot: array} of inputs, where they are remembered.
    """

    def __init__(self, end, cells, numbers, arrays=()):
        self.path, self.numbers, self.arrays = [], numbers, dict(arrays)
        while end.parent is not None:
            self.path.append(end)
            end = end.parent
        self.path.reverse()
        self.references = dict(cells)
        self.held = {slot: cell for slot, reference in cells if (cell := reference()) is not None}
        self.slots = {id(reference): slot for slot, reference in cells}
        self.known, self.made = {}, {}
        self._starts = [child.first for child in self.path]

    def slot_of(self, cell):
        """The slot in which a cell was last, or None."""
        return self.slots.get(id(weakref.ref(cell)))  # all references to a cell are one object

    def index_of(self, slot) -> int:
        """Which instruction of the path fills a slot."""
        return bisect.bisect_right(self._starts, slot) - 1

    def is_input(self, slot) -> bool:
        """Whether what is in a slot has entered, computed before."""
        return self.path[self.index_of(slot)].item.__class__ is Input

    def viewed(self, slot) -> int:
        """The slot of which the one given is a view, by instructions of this stretch; itself if it is none."""
        while True:
            item = self.path[self.index_of(slot)].item
            if item.__class__ is not Call or item.kernel.row is None or item.kernel.row.view is None:
                return slot
            slot = item.slots[0]

    def numbers_of(self, child) -> list:
        """The Python numbers of an instruction."""
        start = 0
        for other in self.path:
            count = len(other.item.constants) if other.item.__class__ is Call else 0
            if other is child:
                return self.numbers[start:start + count]
            start += count
        raise Lost

    def write_by(self, fn, steps):
        """The memory that the Node `fn` wrote to through a view of so many steps: its slots before and after; or None."""
        value, found = fn.child.first, None
        for child in self.path[self.index_of(value) + 1:]:
            if not steps:
                break
            if child.item.__class__ is not Call:
                continue
            slots = child.item.slots
            if slots[:1] == (value,) and child.item.kernel.name == "_to_copy":
                value = child.first
            elif slots[1:] == (value,) and child.item.kernel.name.startswith("put_"):
                value, found, steps = child.first, slots[0], steps - 1
        return None if found is None else (found, value)

    def value(self, slot, calls, arrays):
        """The array of a slot, computed from those of others.

        Args:
            slot: the slot.
            calls: the instructions in between.
            arrays: {slot: array}.

        Returns:
            The array.
        """
        places, items, numbers = {}, [], []
        for s in arrays:
            places[s] = len(places)
            items.append(Input(self.path[self.index_of(s)].outs[s - self._starts[self.index_of(s)]].plain))
        for child in calls:
            item = child.item
            items.append(Call(item.kernel, tuple(places[s] for s in item.slots), item.constants, list(item.dynamic)))
            for s in range(child.first, child.width):
                places[s] = len(places)
            numbers += self.numbers_of(child)
        return executors.run(for_one_run(items, (places[slot],)), list(arrays.values()), numbers)[0]
