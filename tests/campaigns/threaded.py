"""A process whose threads compute: `python -m tests.campaigns.threaded GIVEN`, as `threads` starts it.

It prints, for each round, what is wrong with it, as JSON: nothing, as a rule.
"""

import json
import math
import random
import sys
import threading
import time
import traceback
import warnings

import torch as pytorch

import torchlike
from tests.campaigns.thread_uses import GROUPS

PATIENCE = 60  # seconds for a round
INTERVAL = 1e-6  # seconds after which another thread may have its turn


def same(a, b) -> bool:
    """Whether results are equal but for rounding."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-7)
    return a == b


def _guarded(part, errors, gate):
    gate.wait()
    try:
        part()
    except BaseException:  # noqa: BLE001 - it is reported
        errors.append(traceback.format_exc(limit=-8))


def _together(parts) -> list:
    """Call the functions, each in a thread; what was raised, as texts. A hang ends the process, with the stacks."""
    errors: list = []
    gate = threading.Event()
    threads = [threading.Thread(target=_guarded, args=(part, errors, gate)) for part in parts]
    before = sys.getswitchinterval()
    sys.setswitchinterval(INTERVAL)
    try:
        for thread in threads:
            thread.start()
        gate.set()
        end = time.monotonic() + PATIENCE
        for thread in threads:
            thread.join(max(0.0, end - time.monotonic()))
            if thread.is_alive():
                raise TimeoutError
    finally:
        sys.setswitchinterval(before)
    return errors


def _expected(name, seed):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of what PyTorch uses itself
        group = GROUPS[name](pytorch, random.Random(seed))
        for part in group.parts():
            part()
        return group.result()


def round_(names: list, seed: int) -> list:
    """(group, what is wrong) of groups that compute at once."""
    wanted = [_expected(name, seed + k) for k, name in enumerate(names)]
    groups = [GROUPS[name](torchlike, random.Random(seed + k)) for k, name in enumerate(names)]
    parts = [part for group in groups for part in group.parts()]
    random.Random(seed).shuffle(parts)
    found = [("+".join(names), error) for error in _together(parts)]
    for name, group, expected in zip(names, groups, wanted, strict=True):
        try:
            result = group.result()
        except Exception:  # noqa: BLE001 - it is reported
            found.append((name, traceback.format_exc(limit=-8)))
            continue
        if not found and not same(json.loads(json.dumps(result)), json.loads(json.dumps(expected))):
            found.append((name, f"{str(result)[:400]}, not {str(expected)[:400]}"))
    return found


def main(given: dict) -> None:
    """Print what is wrong with each round."""
    pytorch.set_num_threads(1)
    with torchlike.configure(**given["settings"]):
        for names, seed in given["rounds"]:
            print(json.dumps(round_(names, seed)), flush=True)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
