"""``python -m benchmarks``: the same programs under every engine, in fresh processes, medians and ratios."""

import argparse
import json
import os
import platform
import sys

from rich.console import Console

from benchmarks import suite, table, worker
from benchmarks.first import __main__ as first


def main() -> int:
    """Run the benchmarks; 0 whatever the figures are."""
    if first.FLAG in sys.argv[1:]:
        return first.main([argument for argument in sys.argv[1:] if argument != first.FLAG])
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(first.FLAG, action="store_true", help="what a user feels first; has options of its own, see "
                        f"{first.FLAG} --help")
    parser.add_argument("programs", nargs="*", default=list(suite.PROGRAMS), metavar="program",
                        help=f"any of {', '.join(suite.PROGRAMS)} (default: all)")
    parser.add_argument("--engines", nargs="+", choices=worker.ENGINES, default=list(worker.ENGINES))
    parser.add_argument("--rounds", type=int, default=3, help="processes for each program and engine")
    parser.add_argument("--seconds", type=float, default=0.5, help="time to measure in, for each figure")
    parser.add_argument("--cores", type=int, help="run the workers on this many cores (default: all)")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of tables")
    options = parser.parse_args()
    unknown = set(options.programs) - set(suite.PROGRAMS)
    if unknown:
        parser.error(f"no such program: {', '.join(sorted(unknown))}")
    plan = suite.Plan(options.programs, options.engines, options.rounds, options.seconds, options.cores)
    runs: dict = {program: {engine: [] for engine in plan.engines if engine in suite.PROGRAMS[program]}
                  for program in plan.programs}
    with Console(stderr=True).status("") as status:
        for turn, program, engine in suite.jobs(plan):
            status.update(f"round {turn + 1} of {plan.rounds}: {program} under {engine}")
            runs[program][engine].append(suite.run_worker(engine, program, plan))
    results = {program: {engine: suite.medians(found) for engine, found in engines.items()}
               for program, engines in runs.items()}
    if options.json:
        cores = options.cores or os.cpu_count()
        print(json.dumps({"results": results, "runs": runs, "cores": cores}, indent=1))
    else:
        console = Console() if sys.stdout.isatty() else Console(width=130)
        console.print(f"{platform.machine()}, {options.cores or os.cpu_count()} cores, medians of "
                      f"{plan.rounds} processes; in brackets: times torch eager\n", highlight=False)
        table.show(console, results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
