"""A lesson as its file has it.

    # Two backward calls add up              the title

    What to know first.                      prose; {{ expression }} in prose is replaced by what it gives (`running.py`)

    ## PyTorch                               a program, as anyone would write it; the last line that it prints is the answer

    ## Question                              prose, and a list of answers: - `tensor(6.)`: why someone may think so

    ## JAX                                   the program as a pure function

    ## Why
    ## Which to prefer
    ## Claims                                Python that asserts what the prose says; not shown to learners
    ## See also                              names of lessons, separated by commas; may be left out
"""

import dataclasses
import functools
import pathlib
import re

from torchlike._lessons.groups import GROUPS

TEXTS = pathlib.Path(__file__).parent / "texts"
SECTIONS = ("PyTorch", "Question", "JAX", "Why", "Which to prefer", "Claims")
_LAST = "See also"
_CODE = re.compile(r"```python\n(.*?)```", re.DOTALL)
_ANSWER = re.compile(r"^- `(.+?)`: (.+?)(?=^- `|\Z)", re.DOTALL | re.MULTILINE)


class NotALessonError(ValueError):
    """There is no lesson of a name, or a file is none; the text says why."""


@dataclasses.dataclass(frozen=True)
class Answer:
    """What a learner may answer: the line that the program would print, and what is to be said to that."""

    line: str
    remark: str


@dataclasses.dataclass(frozen=True)
class Lesson:
    """One lesson. `programs` has the texts of ``"PyTorch"`` and ``"JAX"``, `claims` is a program; the rest is prose."""

    name: str
    group: str
    title: str
    intro: str
    programs: dict[str, str]
    question: str
    answers: tuple[Answer, ...]
    why: str
    prefer: str
    claims: str
    related: tuple[str, ...]


@functools.cache
def names() -> dict[str, pathlib.Path]:
    """Name -> file of every lesson, group after group and by name in each."""
    return {path.stem: path for group in GROUPS for path in sorted((TEXTS / group).glob("*.md"))}


def names_in(group: str) -> list[str]:
    """The names of a group's lessons, in order."""
    return [name for name, path in names().items() if path.parent.name == group]


@functools.cache
def lesson(name: str) -> Lesson:
    """The lesson of a name. NotALessonError if there is none, or its file lacks something."""
    if name not in names():
        raise NotALessonError(f"there is no lesson '{name}'")
    path = names()[name]
    return parse(path.read_text(encoding="utf-8"), name, path.parent.name)


def parse(text: str, name: str, group: str) -> Lesson:
    """The lesson that a text is. NotALessonError if a section is missing, empty or unknown."""
    head, sections = _sections(text, name)
    title, _, intro = head.partition("\n")
    if not title.startswith("# "):
        raise NotALessonError(f"{name}: the first line is no title")
    programs = {engine: _code(sections[engine], name, engine) for engine in ("PyTorch", "JAX")}
    question, *rest = sections["Question"].split("\n- `", 1)
    answers = tuple(Answer(line, " ".join(remark.split())) for line, remark in _ANSWER.findall("- `".join(["", *rest])))
    if len(answers) < 2:
        raise NotALessonError(f"{name}: a question has at least two answers")
    related = tuple(part.strip() for part in sections.get(_LAST, "").split(",") if part.strip())
    return Lesson(name, group, title[2:].strip(), intro.strip(), programs, question.strip(), answers, sections["Why"],
                  sections["Which to prefer"], _code(sections["Claims"], name, "Claims"), related)


def _sections(text: str, name: str) -> tuple[str, dict[str, str]]:
    head, *parts = re.split(r"^## (.+)\n", text, flags=re.MULTILINE)
    sections = {title.strip(): body.strip() for title, body in zip(parts[::2], parts[1::2], strict=True)}
    wanted = [*SECTIONS, *([_LAST] if _LAST in sections else [])]
    if list(sections) != wanted or not all(sections.values()):
        raise NotALessonError(f"{name}: the sections are {', '.join(sections)}, and should be {', '.join(wanted)}")
    return head.strip(), sections


def _code(section: str, name: str, title: str) -> str:
    found = _CODE.fullmatch(section)
    if found is None:
        raise NotALessonError(f"{name}: '{title}' is not one block of Python")
    return found[1]
