"""Where operands without history come from: Nodes have edges for the others only.

The instruction of a Node tells the slot of each operand, in the running trace or in one that ran lately. From there the
instructions before it are followed back, to values with a history (which stops there), to leaves, or to values that
somebody still holds. Else there is what the Node has saved. `Keeper` keeps them while the program runs.
"""

import bisect
import weakref

import numpy as np
from jax import lax

from torchlike._base.errors import UnsupportedError
from torchlike._compile.executors.stack import stack as executors
from torchlike._compile.program import Call, Input, for_one_run
from torchlike._lower.graph import described, kernel_step
from torchlike._lower.program import Constant, Step
from torchlike._ops.table import ROWS
from torchlike._record.bind import bind
from torchlike._record.cell import storage_of, was_written
from torchlike._record.saved import Packed
from torchlike._record.tensor import wrap
from torchlike._record.trace import force, state
from torchlike.autograd.special_nodes import CopySlices

_KEPT = weakref.WeakKeyDictionary()  # Node: {place of an operand: the cell of its value}
_CODE = 6  # instructions at most that are lowered where they depend on no leaf: more are a constant


OVERWRITTEN = "overwritten"  # a step, and its key: a value that was written to without history


class Keeper:
    """An Observer that keeps, for each Node, the values of the operands that no gradient flows to."""

    detects_anomaly = False

    def __init__(self):
        self.outputs = weakref.WeakKeyDictionary()  # of custom Functions: the results of their forward

    def node_made(self, node, tensors, outs, numbers) -> None:
        """Keeps them; of a view without history that may be written to, its base instead.

        Args:
            node: the Node.
            tensors: its operands.
            outs: its results.
            numbers: its Python numbers.
        """
        if node.plan is None:
            self.outputs[node] = [self.constant(x) for x in outs]
        self.keep(node, tensors)
        first = tensors[0] if tensors else None
        if first is not None and first._view is not None and first._view.base._edge is None:
            _KEPT[node]["base"] = self.constant(first._view.base)

    def keep(self, node, tensors) -> None:
        """Keeps the values of operands.

        Args:
            node: the Node.
            tensors: its operands; those with an edge are left out.
        """
        pairs = enumerate(zip(node.edges, tensors, strict=True))
        _KEPT[node] = {i: self.constant(x) for i, (edge, x) in pairs if edge is None}

    @staticmethod
    def constant(x):
        """The value of a tensor now, in a cell of its own: it may be written to later.

        Args:
            x: the Tensor.

        Returns:
            The cell.
        """
        return undisturbed(lambda: bind(ROWS["clone"], (wrap(x._cell),), (), (None,))._cell)


def undisturbed(call):
    """What a function returns that records without history, unnoticed by observers and engines.

    Args:
        call: a function without arguments.

    Returns:
        Its result.
    """
    thread = state.thread
    before = thread.grad, thread.observers, thread.engine
    thread.grad, thread.observers, thread.engine = False, (), None
    try:
        return call()
    finally:
        thread.grad, thread.observers, thread.engine = before


class Lost(Exception):
    """Nobody knows a value any more."""


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
        self._computed: dict = {}  # what was made already, by what it is
        trace = state.trace
        self._stretches = {past.token: _Stretch(past.end, past.cells, past.numbers) for past in trace.thread.past}
        cells = [(slot, lambda cell=cell: cell) for slot, cell in enumerate(trace.values) if cell is not None]
        self._stretches[trace.token] = _Stretch(trace.node, [*trace.entered, *cells], trace.numbers,
                                                dict(zip(trace.places, trace.inputs, strict=True)))
        self._leaves = {id(node.variable._cell): (node, 0) for node in order if node.is_leaf}
        for node in order:
            self._learn(node)
        leaves = [((node, 0), node.variable._cell) for node in order if node.is_leaf]
        for edge, cell in (*roots, *leaves):
            found = self.place_of(cell)
            if found is not None:
                found[0].known.setdefault(found[1], edge)

    def _learn(self, node) -> None:
        """Which slots hold the results of a Node, and what it has read."""
        fn = node.fn if node.__class__ is CopySlices else node
        stretch = self.stretch_of(fn)
        if stretch is None:
            return
        if fn is node:
            for k in range(node.n_outputs):
                stretch.known[fn.child.first + k] = (node, k)
        for i, (slot, edge) in enumerate(zip(fn.child.item.slots, fn.edges, strict=True)):
            if edge is None:
                continue
            maker = edge[0]
            if maker.child is not None and maker.token is fn.token and maker.child.first + edge[1] != slot:
                self._overwritten[fn, i] = stretch, slot
            else:
                stretch.known.setdefault(slot, edge)

    def stretch_of(self, node):
        """The stretch of recording in which a Node was made.

        Args:
            node: the Node, or None.

        Returns:
            The stretch, or None.
        """
        return None if node is None or node.child is None else self._stretches.get(node.token)

    def stretches(self):
        """The stretches of recording that are remembered, the last one first."""
        return reversed(self._stretches.values())

    def place_of(self, cell):
        """Where the value of a cell was recorded.

        Args:
            cell: the Cell.

        Returns:
            (stretch, slot), the last one; None if it is not remembered.
        """
        for stretch in self.stretches():
            slot = stretch.slots.get(id(cell))
            if slot is not None:
                return stretch, slot
        return None

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
        kept = _KEPT.get(fn, {}).get("base" if written else i)
        if kept is not None:
            return self.constant(kept)
        stretch = self.stretch_of(fn)
        try:
            if stretch is not None:
                return self.resolve(stretch, stretch.base_of(fn, len(node.chain)) if written else fn.child.item.slots[i])
        except Lost:
            pass
        if not written and (cell := _saved(node, i)) is not None:
            return self.constant(cell)
        raise UnsupportedError(f"lowering {described(node)} now: what it has read at place {i} is gone. Run the program "
                               "inside of 'with torchlike.lowering():'")

    def _overwriting(self, node, i, edge):
        """The key of a value that was written to without history, whose gradient goes to what was there before."""
        try:
            new = self.resolve(*self._overwritten[node, i])
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
        cell = stretch.held.get(slot)
        if cell is not None:
            edge = self._leaves.get(id(cell)) or self._earlier(stretch, cell)
            if edge is not None:
                return self.stopped(edge)
        array = stretch.arrays.get(slot)
        if array is None:
            if cell is None or was_written(storage_of(cell)):
                raise Lost
            return self.constant(cell)
        if cell is not None and cell.array is array:
            return self.constant(cell)
        found = stretch.made[slot] = Constant(array)  # what was overwritten since
        return found

    def _earlier(self, stretch, cell):
        """The edge of a cell that an earlier stretch has computed with a history."""
        for other in self._stretches.values():
            if other is stretch:
                return None
            slot = other.slots.get(id(cell))
            if slot in other.known and not was_written(storage_of(cell)):
                return other.known[slot]
        return None

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


class _Stretch:
    """What was recorded from one run of a trace to the next.

    ``path``: the instructions. ``held``: the cells of slots, those that live; ``slots``: the slot of each cell, by id.
    ``arrays``: those of inputs. ``known``: {slot: edge} of values with a history. ``made``: {slot: key} of others.
    """

    def __init__(self, end, cells, numbers, arrays=()):
        self.path, self.numbers, self.arrays = [], numbers, dict(arrays)
        while end.parent is not None:
            self.path.append(end)
            end = end.parent
        self.path.reverse()
        self.held = {slot: cell for slot, reference in cells if (cell := reference()) is not None}
        self.slots = {id(cell): slot for slot, cell in self.held.items()}
        self.known, self.made = {}, {}
        self._starts = [child.first for child in self.path]

    def index_of(self, slot) -> int:
        """Which instruction of the path fills a slot."""
        return bisect.bisect_right(self._starts, slot) - 1

    def numbers_of(self, child) -> list:
        """The Python numbers of an instruction."""
        start = 0
        for other in self.path:
            count = len(other.item.constants) if other.item.__class__ is Call else 0
            if other is child:
                return self.numbers[start:start + count]
            start += count
        raise Lost

    def base_of(self, fn, steps) -> int:
        """The slot of the memory that the Node `fn` wrote to through a view of so many steps, as it was before."""
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
        if found is None:
            raise Lost
        return found

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
