"""Which Nodes a graph has."""

from collections.abc import Iterable


def reachable(roots: Iterable, oldest: int = 0) -> set:
    """The Nodes that edges lead to.

    Args:
        roots: where to start: these Nodes are among them.
        oldest: Nodes with smaller sequence numbers are left out. What they lead to is older still, or a leaf.

    Returns:
        A set of Nodes.
    """
    found: set = set()
    stack = list(roots)
    while stack:
        node = stack.pop()
        if node.seq >= oldest and node not in found:
            found.add(node)
            stack.extend([edge[0] for edge in node.edges if edge is not None])
    return found
