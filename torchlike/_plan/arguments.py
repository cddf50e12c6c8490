"""The arguments of ``torchlike plan``."""

import argparse

from torchlike._plan.devices import DEVICES
from torchlike._plan.mesh import MeshError, parse

_ABOUT = ("Run a training program on this machine, up to the end of its third step, in one process, and say for other "
          "devices what a step would take of memory, time and network: with DistributedDataParallel, fully_shard on each "
          "block, layers split over an axis, and these together. What the program prints goes to standard error. Exit "
          "status 1 if the program fails.")


def add_parser(commands) -> None:
    """The parser of the command.

    Args:
        commands: what `argparse` adds commands to.
    """
    parser = commands.add_parser("plan", help="what a training step would take on devices that are not there",
                                 description=_ABOUT)
    parser.add_argument("program", help="a Python file, a notebook, or a folder with a __main__.py; the program's own "
                                        "arguments come last, behind --")
    parser.add_argument("--mesh", required=True, metavar="AXES", type=_mesh,
                        help="the devices, as data=64,model=8: 'model', 'tensor' or 'tp' is an axis over which layers are "
                             "split, 'pipe' or 'pp' a pipeline; others are for data. The last one has neighbours")
    parser.add_argument("--device", required=True, choices=sorted(DEVICES), help="what they are")
    parser.add_argument("--global-batch", action="store_true",
                        help="the program's batch is that of all devices together (default: of each replica)")
    parser.add_argument("--microbatches", type=_count, default=8, metavar="N",
                        help="into how many parts a pipeline divides a batch (default: 8)")
    parser.add_argument("--step", type=_step, default=3, metavar="N",
                        help="which step of the program (default: 3: by then each optimizer has taken one)")
    parser.add_argument("--no-compile", action="store_true", help="do not ask XLA for the peak of the compiled step")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of tables")


def parted(given: list[str]) -> tuple[list[str], list[str]]:
    """(the command's arguments, the program's), which are behind the first ``--``.

    Args:
        given: all of them.
    """
    place = given.index("--") if given[:1] == ["plan"] and "--" in given else len(given)
    return given[:place], given[place + 1:]


def _mesh(text: str) -> str:
    try:
        parse(text)
    except MeshError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


def _step(text: str) -> int:
    number = int(text)
    if number < 2:
        raise ValueError(text)  # what optimizers keep is made in the first
    return number
