"""``python -m compat.jax_names [--write]``."""

import argparse
import sys

from compat.jax_names import table


def main() -> int:
    """The command.

    Returns:
        1 if a supported release lacks a name that torchlike uses.
    """
    parser = argparse.ArgumentParser(prog="python -m compat.jax_names", description="Names of JAX that torchlike uses.")
    parser.add_argument("--write", action="store_true", help="make the table anew, of all releases; needs the network")
    if parser.parse_args().write:
        table.write()
    uses = table.of_torchlike()
    found = table.complaints(uses, table.read())
    print("\n".join(found) or f"{len(uses)} uses: all releases have them")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
