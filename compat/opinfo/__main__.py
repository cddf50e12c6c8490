"""``python -m compat.opinfo``: PyTorch's operator database under torch and torchlike; a table, and JSON with ``--json``.

Status 1 if something differs that compat/gaps.toml does not list, or passes that it does.
"""

import argparse
import re
import sys

from rich.console import Console
from rich.table import Table

from compat import findings, gaps
from compat.opinfo import exam
from compat.opinfo.workers import run

_FLAGS = {"grad": "gradients", "gradgrad": "second gradients", "forward-ad": "forward mode",
          "errors": "inputs that must be refused", "inplace": "in-place forms", "out": "out= forms",
          "autocast": "under autocast on the CPU"}

_NO_CHECK = {"missing", "crash", "timeout"}


def main() -> int:
    """Examine, print, write."""
    options = _options()
    names = [name for name in exam.operators() if re.search(options.match, name)]
    wanted = ["forward"] if not any(getattr(options, flag.replace("-", "_")) for flag in _FLAGS) or options.forward else []
    wanted += [flag for flag in _FLAGS if getattr(options, flag.replace("-", "_")) or options.all]
    if options.all:
        wanted.append("forward")
    dtypes = exam.DTYPES if options.dtype == "all" else options.dtype.split(",")
    found = run(names, (wanted, dtypes, options.samples), options.jobs, options.limit)
    report(found, options.verbose)
    return findings.conclude(found, options.json, findings.unlisted(found, gaps.operators(), options.samples is None))


def _options():
    parser = argparse.ArgumentParser(prog="python -m compat.opinfo", description=__doc__)
    parser.add_argument("--match", default="", help="only operators that this expression finds")
    parser.add_argument("--dtype", default="float64", help="dtypes of the forward check, by commas, or all")
    parser.add_argument("--all", action="store_true", help="every check")
    parser.add_argument("--forward", action="store_true", help="results (the default if nothing else is asked for)")
    for flag, text in _FLAGS.items():
        parser.add_argument(f"--{flag}", action="store_true", help=text)
    parser.add_argument("--samples", type=int, default=None, help="at most so many samples of each")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--limit", type=float, default=300, help="seconds for one operator")
    parser.add_argument("--json", default="", help="write the findings to this file")
    parser.add_argument("--verbose", action="store_true", help="print what differs")
    return parser.parse_args()


def report(found, verbose) -> None:
    """The table: for each check how many operators pass with all samples."""
    console = Console(highlight=False, soft_wrap=True)
    checks = sorted({check for finding in found.values() for check in finding} - _NO_CHECK)
    broken = {name for name, finding in found.items() if finding.keys() & _NO_CHECK}
    if verbose:
        for name, finding in found.items():
            for check, tally in finding.items():
                if isinstance(tally, str):
                    console.print(f"{name}: {check}: {tally}", markup=False)
                elif tally["failed"]:
                    count = tally["failed"] + tally["passed"]
                    console.print(f"{name}: {check}: {tally['failed']} of {count}: {tally['first']}", markup=False)
    table = Table("check", "operators", "pass", "%", "samples", "pass")
    for check in checks:
        tallies = [finding[check] for finding in found.values() if check in finding]
        tallies = [t for t in tallies if t["passed"] + t["failed"]]
        count = len(tallies) + (len(broken) if check.startswith("forward ") else 0)
        passed = sum(not t["failed"] for t in tallies)
        samples = sum(t["passed"] + t["failed"] for t in tallies)
        table.add_row(check, str(count), str(passed), f"{100 * passed / max(count, 1):.1f}", str(samples),
                      str(sum(t["passed"] for t in tallies)))
    console.print(table)
    for kind in sorted(_NO_CHECK):
        names = [name for name, finding in found.items() if kind in finding]
        if names:
            console.print(f"{kind}: {len(names)}: {', '.join(names)}", markup=False)


if __name__ == "__main__":
    sys.exit(main())
