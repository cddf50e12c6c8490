"""The names of all operators of ATen, with their overloads, as PyTorch's dispatcher has them."""

import collections

import torch

PATH = "torchlike/_api/generated/aten_names.txt"


def texts() -> dict:
    """{path below the root: text}: a line for each operator, with the names of its overloads."""
    found = collections.defaultdict(list)
    for full in sorted(torch._C._dispatch_get_all_op_names()):
        space, _, name = full.partition("::")
        operator, _, overload = name.partition(".")
        if space == "aten":
            found[operator].append(overload or "default")
    return {PATH: "".join(f"{operator} {' '.join(overloads)}\n" for operator, overloads in found.items())}
