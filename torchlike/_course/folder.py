"""The learner's folder: the engine, the texts of the steps that were begun, and progress in a small JSON file."""

import json
import pathlib

from torchlike._course import parts
from torchlike._course.steps import step as text_of

ENGINE = "engine.py"
PROGRESS = "course.json"
DEFAULT = "course"  # the folder, if none is named


class NoCourseError(ValueError):
    """There is no course in a folder, or already one; the text says what to do."""


class Folder:
    """A folder with a course. `step` is the last one begun, `passed` has those whose checks all passed."""

    def __init__(self, path: pathlib.Path):
        self.path = path
        facts = json.loads((path / PROGRESS).read_text(encoding="utf-8"))
        self.step: int = facts["step"]
        self.passed: set[int] = set(facts["passed"])
        self.hints: dict[int, int] = {int(number): count for number, count in facts["hints"].items()}

    @property
    def engine(self) -> pathlib.Path:
        """The learner's file."""
        return self.path / ENGINE

    def save(self) -> None:
        """Writes the progress down."""
        _write(self.path, self.step, sorted(self.passed), self.hints)

    def advance(self, add: bool) -> None:
        """Begins the next step: its text beside the engine, and its skeleton at the end of that if it is to be added."""
        self.step += 1
        if add:
            text = self.engine.read_text(encoding="utf-8").rstrip()
            self.engine.write_text(f"{text}\n\n\n# -- step {self.step}\n\n{parts.skeleton(self.step)}", encoding="utf-8")
        _copy_text(self.path, self.step)
        self.save()

    def text(self, number: int) -> pathlib.Path:
        """The copy of a step's text."""
        return self.path / text_of(number).file


def start(path: pathlib.Path) -> Folder:
    """A new course in a folder, which is made if it is not there. NoCourseError if there are files of one."""
    for name in (ENGINE, PROGRESS):
        if (path / name).exists():
            raise NoCourseError(f"{path / name} is there already; name another folder")
    path.mkdir(parents=True, exist_ok=True)
    (path / ENGINE).write_text(parts.skeleton(1), encoding="utf-8")
    _copy_text(path, 1)
    _write(path, 1, [], {})
    return Folder(path)


def find(path: str | None) -> Folder:
    """The course in a folder; without a name in the current one, or in `course` there. NoCourseError if there is none."""
    places = [pathlib.Path(path)] if path is not None else [pathlib.Path(), pathlib.Path(DEFAULT)]
    for place in places:
        if (place / PROGRESS).is_file():
            try:
                return Folder(place)
            except (ValueError, KeyError, TypeError, AttributeError):
                raise NoCourseError(f"{place / PROGRESS} cannot be read; its form is "
                                    '{"step": 1, "passed": [], "hints": {}}') from None
    raise NoCourseError(f"there is no course in {path or 'this folder'}: begin one with 'torchlike course start', or name "
                        "its folder with --folder")


def _copy_text(path: pathlib.Path, number: int) -> None:
    step = text_of(number)
    (path / step.file).write_text(step.text, encoding="utf-8")


def _write(path: pathlib.Path, step: int, passed: list[int], hints: dict[int, int]) -> None:
    facts = {"step": step, "passed": passed, "hints": hints}
    (path / PROGRESS).write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
