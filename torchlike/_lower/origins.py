"""Where operands without history come from: Nodes have edges for the others only.

The instruction of a Node tells the slot of each operand, in the running trace or in one that ran lately. From there the
instructions before it are followed back, to values with a history (which stops there), to leaves, or to values that
somebody still holds. Else there is what the Node has saved. A `Keeper` keeps them while the program runs.

What was written to without history is such an operand, too: its value is from after the write, its gradient goes to what was
there before (`OVERWRITTEN`). Which that is, `stretches.py` tells by the places where values were recorded.
"""

import numpy as np
from jax import lax

from torchlike._base.errors import UnsupportedError
from torchlike._compile.program import Call
from torchlike._lower.graph import described, kernel_step
from torchlike._lower.keeper import kept, read_by
from torchlike._lower.program import Constant, Step
from torchlike._lower.stretches import Lost, Stretches, viewed_edge
from torchlike._record.cell import storage_of, was_written
from torchlike._record.saved import Packed
from torchlike._record.trace import force
from torchlike.autograd.special_nodes import CopySlices

_CODE = 6  # instructions at most that are lowered where they depend on no leaf: more are a constant


OVERWRITTEN = "overwritten"  # a step, and its key: a value that was written to without history


class Origins:
    """Finds operands without history, and the steps that make them: those go to ``steps``.

    Args:
        order: the Nodes of the graph.
        roots: (edge, cell) of its results, with None for an unknown cell.
    """

    def __init__(self, order, roots):
        self.steps: list = []
        self._constants: dict = {}
        self._stopped: dict = {}
        self._overwritten: dict = {}  # {(Node, place): (stretch, slot)} of operands that were written to without history
        self._read_before: dict = {}  # {leaf: (the place of its value, (Node, place) of those that read it)}, not of today's
        self._computed: dict = {}  # what was made already, by what it is
        self.stretches = Stretches(order)
        of_leaves: dict = {node: [] for node in order if node.is_leaf}
        for node in order:
            for reader, i, stretch, slot, edge in self._reads(node):
                base = viewed_edge(edge)
                if base is not None and base[0].is_leaf:
                    of_leaves[base[0]].append((reader, i, stretch, slot, edge))
                elif self.stretches.holds(stretch, slot, edge):
                    self._know(stretch, slot, edge)
                else:
                    self._overwritten[reader, i] = stretch, slot
        for leaf, reads in of_leaves.items():
            self._learn_leaf(leaf, reads)
        self.rewritten = set()  # roots that were written to without history
        for edge, cell in roots:
            found = None if cell is None else self.stretches.place_of(cell)
            if found is None:
                continue
            if edge[0].is_leaf or self.stretches.holds(*found, edge):
                found[0].known.setdefault(found[1], edge)
            else:
                self.rewritten.add(edge)

    def _reads(self, node):
        """(the Node that reads, the place of the operand, its stretch and slot, its edge) of all operands with a history."""
        for i, (token, slot) in read_by(node).items():
            stretch = self.stretches.by_token(token)
            if stretch is not None:
                yield node, i, stretch, slot, node.edges[i]
        fn, first = node, 0
        stretch = self.stretches.of(fn.fn if node.__class__ is CopySlices else fn)
        if stretch is None:
            return
        if node.__class__ is CopySlices:
            fn, first = node.fn, 1
            write = stretch.write_by(fn, len(node.chain))
            if write is not None and node.edges[0] is not None:
                yield node, 0, stretch, write[0], node.edges[0]
        for i, (slot, edge) in enumerate(zip(fn.child.item.slots, fn.edges, strict=True)):
            if i >= first and edge is not None:
                yield fn, i, stretch, slot, edge

    def _know(self, stretch, slot, edge) -> None:
        """A slot holds what an edge stands for, and so does the one where that was before."""
        stretch.known.setdefault(slot, edge)
        first, slot = self.stretches.origin(stretch, slot)
        first.known.setdefault(slot, edge)

    def _learn_leaf(self, leaf, reads) -> None:
        """A leaf stands for one of its values: today's, if the program has read that, else the last one that it has read."""
        now = self.stretches.place_of(storage_of(leaf.variable._cell))
        now = now and self.stretches.memory(*now)
        places = [self.stretches.memory(stretch, slot) for _, _, stretch, slot, _ in reads]
        chosen = now if not places or now in places else places[-1]
        for (reader, i, stretch, slot, edge), place in zip(reads, places, strict=True):
            if place == chosen:
                self._know(stretch, slot, edge)
            else:
                self._overwritten[reader, i] = stretch, slot
        if chosen != now:
            readers = [read[:2] for read, place in zip(reads, places, strict=True) if place == chosen]
            self._read_before[leaf] = chosen, readers
        elif now is not None and leaf.variable._cell.base is None:
            now[0].known.setdefault(now[1], (leaf, 0))

    def value_of_leaf(self, leaf):
        """What a leaf held where the program read it; if nobody knows, what it holds now.

        Args:
            leaf: its Node.

        Returns:
            The array.
        """
        place, reads = self._read_before.get(leaf, ((None, None), ()))
        for node, i in reads:
            cell = kept(node, i) if node.edges[i] == (leaf, 0) else None
            if cell is not None:
                return force(cell)
        array = place[0].arrays.get(place[1]) if place[0] is not None and leaf.variable._cell.base is None else None
        return force(leaf.variable._cell) if array is None else array

    def read_in(self, stretch, node) -> dict:
        """Where a custom Function has read its operands.

        Args:
            stretch: a stretch.
            node: the Function's Node.

        Returns:
            {edge: slot} of those that were in this stretch.
        """
        places = read_by(node).items()
        return {node.edges[i]: slot for i, (token, slot) in places if self.stretches.by_token(token) is stretch}

    def operand(self, node, i):
        """The key of an operand.

        Args:
            node: the Node.
            i: the place of the operand; 0 of a `CopySlices` is what was written to.

        Returns:
            Its edge; a Constant, or a key that one of ``steps`` makes.

        Raises:
            UnsupportedError: nobody knows its value any more.
        """
        edge = node.edges[i]
        if edge is not None:
            return self._overwriting(node, i, edge) if (node, i) in self._overwritten else edge
        written = node.__class__ is CopySlices
        fn = node.fn if written else node
        cell = kept(fn, "base" if written else i)
        if cell is not None:
            return self.constant(cell)
        try:
            return self.resolve(*self._place_read(node, fn, i))
        except Lost:
            pass
        if not written and (cell := _saved(node, i)) is not None:
            return self.constant(cell)
        raise UnsupportedError(f"lowering {described(node)} now: what it has read at place {i} is gone. Run the program "
                               "inside of 'with torchlike.lowering():'")

    def _place_read(self, node, fn, i) -> tuple:
        """(stretch, slot) of an operand; of a `CopySlices` what was written to."""
        stretch = self.stretches.of(fn)
        if stretch is None:
            raise Lost
        if fn is node:
            return stretch, fn.child.item.slots[i]
        write = stretch.write_by(fn, len(node.chain))
        if write is None:
            raise Lost
        return stretch, write[0]

    def _overwriting(self, node, i, edge):
        """The key of a value that was written to without history, whose gradient goes to what was there before."""
        cell = kept(node, i)
        try:
            new = self.resolve(*self._overwritten[node, i]) if cell is None else self.constant(cell)
        except Lost:
            raise UnsupportedError(f"lowering {described(node)}: what was written to its operand {i} is gone") from None
        key = (OVERWRITTEN, node, i)
        self.steps.append(Step(OVERWRITTEN, _overwrite, [edge, new], [key], OVERWRITTEN))
        return key

    def constant(self, cell) -> Constant:
        """The Constant of what a cell holds now.

        Args:
            cell: the Cell.

        Returns:
            The Constant, one for each cell.
        """
        found = self._constants.get(id(cell))
        if found is None:
            found = self._constants[id(cell)] = Constant(force(cell), cell)
        return found

    def resolve(self, stretch, slot):
        """The key of what is in a slot, as a value without history.

        Args:
            stretch, slot: where it is.

        Returns:
            A Constant, or a key that one of ``steps`` makes.

        Raises:
            Lost: it depends on what is gone.
        """
        calls, ends = self.behind(stretch, slot)
        if slot in ends:
            return ends[slot]
        if any(key.__class__ is not Constant for key in ends.values()) or (not ends and len(calls) <= _CODE):
            self._lower(stretch, calls, ends)
            return stretch.made[slot]
        if slot not in stretch.made:
            array = stretch.value(slot, calls, {s: key.array for s, key in ends.items()})
            cells = [key.cell for key in ends.values()]
            known = array.shape, str(array.dtype), np.asarray(array).tobytes()  # one for equal ones, as each layer's mask
            stretch.made[slot] = self._computed.setdefault(known, Constant(array, cells[0] if len(cells) == 1 else None))
        return stretch.made[slot]

    def behind(self, stretch, slot, inputs=()) -> tuple:
        """What a slot depends on.

        Args:
            stretch, slot: where it is.
            inputs: {slot: key} to stop at, besides all that has a history.

        Returns:
            (the instructions, in order; {slot: key} of where they begin).

        Raises:
            Lost: the value of one of these is not known any more.
        """
        wanted, calls, ends = {slot}, [], {}
        for child in reversed(stretch.path[:stretch.index_of(slot) + 1]):
            mine = [s for s in range(child.first, child.width) if s in wanted]
            if not mine:
                continue
            for s in mine:
                key = inputs[s] if s in inputs else self._end(stretch, child, s)
                if key is None:
                    if not calls or calls[-1] is not child:
                        calls.append(child)
                else:
                    ends[s] = key
            if calls and calls[-1] is child:
                wanted.update(child.item.slots)
        calls.reverse()
        return calls, ends

    def _end(self, stretch, child, slot):
        """The key of a slot whose instruction is not to be lowered; None for one that is."""
        if slot in stretch.known:
            return self.stopped(stretch.known[slot])
        if slot in stretch.made:
            return stretch.made[slot]
        if child.item.__class__ is Call:
            return None
        origin = self.stretches.origin(stretch, slot)
        if origin[1] in origin[0].known:
            return self.stopped(origin[0].known[origin[1]])
        cell, array = stretch.held.get(slot), stretch.arrays.get(slot)
        if array is None:
            if cell is not None and not was_written(storage_of(cell)):
                return self.constant(cell)
            if origin == (stretch, slot):
                raise Lost
            return self.resolve(*origin)
        if cell is not None and cell.array is array:
            return self.constant(cell)
        found = stretch.made[slot] = Constant(array)  # what was overwritten since
        return found

    def stopped(self, edge):
        """The key of the value of an edge, through which no gradient flows.

        Args:
            edge: (Node, output number).

        Returns:
            The key.
        """
        if edge not in self._stopped:
            key = self._stopped[edge] = ("stopped", *edge)
            self.steps.append(Step("stop_gradient", lambda x: (lax.stop_gradient(x),), [edge], [key], "stop_gradient"))
        return self._stopped[edge]

    def _lower(self, stretch, calls, ends) -> None:
        """Steps of instructions, whose results are then in ``made``."""
        for child in calls:
            slots = range(child.first, child.width)
            if child.first in stretch.made:
                continue
            step = self.step(stretch, child, ends)
            known = self._computed.setdefault((step.form, tuple(step.reads)), step)
            stretch.made.update(zip(slots, known.makes, strict=True))
            if known is step:
                self.steps.append(step)

    @staticmethod
    def step(stretch, child, ends) -> Step:
        """The Step of an instruction without Node.

        Args:
            stretch: where it is.
            child: the instruction in the prefix tree.
            ends: {slot: key} of what it reads, besides what was made already.

        Returns:
            The Step.
        """
        reads = [ends[s] if s in ends else stretch.made[s] for s in child.item.slots]
        makes = [(stretch, s) for s in range(child.first, child.width)]
        return kernel_step(child.item.kernel, stretch.numbers_of(child), reads, makes, site=child.site)


def _overwrite(old, new):
    return (lax.stop_gradient(new) + (old - lax.stop_gradient(old)),)


def _saved(node, i):
    """The cell of an operand that a Node has saved, None if it has not or it was written to since."""
    plan, kept = node.plan, node.saved
    if plan is None or not kept or i not in plan.save_ins:
        return None
    at = 2 * plan.save_ins.index(i)
    x, version = kept[at], kept[at + 1]
    return None if x.__class__ is Packed or x._cell.version != version else x._cell
