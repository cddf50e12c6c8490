"""What takes memory: ``print(torchlike.memory.report())``. PyTorch has nothing like it.

`torchlike.graph.bytes` says the same of one graph.
"""

import gc
import warnings
from collections.abc import Iterator
from typing import NamedTuple

from torchlike._compile.program import Call as _Call
from torchlike._compile.temporaries import bytes_of_temporaries as _bytes_of_temporaries
from torchlike._explain.flow import Flow as _Flow
from torchlike._explain.forgotten import Forgotten as Forgotten
from torchlike._explain.forgotten import containers as _containers
from torchlike._explain.forgotten import instances as _instances
from torchlike._explain.forgotten import name_of as _name_of
from torchlike._explain.forgotten import nodes_among as _nodes_among
from torchlike._explain.saved import held_by as _held_by
from torchlike._explain.saved import saved_cells as _saved_cells
from torchlike._record.cell import Storage as _Storage
from torchlike._record.cell import storage_of as _storage_of
from torchlike._record.parameter import Parameter as _Parameter
from torchlike._record.site import place as _place
from torchlike._record.tensor import LEAF as _LEAF
from torchlike._record.tensor import Tensor as _Tensor
from torchlike._record.trace import held_cells as _held_cells
from torchlike._record.trace import state as _state
from torchlike.optim.optimizer import Optimizer as _Optimizer
from torchlike.utils._pytree import tree_leaves as _tree_leaves

PARAMETER, GRADIENT, OPTIMIZER, SAVED, OTHER = KINDS = (
    "parameters", "gradients", "optimizer state", "saved for backward", "other tensors")
_SHOWN = 12  # lines of the table


class Live(NamedTuple):
    """The memory of a tensor, and of all its views.

    Args:
        kind: one of `KINDS`, the first of them that it is.
        bytes: how much it is, or will be.
        pending: whether it is recorded and has not been computed.
        dtype, shape: what it holds.
        file, line, function: where it was made, or written to last; None where that is not known.
    """

    kind: str
    bytes: int
    pending: bool
    dtype: object
    shape: tuple
    file: str | None
    line: int | None
    function: str | None


class Temporaries(NamedTuple):
    """A program that has run lately.

    Args:
        instructions: how many operations it has.
        compiled: whether it runs as one compiled program.
        bytes: the most that its intermediate values take at once, besides its inputs and results; None where XLA does not
            say. Of a program that is not compiled, without what single operations need for themselves.
    """

    instructions: int
    compiled: bool
    bytes: int | None


class Report:
    """What `report` found. ``str()`` of it is a table.

    Args:
        values: a `Live` for each memory, the largest first.
        programs: the `Temporaries` of the last programs of the calling thread, the last one last.
        forgotten: a `Forgotten` for each container that keeps many graphs alive.
    """

    def __init__(self, values: list, programs: list, forgotten: list):
        self.values, self.programs, self.forgotten = values, programs, forgotten

    @property
    def total(self) -> int:
        """All bytes that are taken now."""
        return sum(value.bytes for value in self.values if not value.pending)

    @property
    def pending(self) -> int:
        """The bytes of values that somebody holds and that have not been computed."""
        return sum(value.bytes for value in self.values if value.pending)

    @property
    def kinds(self) -> dict:
        """{kind: bytes taken now}, in the order of `KINDS`."""
        found = dict.fromkeys(KINDS, 0)
        for value in self.values:
            found[value.kind] += 0 if value.pending else value.bytes
        return found

    @property
    def lines(self) -> dict:
        """{(file, line): bytes taken now}, the largest first; (None, None) stands for lines that are not known."""
        found: dict = {}
        for value in self.values:
            if not value.pending:
                found[value.file, value.line] = found.get((value.file, value.line), 0) + value.bytes
        return dict(sorted(found.items(), key=lambda item: -item[1]))

    def __repr__(self):
        return str(self)

    def __str__(self):
        return "\n".join(self._rows())

    def _rows(self) -> Iterator[str]:
        yield f"{self.total:>16,}  bytes in all"
        for kind, size in self.kinds.items():
            yield f"{size:>16,}  {kind}"
        yield f"{self.pending:>16,}  recorded, not computed yet"
        yield "By line:"
        for (file, line), size in list(self.lines.items())[:_SHOWN]:
            yield f"{size:>16,}  {'an unknown line' if file is None else f'{file}:{line}'}"
        if len(self.lines) > _SHOWN:
            yield f"{sum(list(self.lines.values())[_SHOWN:]):>16,}  {len(self.lines) - _SHOWN} other lines"
        if self.programs:
            yield "Intermediate values of the last programs:"
        for program in self.programs:
            size = "unknown" if program.bytes is None else f"{program.bytes:,}"
            yield f"{size:>16}  {program.instructions} instructions, {'compiled' if program.compiled else 'one by one'}"
        for each in self.forgotten:
            yield _text(each)


def report() -> Report:
    """What takes memory now, by kind and by source line; what the last programs need for their intermediate values; and
    which containers keep graphs alive that nobody may want. PyTorch has nothing like it.

    Memory counts once, however many tensors show it. Its kind is the first that fits: that of a Parameter or another leaf
    that requires grad, of a ``.grad``, of an optimizer's state, what a graph keeps for backward, or any other tensor. The
    line is that of the Node which made the value, or the one that wrote to it last; else that which first recorded the
    operation at this place, for the last eight traces of this thread. It takes some milliseconds, and more where there are
    many objects: all are looked at.

    Returns:
        A `Report`. Print it.

    Warns:
        UserWarning: once for each container that keeps separate graphs alive, such as the losses of all steps.
    """
    wanted = {id(_storage_of(cell)) for cell in _held_cells(_state.trace)}  # what this thread's trace will compute
    objects = gc.get_objects()
    storages = [x for x in _instances(objects, _Storage) if x.array is not None or id(x) in wanted]
    kinds, sites = _kinds(objects), _sites(objects)
    values, arrays = [], set()
    for storage in storages:
        if storage.array is None or id(storage.array) not in arrays:
            arrays.add(id(storage.array))
            values.append(_live(storage, kinds.get(id(storage), OTHER), sites.get(id(storage))))
    found = [_described(container, tensors) for container, tensors in _containers(objects)]
    for each in found:
        warnings.warn(f"{each.name} keeps the graphs of its results alive: detach() or item() lets go of them", stacklevel=2)
    return Report(sorted(values, key=lambda value: -value.bytes), _programs(), found)


def _live(storage, kind, site) -> Live:
    aval = storage.aval
    return Live(kind, aval.nbytes, storage.array is None, aval.dtype, tuple(aval.shape), *_place(site))


def _kinds(objects) -> dict:
    """{id of a Storage: its kind}, without OTHER."""
    found: dict = {}

    def add(kind, cells):
        for cell in cells:
            found.setdefault(id(_storage_of(cell)), kind)

    tensors = _instances(objects, _Tensor)
    add(PARAMETER, [x._cell for x in tensors if isinstance(x, _Parameter) or x._edge is _LEAF])
    add(GRADIENT, [x._grad._cell for x in tensors if x._grad is not None])
    add(OPTIMIZER, [x._cell for each in _instances(objects, _Optimizer) for x in _tree_leaves(list(each.state.values()))
                    if isinstance(x, _Tensor)])
    add(SAVED, [cell for node in _nodes_among(objects) for cell in _saved_cells(node)])
    return found


def _sites(objects) -> dict:
    """{id of a Storage: the line that made it or wrote to it}."""
    flow = _Flow(_state.trace)
    found = {key: flow.made_by[values[-1]].site for key, values in flow.of_cell.items() if values[-1] in flow.made_by}
    for storage in _instances(objects, _Storage):
        if (site := getattr(storage, "written", None)) is not None:
            found[id(storage)] = site
    for x in _instances(objects, _Tensor):
        if x._edge is not None and len(x._edge) == 2 and x._edge[0].site is not None:
            found.setdefault(id(_storage_of(x._cell)), x._edge[0].site)
    return found


def _programs() -> list:
    found = []
    for past in _state.thread.past:
        found += [program for program in past.end.programs.values() if program not in found]
    return [Temporaries(sum(item.__class__ is _Call for item in program.items), program.state == "ready",
                        _bytes_of_temporaries(program)) for program in found]


def _described(container, tensors) -> Forgotten:
    nodes = [x._edge[0] for x in tensors]
    return Forgotten(_name_of(container), len(tensors), _held_by(nodes).total, *_place(nodes[-1].site))


def _text(each) -> str:
    where = "" if each.file is None else f", made at {each.file}:{each.line}"
    return (f"{each.bytes:>16,}  kept by the graphs of {each.count} results in {each.name}{where}: detach() or item() lets "
            "go of them")
