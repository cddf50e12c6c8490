"""``python -m compat.stubs``: write torchlike's type stubs; with ``--check`` only say which are not what they would be."""

import argparse
import pathlib
import sys

from compat.stubs.modules import stubs

ROOT = pathlib.Path(__file__).parents[2]


def main() -> int:
    """Write or compare."""
    parser = argparse.ArgumentParser(prog="python -m compat.stubs", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; status 1 if a stub is out of date")
    check = parser.parse_args().check
    old = outdated()
    for path, text in old.items():
        print(path)
        if not check:
            (ROOT / path).write_text(text)
    return 1 if old and check else 0


def outdated() -> dict:
    """{path: text} of the stubs that are missing or differ."""
    return {path: text for path, text in stubs().items()
            if not (ROOT / path).exists() or (ROOT / path).read_text() != text}


if __name__ == "__main__":
    sys.exit(main())
