"""``python -m compat.examples``: the examples in PyTorch's docstrings under torch and torchlike, statement by statement.

Compared are values, ``repr``, what is printed, warned and raised. What differs is printed; much of it is rounding that
``repr`` shows, memory that PyTorch leaves as it was, and orders that nobody promises, so no list of it is kept. Status 1 if
more than `MOST` differ.
"""

import argparse
import re
import sys

import torch
from rich.console import Console
from rich.progress import track

from compat.examples import exam
from compat.examples.collecting import examples

MOST = 100


def main() -> int:
    """Run and print."""
    parser = argparse.ArgumentParser(prog="python -m compat.examples", description=__doc__)
    parser.add_argument("--match", default="", help="only objects that this expression finds")
    options = parser.parse_args()
    torch.set_num_threads(1)  # the tensors are small
    chosen = {name: sources for name, sources in examples().items() if re.search(options.match, name)}
    console = Console(stderr=True)
    found = {name: exam.difference(sources)
             for name, sources in track(chosen.items(), "examples", console=console, transient=True)}
    different = {name: text for name, text in found.items() if text}
    for name, text in different.items():
        print(f"{name}: {text}")
    print(f"{len(found) - len(different)} of {len(found)} objects' examples agree")
    return int(len(different) > MOST)


if __name__ == "__main__":
    sys.exit(main())
