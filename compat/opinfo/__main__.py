"""``python -m compat.opinfo``: PyTorch's operator database under torch and torchlike; a table, and JSON with ``--json``.

Status 1 if something differs that compat/gaps.toml does not list, or passes that it does.
"""

import argparse
import collections
import re
import sys

from rich.console import Console
from rich.table import Table

from compat import findings, gaps
from compat.opinfo import exam
from compat.opinfo.workers import run

_FLAGS = {"grad": "gradients", "gradgrad": "second gradients", "forward-ad": "forward mode",
          "errors": "inputs that must be refused", "inplace": "in-place forms", "out": "out= forms",
          "autocast": "under autocast on the CPU", "jvp": "torch.func.jvp", "vmap": "torch.func.vmap",
          "func-grad": "torch.func.grad and vjp", "channels-last": "4-D tensors in channels_last: values and strides",
          "out-dtypes": "out= of every other dtype: what is cast, computed in it, or refused, and how",
          "hostile": "arguments of other dtypes, shapes, ranges and kinds: what is refused, and how",
          "points": "values and gradients at special numbers, of elementwise operators and reductions",
          "special": "nan, infinities and the largest numbers: where results and gradients are so"}

_NO_CHECK = {"missing", "crash", "timeout"}
_NUMBERS = re.compile(r"[\[(]?-?\d[\d.e+\-]*(, ?-?\d[\d.e+\-]*)*[\])]?")


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
    """The tables: for each check how many operators pass with all samples, and what the others miss by."""
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
    table = Table("check", "operators", "pass", "%", "samples", "agree", "%")
    for check in checks:
        tallies = [finding[check] for finding in found.values() if check in finding]
        tallies = [t for t in tallies if t["passed"] + t["failed"]]
        count = len(tallies) + (len(broken) if check.startswith("forward ") else 0)
        passed = sum(not t["failed"] for t in tallies)
        samples = sum(t["passed"] + t["failed"] for t in tallies)
        agree = sum(t["passed"] for t in tallies)
        table.add_row(check, str(count), str(passed), f"{100 * passed / max(count, 1):.1f}", str(samples), str(agree),
                      f"{100 * agree / max(samples, 1):.1f}")
    console.print(table)
    console.print(_reasons(found, checks))
    for kind in sorted(_NO_CHECK):
        names = [name for name, finding in found.items() if kind in finding]
        if names:
            console.print(f"{kind}: {len(names)}: {', '.join(names)}", markup=False)


def _reasons(found, checks) -> Table:
    """How many operators miss a check for the same reason, that of their first sample; the most frequent ones first."""
    counts = collections.Counter((check, reason(finding[check]["first"])) for finding in found.values()
                                 for check in checks if check in finding and finding[check]["failed"])
    table = Table("check", "operators", "miss by")
    for (check, text), count in counts.most_common(40):
        table.add_row(check, str(count), text.replace("[", r"\["))
    return table


def reason(first) -> str:
    """What differs, without the numbers and operands of this sample."""
    text = first.removeprefix(first.partition(": ")[0] + ": ") if first.startswith("sample ") else first
    return _NUMBERS.sub("#", text.rpartition(" [")[0] or text)[:100]


if __name__ == "__main__":
    sys.exit(main())
