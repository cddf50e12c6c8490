"""A plan as text and as data."""

import dataclasses
import math
from collections.abc import Iterator, Sequence

from torchlike._plan.facts import Step
from torchlike._plan.mesh import group_size
from torchlike._plan.strategies import Outcome, Setting

_PREFIXES = ("", "k", "M", "G", "T", "P", "E")


@dataclasses.dataclass
class Plan:
    """What came out.

    Args:
        program: the path of the program.
        number: which of its steps was planned.
        setting: what was asked for.
        outcomes: of each way, the best first.
        note: how the peak of the compiled step was found, or why not.
    """

    program: str
    number: int
    setting: Setting
    outcomes: list[Outcome]
    note: str

    def __str__(self):
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        setting, step = self.setting, self.setting.step
        yield (f"{self.program}, step {self.number}: {_count(step)}, {len(step.units)} blocks, "
               f"{f'a batch of {step.batch}' if step.batch else 'data of its own'}, {amount(step.flops)}FLOP")
        whose = "the batch divided among all devices" if setting.is_global else "a batch of that size for each replica"
        yield f"{setting.mesh.size} x {setting.device.name} ({setting.mesh}), {whose}"
        yield "\nMemory of the fullest device:"
        kinds = [kind for kind in self.outcomes[0].memory if any(x.memory[kind] for x in self.outcomes)]
        yield from _table(["", *kinds, "in all", "compiled", "fits"], [[
            x.way.name, *(amount(x.memory[kind], "B") for kind in kinds), amount(x.total, "B"),
            "-" if x.compiled is None else amount(x.compiled, "B"), "yes" if x.fits else "NO"] for x in self.outcomes])
        yield self.note
        yield "\nThe least that a step takes:"
        yield from _table(
            ["", "FLOP", "products", "memory", "network", "waiting for it", "bubble", "step", "bound by", "batches/s"],
            [[x.way.name, amount(sum(x.flops.values())), *(_time(seconds) for seconds in x.parts.values()),
              f"{x.bubble:.1%}", _time(x.seconds), x.bound, f"{x.rate:,.4g}"] for x in self.outcomes])
        yield "\nCollectives of a step:"
        yield from _table(["", "kind", "over", "devices", "count", "of", "sent by a device"], [[
            x.way.name, each.kind, each.group, str(group_size(each.axes)), str(each.count), amount(each.bytes, "B"),
            amount(each.wire, "B")] for x in self.outcomes for each in x.collectives])

    def json(self) -> dict:
        """The plan as data: bytes, FLOPs and seconds."""
        step, setting = self.setting.step, self.setting
        return {
            "program": self.program, "step": self.number, "mesh": {axis.name: axis.size for axis in setting.mesh.axes},
            "device": dataclasses.asdict(setting.device), "global_batch": setting.is_global, "batch": step.batch,
            "parameters": sum(math.prod(p.shape) for p in step.parameters), "blocks": step.units, "flops": step.flops,
            "microbatches": setting.microbatches, "note": self.note,
            "ways": [_data(outcome) for outcome in self.outcomes]}


def _data(x: Outcome) -> dict:
    return {
        "name": x.way.name, "memory": x.memory, "total": x.total, "temporaries": x.temporaries, "compiled": x.compiled,
        "fits": x.fits, "flops": x.flops, "traffic": x.traffic, "bubble": x.bubble, "seconds": x.seconds, "parts": x.parts,
        "bound": x.bound, "batches": x.batches, "rate": x.rate if math.isfinite(x.rate) else None,
        "collectives": [{"kind": each.kind, "axes": [axis.name for axis in each.axes], "devices": group_size(each.axes),
                         "count": each.count, "bytes": each.bytes, "wire": each.wire, "waits": each.waits}
                        for each in x.collectives]}


def _count(step: Step) -> str:
    numbers = sum(math.prod(p.shape) for p in step.parameters)
    return f"{amount(numbers).strip()} parameters in {len(step.parameters)} tensors"


def amount(number: float, unit: str = "") -> str:
    """A number with three digits and a prefix, "1.23 M".

    Args:
        number: the number.
        unit: what follows the prefix.
    """
    place = 0
    while abs(number) >= 999.5 and place < len(_PREFIXES) - 1:
        number, place = number / 1000, place + 1
    return f"{number:.3g} {_PREFIXES[place]}{unit}"


def _time(seconds: float) -> str:
    for factor, unit in ((1, "s"), (1e3, "ms"), (1e6, "us")):
        if seconds * factor >= 0.9995:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e6:.2g} us"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Rows under a head, the first column to the left."""
    if not rows:
        yield "  none"
        return
    widths = [max(len(row[i].strip()) for row in (head, *rows)) for i in range(len(head))]
    for row in (head, *rows):
        cells = [cell.strip().rjust(width) for cell, width in zip(row, widths, strict=True)]
        yield "  " + "  ".join([row[0].ljust(widths[0]), *cells[1:]]).rstrip()
