"""A process that examines cases of `edges`, with a bound to its memory: `edges.Apart` asks it."""

import dataclasses
import json
import resource
import sys
import warnings

import torch

from tests.campaigns import edges, loaded

ROOM = 6 << 30  # bytes of addresses beyond those that it has when it begins


def _tell(found: dict) -> None:
    print(json.dumps(found), flush=True)


def main() -> None:
    """Answer each line, until there are no more."""
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    edges.examined(edges.Case("torch.sum(x(3, 4))", "float32", "plain"))  # what is imported and started then is not counted
    resource.setrlimit(resource.RLIMIT_AS, (loaded.addresses() + ROOM, resource.RLIM_INFINITY))
    print("ready", flush=True)
    for line in sys.stdin:
        case = edges.Case(*json.loads(line))
        _tell({"stage": "PyTorch"})
        failures, counts = edges.examined(case, told=lambda tier: _tell({"stage": "torchlike", "tier": tier}))
        _tell({"failures": [*map(dataclasses.asdict, failures)], "counts": bool(counts)})


if __name__ == "__main__":
    main()
