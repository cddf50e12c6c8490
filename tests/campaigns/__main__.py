"""``python -m tests.campaigns --minutes N``: run the campaigns; status 1 if a case failed."""

import argparse
import collections
import functools
import sys
import time

from tests.campaigns import edges, files, forks, interruptions, night, raising, recursion, threads, timers

CAMPAIGNS = {"interruptions": interruptions.run, "raising": raising.run, "recursion": recursion.run,
             "timers": timers.run, "edges": edges.run, "forks": forks.run, "files": files.run, "threads": threads.run,
             "night": night.run}


def main() -> int:
    """Print cases, failures by place, and the smallest reproduction of each campaign."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns", description=__doc__)
    parser.add_argument("--minutes", type=float, default=5, help="for how long, all campaigns together")
    parser.add_argument("--only", choices=CAMPAIGNS, action="append", help="this campaign (may stand several times)")
    parser.add_argument("--seed", type=int, default=0, help="of the cases")
    parser.add_argument("--begin", type=int, default=0, help="of edges, how many of the seed's cases are done already")
    options = parser.parse_args()
    chosen, failed = options.only or [*CAMPAIGNS], 0
    campaigns = CAMPAIGNS | {"edges": functools.partial(edges.run, begin=options.begin)}
    for name in chosen:
        report = campaigns[name](options.seed, time.monotonic() + 60 * options.minutes / len(chosen))
        print(f"{name}: {report.cases} cases, {len(report.points)} distinct points, {len(report.failures)} failures")
        for note in report.notes:
            print(f"  {note}")
        counts = collections.Counter(failure.where for failure in report.failures)
        for where, failure in report.causes().items():
            print(f"  {counts[where]:5} {where}: {failure.what}\n        {failure.case}")
        smallest = report.smallest()
        if smallest is not None:
            print(f"smallest: {smallest.case}")
        failed += len(report.failures)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
