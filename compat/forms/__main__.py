"""``python -m compat.forms``: every form of a call of PyTorch's public functions and methods under torch and torchlike.

Each signature that PyTorch's stubs, schemas and Python functions have is called by position, by keyword, with each optional
argument and with ``out=``; likewise each constructor of a class (`constructors`). Status 1 if something differs that
compat/gaps.toml does not list, or passes that it does.
"""

import argparse
import re
import sys

import torch
from rich.console import Console
from rich.progress import track

from compat import findings, gaps
from compat.forms import constructors, exam
from compat.forms.signatures import forms


def main() -> int:
    """Examine, print, write."""
    parser = argparse.ArgumentParser(prog="python -m compat.forms", description=__doc__)
    parser.add_argument("--match", default="", help="only functions that this expression finds")
    parser.add_argument("--json", default="", help="write the findings to this file")
    parser.add_argument("--verbose", action="store_true", help="print what differs")
    options = parser.parse_args()
    torch.set_num_threads(1)  # the tensors are small
    chosen = {path: listed for path, listed in forms().items() if re.search(options.match, path) and exam.exists(path)}
    console = Console(stderr=True)
    found = {path: exam.examine(listed) for path, listed in track(chosen.items(), "forms", console=console, transient=True)}
    of_classes = {path: kind for path, kind in constructors.classes().items() if re.search(options.match, path)}
    made = {path: constructors.examine(path, kind)
            for path, kind in track(of_classes.items(), "constructors", console=console, transient=True)}
    if options.verbose:
        for finding in (found | made).values():
            if finding["calls"]["failed"]:
                print(finding["calls"]["failed"], finding["calls"]["first"])
    findings.report(found, ("calls",), "functions")
    findings.report(made, ("calls",), "classes")
    found |= made
    return findings.conclude(found, options.json, findings.unlisted(found, gaps.forms()))


if __name__ == "__main__":
    sys.exit(main())
