"""``python -m benchmarks --first``: what a user feels first, in fresh processes: import, the first steps, new shapes.

torchlike runs with an empty cache and then with the one that this process filled, torch eager beside it.
"""

import argparse
import dataclasses
import json
import os
import platform
import sys
from collections.abc import Sequence

from rich.console import Console

from benchmarks.first import limits, suite, table, training, worker

FLAG = "--first"
HELP = {"early": "steps of the shorter count", "steps": "steps of the longer one",
        "length_steps": f"steps over {training.LENGTHS} sequence lengths", "turns": "rounds over the GPT's five lengths",
        "patience": "seconds to wait until a program is hot", "looks": "looks at one operation, twice"}


def main(arguments: Sequence[str]) -> int:
    """Run the benchmarks; 0 whatever the figures are, but with --check 1 if a limit is broken."""
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks {FLAG}", description=__doc__)
    parser.add_argument("programs", nargs="*", metavar="program",
                        help=f"any of {', '.join(worker.PROGRAMS)} (default: all)")
    parser.add_argument("--rounds", type=int, default=3, help="processes for each program and engine")
    for field in dataclasses.fields(training.Sizes):
        parser.add_argument("--" + field.name.replace("_", "-"), type=type(field.default), default=field.default,
                            help=f"{HELP[field.name]} (default: {field.default:g})")
    parser.add_argument("--cores", type=int, help="run the workers on this many cores (default: all)")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of tables")
    parser.add_argument("--check", action="store_true",
                        help=f"exit with status 1 if a limit is passed by more than {limits.MARGIN - 1:.0%}%")
    options = parser.parse_args(arguments)
    unknown = set(options.programs) - set(worker.PROGRAMS)
    if unknown:
        parser.error(f"no such program: {', '.join(sorted(unknown))}")
    sizes = training.Sizes(**{field.name: getattr(options, field.name) for field in dataclasses.fields(training.Sizes)})
    plan = suite.Plan(options.programs or worker.PROGRAMS, options.rounds, sizes, options.cores)
    with Console(stderr=True).status("") as status:
        results, runs = suite.run(plan, status.update)
    verdicts = limits.judged(results)
    report(options.json, plan, results, runs, verdicts)
    return int(options.check and any(verdict.broken for verdict in verdicts))


def report(as_json: bool, plan: suite.Plan, results: dict, runs: dict, verdicts: Sequence[limits.Verdict]) -> None:
    """Print tables, or one JSON object."""
    cores, sizes = plan.cores or os.cpu_count(), dataclasses.asdict(plan.sizes)
    if as_json:
        judged = [{**dataclasses.asdict(verdict), "holds": verdict.holds, "broken": verdict.broken} for verdict in verdicts]
        print(json.dumps({"results": results, "limits": judged, "runs": runs, "sizes": sizes, "cores": cores}, indent=1))
        return
    console = Console() if sys.stdout.isatty() else Console(width=130)
    console.print(f"{platform.machine()}, {cores} cores, medians of {plan.rounds} processes; in brackets: times torch "
                  "eager\n", highlight=False)
    table.show(console, results, sizes)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
