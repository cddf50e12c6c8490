"""The arguments of ``torchlike diff``."""

import argparse

from torchlike._base.command_line import seconds
from torchlike._diff import sources, terms

NAMES = ("params", "inputs", "loss", "mapping")  # options that go with --against


def add_parser(commands) -> None:
    """The parser of the command.

    Args:
        commands: what `argparse` adds commands to.
    """
    parser = commands.add_parser(
        "diff", help="run programs under PyTorch, torchlike and jax.vjp, and compare",
        description="Run each program under PyTorch (if installed), torchlike's tape and jax.vjp of the same "
                    "program as a pure function. Every tensor, parameter and gradient that it leaves in its "
                    "variables is compared. Before it begins torch, random and numpy.random are seeded with 0; its standard "
                    "input is empty. Exit status 1 if anything disagrees, 130 after Ctrl-C.")
    parser.add_argument("programs", nargs="*", metavar="program.py",
                        help="Python files, notebooks (the lines of IPython do nothing), folders with a __main__.py "
                             "(default: the programs that ship with torchlike)")
    parser.add_argument("--deep", action="store_true",
                        help="compare every operation of one program, in value and gradient, and name the first at "
                             "which the engines part; of two programs, at which they part under PyTorch (or torchlike, "
                             "if there is none)")
    parser.add_argument("--second-order", action="store_true",
                        help="with --deep: compare second derivatives, too, of the leaves at each backward()")
    parser.add_argument("--against", metavar="port.py:function",
                        help="hold a module of one program (program.py, or program.py:variable) against its port to "
                             "JAX, a function of parameters and inputs or a module of flax: which layer is wrong, "
                             "forward or backward?")
    parser.add_argument("--params", metavar="NAME",
                        help="with --against: the variable of the port's parameters, or the function that makes them "
                             "of a dict of the program's (default: params, or variables)")
    parser.add_argument("--inputs", metavar="NAMES",
                        help="with --against: the program's variables that both are called with, separated by commas "
                             "(default: inputs)")
    parser.add_argument("--loss", metavar="NAMES",
                        help="with --against: the function of what comes out whose gradients are compared, by its name "
                             "in both files, or both names separated by a comma (default: weights drawn by chance)")
    parser.add_argument("--mapping", metavar="NAME",
                        help="with --against: the port's dict that corrects the table of parameters, of their paths to "
                             "names of the program's")
    parser.add_argument("--ranks", metavar="N",
                        help="run each program in so many processes, as torchrun does, and compare these with "
                             "PyTorch's, with one another and with one process (default: what a program says in a "
                             "comment, '# torchlike diff: ranks 2')")
    parser.add_argument("--torch-python", metavar="PYTHON",
                        help="the Python whose PyTorch is compared with, of another environment (default: this one)")
    parser.add_argument("--timeout", type=seconds, help="seconds after which an engine is stopped (default: never)")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of tables")
    parser.add_argument("--quiet", action="store_true", help="print only disagreements and the summary")
    parser.add_argument("--rtol", type=float, help="relative tolerance (default: by dtype)")
    parser.add_argument("--atol", type=float, help="absolute tolerance (default: by dtype)")


def misfit(options: argparse.Namespace) -> str:
    """Why options do not go together, "" if they do. The number of ranks becomes a number.

    Args:
        options: the parsed arguments.

    Raises:
        TermsError: there is no such number of ranks.
    """
    options.ranks = None if options.ranks is None else terms.number_of(options.ranks)
    if options.ranks is not None and not options.programs:
        return "--ranks takes programs"
    if options.against is not None:
        return _misfit_of_against(options)
    given = [name for name in NAMES if getattr(options, name) is not None]
    if given:
        return f"--{given[0]} goes with --against"
    if options.second_order and not options.deep:
        return "--second-order goes with --deep"
    if options.deep and len(options.programs) not in (1, 2):
        return "--deep takes one program, or two to compare"
    if options.deep and _has_tolerance(options):
        return "the tolerances of --deep are those of a float64 run"
    return ""


def _has_tolerance(options: argparse.Namespace) -> bool:
    return options.rtol is not None or options.atol is not None


def _misfit_of_against(options: argparse.Namespace) -> str:
    if options.ranks is not None:
        return "--against has no --ranks"
    if len(options.programs) != 1:
        return "--against takes one program"
    if options.deep or _has_tolerance(options) or options.timeout is not None or options.torch_python is not None:
        return "--against has no --deep, --timeout and --torch-python, and its tolerances are those of a float64 run"
    return "--second-order goes with --deep" if options.second_order else ""


def programs_misfit(options: argparse.Namespace) -> str:
    """Why the programs do not go with the options, "" if they do. Their paths become those of files.

    Args:
        options: the parsed arguments.

    Raises:
        NotAProgramError: there is no program at a path. TermsError: a program says of its ranks what cannot be understood.
    """
    if options.against is not None:  # of these a path may have a name behind it
        return ""
    options.programs = [sources.program_at(program) for program in options.programs]
    asked = [program for program in options.programs if terms.of_program(program).ranks or options.ranks]
    return f"--deep runs one process, and {asked[0]} asks for several" if options.deep and asked else ""
