"""``python -m compat.surface``: PyTorch's public names and signatures, and what torchlike makes of each.

Status 1 if a name is absent (a plain AttributeError) that compat/gaps.toml does not list, or is there and listed, or says of
itself (``__module__``, ``__name__``, ``repr``) what PyTorch's does not, for no known reason.
"""

import argparse
import sys

from rich.console import Console
from rich.table import Table

from compat import findings, gaps
from compat.surface import documented, introspection
from compat.surface.standing import ABSENT, EXISTS, REFUSES, same_signature, standing


def main() -> int:
    """Compare, print, write."""
    options = _options()
    found = {space: examine(space) for space in options.space or documented.SPACES}
    report(found, options)
    wrong = unlisted(found) + ([] if options.space else unexplained(introspection.examine(), options))
    return findings.conclude(found, options.json, wrong)


def examine(space) -> dict:
    """{EXISTS, REFUSES, ABSENT: names; "signatures": {name: is it PyTorch's}}."""
    found: dict = {EXISTS: [], REFUSES: [], ABSENT: []}
    for name in documented.names(space):
        found[standing(space, name)].append(name)
    told = {name: same_signature(space, name) for name in found[EXISTS]}
    return {**found, "signatures": {name: same for name, same in told.items() if same is not None}}


def unlisted(found) -> list:
    """Absent names without a row in compat/gaps.toml, and rows of names that are not absent."""
    listed = gaps.names()
    texts = [f"{space}.{name}: absent, and not in compat/gaps.toml"
             for space, names in found.items() for name in names[ABSENT] if (space, name) not in listed]
    return texts + [f"{space}.{name}: not absent, but listed in compat/gaps.toml"
                    for space, name in listed if space in found and name not in found[space][ABSENT]]


def unexplained(said, options) -> list:
    """What public functions and classes say of themselves: a table, and the differences without a known reason."""
    console, kinds = Console(highlight=False, soft_wrap=True), {each.attribute: None for each in said}
    table = Table("what is said", *kinds)
    for why in sorted({each.why for each in said}):
        counts = (sum(each.why == why and each.attribute == kind for each in said) for kind in kinds)
        table.add_row(why or "as PyTorch", *map(str, counts))
    console.print(table)
    for each in said if options.introspection else ():
        if each.why:
            console.print(f"{each.path}.{each.attribute}: {each.ours}, not {each.theirs}: {each.why}", markup=False)
    return [f"{each.path}.{each.attribute}: {each.ours}, not {each.theirs}" for each in said
            if each.why == introspection.UNEXPLAINED]


def report(found, options) -> None:
    """One line a space, and the names asked for."""
    console = Console(highlight=False, soft_wrap=True)
    table = Table("space", "names", "exist", "%", "refuse", "absent", "signatures", "equal")
    for space, names in {**found, "all": _total(found)}.items():
        count = sum(len(names[kind]) for kind in (EXISTS, REFUSES, ABSENT))
        told = names["signatures"].values()
        table.add_row(space, str(count), str(len(names[EXISTS])), f"{100 * len(names[EXISTS]) / max(count, 1):.1f}",
                      str(len(names[REFUSES])), str(len(names[ABSENT])), str(len(told)), str(sum(told)))
    console.print(table)
    for space, names in found.items():
        for kind in (REFUSES, ABSENT) if options.missing else ():
            if names[kind]:
                console.print(f"{space}: {kind}: {' '.join(names[kind])}", markup=False)
        differ = [name for name, same in names["signatures"].items() if not same]
        if options.signatures and differ:
            console.print(f"{space}: other signature: {' '.join(differ)}", markup=False)


def _total(found) -> dict:
    total: dict = {kind: [name for names in found.values() for name in names[kind]] for kind in (EXISTS, REFUSES, ABSENT)}
    return {**total, "signatures": {(space, name): same for space, names in found.items()
                                    for name, same in names["signatures"].items()}}


def _options():
    parser = argparse.ArgumentParser(prog="python -m compat.surface", description=__doc__)
    parser.add_argument("--space", action="append", choices=documented.SPACES, help="only this one; may be repeated")
    parser.add_argument("--missing", action="store_true", help="print the names that refuse or are absent")
    parser.add_argument("--signatures", action="store_true", help="print the names whose signature is not PyTorch's")
    parser.add_argument("--introspection", action="store_true", help="print what names say of themselves otherwise")
    parser.add_argument("--json", default="", help="write what was found to this file")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
