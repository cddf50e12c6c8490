"""The programs: cells of the files in programs/.

A file is Python text in cells, each headed ``# %% title``. What stands before the first cell runs before
every cell of the file. A program calls ``show(...)`` with what it wants compared.
"""

import dataclasses
import pathlib
import re

FOLDER = pathlib.Path(__file__).parent / "programs"
_HEAD = re.compile(r"^# %% (.+)$", re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Cell:
    """One program. ``line`` is where its first line stands in its file."""

    topic: str
    title: str
    prelude: str
    source: str
    line: int

    @property
    def name(self) -> str:
        """What identifies it, in reports and in compat/gaps.toml."""
        return f"{self.topic}: {self.title}"


def cells() -> list:
    """All Cells, by file and in order. ValueError where two have one name."""
    found = [cell for path in sorted(FOLDER.glob("*.py")) for cell in _of_file(path)]
    names = [cell.name for cell in found]
    twice = {name for name in names if names.count(name) > 1} if len(set(names)) < len(names) else set()
    if twice:
        raise ValueError(f"two programs are called {', '.join(sorted(twice))}")
    return found


def _of_file(path) -> list:
    text = path.read_text()
    heads = list(_HEAD.finditer(text))
    ends = [head.start() for head in heads[1:]] + [len(text)]
    prelude = text[:heads[0].start()] if heads else ""
    return [Cell(path.stem, head[1].strip(), prelude, text[head.end():end].strip("\n") + "\n",
                 text.count("\n", 0, head.end()) + 2) for head, end in zip(heads, ends, strict=True)]
