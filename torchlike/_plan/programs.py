"""The programs that a step runs, and which of their inputs are parameters."""

import dataclasses
import weakref
from collections.abc import Iterable

from torchlike._compile.program import Call, Program, input_avals, needed_items, slot_avals
from torchlike._plan.parameters import Model, states_of
from torchlike._record.cell import storage_of
from torchlike._record.trace import force, state
from torchlike.optim.optimizer import Optimizer

PARAMETER, MOMENT, GRADIENT, BUFFER, OTHER = "parameter", "moment", "gradient", "buffer", "other"


@dataclasses.dataclass
class Ran:
    """A program that has run.

    Args:
        program: its instructions.
        inputs: for each Input what it is, and the place of the parameter that it belongs to; (OTHER, -1) for what was
            fed in or computed.
        results: the same of each live result.
    """

    program: Program
    inputs: list[tuple[str, int]]
    results: list[tuple[str, int]]

    @property
    def traffic(self) -> int:
        """Bytes that its instructions read and write, each by itself; views move nothing."""
        items = self.program.items
        sizes = [aval.nbytes for aval in slot_avals(items)]
        found, place = 0, 0
        for item, needed in zip(items, needed_items(items, self.program.live), strict=True):
            outs = range(place, place + (len(item.kernel.outs) if item.__class__ is Call else 1))
            place = outs.stop
            if needed and (item.kernel.row is None or item.kernel.row.view is None):
                found += sum(map(sizes.__getitem__, (*item.slots, *outs)))
        return found


class Watch:
    """An executor that runs nothing, and remembers what is run. ``ran``: a `Ran` for each program, in order.

    Args:
        model: whose parameters are known.
        optimizers: those that keep something for them.
    """

    def __init__(self, model: Model, optimizers: Iterable[Optimizer]):
        self.ran: list[Ran] = []
        self._labels: dict = {}  # {id of an array: (the array, weakly, what it is)}; nobody's buffer is kept from donation
        self._tensors = [(PARAMETER, place, p) for place, (_, p, _) in enumerate(model.parameters)]
        self._tensors += [(MOMENT if x.shape == p.shape else OTHER, place, x)
                          for place, (_, p, _) in enumerate(model.parameters) for x in states_of(p, optimizers)]
        self._tensors += [(BUFFER, -1, x) for x in model.buffers()]
        self._parameters = [p for _, p, _ in model.parameters]
        for _, _, x in self._tensors:
            force(x._cell)
        self._look()

    def _look(self) -> dict[int, tuple[str, int]]:
        """Learn which arrays the tensors are now, and of those that are not computed yet {slot: what it is}."""
        grads = [(GRADIENT, place, p._grad) for place, p in enumerate(self._parameters) if p._grad is not None]
        slots = {}
        for kind, place, x in self._tensors + grads:
            cell = storage_of(x._cell)
            if cell.array is not None:
                self._labels[id(cell.array)] = weakref.ref(cell.array), (kind, place)
            elif cell.trace is state.trace:
                slots[cell.slot] = kind, place
        return slots

    def run(self, program, inputs, numbers):
        """See `Executor.run`: the program is run by others."""
        slots = self._look()
        found = []
        for array in inputs:
            known = self._labels.get(id(array))
            found.append(known[1] if known is not None and known[0]() is array else (OTHER, -1))
        self.ran.append(Ran(program, found, [slots.get(slot, (OTHER, -1)) for slot in program.live]))
        return None

    def batch(self) -> int:
        """The first size of the largest input that is no parameter and belongs to none, of the first program that has one; 0
        where none has."""
        for ran in self.ran:
            avals = input_avals(ran.program.items)
            fed = [aval for aval, (kind, _) in zip(avals, ran.inputs, strict=True) if kind == OTHER and aval.shape]
            if fed:
                return max(fed, key=lambda aval: aval.nbytes).shape[0]
        return 0
