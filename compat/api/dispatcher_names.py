"""The names of all operators, with their overloads, that PyTorch's dispatcher has once its own libraries are imported."""

import collections

import torch
import torch.ao.quantization.fx._decomposed
import torch.distributed._functional_collectives

from compat.api import later

PATH = "torchlike/_api/generated/dispatcher_names.txt"


def texts() -> dict:
    """{path below the root: text}: a line for each operator, with the names of its overloads."""
    found = collections.defaultdict(list)
    for full in sorted(torch._C._dispatch_get_all_op_names()):
        operator, _, overload = full.partition(".")
        found[operator].append(overload or "default")
    found = {**later.OPERATORS, **found}
    return {PATH: "".join(f"{operator} {' '.join(found[operator])}\n" for operator in sorted(found))}
