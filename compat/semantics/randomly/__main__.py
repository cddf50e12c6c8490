"""``python -m compat.semantics.randomly N``: random programs under torch and torchlike; status 1 if one differs."""

import argparse
import sys
import time

from compat.semantics.randomly import running, spoilt, writer


def main() -> int:
    """Compare, print each program that differs as a runnable text, and a count."""
    parser = argparse.ArgumentParser(prog="python -m compat.semantics.randomly", description=__doc__)
    parser.add_argument("count", type=int, help="number of programs")
    parser.add_argument("--seed", type=int, default=0, help="number of the first program")
    parser.add_argument("--wide", action="store_true", help="with transforms, numpy, copies and subclasses")
    parser.add_argument("--spoilt", action="store_true", help="with wrong arguments: both must refuse the same")
    parser.add_argument("--most", type=int, default=10, help="stop after so many differences")
    options = parser.parse_args()
    started, wrong, done = time.perf_counter(), 0, 0
    programs = spoilt if options.spoilt else running
    with running.tier("off"):
        for seed in range(options.seed, options.seed + options.count):
            text, found = programs.check(writer.genes(seed), options.wide)
            done += 1
            if found:
                wrong += 1
                short = programs.shortened(text)
                print(f"# program {seed}: {programs.compared(short) or found}\n{short}\n", flush=True)
                if wrong >= options.most:
                    break
            if done % 10_000 == 0:
                print(f"{done} programs, {wrong} differ, {time.perf_counter() - started:.0f} s", file=sys.stderr, flush=True)
    print(f"{done} programs, {wrong} differ, {time.perf_counter() - started:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
