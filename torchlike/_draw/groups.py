"""Modules and loops: which Nodes belong together.

A leaf's name says its module (``blocks.0.attn.weight``), and so that of the Node that uses it. Nodes run in the order of
their modules, so one without parameters is in the module that those before and behind it share, or in the one whose
``forward`` has its line. Where no module tells, Nodes of the same lines that come again and again are a loop.
"""

from torchlike._draw.picture import Picture
from torchlike._lower.names import Names

_FEWEST = 3  # turns of a loop
_LONGEST = 64  # Nodes of one turn


def group(picture: Picture, names: Names, paths: dict | None = None) -> None:
    """Gives each item its path.

    Args:
        picture: the Picture.
        names: the user's.
        paths: {Node: path} where the modules are known.
    """
    items = picture.items
    found = _by_leaves(picture, names) if paths is None else _given(picture, paths)
    for item, path in zip(items, found, strict=True):
        item.path = path
    if paths is None and not any(found):
        _loops(items)


def _given(picture, paths) -> list:
    """The paths of Nodes as they are known; a leaf is where the first Node is that uses it."""
    users: dict = {}
    for start, end in picture.arrows:
        users.setdefault(start, end)
    items = picture.items
    owners = [items[users[i]] if item.is_leaf and i in users else item for i, item in enumerate(items)]
    return [paths.get(owner.node, ()) for owner in owners]


def _by_leaves(picture, names) -> list:
    items = picture.items
    own: list = [None] * len(items)
    for start, end in picture.arrows:
        if items[start].is_leaf and not items[end].is_leaf:
            path = tuple(items[start].title.split(".")[:-1])
            if path and (own[end] is None or len(path) > len(own[end])):
                own[end] = path
    inner = [i for i, item in enumerate(items) if not item.is_leaf]
    behind = _nearest(reversed(inner), own)
    before = _nearest(inner, own)
    for i in inner:
        if own[i] is None:
            own[i] = _between(before[i], behind[i], items[i].node.site, names)
    for i, item in enumerate(items):
        if item.is_leaf:
            own[i] = tuple(item.title.split(".")[:-1])
    return [path or () for path in own]


def _nearest(order, own) -> dict:
    found, last = {}, ()
    for i in order:
        last = last if own[i] is None else own[i]
        found[i] = last
    return found


def _between(before, behind, site, names) -> tuple:
    """The module of a Node between two of known modules."""
    shared = _shared(before, behind)
    for path in (before, behind):
        for k in range(len(path), len(shared), -1):
            forward = getattr(type(names.module(path[:k])), "forward", None)
            if site is not None and getattr(forward, "__code__", None) is site[0]:
                return path[:k]
    return shared


def _shared(a, b) -> tuple:
    count = next((k for k, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    return a[:count]


def _loops(items) -> None:
    """Runs of Nodes of the same lines become groups: the loop, and in it its turns."""
    inner = [item for item in items if not item.is_leaf]
    keys = [(item.title, item.file, item.line) for item in inner]
    i = 0
    while i < len(keys):
        period, turns = _repeats(keys, i)
        if turns < _FEWEST:
            i += 1
            continue
        lines = sorted({line for _, _, line in keys[i:i + period] if line is not None})
        name = f"loop at line {lines[0]}" if lines else "loop"
        for k in range(period * turns):
            inner[i + k].path = (f"{name} #{i}", f"turn {k // period}")
        i += period * turns


def _repeats(keys, i) -> tuple:
    """(length, turns) of the repetition that begins here and covers most; the shortest length of equal ones."""
    best = (1, 1)
    for period in range(1, min(_LONGEST, (len(keys) - i) // _FEWEST) + 1):
        turns = 1
        first = keys[i:i + period]
        while keys[i + turns * period:i + (turns + 1) * period] == first:
            turns += 1
        if turns >= _FEWEST and turns * period > best[0] * best[1]:
            best = period, turns
    return best
