"""``torchlike lessons`` and ``torchlike lesson NAME``, but for the list."""

import importlib
import pathlib
import tempfile
from collections.abc import Callable, Iterator

from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.syntax import Syntax
from rich.text import Text

from torchlike._lessons import progress, running
from torchlike._lessons.groups import GROUPS
from torchlike._lessons.lesson import Lesson, lesson, names_in
from torchlike._lessons.notebook import notebook

ENGINES = {"torch": "PyTorch", "tape": "torchlike", "jax": "JAX"}
_PLAIN = "ansi_light"  # colours of any terminal


def ask(name: str, console: Console, read: Callable[[str], str] = input) -> None:
    """One lesson: the program, the question, the learner's answer, what the engines give, and why.

    Args:
        name: that of the lesson.
        console: where to write.
        read: asks for an answer; an EOFError of it is none.
    """
    one = lesson(name)
    results = running.Results(one)
    console.print(*_question(one, results), sep="\n")
    chosen = _answer(read, len(one.answers))
    right = results.correct()
    if chosen is not None:
        progress.note(name, chosen in right)
        verdict = "Right." if chosen in right else "No."
        console.print(Text(f"\n{verdict} ", style="bold").append(one.answers[chosen].remark, style="not bold"))
    console.print(*_explanation(one, results, skip=chosen), sep="\n")


def whole(name: str) -> Iterator[RenderableType]:
    """All of a lesson with its answers, for an instructor."""
    one = lesson(name)
    results = running.Results(one)
    yield from _question(one, results)
    yield from _explanation(one, results, skip=None)


def write_notebooks(folder: str, group: str | None = None) -> list[pathlib.Path]:
    """Writes a notebook for each group, or for one.

    Args:
        folder: where to; it is made if need be.
        group: one of `GROUPS`; None writes all.

    Returns:
        The files.
    """
    target = pathlib.Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    made = []
    for number, key in enumerate(GROUPS, 1):
        if names_in(key) and group in (None, key):
            made.append(target / f"{number:02}_{key}.ipynb")
            made[-1].write_text(notebook(key), encoding="utf-8")
    return made


def program_file(name: str, folder: str) -> str:
    """The PyTorch program of a lesson as a file.

    Args:
        name: that of the lesson.
        folder: where to write it.

    Returns:
        Its path.
    """
    target = pathlib.Path(folder) / f"{name}.py"
    target.write_text(lesson(name).programs["PyTorch"], encoding="utf-8")
    return str(target)


def in_a_folder(name: str, use: Callable[[str], int]) -> int:
    """Calls a function with the file of a lesson's program, which is gone afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        return use(program_file(name, folder))


# -- what is shown

def _question(one: Lesson, results) -> Iterator[RenderableType]:
    yield Text(f"\n{one.title}", style="bold underline")
    yield _markdown(results.told(one.intro))
    yield Panel(Syntax(one.programs["PyTorch"].rstrip(), "python", theme=_PLAIN), title="PyTorch")
    yield _markdown(results.told(one.question))
    for i, answer in enumerate(one.answers, 1):
        yield Text(f"  {i}  {answer.line}")


def _answer(read, count) -> int | None:
    """The place of the answer; None where there is none."""
    try:
        text = read(f"your answer, 1 to {count} (Enter: none): ").strip()
    except EOFError:
        return None
    return int(text) - 1 if text.isdigit() and 1 <= int(text) <= count else None


def _explanation(one: Lesson, results, skip) -> Iterator[RenderableType]:
    for engine in running.engines():
        if engine != "jax":
            yield _printed(f"what it prints under {ENGINES[engine]}", results[engine].output)
    right = results.correct()
    for i, answer in enumerate(one.answers):
        if i != skip:
            yield Text(f"  {'✓' if i in right else '✗'} {i + 1}  {answer.line}: ", style="bold").append(
                answer.remark, style="not bold")
    functional = Syntax(one.programs["JAX"].rstrip(), "python", theme=_PLAIN)
    printed = Text(results["jax"].output.rstrip(), style="dim")
    yield Panel(Group(functional, Text(""), printed), title="JAX, and what it prints")
    yield _markdown(results.told(one.why))
    yield _markdown(f"**Which to prefer.** {results.told(one.prefer)}")
    further = f"torchlike lesson --step {one.name} goes through its backward passes, --show writes its page."
    yield Text(further + (f" See also: {', '.join(one.related)}." if one.related else ""), style="dim")


def _markdown(text: str) -> RenderableType:
    """Prose. What parses it takes 20 ms to import, which `torchlike run` need not wait for."""
    return importlib.import_module("rich.markdown").Markdown(text)


def _printed(title: str, text: str) -> Panel:
    return Panel(Text(text.rstrip()), title=title)
