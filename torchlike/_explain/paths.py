"""The paths from a loss to a tensor, and what the gradient is on each: the chain rule, one path at a time.

A gradient is the sum over all paths of the product of the derivatives along it. Each product is computed by the
Nodes' own backward, so where a path turns zero, infinite or nan is the very step that does it.
"""

import numpy as np

from torchlike._base import errors
from torchlike._ops.table import ROWS
from torchlike._record.bind import bind
from torchlike._record.leaf import host
from torchlike._record.site import place
from torchlike._record.trace import state

LIMIT = 8  # paths that are followed; all are counted


class Step:
    """One Node of a path: its name and line, and of the gradient that leaves it the largest absolute value,
    how many of its elements are zero and how many there are (None where it could not be computed).
    """

    def __init__(self, name, site, largest=None, zeros=None, count=None):
        self.name, self.site, self.largest, self.zeros, self.count = name, site, largest, zeros, count

    def __str__(self):
        where = "" if self.site is None else "  {}:{}".format(*place(self.site))
        if self.count is None:
            return f"{self.name}{where}"
        zeros = f", {self.zeros} of {self.count} zero" if self.zeros else ""
        return f"{self.name}{where}  largest {self.largest:.4g}{zeros}"

    def state(self) -> str:
        """What is wrong with the gradient that leaves it, or ""."""
        if self.largest != self.largest:
            return "nan"
        return "infinite" if self.largest == float("inf") else "zero" if self.zeros == self.count else ""


class Path:
    """From the loss to the tensor: ``steps``; ``product``, its share of the gradient, as a numpy array; ``problem``:
    why there is none; ``freed``: where the graph was freed, () if that is not known, None if it was not.
    """

    def __init__(self, steps):
        self.steps, self.problem = steps, ""
        self.product: np.ndarray | None = None
        self.freed: tuple | None = None

    def turns(self) -> list:
        """(what, Step) of each step after which the gradient is for the first time all zero, nan or infinite."""
        found, before = [], ""
        for step in self.steps:
            if step.count is None:
                break
            now = step.state()
            if now and now != before:
                found.append((now, step))
            before = now
        return found


def count_paths(root, target) -> int:
    """How many paths lead from the Node `root` to the edge `target`."""
    return _counts(root, target).get(root, 0)


def nodes_between(root, target) -> list:
    """The Nodes on these paths."""
    return list(_counts(root, target))


def follow_paths(root, target, start) -> list:
    """Up to `LIMIT` Paths from `root` to `target`; `start`: the gradient at `root` and the number of its output."""
    counts = _counts(root, target)
    return [_product(turns, start) for turns in _enumerate(root, target, counts)]


def _counts(root, target) -> dict:
    """For each Node the number of paths from it to the edge `target`; Nodes without any are left out."""
    counts, seen, stack = {}, set(), [root]
    while stack:
        node = stack.pop()
        if node.__class__ is tuple:
            node = node[0]
            total = sum((edge == target) + counts.get(edge[0], 0) for edge in node.edges if edge is not None)
            if total:
                counts[node] = total
        elif node not in seen:
            seen.add(node)
            stack.append((node,))
            stack.extend(edge[0] for edge in node.edges if edge is not None)
    return counts


def _enumerate(root, target, counts):
    """Up to `LIMIT` paths, each a list of (Node, position of the edge taken)."""
    found = 0
    stack: list[tuple] = [(root, None)]
    while stack and found < LIMIT:
        node, trail = stack.pop()
        for position in reversed(range(len(node.edges))):
            edge = node.edges[position]
            if edge is None:
                continue
            if edge[0] in counts:
                stack.append((edge[0], (trail, node, position)))
            if edge == target and found < LIMIT:
                found += 1
                yield _unrolled((trail, node, position))


def _unrolled(trail) -> list:
    turns = []
    while trail is not None:
        trail, *turn = trail
        turns.append(turn)
    return turns[::-1]


def _product(turns, start) -> Path:
    thread = state.thread
    path, (g, number) = Path([Step(node.name(), node.site) for node, _ in turns]), start
    node = turns[0][0]
    before, thread.grad = thread.grad, False
    try:
        for step, (node, position) in zip(path.steps, turns, strict=True):
            g = node.backward(node.in_order({number: g}))[position]
            if g is None:
                break
            number = node.edges[position][1]
            _measure(step, g)
        path.product = None if g is None else np.array(host(g._cell))
    except RuntimeError as error:
        path.problem = str(error).splitlines()[0]
        if errors.FREED in str(error):
            path.problem, path.freed = "the graph has been freed", getattr(node, "freed", ()) or ()
    finally:
        thread.grad = before
    return path


def _measure(step, g) -> None:
    size = bind(ROWS["abs"], (g,))
    values = np.asarray(host(size._cell))
    step.count, step.zeros = values.size, int((values == 0).sum())
    step.largest = float(values.max()) if values.size else 0.0
