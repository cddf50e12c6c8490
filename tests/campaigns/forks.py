"""Programs that fork, or start processes anew, wherever they are: no process hangs, and each computes what PyTorch does."""

import dataclasses
import functools
import json
import random
import time

import numpy as np
import torch

from tests.campaigns import forked
from tests.campaigns.processes import finished
from tests.campaigns.report import Failure, Report

LIMIT = 3 * forked.PATIENCE  # seconds for a program
SETTINGS = ({}, {"hot": 1, "patience": 0.0}, {"compile": "now", "cache": "off"}, {"hot": 1, "patience": 0.0, "cache": "off"})


# -- cases

def drawn(draw: random.Random) -> forked.Round:
    """A round."""
    method = draw.choice(forked.FORKING * 2 + forked.ANEW)
    preparations = draw.sample([*forked.PREPARATIONS], draw.randint(0, 4))
    ending = draw.choice([*forked.ENDINGS]) if method in forked.WITH_ENDING else "return"
    place = draw.choice(["plain", *forked.PLACES])
    actions = draw.sample([*forked.ACTIONS], draw.randint(1, 5))
    return forked.Round(preparations, draw.choice(["nothing", "threads", "compiling"]), place, method, actions, ending)


def program(seed: int) -> dict:
    """What `forked` is given: some rounds in one process."""
    draw = random.Random(seed)
    rounds = [dataclasses.asdict(drawn(draw)) for _ in range(3)]
    return {"seed": seed, "settings": draw.choice(SETTINGS), "rounds": rounds}


# -- what they must give

@functools.cache
def _in_pytorch(preparations, actions):
    return forked.outcome(forked.State(torch, preparations), actions)


def _same(a, b) -> bool:
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, int | float) and isinstance(b, int | float):
        return bool(np.isclose(a, b, 1e-4, 1e-5))
    return a == b


def _complaint(round_: forked.Round, result: dict) -> str | None:
    """What is wrong with a round's results."""
    expected = _in_pytorch(tuple(round_.preparations), tuple(round_.actions))
    code = forked.ENDINGS[round_.ending]
    if any(found != code for found in result["codes"]):
        return f"ended with {result['codes']}"
    refuses = round_.method.endswith("fork") or round_.method in ("server", "loader")
    for who, values in [*(("a child", child) for child in result["children"]), ("the parent", result["here"])]:
        for action, value, wanted in zip(round_.actions, values, expected, strict=True):
            reason = forked.REFUSED.get(action) if refuses and who == "a child" else None
            if reason is not None and isinstance(value, str) and value.startswith(reason):
                continue
            if not _same(value, wanted):
                return f"{action!r} of {who}: {str(value)[:300]}, not {str(wanted)[:300]}"
    return None


def examined(given: dict) -> list:
    """The failures of a program."""
    out, errors, status = finished("tests.campaigns.forked", given, LIMIT)
    case, failures = f"examined({given!r})", []
    lines = out.splitlines()
    for fields, line in zip(given["rounds"], lines, strict=False):
        round_ = forked.Round(**fields)
        complaint = _complaint(round_, json.loads(line))
        if complaint is not None:
            failures.append(Failure(f"{round_.method}, {round_.ending}", complaint, case, len(given["rounds"])))
    if status != 0:
        method = given["rounds"][min(len(lines), len(given["rounds"]) - 1)]["method"]
        failures.append(Failure(f"{method}: status {status}", errors[-3000:], case, len(given["rounds"])))
    return failures


def smaller(given: dict) -> dict:
    """The last of its rounds that fails by itself, or all of them."""
    for fields in reversed(given["rounds"]):
        alone = {**given, "rounds": [fields]}
        if examined(alone):
            return alone
    return given


def run(seed: int, deadline: float, most: float = float("inf")) -> Report:
    """Programs by chance until the deadline, or `most` of them."""
    report = Report()
    tried = 0
    while time.monotonic() < deadline and tried < most:
        given = program(seed * 1_000_003 + tried)
        tried += 1
        failures = examined(given)
        if failures and len(given["rounds"]) > 1:
            failures = examined(smaller(given)) or failures
        report.cases += len(given["rounds"])
        for r in given["rounds"]:
            report.points |= {(r["method"], r["meanwhile"], r["place"], action) for action in r["actions"]}
        report.failures += failures
    return report
