"""The prefix tree of instructions: what has been recorded once costs one look-up the next time.

A node is a dictionary of what may follow it. The path from the root to a node is a trace; programs
compiled for that trace are kept on the node.
"""

import threading
from typing import Any

from torchlike._base import config
from torchlike._base.forkable import forkable
from torchlike._compile import program as programs
from torchlike._record.site import here

counters = {"nodes": 0, "misses": 0, "trees_dropped": 0, "dynamic_numbers": 0}
LOCK = forkable(threading.RLock())
LONG, DIVIDES = 1, 2


class TreeNode(dict):
    """One instruction after its predecessors.

    ``item`` is its Input or Call; ``out`` the Aval of its one result, ``outs`` of all; ``first`` the slot of its first
    result, ``width`` the number of slots up to and with its results; ``depth`` the number of instructions up to it,
    ``bytes`` of results so far, ``over`` what is to be done once it is recorded (LONG: ask if the trace should run,
    DIVIDES: look at the divisor); ``programs`` the compiled forms by
    (live slots, donated inputs); ``replays`` the backward passes that have started here (`torchlike/autograd/replay.py`);
    ``code`` and ``frames`` the user's code that was here last, and how many frames above that of its Node's constructor;
    ``site`` the line that was here last with a Node, else first.
    """

    __slots__ = ("bytes", "code", "depth", "first", "frames", "item", "out", "outs", "over", "parent", "plans", "programs",
                 "replays", "root", "seen", "site", "width")

    def __init__(self, parent, item, outs, root=None):
        dict.__init__(self)
        self.parent, self.item, self.outs = parent, item, outs
        self.out = outs[0] if outs else None
        self.programs = {}
        self.plans = {}
        self.replays = self.code = None
        self.frames = 1  # never 0: a frame that holds itself is a cycle
        self.seen = (-1, ())
        if parent is None:
            self.root, self.depth, self.bytes, self.over = self, 0, 0, 0
            self.first, self.width = 0, len(outs)
            return
        self.root = parent.root
        self.first, self.width = parent.width, parent.width + len(outs)
        self.depth = parent.depth + (item.__class__ is programs.Call)
        size = sum(a.nbytes for a in outs) if item.__class__ is programs.Call else 0
        self.bytes = parent.bytes + size
        limits = config.settings
        is_long = self.depth >= limits.max_trace or self.bytes // limits.max_bytes > parent.bytes // limits.max_bytes
        divides = item.__class__ is programs.Call and item.divisor is not None
        self.over = is_long * LONG | divides * DIVIDES
        counters["nodes"] += 1

    __hash__: Any = object.__hash__

    def path(self) -> list:
        """The instructions from the root to here."""
        items, node = [], self
        while node.parent is not None:
            items.append(node.item)
            node = node.parent
        items.reverse()
        return items

    def dynamic(self) -> tuple:
        """Which numbers of the trace arrive at run time; looked up again when any has changed."""
        now = counters["dynamic_numbers"]
        if self.seen[0] != now:
            self.seen = (now, programs.dynamic_positions(self.path()))
        return self.seen[1]


def new_root() -> TreeNode:
    """An empty tree."""
    return TreeNode(None, None, ())


def add(parent: TreeNode, key, item, outs) -> TreeNode:
    """The child of `parent` under `key`."""
    with LOCK:
        found = parent.get(key)
        if found is None:
            counters["misses"] += 1
            found = parent[key] = TreeNode(parent, item, outs)
            found.site = here()
    return found


def number_changed(node: TreeNode, position: int, number) -> None:
    """From now on this number of this instruction is a runtime input; RuntimeError if it does not fit the row."""
    if node.item.ranges and (found := node.item.ranges[position]) is not None:
        found.check(number)
    with LOCK:
        if not node.item.dynamic[position]:
            node.item.dynamic[position] = True
            counters["dynamic_numbers"] += 1


def bound(root: TreeNode) -> TreeNode:
    """`root`, or a new tree where the old one has grown past the limit."""
    return root if counters["nodes"] < config.settings.max_nodes else drop(root)


def drop(root: TreeNode) -> TreeNode:
    """Start the tree anew."""
    with LOCK:
        counters["nodes"] = 0
        counters["trees_dropped"] += 1
        root.clear()
        root.programs.clear()
    return root
