"""``python -m compat.modules``: PyTorch's module database under torch and torchlike; a table, and JSON with ``--json``.

Status 1 if something differs that compat/gaps.toml does not list, or passes that it does.
"""

import argparse
import json
import re
import sys

import torch
from rich.console import Console
from rich.progress import track

from compat import findings, gaps
from compat.modules import exam


def main() -> int:
    """Examine, print, write."""
    options = _options()
    torch.set_num_threads(1)  # the tensors are small
    infos = {name: info for name, info in exam.modules().items() if re.search(options.match, name)}
    found = {name: exam.examine(info, options.dtype.split(","))
             for name, info in track(infos.items(), "modules", console=Console(stderr=True), transient=True)}
    findings.report(found, exam.CHECKS, "modules")
    if options.json:
        with open(options.json, "w") as file:
            json.dump(found, file, indent=1)
    wrong = findings.unlisted(found, gaps.modules())
    for text in wrong:
        print(text)
    return 1 if wrong else 0


def _options():
    parser = argparse.ArgumentParser(prog="python -m compat.modules", description=__doc__)
    parser.add_argument("--match", default="", help="only modules that this expression finds")
    parser.add_argument("--dtype", default="float32,float64", help="dtypes, by commas")
    parser.add_argument("--json", default="", help="write the findings to this file")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
