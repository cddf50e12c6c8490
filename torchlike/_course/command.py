"""The commands `torchlike course ...`: what they do, and what they print."""

import argparse
import pathlib
import sys
import textwrap

from torchlike._course import checking, folder, parts
from torchlike._course.steps import step as text_of

_FAILED, _MISUSED = 1, 2  # exit statuses


def run(options: argparse.Namespace) -> int:
    """Runs the command that the parsed arguments name. The exit status: 1 if a check failed, 2 if nothing could be done."""
    commands = {None: _list, "start": _start, "next": _next, "check": _check, "hint": _hint, "solution": _solution}
    try:
        return commands[options.course_command](options)
    except (folder.NoCourseError, OSError) as error:
        print(f"torchlike course: {error}", file=sys.stderr)
        return _MISUSED


def _list(options: argparse.Namespace) -> int:
    """The steps, and what is done."""
    try:
        course = folder.find(options.folder)
    except folder.NoCourseError:
        if options.folder is not None:
            raise
        course = None
    print("Write your own autograd: ten steps, one file, numpy only.\n")
    for number in parts.STEPS:
        print(f"{number:3}  {text_of(number).title:46} {_state(course, number)}".rstrip())
    if course is None:
        print("\nBegin with: torchlike course start [FOLDER]")
    else:
        print(f"\nYour engine: {course.engine}   What to do: {course.text(course.step)}")
    return 0


def _state(course: folder.Folder | None, number: int) -> str:
    if course is None or number > course.step:
        return ""
    return "done" if number in course.passed else "begun"


def _start(options: argparse.Namespace) -> int:
    course = folder.start(pathlib.Path(options.folder or folder.DEFAULT))
    _tell_step(course, "Written")
    return 0


def _tell_step(course: folder.Folder, done: str) -> None:
    print(f"{done}: {course.engine}, with step {course.step}, {text_of(course.step).title}.")
    print(f"Read {course.text(course.step)}, write what is not written yet, and check it with: torchlike course check")


def _next(options: argparse.Namespace) -> int:
    course = folder.find(options.folder)
    if not _checked(course, course.step, options.timeout):
        print(f"\nStep {course.step + 1} is added when step {course.step} passes.")
        return _FAILED
    if course.step == parts.STEPS[-1]:
        print("\nThat was the last step: the engine is finished.")
        return 0
    # A skeleton would hide what is written already: the learner may have gone on, or pasted a solution.
    ahead = checking.check(course.engine, [course.step + 1], options.timeout or checking.LIMIT).passed
    course.advance(add=not ahead)
    print()
    _tell_step(course, "Nothing to add to" if ahead else "Added to")
    return 0


def _check(options: argparse.Namespace) -> int:
    course = folder.find(options.folder)
    step = _begun(course, options.step)
    if not _checked(course, step, options.timeout):
        return _FAILED
    if step == course.step != parts.STEPS[-1]:
        print("\nGo on with: torchlike course next")
    return 0


def _begun(course: folder.Folder, step: int | None) -> int:
    """The step that was asked for, the present one by default; NoCourseError if it was not begun."""
    if step is not None and step > course.step:
        raise folder.NoCourseError(f"step {step} was not begun; the present one is step {course.step}")
    return step or course.step


def _checked(course: folder.Folder, step: int, limit: float | None) -> bool:
    """Runs the checks up to a step, tells what came of them and writes it down; whether all passed."""
    found = checking.check(course.engine, range(1, step + 1), limit or checking.LIMIT)
    _tell(found)
    course.passed = {number for number in course.passed if number > step} | set(found.passed_steps())
    course.save()
    return found.passed


def _tell(found: checking.Report) -> None:
    """A report: each check in words, and the first failure with its program."""
    if found.problem is not None:
        print(found.problem)
    step, told = 0, False
    for outcome in found.outcomes:
        if outcome.step != step:
            step = outcome.step
            print(f"Step {step}, {text_of(step).title}")
        print(f"  {'passed' if outcome.passed else 'FAILED'}  {outcome.title}")
        if outcome.difference is not None and not told:
            told = True
            _tell_failure(outcome, outcome.difference)
    if found.printed and not found.passed:
        print("\nWhat your file printed last:\n" + textwrap.indent(found.printed, "    "))
    passed = sum(outcome.passed for outcome in found.outcomes)
    print(f"\n{passed} of {len(found.outcomes)} checks passed.")


def _tell_failure(outcome: checking.Outcome, difference: checking.Difference) -> None:
    print("\n    the program, where e is your engine and then torchlike:\n")
    print(textwrap.indent(outcome.program, "      ") + "\n")
    if difference.label:
        print(f"    {difference.label}")
    print(textwrap.indent(difference.mine, "                  ").replace(" " * 18, "    your engine:  ", 1))
    if difference.torchlike:
        print(f"    torchlike:    {difference.torchlike}")
    print()


def _hint(options: argparse.Namespace) -> int:
    course = folder.find(options.folder)
    step = _begun(course, options.step)
    hints = text_of(step).hints
    shown = course.hints.get(step, 0)
    number = min(shown, len(hints) - 1)
    print(f"Step {step}, hint {number + 1} of {len(hints)}\n\n{hints[number]}")
    if shown >= len(hints):
        print(f"\nThere are no more hints. The finished code: torchlike course solution {step}")
    course.hints[step] = min(shown + 1, len(hints))
    course.save()
    return 0


def _solution(options: argparse.Namespace) -> int:
    if not options.yes and not _agreed(f"Show the finished code of step {options.step}? [y/N] "):
        return _FAILED
    print(parts.solution(options.step), end="")
    return 0


def _agreed(question: str) -> bool:
    """Asks on the terminal; no answer is a no."""
    print(question, end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")
