"""``python -m compat.conventions``: run PyTorch and JAX at special points and write docs/differences; with
``--check`` only say which pages are not as written. Status 1 if a row of the table does not hold, or a page is out of
date.
"""

import argparse
import multiprocessing
import pathlib
import sys

from compat.conventions import finding, page, table

_ROWS = 40
ROOT = pathlib.Path(__file__).parents[2]


def main() -> int:
    """Run, and write or compare."""
    parser = argparse.ArgumentParser(prog="python -m compat.conventions", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; status 1 if a page is out of date")
    parser.add_argument("--match", help="only names with this text: print their sections, write nothing")
    parser.add_argument("--jobs", type=int, default=1, help="so many processes")
    options = parser.parse_args()
    rows = [row for row in table.rows() if not options.match or options.match in row.name]
    found = ran(rows, options.jobs)
    problems = [problem for one in found for problem in one.problems]
    print(*problems, sep="\n")
    if options.match:
        print(*(page.counterpart(one) + page.section(one) for one in found), sep="\n")
        return bool(problems)
    stale = outdated(page.texts(found))
    for path, text in stale.items():
        print(path)
        if not options.check:
            (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
            (ROOT / path).write_text(text)
    return bool(problems) or (options.check and bool(stale))


def ran(rows, jobs=1) -> list:
    """What is found of each row, in order. JAX keeps what it compiled, so no process runs many rows."""
    with multiprocessing.get_context("spawn").Pool(jobs, maxtasksperchild=_ROWS) as pool:
        return pool.map(finding.of, rows, chunksize=1)


def outdated(texts) -> dict:
    """{path: text} of the pages that are missing or differ."""
    return {path: text for path, text in texts.items() if not (ROOT / path).exists() or (ROOT / path).read_text() != text}


if __name__ == "__main__":
    sys.exit(main())
