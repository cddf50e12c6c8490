"""What repeats among the steps: the layers of a deep model, the steps of a recurrence."""

import dataclasses

from torchlike._lower.program import Checkpoint, Constant, Step

_LISTS = 0.6  # lists that it may go through, for each line
_GAIN = 4  # lines that a loop must save at least, about


@dataclasses.dataclass(slots=True, eq=False)
class Loop:
    """Steps that repeat.

    Args:
        body: those of the first turn, which read these keys and those that stay the same.
        count: how many turns.
        carried: (key inside, key at the start, key in the body that is the next turn's) of what a turn gets from the last.
        each: (key inside, the key of each turn) of what is another value in each turn.
        results: (key in the body, the key of each turn) of what is read behind the loop.
    """

    body: list
    count: int
    carried: list
    each: list
    results: list

    @property
    def same(self) -> list:
        """The keys of what comes from outside and is the same in each turn."""
        inside = {key for step in self.body for key in step.makes} | {c[0] for c in self.carried} | {e[0] for e in self.each}
        return [key for step in self.body for key in step.operands if key not in inside]

    @property
    def operands(self) -> list:
        """The keys of what comes from outside."""
        return [*self.same, *(c[1] for c in self.carried), *(key for _, keys in self.each for key in keys)]

    @property
    def makes(self) -> list:
        """The keys of its results."""
        return [key for _, keys in self.results for key in keys]


class Folder:
    """Finds loops.

    Args:
        steps: Steps and Checkpoints, in order.
        wanted: the keys that are read in the end.
        form_of: the form of a Step, with the forms of what it reads.
    """

    def __init__(self, steps, wanted, form_of):
        self.steps, self.form_of = steps, form_of
        self.wanted = set(wanted)
        self._numbers: dict = {}

    def folded(self) -> list:
        """The steps, loops among them."""
        return self._fold(self.steps, self.wanted)

    def _fold(self, steps, wanted) -> list:
        forms = [self._numbers.setdefault(self._form(step), len(self._numbers)) for step in steps]
        weights = [1 if step.__class__ is Step else _GAIN for step in steps]
        for first, length, stop in _repeats(forms, weights):
            found = self._best(steps, first, length, stop, wanted)
            if found is not None:
                start, loop = found
                stop = start + length * loop.count
                read = {key for step in (loop, *steps[stop:]) for key in step.operands}
                return [*self._fold(steps[:start], wanted | read), loop, *self._fold(steps[stop:], wanted)]
        return steps

    def _form(self, step):
        if step.__class__ is Step:
            return self.form_of(step), step.keeps
        if step.__class__ is Loop:
            return id(step)
        places: dict = {}
        for key in step.operands:
            places[key] = len(places)
        parts = []
        for inner in step.steps:
            parts.append((self._form(inner), tuple(places.setdefault(key, len(places)) for key in inner.operands)))
            for key in inner.makes:
                places[key] = len(places)
        return "checkpoint", step.policy, tuple(parts), tuple(places[key] for key in step.makes), len(step.operands)

    def _best(self, steps, first, length, stop, wanted):
        """(place, Loop) of the repeat, begun where the least is carried from turn to turn; None if it is none."""
        best = None
        for start in range(first, first + length):
            turns = (stop - start) // length
            loop = self._loop(steps, start, length, turns, wanted)
            if loop is None or (loop.count - 1) * sum(1 if step.__class__ is Step else _GAIN for step in loop.body) < _GAIN:
                continue
            if sum(proxy[1][0].is_leaf is False for proxy, _ in loop.each if proxy[1].__class__ is tuple and
                   hasattr(proxy[1][0], "is_leaf")) > _LISTS * len(loop.body):
                continue
            cost = (-loop.count, len(loop.carried) + len(loop.results), start)
            if best is None or cost < best[0]:
                best = cost, start, loop
        return None if best is None else best[1:]

    def _loop(self, steps, start, length, turns, wanted):
        blocks = [steps[start + j * length:start + (j + 1) * length] for j in range(turns)]
        count = self._alike(blocks)
        if count < 2:
            return None
        blocks = blocks[:count]
        made = [{key: (i, k) for i, step in enumerate(block) for k, key in enumerate(step.makes)} for block in blocks]
        proxies: dict = {}
        body = []
        for i, step in enumerate(blocks[0]):
            reads = []
            for r, key in enumerate(step.operands):
                vector = tuple(block[i].operands[r] for block in blocks)
                reads.append(self._inside(key, vector, made, proxies))
                if reads[-1] is None:
                    return None
            body.append(dataclasses.replace(step, reads=reads) if step.__class__ is Step else
                        dataclasses.replace(step, given=reads))
        read_behind = wanted.union(*(step.operands for step in steps[start + length * count:]))
        keys = [{place: key for key, place in mine.items()} for mine in made]
        results = [(keys[0][place], tuple(mine[place] for mine in keys)) for place in keys[0]
                   if any(mine[place] in read_behind for mine in keys)]
        carried, each = [], []
        for (kind, *_), (proxy, vector, after) in proxies.items():
            if kind == "carried":
                carried.append((proxy, vector[0], after))
            else:
                each.append((proxy, vector))
        return Loop(body, count, carried, each, results)

    @staticmethod
    def _alike(blocks) -> int:
        """How many of the blocks read the same of themselves."""
        places = [{key: (i, k) for i, step in enumerate(block) for k, key in enumerate(step.makes)} for block in blocks]
        for j, block in enumerate(blocks):
            for i, step in enumerate(block):
                mine = [places[j].get(key) for key in step.operands]
                if mine != [places[0].get(key) for key in blocks[0][i].operands]:
                    return j
        return len(blocks)

    @staticmethod
    def _inside(key, vector, made, proxies):
        """What the body reads for a key of the first turn; None where that differs in no way that a loop has."""
        if key in made[0]:
            return key
        if all(other == key for other in vector):
            return key
        before = made[0].get(vector[1]) if len(vector) > 1 else None
        if before is not None and all(made[j - 1].get(vector[j]) == before for j in range(1, len(vector))):
            found = proxies.setdefault(("carried", vector), (("carried", *vector), vector, vector[1]))
            return found[0]
        if any(other in mine for other in vector for mine in made):
            return None
        return proxies.setdefault(("each", vector), (("each", *vector), vector, None))[0]


def _repeats(forms, weights) -> list:
    """(place, length of a turn, end) of what repeats, what saves most first."""
    found, n = [], len(forms)
    for length in range(1, n // 2 + 1):
        run = 0
        for i in range(n - length + 1):
            if i < n - length and forms[i] == forms[i + length]:
                run += 1
                continue
            saved = sum(weights[i - run:i]) if run >= length else 0
            if saved >= _GAIN:
                found.append((saved, -length, i - run, i + length))
            run = 0
    found.sort(key=lambda x: (-x[0], -x[1]))
    return [(place, -length, stop) for _, length, place, stop in found[:40]]


def hoisted(steps) -> list:
    """The steps, with those first that stand for no Node and need none: they may be read everywhere.

    Args:
        steps: Steps and Checkpoints, in order.

    Returns:
        The same in another order.
    """
    of_nodes = {key for step in steps if step.__class__ is Checkpoint or step.node is not None for key in step.makes}
    first, rest, late = [], [], set(of_nodes)
    for step in steps:
        early = step.__class__ is Step and step.node is None and not any(
            key in late for key in step.reads if key.__class__ is not Constant)
        if not early:
            late.update(step.makes)
        (first if early else rest).append(step)
    return first + rest
