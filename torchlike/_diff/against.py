"""`torchlike.diff.compare(program, against=...)`: at which layer does a port to JAX part, forward or backward?

Both programs run twice, the second time in float64, where what is the same differs by little and what is not by much. Our
operations are recorded with their modules (`port_program.py`), theirs are the equations of the jaxpr (`jax_program.py`). The
outputs decide whether they part: if so, the way goes back from them through values that the other side has not
(`matching.py`). If not, gradients of values and parameters (`parameters.py`) are compared, the last in the program first.
"""

import math
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import numpy as np

from torchlike._diff import hints, jax_program, matching, parameters, port_program, verdicts
from torchlike._diff.matching import Ancestors, Matches, Numbers, Value
from torchlike._diff.port_report import BACKWARD, FORWARD, Parting, Place, Report
from torchlike._diff.progress import progress
from torchlike._diff.recorder import LEAF
from torchlike._diff.verdicts import LESS_EXACT, Side

SOME = 10_000  # so many numbers of a constant are looked at
_SUMS = frozenset(("add", "__add__", "__radd__", "__iadd__", "add_", "sub", "add_any"))


def compare(program: Callable, against: Any, params: Any, inputs: Sequence, loss: Any, mapping: Mapping | None) -> Report:
    """What `torchlike.diff.compare` does with `against`, where the arguments are told of."""
    start = time.perf_counter()
    function, names, leaves = _function(against, params)
    our_loss, their_loss = loss if isinstance(loss, tuple | list) else (loss, loss)
    with progress(5) as bar:
        runs = []
        for is_wide in (False, True):
            runs.append(port_program.run(program, list(inputs), our_loss, is_wide))
            bar.advance("ours")
        work = _Work(*runs)
        work.run_theirs(function, names, leaves, list(inputs), their_loss)
        bar.advance("theirs")
        work.map_parameters(mapping or {})
        bar.advance("outputs")
        parting = work.forward()
        bar.advance("gradients")
        parting = parting or work.backward()
    name = type(program).__name__ if not hasattr(program, "__name__") else program.__name__
    return Report(name, parting, work.table, work.counts(), work.n_gradients, work.notes, time.perf_counter() - start)


# their program


def _function(against, params) -> tuple[Callable, list[str], list]:
    """(a function of a list of arrays and the inputs, the paths of the arrays, the arrays)."""
    nnx, linen = sys.modules.get("flax.nnx"), sys.modules.get("flax.linen")
    function = against
    if nnx is not None and isinstance(against, nnx.Module):
        graph, state = nnx.split(against)
        params = state if params is None else params

        def function(state, *inputs):
            return nnx.merge(graph, state)(*inputs)

    elif linen is not None and isinstance(against, linen.Module):
        function = against.apply
    elif params is None and _is_tree(against):
        params = against

        def function(tree, *inputs):
            return tree(*inputs)

    if params is None:
        raise ValueError("params= is missing: a pytree of arrays, which against= takes as its first argument")
    if not callable(function):
        raise TypeError(f"against= must be callable, not {type(against).__name__}")
    found, tree = jax.tree_util.tree_flatten_with_path(params)
    places = [i for i, (_, x) in enumerate(found) if isinstance(x, jax.Array | np.ndarray | np.generic)]

    def of_arrays(arrays, *inputs):
        parts = [x for _, x in found]
        for i, x in zip(places, arrays, strict=True):
            parts[i] = x
        return function(jax.tree_util.tree_unflatten(tree, parts), *inputs)

    return of_arrays, [_path(found[i][0]) for i in places], [found[i][1] for i in places]


def _is_tree(x) -> bool:
    """Whether it is a pytree with arrays in it, as modules of equinox are."""
    leaves = jax.tree_util.tree_leaves(x)
    return not any(leaf is x for leaf in leaves) and any(isinstance(leaf, jax.Array | np.ndarray) for leaf in leaves)


def _path(keys) -> str:
    parts = [str(getattr(key, "key", getattr(key, "name", getattr(key, "idx", key)))) for key in keys]
    return ".".join(parts[:-1] if len(parts) > 1 and isinstance(keys[-1], jax.tree_util.GetAttrKey) and parts[-1] == "value"
                    else parts)


class _Work:
    """One comparison."""

    def __init__(self, narrow: port_program.Run, wide: port_program.Run):
        self.narrow, self.wide = narrow, wide
        self.ours = Side("ours", narrow.events, wide.events)
        self.notes: list[str] = []
        self.n_gradients = 0
        self.layouts: list = []

    def run_theirs(self, function, names: list[str], leaves: list, inputs: list, loss) -> None:
        """Their evaluation in float64, and what of ours there is among it. What the rounding is ours tells."""
        n, self.names = len(leaves), names

        def whole(*arrays):
            result = function(arrays[:n], *arrays[n:])
            result = result if loss is None else loss(result)
            return [x for x in jax.tree_util.tree_leaves(result) if hasattr(x, "dtype")]

        arrays = [*leaves, *map(np.asarray, inputs)]
        self.programs = [jax_program.Program(whole, arrays, is_wide) for is_wide in (False, True)]
        wide = self.programs[1].run()
        self.leaves = {name: wide.events[i].values[0] for i, name in enumerate(names)}
        self.starts = set(range(n, len(arrays))) or set(range(n))
        self._match([wide, wide], is_coarse=False)

    def map_parameters(self, mapping: Mapping) -> None:
        ours = {name: x for name, x, _ in self.wide.parameters if x is not None and x.dtype.kind in "fc"}
        theirs = {name: x for name, x in self.leaves.items() if x is not None and x.dtype.kind in "fc"}
        self.table = parameters.match(ours, theirs, mapping)

    def counts(self) -> tuple[int, int]:
        """Of our values that are computed, those that theirs has, and all."""
        computed = [x for x in self.matches.ours.values if self.ours.events[x[0]].name != LEAF]
        return sum(x in self.matches.found for x in computed), len(computed)

    # forward

    def forward(self) -> Parting | None:
        """Where outputs part; None if none does."""
        if not self.narrow.outputs or not self.runs[0].outputs:
            raise ValueError("there is no output to compare")
        if len(self.narrow.outputs) != len(self.runs[0].outputs):
            counts = len(self.narrow.outputs), len(self.runs[0].outputs)
            self.notes.append(f"ours gives {counts[0]} tensors and theirs {counts[1]}: the first of both are compared")
        parted = self._outputs()
        if not parted:
            self._precision()
            return None
        fronts = self._fronts(parted)
        if self._is_constant(fronts):
            self._match([self.programs[0].run(), self.runs[1]], is_coarse=True)
            parted = self._outputs()
            line = self.ours.events[fronts[0].first[0]].line if fronts[0].first else "?"
            self.notes.append(f"constants go in at our line {line}, which one side may have rounded to the program's dtype: "
                              f"values are the same if they differ by {matching.COARSE:g} times the rounding seen in it")
            if not parted:
                return None
            fronts = self._fronts(parted)
        return self._forward_parting(fronts, parted[0][2])

    def _match(self, runs: list, is_coarse: bool) -> None:
        self.runs, self.is_coarse = runs, is_coarse
        self.theirs = Side("theirs", runs[0].events, runs[1].events)
        self.matches = Matches(*(Numbers(side, is_coarse) for side in (self.ours, self.theirs)))

    def _outputs(self) -> list[tuple]:
        """(our event and output, theirs, how they part) of outputs that do. Sets the layouts of the others."""
        ours = zip(self.narrow.values, self.wide.values, self.narrow.outputs, strict=True)
        theirs = zip(self.runs[0].values, self.runs[1].values, self.runs[0].outputs, strict=True)
        self.layouts, parted = [], []
        for number, (mine, other) in enumerate(zip(ours, theirs, strict=False)):
            a, b = (matching.value_of(*x[:2], self.is_coarse) for x in (mine, other))
            found = matching.layout(a, b) if a is not None and b is not None else None
            self.layouts.append(found)
            if found is None and not (a is None and b is None):
                parted.append((mine[2], other[2], _why(number, mine[1], other[1], a, b)))
        return parted

    def _fronts(self, parted: list) -> list[matching.Front]:
        self.moving = [matching.moving(self.ours, self._our_starts()), matching.moving(self.theirs, self.starts)]
        known = self.matches.found, self.matches.back
        return [matching.front(side, [pair[number] for pair in parted], known[number], self.moving[number])
                for number, side in enumerate((self.ours, self.theirs))]

    def _is_constant(self, fronts) -> bool:
        """Whether values part where constants go in, which are no parameters that both have."""
        mapped = {self.narrow.recording.leaves.get(row.ours) for row in self.table.rows}
        made = matching.moving(self.ours, {x for x in mapped if x is not None})
        theirs = matching.moving(self.theirs, set(range(len(self.names))))
        for side, front, moves, of_parameters in ((self.ours, fronts[0], self.moving[0], made),
                                                  (self.theirs, fronts[1], self.moving[1], theirs)):
            for number in front.first:
                event = side.events[number]
                sources = [source for source in event.inputs if source[0] not in moves and source[0] not in of_parameters]
                if getattr(event, "has_constant", False) or any(_is_rounded(side.wide_value(x, i)) for x, i in sources):
                    return True
        return False

    def _precision(self) -> None:
        """Notes an output that one side computes less exactly in its own dtype."""
        theirs = zip(self.programs[0].outputs(), self.runs[1].values, strict=True)
        ours = zip(self.narrow.values, self.wide.values, strict=True)
        for number, both in enumerate(zip(ours, theirs, strict=False)):
            if any(x is None or x.dtype.kind not in "fc" for x, _ in both):
                continue
            off = [matching.gap(x.astype(wide.dtype), wide) for x, wide in both]
            unit = float(np.finfo(both[0][0].dtype).eps) * float(np.abs(both[0][1]).max(initial=0.0))
            for mine, other, name in ((off[0], off[1], "ours"), (off[1], off[0], "theirs")):
                if mine > LESS_EXACT * (other + unit):
                    self.notes.append(f"output {number} of {name} is computed less exactly: it is {mine:.3g} from its "
                                      f"float64 rerun, the other's {other:.3g}")

    def _forward_parting(self, fronts, why: str) -> Parting:
        mine = min(fronts[0].first, default=None)
        other = min(fronts[1].first, default=None)
        if mine is not None:
            sources = [self._name(x) for x in self.ours.events[mine].inputs if tuple(x) in self.matches.found]
            from_where = f"; what goes into it is the same ({', '.join(sources)})" if sources else ""
            if any((mine, i) in self.matches.found for i in range(len(self.ours.events[mine].values))):
                why = f"{why}; theirs has the result of this operation, and goes on with it"
            else:
                why = f"{why}; the first operation on the way there whose result theirs has not{from_where}"
        told, place = hints.forward(self, mine, fronts)
        return Parting(FORWARD, self._our_place(mine), self._their_place(other if place is None else place), why, hints=told)

    def _our_starts(self) -> set[int]:
        """The inputs; without any all leaves that are no parameters, or everything."""
        known = set(self.narrow.recording.leaves.values())
        free = {i for i, event in enumerate(self.ours.events) if event.name == LEAF and i not in known}
        return self.narrow.inputs or free or set(range(len(self.ours.events)))

    def _name(self, reference) -> str:
        event = self.ours.events[reference[0]]
        return event.label or (event.name if event.name != LEAF else "an input")

    def _our_place(self, number: int | None) -> Place | None:
        if number is None:
            return None
        event = self.ours.events[number]
        return Place(event.name, event.file, event.line, self.narrow.recording.modules.get(number, ("", False))[0])

    def _their_place(self, number: int | None) -> Place | None:
        if number is None:
            return None
        event: Any = self.theirs.events[number]
        return Place(event.calls[0] if event.calls else event.name, event.file, event.line, event.scope)

    # backward

    def backward(self) -> Parting | None:
        """The gradient, of those that differ, whose value is the last in our program."""
        try:
            needed = slice(0 if self.is_coarse else 1, 2)
            for program, run in zip(self.programs[needed], self.runs[needed], strict=True):
                program.gradients(run, [self._cotangent(i, x) for i, x in enumerate(run.values)])
        except Exception as problem:  # noqa: BLE001 - what JAX says of a program without gradient is the finding
            text = str(problem).partition("\n")[0]
            return Parting(BACKWARD, None, None, f"jax.vjp of theirs raises {type(problem).__name__}: {text}")
        self.theirs.grads, self.theirs.wide_grads = (verdicts.gradients(run.events) for run in self.runs)
        rows, values = list(self._parameters()), list(self._values())
        is_input = [bool(self.narrow.inputs & {event for event, _ in item[1]}) for item in values]
        if not rows and not any(is_input):
            if values:
                names = ", ".join(sorted({item[3] for item in values}))
                self.notes.append(f"gradients of values ({names}) differ, those of inputs and of mapped parameters do not: "
                                  "what has the same numbers is another thing there, or parameters are missing in the table")
            return None
        bad = {item[0] for item in rows}
        values = [item for item, known in zip(values, is_input, strict=True) if known or self._is_plausible(item[0], bad)]
        return self._backward_parting(*max([*rows, *values], key=lambda item: item[0]))

    def _is_plausible(self, number: int, bad: set[int]) -> bool:
        """Whether the last parameters before a value have wrong gradients, too. If not, theirs is another thing with the
        same numbers (the last state of a recurrent layer, which is a part of its output).
        """
        before = self.ancestors.of(number)
        with_gradient = {self.narrow.recording.leaves.get(row.ours) for row in self.table.rows}
        for event in range(number, -1, -1):
            used = {source for source, _ in self.ours.events[event].inputs} & with_gradient
            if used and (event == number or event in before):
                return bool(used & bad)
        return True

    def _cotangent(self, number: int, x) -> np.ndarray | None:
        """Ours, laid out as theirs."""
        if number >= len(self.layouts) or self.layouts[number] is None:
            return None
        own = self.narrow.cotangents[number]
        if own is None or x.dtype.kind not in "fc":
            return None
        places = self.layouts[number][1](np.arange(x.size).reshape(x.shape))
        made = np.zeros(x.size)
        made[places.ravel()] = np.asarray(own).ravel()
        return made.reshape(x.shape)

    def _values(self):
        """(our event, ours, theirs, label, gradients) of values whose gradients differ."""
        self.ancestors, others = Ancestors(self.ours), Ancestors(self.theirs)
        needing = self.narrow.recording.needing
        known = set(self.narrow.recording.leaves.values())
        with_gradient = {(event, output) for event, output, _ in self.theirs.grads}
        for mine, other in self.matches.groups():
            if any(number in known for number, _ in mine):
                continue
            first = matching.roots(self.ours, mine, self.ancestors, lambda x: x in needing)
            their_first = matching.roots(self.theirs, other, others, lambda x: x in with_gradient)
            if not first or not their_first:
                continue
            a = self._total(self.ours, self.matches.ours, first)
            b = self._total(self.theirs, self.matches.theirs, their_first)
            if a is None or b is None:
                continue
            self.n_gradients += 1
            found = matching.layout(self.matches.ours.values[first[0]], self.matches.theirs.values[their_first[0]])
            if not _agree(a, b, found[1] if found is not None else None, self.is_coarse):
                yield first[0][0], mine, other, self._name(first[0]), (a[1], b[1])

    def _total(self, side: Side, numbers: Numbers, references) -> tuple | None:
        """The sum of the gradients at several places of a value, laid out as at the first: in the dtype, and in float64."""
        first = numbers.values[references[0]]
        totals: list = [0.0, 0.0]
        for event, output in references:
            found = matching.layout(first, numbers.values[event, output])
            if found is None:
                return None
            key = event, output, 0
            gradients = side.grads.get(key, (0, None))[1], side.wide_gradient(key)
            if gradients[0] is not None and gradients[1] is None:
                return None
            for i, g in enumerate(gradients):
                totals[i] = totals[i] + (np.zeros(first.array.shape) if g is None else found[1](g))
        dtype = side.events[references[0][0]].values[references[0][1]].dtype
        return totals[0].astype(dtype), totals[1]

    def _parameters(self):
        rows = [row for row in self.table.rows if row.ours in self.wide.gradients and row.ours in self.narrow.gradients]
        theirs = {name: (self.theirs.grads[i, 0, 0][1], self.runs[1].events[i].grads[0][2])
                  for i, name in enumerate(self.names) if (i, 0, 0) in self.theirs.grads}
        ours = {row.label: tuple(row.of_ours(run.gradients[row.ours]) for run in (self.narrow, self.wide)) for row in rows}
        self.n_gradients += len(rows)
        wrong = [row for row in rows if not _agree(ours[row.label], theirs[row.theirs], row.lay, self.is_coarse)]
        values = {row.label: row.of_ours(x) for name, x, _ in self.wide.parameters for row in wrong if row.ours == name}
        for row in _unresolved(wrong, ours, theirs, values, self.is_coarse):
            number = self.narrow.recording.leaves.get(row.ours, -1)
            argument = self.names.index(row.theirs)
            yield (number, [(number, 0)] if number >= 0 else [], [(argument, 0)], f"parameter {row.label}",
                   (ours[row.label][1], row.lay(theirs[row.theirs][1])))

    def _backward_parting(self, number, mine, other, label, gradients) -> Parting:
        user = self._user(self.ours, mine, self.narrow.recording.needing)
        their_user = self._user(self.theirs, other, None)
        a, b = gradients
        why = f"the gradient of {label} differs, those of all values after it that both have do not"
        found = Parting(BACKWARD, self._our_place(user if user is not None else number if number >= 0 else None),
                        self._their_place(their_user if their_user is not None else other[0][0]), why, label)
        found.hints = hints.backward(a, b, None if their_user is None else self.theirs.events[their_user])
        return found

    def _user(self, side: Side, references, needing) -> int | None:
        """The operation that uses a value and is not the same value again: one with a gradient of its own before others,
        sums last."""
        same = {tuple(reference) for reference in references}
        users = []
        for number, event in enumerate(side.events):
            is_user = any(tuple(source) in same for source in event.inputs)
            if is_user and (event.name == "stop_gradient" or (number, 0) not in same) and (
                    needing is None or (number, 0) in needing or event.name == "stop_gradient"):
                users.append((_rank(event), number))
        return min(users)[1] if users else None


def _rank(event) -> int:
    if event.name == "stop_gradient":
        return 0
    calls = (*getattr(event, "calls", ()), event.name)
    if any(name.startswith("custom_vjp") for name in calls):
        return 1
    return 3 if event.name in _SUMS else 2


def _is_rounded(x) -> bool:
    """Whether numbers are no short decimals: 0.5 is the same in float32 and in float64, 0.1 is not."""
    if x is None or x.dtype.kind not in "fc":
        return False
    some = np.unique(x.real.ravel()[:SOME]).astype(np.float64)
    return any(math.isfinite(number) and float(str(np.float32(number))) != number for number in some)


def _why(number: int, ours, theirs, a: Value | None, b: Value | None) -> str:
    """How an output parts."""
    if a is None or b is None or a.array.size != b.array.size:
        return f"output {number} is {list(ours.shape)} and theirs {list(theirs.shape)}"
    if matching.is_same(a, b):
        return f"output {number} has the same numbers as theirs in another order"
    return f"output {number} differs, by {matching.relative(a, b):.3g} as a whole"


def _agree(ours: tuple, theirs: tuple, lay, is_coarse: bool) -> bool:
    """Whether gradients are the same: (in the dtype, in float64) of ours, of theirs, and how these are laid out as ours."""
    a = matching.value_of(ours[0], ours[1], is_coarse)
    narrow, wide = theirs if lay is None else map(lay, theirs)
    b = matching.value_of(narrow, wide, is_coarse)
    if a is None or b is None:
        return True
    if lay is None:
        return matching.is_same(a, b)
    return matching.gap(a.array, b.array) <= a.slack + b.slack


def _unresolved(rows: list, ours: dict, theirs: dict, values: dict, is_coarse: bool) -> list:
    """Rows whose gradients differ, but for those of parameters with the same values that were taken for one another."""
    left = list(rows)
    for row in rows:
        for other in list(left) if row in left and row.sure != parameters.GIVEN else ():
            if row is not other and np.array_equal(values[row.label], values[other.label]) and _agree(
                    ours[row.label], theirs[other.theirs], other.lay, is_coarse):
                row.theirs, other.theirs = other.theirs, row.theirs
                row.lay, other.lay, row.how, other.how = other.lay, row.lay, other.how, row.how
                row.sure = parameters.GRADIENT
                left.remove(row)
                if _agree(ours[other.label], theirs[other.theirs], other.lay, is_coarse):
                    other.sure = parameters.GRADIENT
                    left.remove(other)
                break
    return left
