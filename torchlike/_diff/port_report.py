"""What `compare(program, against=...)` found, for people and as data."""

import dataclasses
import linecache

from torchlike._diff.parameters import Table
from torchlike._diff.verdicts import SLACK

FORWARD, BACKWARD = "forward", "backward"
ALLOWED = (f"allowed: what float64 reruns justify. Values are compared in float64; two may differ by {SLACK} times what the "
           "rounding seen in the program's dtype makes of float64")
ROWS = 12  # of parameters without a finding that are shown


@dataclasses.dataclass
class Place:
    """An operation of one side: where it is, and the module it is in ("" where that is not known)."""

    operator: str
    file: str
    line: int
    module: str = ""

    def __str__(self):
        inside = f" in {self.module}" if self.module else ""
        text = linecache.getline(self.file, self.line).strip()
        return f"{self.operator}{inside}, {self.file}:{self.line}" + (f"\n      {text}" if text else "")


@dataclasses.dataclass
class Parting:
    """The first operation at which a port parts from what it is a port of.

    `kind` is forward or backward, `of` whose gradient it is, `hints` say what may be behind it.
    """

    kind: str
    ours: Place | None
    theirs: Place | None
    why: str
    of: str = ""
    hints: list[str] = dataclasses.field(default_factory=list)

    @property
    def module(self) -> str:
        """The path of our module; "" for what is in none."""
        return self.ours.module if self.ours else ""

    @property
    def line(self) -> int | None:
        """Our line."""
        return self.ours.line if self.ours else None

    def __str__(self):
        lines = [f"they part {self.kind}" + (f" at {self.module}" if self.module else "") + f": {self.why}"]
        places = ("ours", self.ours), ("theirs", self.theirs)
        lines += [f"  {name}: {place}" for name, place in places if place is not None]
        return "\n".join([*lines, *(f"  hint: {hint}" for hint in self.hints)])


@dataclasses.dataclass
class Report:
    """A PyTorch program and its port to JAX. `str` of it is the text for people, `json` the same as data."""

    program: str
    parting: Parting | None
    parameters: Table
    values: tuple[int, int]  # of ours with a counterpart, and all
    gradients: int  # compared
    notes: list[str]
    seconds: float

    @property
    def first(self) -> Parting | None:
        """Where they part first: forward before backward; None if they do not."""
        return self.parting

    @property
    def ok(self) -> bool:
        """Whether outputs and gradients differ by no more than rounding."""
        return self.parting is None

    def json(self) -> dict:
        """The report as a dictionary of plain values."""
        return {"program": self.program, "agree": self.ok, "seconds": self.seconds,
                "parting": None if self.parting is None else dataclasses.asdict(self.parting),
                "parameters": [row.json() for row in self.parameters.rows],
                "without_counterpart": {"ours": self.parameters.ours_left, "theirs": self.parameters.theirs_left},
                "values": list(self.values), "gradients": self.gradients, "notes": self.notes}

    def __str__(self):
        lines = [f"{self.program} and its port: {'no parting' if self.ok else 'THEY PART'}"]
        if self.parting is not None:
            lines.append(str(self.parting))
        lines.append(f"{self.values[0]} of our {self.values[1]} values are among theirs; {self.gradients} gradients "
                     "compared")
        return "\n".join([*lines, *self._table(), *(f"note: {note}" for note in self.notes), ALLOWED])

    def _table(self) -> list[str]:
        """The parameters: all that have a finding or are guessed, and some others."""
        rows = self.parameters.rows
        shown = [row for i, row in enumerate(rows) if row.finding or i < ROWS]
        cells = [("ours", "theirs", "layout", "known by", "")]
        cells += [(f"{row.label} {list(row.ours_shape)}", f"{row.theirs} {list(row.theirs_shape)}", row.how, row.sure,
                   row.finding) for row in shown]
        widths = [max(len(line[i]) for line in cells) for i in range(4)]
        lines = ["parameters (mapping= corrects this):"] if rows else []
        for line in cells if rows else ():
            padded = [text.ljust(width) for text, width in zip(line, widths, strict=False)]
            lines.append(f"  {'  '.join([*padded, line[4]])}".rstrip())
        lines += [f"  and {len(rows) - len(shown)} more, without findings"] if len(shown) < len(rows) else []
        for name, left in (("ours", self.parameters.ours_left), ("theirs", self.parameters.theirs_left)):
            lines += [f"  without counterpart among {name}: {', '.join(left)}"] if left else []
        return lines
