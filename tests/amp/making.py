"""Tensors and modules of the same numbers in both libraries, Nodes written out, and the comparison under autocast."""

import functools

import numpy as np

from compat import compare
from compat.compare.tolerances import HALVES

FACTS = ("node",)
check = functools.partial(compare.check, tolerance=HALVES, facts=FACTS)


def same(want, got) -> bool:
    """Whether two described results agree, values as far as bfloat16 goes."""
    return not compare.difference(want, got, HALVES)


def tensor(package, *shape, seed=0, dtype="float32", grad=False):
    """The same numbers in both libraries."""
    values = np.random.default_rng(seed).standard_normal(shape)
    made = package.tensor(values.tolist(), dtype=getattr(package, dtype))
    return made.requires_grad_(grad)


def module(package, make):
    """``make(package.nn)`` with the same parameters in both libraries."""
    made = make(package.nn)
    with package.no_grad():
        for i, p in enumerate(made.parameters()):
            p.copy_(tensor(package, *p.shape, seed=i) * 0.3)
    return made


def graph(x, depth=6) -> str:
    """The Nodes behind `x`, written out."""
    def of(node, left):
        if node is None or not left:
            return "-"
        return f"{node.name().rpartition('::')[2]}({','.join(of(n, left - 1) for n, _ in node.next_functions)})"

    return of(x.grad_fn, depth)


def nodes(x) -> list:
    """The names of all Nodes behind `x`, each once, sorted."""
    seen, stack = set(), [x.grad_fn]
    names = []
    while stack:
        node = stack.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        names.append(node.name().rpartition("::")[2])
        stack.extend(n for n, _ in node.next_functions)
    return sorted(names)
