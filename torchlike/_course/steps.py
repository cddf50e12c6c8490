"""The text of a step as its file has it.

    # Backward                              the title

    What and why, and what to write.        prose, with whatever sections it has; the learner gets a copy

    ## Hints                                the last section: numbered, from a nudge to almost the solution; shown one by one

    1. Think of ...
"""

import dataclasses
import functools
import pathlib
import re

TEXTS = pathlib.Path(__file__).parent / "steps"
_HINTS = "\n## Hints\n"
_HINT = re.compile(r"^\d+\. (.+?)(?=^\d+\. |\Z)", re.DOTALL | re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Step:
    """One step: its number, the name of its file, the title, the text without the hints, and the hints."""

    number: int
    file: str
    title: str
    text: str
    hints: tuple[str, ...]


@functools.cache
def step(number: int) -> Step:
    """The step of a number."""
    path = next(TEXTS.glob(f"{number:02}_*.md"))
    text, _, hints = path.read_text(encoding="utf-8").partition(_HINTS)
    title = text.partition("\n")[0].removeprefix("# ")
    return Step(number, path.name, title, text.strip() + "\n", tuple(hint.strip() for hint in _HINT.findall(hints)))
