"""The command line: ``torchlike run program.py``, ``torchlike diff [program.py ...]``, ``torchlike plan`` and others."""

import argparse
import contextlib
import json
import signal
import sys
import threading
from collections.abc import Callable, Sequence

from torchlike._arguments import parser, read
from torchlike._base.errors import UnsupportedError
from torchlike._base.terminal import console
from torchlike._command import asks_for_ranks
from torchlike._course import command as course
from torchlike._diff import deep, driver, port_command, program_run, sources
from torchlike._diff import report as reporting
from torchlike._diff.arguments import NAMES
from torchlike._diff.compare import Tolerance
from torchlike._diff.progress import progress
from torchlike._lessons import command as lessons
from torchlike._lessons import listing
from torchlike._lessons.groups import GROUPS
from torchlike._lessons.lesson import names_in
from torchlike._plan import command as plans
from torchlike._record import tracebacks
from torchlike._step.steps import stopping
from torchlike.distributed import run as ranks
from torchlike.install import install
from torchlike.show import page as pages

INTERRUPTED = 130  # the exit status after Ctrl-C
_ENDS = ("SIGTERM", "SIGHUP")


def main(argv: Sequence[str] | None = None) -> int:
    """The command ``torchlike``. Wrong arguments leave with status 2.

    Args:
        argv: the arguments; None means those of the process.

    Returns:
        The exit status.
    """
    given = list(sys.argv[1:] if argv is None else argv)
    if asks_for_ranks(given):
        return ranks.main(given[1:])
    return act(read(given))


def act(options: argparse.Namespace) -> int:
    """Does what the arguments say.

    Args:
        options: what `torchlike._arguments.read` gives.

    Returns:
        The exit status.
    """
    if options.command in ("lesson", "lessons"):
        return teach(options)
    if options.command == "course":
        return course.run(options)
    if options.command == "run":
        return run(options.program, options.arguments)
    if options.command == "plan":
        return plans.run(options)
    if options.command == "show":
        return pages.write(options.program, options.arguments, options.output, options.engines)
    if options.command == "step":
        with stopping(options.stop, options.norm):
            return run(options.program, options.arguments)
    if options.against is not None:
        return diff_against(options)
    if options.torch_python is not None and not driver.torch_installed(options.torch_python):
        parser().error(f"--torch-python: {options.torch_python} cannot import torch")
    return diff_deep(options) if options.deep else diff(options)


def teach(options: argparse.Namespace) -> int:
    """Lists lessons, or gives one.

    Args:
        options: the parsed arguments of ``torchlike lesson`` or ``torchlike lessons``.

    Returns:
        The exit status, that of its program where a lesson is shown or stepped through.
    """
    shown = console()
    if options.command == "lesson":
        if options.show:
            return lessons.in_a_folder(options.name, lambda path: pages.write(path, [], None, engines=False))
        if options.step:
            with stopping():
                return lessons.in_a_folder(options.name, lambda path: run(path, []))
        if options.answers:
            shown.print(*lessons.whole(options.name), sep="\n")
        else:
            lessons.ask(options.name, shown)
    elif options.notebooks:
        print("\n".join(map(str, lessons.write_notebooks(options.notebooks, options.group))))
    elif options.answers:
        for group in GROUPS if options.group is None else [options.group]:
            for name in names_in(group):
                shown.print(*lessons.whole(name), sep="\n")
    else:
        return listing.run(options)
    return 0


def run(program: str, arguments: Sequence[str], tell: Callable | None = None) -> int:
    """Runs a program on torchlike. An exception that it does not catch prints Python's traceback, which begins in the
    program and has none of torchlike's frames.

    Args:
        program: the path of a Python file or a notebook.
        arguments: the program's arguments.
        tell: is given an exception and its traceback, and says whether it has told of it.

    Returns:
        The exit status, 1 after an exception.
    """
    install()
    source = sources.notebook_source(program)
    try:
        program_run.execute(program, list(arguments), source=source)
    except (SystemExit, KeyboardInterrupt):
        raise
    except BaseException as problem:  # noqa: BLE001 - reported as the interpreter would, with its status
        own = program_run.own_traceback(problem, program)
        if tell is not None and tell(problem, own):
            return 1
        if source is None:
            sys.excepthook(type(problem), problem.with_traceback(own), own)
        else:  # the interpreter would show lines of the file
            tracebacks.show(type(problem), problem.with_traceback(own), own)
        return 1
    return 0


def diff(options: argparse.Namespace) -> int:
    """Compares the engines on programs.

    Args:
        options: the parsed arguments of ``torchlike diff``.

    Returns:
        0 if all agree, 130 if it was interrupted, else 1.
    """
    programs = options.programs or [str(path) for path in driver.shipped_programs()]
    shown = console()
    found: list[driver.Report] = []
    interrupted = False
    try:
        with _ending():
            _compare(programs, options, shown, found)
    except KeyboardInterrupt:
        interrupted = True
    with _uninterrupted():
        if options.json:
            print(reporting.as_json(found, interrupted), flush=True)
        else:
            reporting.summarize(shown, found, interrupted)
    if interrupted:
        return INTERRUPTED
    return 0 if all(report.agree for report in found) else 1


def diff_deep(options: argparse.Namespace) -> int:
    """Compares every operation of a program between engines, or of two programs.

    Args:
        options: the parsed arguments of ``torchlike diff --deep``.

    Returns:
        0 if nothing parts, 130 if it was interrupted, 2 if a program could not be run, else 1.
    """
    program, *others = options.programs
    has_torch = driver.torch_installed(options.torch_python)
    engines = deep.ENGINES if has_torch else deep.ENGINES[1:]
    try:
        with _ending():
            found = deep.compare_engines(program, engines[:1] if others else engines, (), others[0] if others else None,
                                         options.timeout, options.second_order, options.torch_python)
    except KeyboardInterrupt:
        return INTERRUPTED
    except (UnsupportedError, RuntimeError) as error:
        print(f"torchlike diff --deep: {error}", file=sys.stderr)
        return 2
    _tell(options, found, {"torch_installed": has_torch})
    if not (has_torch or options.json or (options.quiet and found.ok)):
        print("PyTorch is not installed: torchlike was compared with jax.vjp alone")
    return 0 if found.ok else 1


def diff_against(options: argparse.Namespace) -> int:
    """Holds a module of a program against its port to JAX.

    Args:
        options: the parsed arguments of ``torchlike diff --against``.

    Returns:
        0 if they do not part, 130 if it was interrupted, 2 if there is nothing to compare, else 1. An exception of the
        program or of the port is raised.
    """
    names = port_command.Names(**{name: getattr(options, name) for name in NAMES})
    try:
        found = port_command.compare(options.programs[0], options.against, names)
    except KeyboardInterrupt:
        return INTERRUPTED
    except (LookupError, ValueError, TypeError) as error:
        print(f"torchlike diff --against: {error}", file=sys.stderr)
        return 2
    _tell(options, found, {})
    return 0 if found.ok else 1


def _tell(options: argparse.Namespace, found, facts: dict) -> None:
    """Prints a report, as data or for people."""
    if options.json:
        print(json.dumps({**found.json(), **facts}, indent=1, allow_nan=False))
    elif not (options.quiet and found.ok):
        print(str(found).encode(sys.stdout.encoding or "utf-8", "backslashreplace").decode(sys.stdout.encoding or "utf-8"))


def _compare(programs, options, shown, found) -> None:
    """Add a report for each program to `found`, and show it. No process is left, however this ends."""
    how = driver.Options(Tolerance(options.rtol, options.atol), options.timeout, torch_python=options.torch_python,
                         ranks=options.ranks)
    with (progress(sum(len(driver.engines_of(how, program)) for program in programs)) as bar,
          contextlib.closing(driver.reports(programs, how, bar.advance)) as reports):
        for report in reports:
            found.append(report)
            if not options.json and not (options.quiet and report.agree):
                with bar.hidden():
                    reporting.show(shown, report, everything=not options.quiet)


def _is_main() -> bool:
    return threading.current_thread() is threading.main_thread()


@contextlib.contextmanager
def _ending():
    """A block that signals to end leave as exceptions, so that its processes are ended, too."""
    def leave(number, frame):
        raise SystemExit(128 + number)

    numbers = [getattr(signal, name) for name in _ENDS if hasattr(signal, name)] if _is_main() else []
    before = {number: signal.signal(number, leave) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def _uninterrupted():
    """A block that Ctrl-C does not leave: what it prints is whole."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN) if _is_main() else None
    try:
        yield
    finally:
        if before is not None:
            signal.signal(signal.SIGINT, before)
