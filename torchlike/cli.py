"""The command line: ``torchlike run program.py``, ``torchlike diff [program.py ...]``, ``torchlike plan`` and others."""

import argparse
import contextlib
import dataclasses
import json
import math
import signal
import sys
import threading
from collections.abc import Callable, Sequence

from rich.console import Console

from torchlike import version
from torchlike._base.errors import UnsupportedError
from torchlike._command import asks_for_ranks
from torchlike._course import command as course
from torchlike._diff import deep, driver, port_command, program_run, sources, terms
from torchlike._diff import report as reporting
from torchlike._diff.compare import Tolerance
from torchlike._diff.progress import progress
from torchlike._lessons import command as lessons
from torchlike._lessons.groups import GROUPS
from torchlike._lessons.lesson import NotALessonError, names_in
from torchlike._plan import command as plans
from torchlike._record import tracebacks
from torchlike._step.steps import stopping
from torchlike.distributed import run as ranks
from torchlike.install import install
from torchlike.show import page as pages

PIPE_WIDTH = 130  # columns of a table that is not printed to a terminal
INTERRUPTED = 130  # the exit status after Ctrl-C
_ENDS = ("SIGTERM", "SIGHUP")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="torchlike", description="PyTorch's eager API on JAX.")
    parser.add_argument("--version", action="version",
                        version=f"torchlike {version.__version__} (follows PyTorch {version.torch})")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    run_parser = commands.add_parser(
        "run", help="run a PyTorch program on torchlike",
        description="Run a PyTorch program with 'import torch' giving torchlike, otherwise as python would. With options: "
                    "in many processes, as torchrun.")
    ranks.add_arguments(run_parser)
    _add_teaching(commands)
    _add_lessons(commands)
    diff_parser = commands.add_parser(
        "diff", help="run programs under PyTorch, torchlike and jax.vjp, and compare",
        description="Run each program under PyTorch (if installed), torchlike's tape and jax.vjp of the same "
                    "program as a pure function. Every tensor, parameter and gradient that it leaves in its "
                    "variables is compared. Before it begins torch, random and numpy.random are seeded with 0; its standard "
                    "input is empty. Exit status 1 if anything disagrees, 130 after Ctrl-C.")
    diff_parser.add_argument("programs", nargs="*", metavar="program.py",
                             help="Python files, notebooks (the lines of IPython do nothing), folders with a __main__.py "
                                  "(default: the programs that ship with torchlike)")
    diff_parser.add_argument("--deep", action="store_true",
                             help="compare every operation of one program, in value and gradient, and name the first at "
                                  "which the engines part; of two programs, at which they part under PyTorch (or torchlike, "
                                  "if there is none)")
    diff_parser.add_argument("--second-order", action="store_true",
                             help="with --deep: compare second derivatives, too, of the leaves at each backward()")
    diff_parser.add_argument("--against", metavar="port.py:function",
                             help="hold a module of one program (program.py, or program.py:variable) against its port to "
                                  "JAX, a function of parameters and inputs or a module of flax: which layer is wrong, "
                                  "forward or backward?")
    diff_parser.add_argument("--params", metavar="NAME",
                             help="with --against: the variable of the port's parameters, or the function that makes them "
                                  "of a dict of the program's (default: params, or variables)")
    diff_parser.add_argument("--inputs", metavar="NAMES",
                             help="with --against: the program's variables that both are called with, separated by commas "
                                  "(default: inputs)")
    diff_parser.add_argument("--loss", metavar="NAMES",
                             help="with --against: the function of what comes out whose gradients are compared, by its name "
                                  "in both files, or both names separated by a comma (default: weights drawn by chance)")
    diff_parser.add_argument("--mapping", metavar="NAME",
                             help="with --against: the port's dict that corrects the table of parameters, of their paths to "
                                  "names of the program's")
    diff_parser.add_argument("--ranks", metavar="N",
                             help="run each program in so many processes, as torchrun does, and compare these with "
                                  "PyTorch's, with one another and with one process (default: what a program says in a "
                                  "comment, '# torchlike diff: ranks 2')")
    diff_parser.add_argument("--torch-python", metavar="PYTHON",
                             help="the Python whose PyTorch is compared with, of another environment (default: this one)")
    diff_parser.add_argument("--timeout", type=_seconds, help="seconds after which an engine is stopped (default: never)")
    diff_parser.add_argument("--json", action="store_true", help="print one JSON object instead of tables")
    diff_parser.add_argument("--quiet", action="store_true", help="print only disagreements and the summary")
    diff_parser.add_argument("--rtol", type=float, help="relative tolerance (default: by dtype)")
    diff_parser.add_argument("--atol", type=float, help="absolute tolerance (default: by dtype)")
    _add_course(commands)
    plans.add_parser(commands)
    return parser


def _add_teaching(commands) -> None:
    show_parser = commands.add_parser(
        "show", help="write a page that shows a run, operation by operation",
        description="Run a PyTorch program on torchlike, and write one file of HTML: the source with values and gradients "
                    "beside each line, the graph, memory, and why gradients are what they are, for every operation of the "
                    "run. It needs nothing from outside.")
    show_parser.add_argument("-o", "--output", metavar="FILE", help="the file (default: the program's name with .html)")
    show_parser.add_argument("--engines", action="store_true",
                             help="run it under PyTorch (if installed) and jax.vjp, too, and mark where they part first")
    step_parser = commands.add_parser(
        "step", help="go through a program's backward passes by keys",
        description="Run a PyTorch program on torchlike; each backward pass is shown Node by Node when it has run, back and "
                    "forth by keys (without a terminal it is printed). Then the program goes on.")
    step_parser.add_argument("--stop", metavar="WHAT", help="begin at the first step of this: part of a name, a line, 'nan'")
    step_parser.add_argument("--norm", type=float, metavar="X", help="begin at the first step whose norm is above X")
    for parser in (show_parser, step_parser):
        parser.add_argument("program", help="a Python file, a notebook, or a folder with a __main__.py")
        parser.add_argument("arguments", nargs=argparse.REMAINDER, help="the program's own arguments")


def _add_lessons(commands) -> None:
    list_parser = commands.add_parser(
        "lessons", help="lessons on how define-by-run differs from functional: the list, notebooks, all answers",
        description="List the lessons by group, with those that you have answered.")
    list_parser.add_argument("group", nargs="?", choices=list(GROUPS), metavar="GROUP", help="only this group")
    list_parser.add_argument("--answers", action="store_true", help="print the lessons with all answers, for an instructor")
    list_parser.add_argument("--notebooks", metavar="FOLDER", help="write a notebook for each group")
    lesson_parser = commands.add_parser(
        "lesson", help="one lesson: predict, run, and read why",
        description="Show a program, ask for a prediction, run it under every engine that is there, and explain.")
    lesson_parser.add_argument("name", metavar="NAME", help="see torchlike lessons")
    how = lesson_parser.add_mutually_exclusive_group()
    how.add_argument("--answers", action="store_true", help="ask nothing")
    how.add_argument("--step", action="store_true", help="go through the backward passes of its program")
    how.add_argument("--show", action="store_true", help="write the page of its program")


def _add_course(commands) -> None:
    """The parsers of ``torchlike course``."""
    about = "write your own autograd in ten steps, each checked against torchlike's"
    parser = commands.add_parser("course", help=about, description=f"{about[:1].upper()}{about[1:]}. Without a command: the "
                                 "steps, and what is done.")
    parser.add_argument("--folder", help="the folder of the course (default: this one, or 'course' in it)")
    parts = parser.add_subparsers(dest="course_command", metavar="command")
    start = parts.add_parser("start", help="write engine.py, with the skeleton of step 1")
    start.add_argument("folder", nargs="?", metavar="FOLDER", default=argparse.SUPPRESS, help="where to (default: course)")
    found = {name: parts.add_parser(name, help=text) for name, text in {
        "next": "add the skeleton of the next step when the present one passes", "check": "check a step and all before it",
        "hint": "one more hint", "solution": "the finished code of a step"}.items()}
    for name in ("next", "check", "hint"):
        found[name].add_argument("--folder", default=argparse.SUPPRESS, help="as for 'torchlike course'")
    for name in ("next", "check"):
        found[name].add_argument("--timeout", type=_seconds, help="seconds after which your engine is stopped (default: 20)")
    for name in ("check", "hint", "solution"):
        found[name].add_argument("step", type=int, choices=range(1, 11), metavar="STEP",
                                 **({} if name == "solution" else {"nargs": "?", "help": "default: the present one"}))
    found["solution"].add_argument("--yes", action="store_true", help="do not ask")


def _seconds(text: str) -> float:
    found = float(text)
    if not (found > 0 and math.isfinite(found)):
        raise ValueError(text)
    return found


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
    parser = _parser()
    given, behind = plans.parted(given)
    options = parser.parse_args(given)
    if options.command == "run":
        options.program, options.arguments = options.training_script, options.training_script_args
    if options.command in ("lesson", "lessons"):
        try:
            return teach(options)
        except NotALessonError as error:
            parser.error(str(error))
    if options.command == "course":
        return course.run(options)
    try:
        if options.command != "diff":
            options.program = sources.program_at(options.program)
        elif options.against is None:
            options.programs = [sources.program_at(program) for program in options.programs]
    except sources.NotAProgramError as error:
        parser.error(str(error))
    if options.command == "run":
        return run(options.program, options.arguments)
    if options.command == "plan":
        return plans.run(options, behind)
    if options.command == "show":
        return pages.write(options.program, options.arguments, options.output, options.engines)
    if options.command == "step":
        with stopping(options.stop, options.norm):
            return run(options.program, options.arguments)
    problem = _misfit(options)
    if problem:
        parser.error(problem)
    if options.against is not None:
        return diff_against(options)
    return diff_deep(options) if options.deep else diff(options)


def _names_of(options: argparse.Namespace) -> port_command.Names:
    return port_command.Names(options.params, options.inputs, options.loss, options.mapping)


def _misfit(options: argparse.Namespace) -> str:
    """Why options do not go together, "" if they do."""
    has_tolerance = options.rtol is not None or options.atol is not None
    for name, given in dataclasses.asdict(_names_of(options)).items():
        if options.against is None and given is not None:
            return f"--{name} goes with --against"
    if options.ranks is not None and not options.programs:
        return "--ranks takes programs"
    if options.ranks is not None and options.against is not None:
        return "--against has no --ranks"
    if options.against is not None:
        if len(options.programs) != 1:
            return "--against takes one program"
        if options.deep or has_tolerance or options.timeout is not None or options.torch_python is not None:
            return "--against has no --deep, --timeout and --torch-python, and its tolerances are those of a float64 run"
    if options.torch_python is not None and not driver.torch_installed(options.torch_python):
        return f"--torch-python: {options.torch_python} cannot import torch"
    if options.second_order and not options.deep:
        return "--second-order goes with --deep"
    if options.deep and len(options.programs) not in (1, 2):
        return "--deep takes one program, or two to compare"
    if options.deep and has_tolerance:
        return "the tolerances of --deep are those of a float64 run"
    return "" if options.against is not None else _misfit_of_ranks(options)


def _misfit_of_ranks(options: argparse.Namespace) -> str:
    try:
        options.ranks = None if options.ranks is None else terms.number_of(options.ranks)
        asked = [program for program in options.programs if (options.ranks or terms.of_program(program).ranks)]
    except terms.TermsError as error:
        return str(error)
    return f"--deep runs one process, and {asked[0]} asks for several" if options.deep and asked else ""


def teach(options: argparse.Namespace) -> int:
    """Lists lessons, or gives one.

    Args:
        options: the parsed arguments of ``torchlike lesson`` or ``torchlike lessons``.

    Returns:
        The exit status, that of its program where a lesson is shown or stepped through.
    """
    console = Console() if sys.stdout.isatty() else Console(width=PIPE_WIDTH)
    if options.command == "lesson":
        if options.show:
            return lessons.in_a_folder(options.name, lambda path: pages.write(path, [], None, engines=False))
        if options.step:
            with stopping():
                return lessons.in_a_folder(options.name, lambda path: run(path, []))
        if options.answers:
            console.print(*lessons.whole(options.name), sep="\n")
        else:
            lessons.ask(options.name, console)
    elif options.notebooks:
        print("\n".join(map(str, lessons.write_notebooks(options.notebooks, options.group))))
    elif options.answers:
        for group in GROUPS if options.group is None else [options.group]:
            for name in names_in(group):
                console.print(*lessons.whole(name), sep="\n")
    else:
        lessons.listing(console, options.group)
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
    console = Console() if sys.stdout.isatty() else Console(width=PIPE_WIDTH)
    found: list[driver.Report] = []
    interrupted = False
    try:
        with _ending():
            _compare(programs, options, console, found)
    except KeyboardInterrupt:
        interrupted = True
    with _uninterrupted():
        if options.json:
            print(reporting.as_json(found, interrupted), flush=True)
        else:
            reporting.summarize(console, found, interrupted)
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
    try:
        found = port_command.compare(options.programs[0], options.against, _names_of(options))
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


def _compare(programs, options, console, found) -> None:
    """Add a report for each program to `found`, and show it. No process is left, however this ends."""
    how = driver.Options(Tolerance(options.rtol, options.atol), options.timeout, torch_python=options.torch_python,
                         ranks=options.ranks)
    with (progress(sum(len(driver.engines_of(how, program)) for program in programs)) as bar,
          contextlib.closing(driver.reports(programs, how, bar.advance)) as reports):
        for report in reports:
            found.append(report)
            if not options.json and not (options.quiet and report.agree):
                with bar.hidden():
                    reporting.show(console, report, everything=not options.quiet)


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
