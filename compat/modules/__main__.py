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
from rich.table import Table

from compat import gaps
from compat.modules import exam


def main() -> int:
    """Examine, print, write."""
    options = _options()
    torch.set_num_threads(1)  # the tensors are small
    infos = {name: info for name, info in exam.modules().items() if re.search(options.match, name)}
    found = {name: exam.examine(info, options.dtype.split(","))
             for name, info in track(infos.items(), "modules", console=Console(stderr=True), transient=True)}
    report(found)
    if options.json:
        with open(options.json, "w") as file:
            json.dump(found, file, indent=1)
    wrong = unlisted(found)
    for text in wrong:
        print(text)
    return 1 if wrong else 0


def misses(finding) -> set:
    """The checks that a module does not pass; "missing" stands for all of them."""
    return {check for check, tally in finding.items() if isinstance(tally, str) or tally["failed"]}


def unlisted(found) -> list:
    """Misses without a row in compat/gaps.toml, and rows that pass."""
    listed = gaps.modules()
    texts = [f"{name}: {check}: not in compat/gaps.toml: {finding[check]}" for name, finding in found.items()
             for check in sorted(misses(finding)) if (name, check) not in listed]
    return texts + [f"{name}: {check}: passes, but is listed in compat/gaps.toml" for name, check in listed
                    if check in found.get(name, ()) and check not in misses(found[name])]


def report(found) -> None:
    """For each check how many modules pass with all samples."""
    table = Table("check", "modules", "pass", "%", "samples", "pass")
    for check in exam.CHECKS:
        tallies = [finding[check] for finding in found.values() if check in finding]
        passed, samples = sum(not t["failed"] for t in tallies), sum(t["passed"] + t["failed"] for t in tallies)
        table.add_row(check, str(len(tallies)), str(passed), f"{100 * passed / max(len(tallies), 1):.1f}", str(samples),
                      str(sum(t["passed"] for t in tallies)))
    console = Console(highlight=False, soft_wrap=True)
    console.print(table)
    whole = sum(not misses(finding) for finding in found.values())
    console.print(f"{whole} of {len(found)} modules pass every check")


def _options():
    parser = argparse.ArgumentParser(prog="python -m compat.modules", description=__doc__)
    parser.add_argument("--match", default="", help="only modules that this expression finds")
    parser.add_argument("--dtype", default="float32,float64", help="dtypes, by commas")
    parser.add_argument("--json", default="", help="write the findings to this file")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
