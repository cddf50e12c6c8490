"""``python -m compat.optimizers``: PyTorch's optimizer database under torch and torchlike; a table, and JSON with
``--json``. Status 1 if something differs that compat/gaps.toml does not list, or passes that it does.
"""

import argparse
import json
import re
import sys

import torch
from rich.console import Console
from rich.progress import track

from compat import findings, gaps
from compat.optimizers import exam


def main() -> int:
    """Examine, print, write."""
    options = _options()
    torch.set_num_threads(1)  # the tensors are small
    names = [name for name in exam.INFOS if re.search(options.match, name)]
    found = {name: exam.examine(name, options.dtype.split(","))
             for name in track(names, "optimizers", console=Console(stderr=True), transient=True)}
    findings.report(found, exam.CHECKS, "optimizers")
    if options.json:
        with open(options.json, "w") as file:
            json.dump(found, file, indent=1)
    wrong = findings.unlisted(found, gaps.optimizers())
    for text in wrong:
        print(text)
    return 1 if wrong else 0


def _options():
    parser = argparse.ArgumentParser(prog="python -m compat.optimizers", description=__doc__)
    parser.add_argument("--match", default="", help="only optimizers that this expression finds")
    parser.add_argument("--dtype", default=",".join(exam.DTYPES), help="dtypes of the option sets, by commas")
    parser.add_argument("--json", default="", help="write the findings to this file")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
