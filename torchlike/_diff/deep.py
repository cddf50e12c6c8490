"""`torchlike.diff.compare`: the first operation at which engines, or two programs, part, in value and in gradient.

Each engine runs the program twice, the second time in float64, and every operation is recorded (`recorder.py`);
`verdicts.py` says what differences are. A function runs in this process, a script in processes of its own
(`worker.py`).
"""

import concurrent.futures
import contextlib
import dataclasses
import importlib
import itertools
import linecache
import os
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from torchlike._base.errors import UnsupportedError
from torchlike._diff import against as ports
from torchlike._diff import program_run, recorder, sources, verdicts
from torchlike._diff.port_program import random_state
from torchlike._diff.port_report import Report as PortReport
from torchlike._diff.progress import progress
from torchlike._diff.recorder import LEAF, STEP, Event
from torchlike._diff.verdicts import ROUNDING, SAME, UNJUDGED, Distance, Judgement, Side
from torchlike._diff.vjp_engine import functional
from torchlike._diff.workers import RECORD, Workers

ENGINES = ("torch", "tape", "jax")
ALLOWED = (f"allowed: what float64 reruns justify. They may differ by {verdicts.SLACK} times what the rounding seen in the "
           f"program's dtype makes of float64; an engine may be {verdicts.LESS_EXACT} times farther from its rerun than the "
           "other; operators that compute nothing: no bit; where there is no rerun, half of the digits")
GROWTH = 8  # places at which the growth of a difference is shown


@dataclasses.dataclass
class Parting:
    """Where two engines part. `kind` is value, gradient, branch (after a decision by a value), operation (one side does
    another one, and no decision was seen), or ending (an exception).

    `line` is that of the operation whose result, or whose backward pass, is at fault; `growth` has (line, operator, relative
    distance as a whole) of what follows.
    """

    kind: str
    engines: tuple[str, str]
    file: str
    line: int
    operator: str
    verdict: str
    why: str
    fault: str = ""
    of: str = ""  # for a gradient: whose
    inputs: list[str] = dataclasses.field(default_factory=list)
    distance: Distance | None = None
    growth: list[tuple[int, str, float]] = dataclasses.field(default_factory=list)

    def __str__(self):
        text = linecache.getline(self.file, self.line).strip()
        of = f" {self.of}" if self.of else ""
        lines = [f"{' and '.join(self.engines)} part in {self.kind}{of} at {self.file}:{self.line}, {self.operator}"]
        lines += [f"    {text}"] if text else []
        lines.append(f"  {self.verdict}: {self.why}" + (f"; at fault: {self.fault}" if self.fault else ""))
        if self.distance is not None:
            lines.append(f"  distance: {self.distance}")
        lines += [f"  input {text}" for text in self.inputs]
        if self.growth:
            lines.append("  from there on, relative: " + ", ".join(f"{name} (line {line}) {far:.2g}"
                                                                  for line, name, far in self.growth))
        return "\n".join(lines)


@dataclasses.dataclass
class Pair:
    """Two engines: how much was compared, the first partings in value and gradient, and the first rounding."""

    engines: tuple[str, str]
    operations: int
    gradients: int
    partings: list[Parting]
    rounding: Parting | None = None
    unjudged: int = 0  # values and gradients that differ, by less than half of the digits, where no float64 rerun says why
    notes: list[str] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Report:
    """What `compare` found. `str` of it is the text for people, `json` the same as data. `raised` is the exception that a
    function raised under the first engine, None where there was none; `left` is what a script left under each engine, as
    `program_run.run` gives it.
    """

    program: str
    pairs: list[Pair]
    seconds: dict[str, float]
    raised: Exception | None = None
    left: dict[str, tuple] = dataclasses.field(default_factory=dict)

    @property
    def first(self) -> Parting | None:
        """The first parting: of values before gradients, in the order of the pairs."""
        found = [parting for pair in self.pairs for parting in pair.partings]
        return min(found, key=lambda parting: parting.kind == "gradient", default=None)

    @property
    def ok(self) -> bool:
        """Whether nothing differs by more than rounding."""
        return self.first is None

    def json(self) -> dict:
        """The report as a dictionary of plain values; nan and infinities are strings."""
        return _plain({"program": self.program, "agree": self.ok, "seconds": self.seconds,
                       "pairs": [dataclasses.asdict(pair) for pair in self.pairs]})

    def __str__(self):
        first = [] if self.first is None else [f"first: {self.first}"]
        return "\n".join([f"{self.program}: {'no parting' if self.ok else 'PARTS'}", *first, *self._rest()])

    def failure(self) -> str:
        """The text for people, which begins with the first parting: what a test says that fails."""
        return "\n".join([str(self.first), f"{self.program}:", *self._rest()])

    def _rest(self) -> list[str]:
        lines = []
        for pair in self.pairs:
            counts = f"{pair.operations} values and {pair.gradients} gradients compared"
            rest = f" ({pair.unjudged} differ in less than half of the digits, not judged)" if pair.unjudged else ""
            lines.append(f"{' and '.join(pair.engines)}: {counts}, {'part' if pair.partings else 'agree'}{rest}")
            lines += [str(parting) for parting in pair.partings if parting is not self.first]
            if pair.rounding is not None and not pair.partings:
                lines.append(f"the first difference is rounding: {pair.rounding}")
            lines += [f"note: {note}" for note in pair.notes]
        return [*lines, ALLOWED]


def _plain(value):
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, float) and not np.isfinite(value) else value


def compare(program: Callable | str | os.PathLike, engines: Sequence[str] = ENGINES, *, inputs: Sequence = (),
            other: Callable | str | os.PathLike | None = None, against: Any = None, params: Any = None, loss: Any = None,
            mapping: Mapping | None = None, second_order: bool = False) -> Report | PortReport:
    """Compares every intermediate value and gradient of a program between engines, or of two programs under one.

    A function is called with the module that stands for torch, ``program(torch, *inputs)``, in this process; the path of a
    script is run in processes of its own. Each engine runs it twice, the second time in float64, from the same seed.
    Operations are matched by line, name and shape; of two programs by name and shape.

    With `against` the program is held against its port to JAX instead: which layer is wrong, forward or backward? Then it
    may be a module, of torchlike or of PyTorch, a copy of which is called with the inputs, in its own mode; the port is
    called with `params` and the same inputs. Both run as they are and in float64. If outputs differ, the report names the
    first operation from which on theirs has no value of ours; if not, the gradients of all values and parameters are
    compared. Values are the same if they have the same numbers, in whatever layout.

    Args:
        program: a function of a torch module and the inputs, or the path of a script; with `against` also a module.
        engines: two or more of "torch" (PyTorch, which must be installed), "tape" and "jax" (`jax.vjp` of the pure program);
            with `other` exactly one.
        inputs: arrays, which the function gets as tensors.
        other: a second program of the same kind.
        against: a function of `params` and the inputs (the `apply` of a module of linen, with its variables), a module of
            flax (nnx, or linen with `params`), or a callable that is a pytree of arrays, as those of equinox.
        params: a pytree of arrays; None for what has its own.
        loss: a function of what comes out that gives one number, or a pair of such functions for the program and the port.
            Without it the gradients are those of a sum of the outputs with weights drawn by chance.
        mapping: corrections of the guessed table of parameters: a dict of paths in `params`, joined by dots, to names of
            ours, or to pairs of that and a function that lays their array, of any shape, out as ours.
        second_order: whether each ``loss.backward()`` has second derivatives compared, too: of the leaves, along one
            direction. Hooks of the program run in these passes as well, and what has no second derivative raises.

    Returns:
        the Report: `first` is the first operation at which they part, `ok` whether there is none. With `against` it has
        `kind` (forward or backward), `module`, `line`, `ours` and `theirs`, and the report `parameters`.

    Raises:
        ValueError: engines that there are not, or too few; `params` missing, names in `mapping` that there are not, a loss
            of several numbers, a program without outputs.
        TypeError: `against` is not callable, or what goes with it is given without it.
        UnsupportedError: PyTorch is asked for and not installed; a script with `against`.
    """
    if against is not None:
        if second_order:
            raise TypeError("second_order= is for engines: it does not go with against=")
        return _port(program, engines, other, against, params=params, inputs=inputs, loss=loss, mapping=mapping)
    if any(x is not None for x in (params, loss, mapping)):
        raise TypeError("params=, loss= and mapping= go with against=")
    return compare_engines(program, engines, inputs, other, second_order=second_order)


def compare_engines(program, engines, inputs, other, timeout: float | None = None, second_order: bool = False,
                    torch_python: str | None = None) -> Report:
    """`compare` without a port. `timeout`: the seconds after which a run of a script is stopped, a RuntimeError.
    `torch_python`: the Python whose PyTorch runs scripts, None for this one.
    """
    check(engines, other)
    programs = [program] if other is None else [program, other]
    runs = [(item, engine) for item in programs for engine in engines]
    with progress(2 * len(runs)) as bar, _runner(inputs, _How(timeout, second_order, bar.advance, torch_python)) as run:
        sides = _sides(run, runs)
    if other is not None:
        for side, name in zip(sides, ("the first", "the second"), strict=True):
            side.engine = name
    pairs = [_compare_sides(a, b, by_line=other is None) for a, b in itertools.combinations(sides, 2)]
    _blame(pairs)
    name, seconds = " and ".join(_name(item) for item in programs), {side.engine: side.seconds for side in sides}
    left = {side.engine: side.left for side in sides if side.left is not None}
    return Report(name, pairs, seconds, sides[0].raised, left)


def _sides(run: Callable[..., Side], runs: list[tuple]) -> list[Side]:
    """What each run gives. Scripts run at a time after the first one, unless that wrote files, which others would find."""
    first, others = run(*runs[0]), runs[1:]
    if first.left is None or first.left[0]["writes"]:
        return [first, *(run(*each) for each in others)]
    pool = concurrent.futures.ThreadPoolExecutor(max(1, os.cpu_count() or 1))
    try:
        return [first, *pool.map(lambda each: run(*each), others)]
    finally:
        pool.shutdown(wait=False, cancel_futures=True)  # whoever is interrupted stops the processes that are waited for


def _port(program, engines, other, against, **settings) -> PortReport:
    if other is not None or engines is not ENGINES:
        raise TypeError("against= is compared with the program alone: it goes with neither engines nor other=")
    if not callable(program):
        raise UnsupportedError("a script with against=: give its module, or `torchlike diff script.py --against port.py:f`")
    return ports.compare(program, against, **settings)


def _blame(pairs: list[Pair]) -> None:
    """Whose fault a difference is: of three engines, that of the one on which two others do not part; else not PyTorch's."""
    agreeing = {name for pair in pairs if not pair.partings for name in pair.engines}
    for pair in pairs:
        for parting in pair.partings:
            alone = [name for name in pair.engines if name not in agreeing] if agreeing else []
            if not parting.fault and parting.verdict == verdicts.DIFFERENT:
                if len(alone) == 1:
                    parting.fault = f"{alone[0]} (the others agree)"
                elif "torch" in pair.engines:
                    other = next(name for name in pair.engines if name != "torch")
                    parting.fault = f"{other} (PyTorch is what it must be like)"


def check(engines, other) -> None:
    """ValueError for engines that there are not, or that are too few or too many."""
    wrong = [engine for engine in engines if engine not in ENGINES]
    if wrong:
        raise ValueError(f"no such engine: {wrong[0]!r} (there are {', '.join(ENGINES)})")
    if other is None and len(set(engines)) < 2:
        raise ValueError("one engine has nothing to be compared with: name two, or give other=")
    if other is not None and len(engines) != 1:
        raise ValueError("two programs are compared under one engine")


def _name(program) -> str:
    return getattr(program, "__name__", None) or os.fspath(program)


# runs


@dataclasses.dataclass
class _How:
    """How programs are run; `ended` is called with a text after each run."""

    timeout: float | None
    second_order: bool
    ended: Callable[[str], None]
    torch_python: str | None


@contextlib.contextmanager
def _runner(inputs, how: _How):
    """A block with the function that runs a program under an engine. No process is left, however it ends."""
    workers = Workers(how.torch_python)
    try:
        yield lambda program, engine: (_call(program, engine, inputs, how) if callable(program)
                                       else _script(program, engine, inputs, workers, how))
    finally:
        workers.stop()


def _call(program, engine: str, inputs, how: _How) -> Side:
    """A function, in this process, whose random state stays as it was."""
    torch = module_of(engine)
    start = time.perf_counter()
    records, error, raised = [], None, None
    for widen in (False, True):
        recording = recorder.Recording(torch, widen, how.second_order)
        with random_state(torch), functional() if engine == "jax" else contextlib.nullcontext() as watch:
            recording.watch = watch
            given = [torch.tensor(np.asarray(x)) for x in inputs]
            try:
                with recorder.recorded(recording):
                    program(torch, *given)
            except Exception as problem:  # noqa: BLE001 - how a program ends is part of the record
                error = error or {"type": type(problem).__name__, "text": str(problem), "wide": widen}
                raised = raised if widen else problem
        records.append(recording.finish())
        how.ended(f"{_name(program)} under {engine}")
    narrow, wide = records
    return Side(engine, narrow, wide, error, time.perf_counter() - start, raised)


def module_of(engine: str):
    """What an engine runs with: torch or torchlike. UnsupportedError where PyTorch is not there."""
    if engine != "torch":
        return importlib.import_module("torchlike")
    try:
        torch = importlib.import_module("torch")
    except ModuleNotFoundError:
        raise UnsupportedError("the engine 'torch' where PyTorch is not installed (pip install torch==2.13.0)") from None
    if torch is sys.modules["torchlike"]:
        raise UnsupportedError("the engine 'torch' for a function where torchlike.install() has taken PyTorch's name: give "
                               "a script, which runs in a process of its own")
    return torch


def _script(program, engine: str, inputs, workers: Workers, how: _How) -> Side:
    if inputs:
        raise ValueError("a script takes no inputs")
    path = sources.program_at(os.fspath(program))
    text, records, error, seconds, left = sources.notebook_source(path), [], None, 0.0, None
    with tempfile.TemporaryDirectory() as folder:
        for widen in (False, True):
            out = os.path.join(folder, f"{widen}.npz")
            shown = []
            if text is not None:
                shown = ["--source", os.path.join(folder, "source.py")]
                Path(shown[1]).write_bytes(text)
            shown += [*(["--wide"] if widen else []), *(["--second-order"] if how.second_order else [])]
            shown += [] if widen else ["--left", os.path.join(folder, "left.npz")]
            end = workers.run(engine, RECORD, ["--out", out, *shown, path], how.timeout)
            if end.is_late:
                which = f"{engine} in float64" if widen else engine
                raise RuntimeError(f"{path} under {which} was stopped after {how.timeout:g} s")
            if not os.path.exists(out):
                if engine == "torch" and "No module named 'torch'" in end.errors:
                    raise UnsupportedError("the engine 'torch' where PyTorch is not installed (pip install torch==2.13.0)")
                raise RuntimeError(f"{path} under {engine} {end.reason}\n{end.errors}")
            how.ended(f"{path} under {engine}")
            events, raised, took = recorder.load(out)
            records.append(events)
            seconds += took
            error = error or (raised and {**raised, "wide": widen})
        left = program_run.load(os.path.join(folder, "left.npz"))
    narrow, wide = records
    return Side(engine, narrow, wide, error, seconds, left=left)


# comparison


def _compare_sides(ours: Side, theirs: Side, by_line: bool) -> Pair:
    pairs, blocks = verdicts.align(ours.events, theirs.events, by_line)
    made = Pair((ours.engine, theirs.engine), 0, 0, [])
    found = [_first_value(ours, theirs, pairs, made), _first_branch(ours, theirs, pairs, blocks, made)]
    places = [item for item in found if item is not None]
    if places:
        made.partings.append(min(places, key=lambda item: item[0])[1])
    gradient = _first_gradient(ours, theirs, pairs, made)
    if gradient is not None:
        made.partings.append(gradient)
    _ending(ours, theirs, made)
    return made


def _ending(ours: Side, theirs: Side, made: Pair) -> None:
    ends = [None if side.error is None or side.error["wide"] else side.error for side in (ours, theirs)]
    texts = ["ends" if end is None else f"raises {end['type']}: {end['text']}" for end in ends]
    if texts[0] != texts[1]:
        event = (ours if ends[0] is not None else theirs).events[-1:] or [Event("", ("", 0))]
        made.partings.append(Parting("ending", made.engines, event[0].file, event[0].line, event[0].name, verdicts.DIFFERENT,
                                     f"{ours.engine} {texts[0]}, {theirs.engine} {texts[1]}; the last operation is named"))
    for side in (ours, theirs):
        if side.error is not None and side.error["wide"]:
            text = side.error["text"].partition("\n")[0]
            made.notes.append(f"not judged where it differs is what the float64 rerun of {side.engine} lacks: it raised "
                              f"{side.error['type']}: {text}")


def _first_value(ours: Side, theirs: Side, pairs, made: Pair):
    """(its place, the first parting in value), and what follows it."""
    first, growth = None, []
    for mine, other, output, judgement in verdicts.values_in_order(ours, theirs, pairs):
        made.operations += 1
        if first is None and judgement.verdict in (SAME, UNJUDGED):
            made.unjudged += judgement.verdict == UNJUDGED
            continue
        event = ours.events[mine]
        a, b = event.values[output], theirs.events[other].values[output]
        if first is not None:
            growth.append((event.line, event.name, _whole(a, b)))
        elif judgement.verdict != ROUNDING:
            first = mine, _value_parting(ours, theirs, mine, (a, b), judgement)
        elif made.rounding is None:
            made.rounding = _value_parting(ours, theirs, mine, (a, b), judgement)
    if first is not None:
        first[1].growth = _spread(growth)
    return first


def _value_parting(ours: Side, theirs: Side, mine: int, values, judgement: Judgement) -> Parting:
    event = ours.events[mine]
    far = verdicts.distance(*values) if _comparable(*values) else None
    label = f"{event.name} {event.label}" if event.label else event.name
    return Parting("value", (ours.engine, theirs.engine), event.file, event.line, label, judgement.verdict, judgement.why,
                   judgement.fault, "", _ranges(ours, event), far)


def _first_branch(ours: Side, theirs: Side, pairs, blocks, made: Pair):
    """(its place, the parting) where control flow went different ways: a decision that differs, or other operations."""
    for mine, other in pairs:
        a, b = ours.events[mine], theirs.events[other]
        if isinstance(a.decided, bool) and a.decided is not b.decided:
            why = f"{a.name} gave {a.decided} under {ours.engine} and {b.decided} under {theirs.engine}"
            return mine, _branch(ours, theirs, a, why)
    for i, end, k, k_end in blocks:
        lost, won = ours.events[i:end], theirs.events[k:k_end]
        if verdicts.leaf_only([*lost, *won]):
            continue
        if _is_inner(ours, theirs, lost, won):
            line = (lost or won)[0].line
            made.notes.append(f"line {line}: {ours.engine} does {_names(lost)}, {theirs.engine} {_names(won)}")
            continue
        why = f"{ours.engine} goes on with {_names(lost)}, {theirs.engine} with {_names(won)}"
        before = next((event for event in reversed(ours.events[:i]) if event.decided is not None), None)
        if before is not None:
            same = next((theirs.events[b].decided for a, b in pairs if ours.events[a] is before), None)
            why += f"; before it {before.name} at line {before.line} gave {before.decided!r} and {same!r}"
        return i, _branch(ours, theirs, (lost or won)[0], why, "branch" if before is not None else "operation")
    return None


def _branch(ours, theirs, event: Event, why: str, kind: str = "branch") -> Parting:
    return Parting(kind, (ours.engine, theirs.engine), event.file, event.line, event.name, verdicts.DIFFERENT, why, "", "",
                   _ranges(ours, event) if any(event is item for item in ours.events) else [])


def _is_inner(ours, theirs, lost, won) -> bool:
    """Whether the same lines of the program ran, and only what a function or layer does inside differs."""
    lines = [{event.place for event in events} for events in (lost, won)]
    everywhere = [{event.place for event in side.events} for side in (theirs, ours)]
    is_inside = all(event.inner for event in (*lost, *won))
    return all(here <= there for here, there in zip(lines, everywhere, strict=True)) and (
        is_inside or lines[0] == lines[1] or (not (lost and won) and abs(len(lost) - len(won)) <= 2))


def _names(events) -> str:
    if not events:
        return "nothing"
    names = [f"{event.name} (line {event.line})" for event in events[:3]]
    return ", ".join(names) + (f" and {len(events) - 3} more" if len(events) > 3 else "")


def _first_gradient(ours: Side, theirs: Side, pairs, made: Pair) -> Parting | None:
    first, growth = None, []
    for key, theirs_g, judgement in verdicts.gradients_in_order(ours, theirs, pairs):
        made.gradients += 1
        if judgement.verdict in (SAME, ROUNDING, UNJUDGED) and first is None:
            made.unjudged += judgement.verdict == UNJUDGED
            continue
        own = ours.grads.get(key, (0, None))[1]
        event = ours.events[key[0]]
        if first is not None:
            growth.append((event.line, event.name, _whole(own, theirs_g)))
            continue
        first = _gradient_parting(ours, theirs, key, (own, theirs_g), judgement)
    if first is not None:
        first.growth = _spread(growth)
    return first


def _gradient_parting(ours: Side, theirs: Side, key, values, judgement: Judgement) -> Parting:
    """The operation whose backward pass made the gradient is the last that used the value."""
    event = ours.events[key[0]]
    users = [user for user in ours.events if (key[0], key[1]) in user.inputs]
    place = next((user for user in reversed(users) if user.grads), users[-1] if users else event)
    what = f"of {event.label or event.name} (line {event.line})"
    far = verdicts.distance(*values) if _comparable(*values) else None
    return Parting("gradient", (ours.engine, theirs.engine), place.file, place.line, place.name, judgement.verdict,
                   judgement.why, judgement.fault, what, _ranges(ours, place), far)


def _comparable(a, b) -> bool:
    return a is not None and b is not None and a.shape == b.shape


def _ranges(side: Side, event: Event) -> list[str]:
    """Each input of an operation: where it is from, its type, and the least and largest of its values."""
    found = []
    for number, output in event.inputs:
        source = side.events[number]
        x = source.values[output]
        name = source.label or ("a tensor" if source.name in (LEAF, STEP) else source.name)
        text = f"{name} (line {source.line}): {source.dtypes[output]}"
        if x is not None:
            text += f"{list(x.shape)}"
            if x.size and x.dtype.kind in "biuf":
                text += f" in [{x.min():.6g}, {x.max():.6g}]"
        found.append(text)
    return found


def _whole(a, b) -> float:
    """`verdicts.whole`, of what may have no values."""
    return verdicts.whole(a, b) if _comparable(a, b) else float("inf")


def _spread(found: list) -> list:
    """Some of them, evenly, the last among them."""
    if len(found) <= GROWTH:
        return found
    return [found[round(i * (len(found) - 1) / (GROWTH - 1))] for i in range(GROWTH)]
