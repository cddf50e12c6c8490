"""What an examination found: {name: {check: {"passed", "failed", "first"} or a text}}; its table, and compat/gaps.toml."""

import argparse
import json
import re

import torch
from rich.console import Console
from rich.progress import track
from rich.table import Table


def tally() -> dict:
    """A count of samples, with the first that failed."""
    return {"passed": 0, "failed": 0, "first": ""}


def add(counted, text, where="") -> None:
    """One more sample: `text` says what differs, "" if nothing does."""
    counted["failed" if text else "passed"] += 1
    if text and not counted["first"]:
        counted["first"] = f"{where}: {text}"[:500] if where else text[:400]


def join(total, counted) -> None:
    """Add another count to a total."""
    for key, more in counted.items():
        total[key] = total[key] or more if key == "first" else total[key] + more


def misses(finding) -> set:
    """The checks that are not passed; a text ("missing", "crash") stands for all of them."""
    return {check for check, counted in finding.items() if isinstance(counted, str) or counted["failed"]}


def unlisted(found, listed, whole=True) -> list:
    """Misses without a row (name, check) among those `listed` in compat/gaps.toml, and, where all samples were tried
    (`whole`), rows that pass."""
    texts = [f"{name}: {check}: not in compat/gaps.toml: {finding[check]}" for name, finding in found.items()
             for check in sorted(misses(finding)) if (name, check) not in listed]
    if whole:
        texts += [f"{name}: {check}: passes, but is listed in compat/gaps.toml" for name, check in listed
                  if check in found.get(name, ()) and check not in misses(found[name])]
    return texts


def conclude(found, path, wrong) -> int:
    """Write what was found as JSON to `path`, if there is one, and print what is `wrong`: the exit status."""
    if path:
        with open(path, "w") as file:
            json.dump(found, file, indent=1)
    for text in wrong:
        print(text)
    return 1 if wrong else 0


def examination(doc, kind, subjects, examine, checks, listed, dtypes) -> int:
    """The command ``python -m compat.<kind>``: ``examine(subject, dtypes)`` for each of `subjects`, {name: subject}."""
    parser = argparse.ArgumentParser(prog=f"python -m compat.{kind}", description=doc)
    parser.add_argument("--match", default="", help=f"only {kind} that this expression finds")
    parser.add_argument("--dtype", default=",".join(dtypes), help="dtypes, by commas")
    parser.add_argument("--json", default="", help="write the findings to this file")
    options = parser.parse_args()
    torch.set_num_threads(1)  # the tensors are small
    chosen = {name: subject for name, subject in subjects.items() if re.search(options.match, name)}
    found = {name: examine(subject, options.dtype.split(","))
             for name, subject in track(chosen.items(), kind, console=Console(stderr=True), transient=True)}
    report(found, checks, kind)
    return conclude(found, options.json, unlisted(found, listed))


def report(found, checks, kind) -> None:
    """Print for each check how many of a kind ("modules") pass with all samples."""
    table = Table("check", kind, "pass", "%", "samples", "pass")
    for check in checks:
        counted = [finding[check] for finding in found.values() if check in finding]
        passed, samples = sum(not t["failed"] for t in counted), sum(t["passed"] + t["failed"] for t in counted)
        table.add_row(check, str(len(counted)), str(passed), f"{100 * passed / max(len(counted), 1):.1f}", str(samples),
                      str(sum(t["passed"] for t in counted)))
    console = Console(highlight=False, soft_wrap=True)
    console.print(table)
    whole = sum(not misses(finding) for finding in found.values())
    console.print(f"{whole} of {len(found)} {kind} pass every check")
