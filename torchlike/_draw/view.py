"""Which modules are open, and what stands for several equal ones: the boxes that are drawn."""

import dataclasses
from collections.abc import Iterator

from torchlike._draw.picture import Picture

_FEWEST = 3  # equal modules one behind the other that are drawn as one


@dataclasses.dataclass(eq=False)
class Box:
    """What is drawn: a Node (``item``), a closed module, or an open one with ``boxes`` inside. ``count``: how many equal
    modules it stands for; ``places``: the items that it stands for or holds."""

    key: str
    title: str
    places: list[int]
    item: int | None = None
    boxes: "list[Box] | None" = None
    count: int = 1


@dataclasses.dataclass(eq=False)
class View:
    """``boxes`` of the outermost level, and ``arrows``: (from, to, how many), keys of boxes without others in them."""

    boxes: list[Box]
    arrows: list[tuple[str, str, int]]

    def each(self) -> Iterator[Box]:
        """All boxes, the outer ones first."""
        stack = list(self.boxes)
        while stack:
            box = stack.pop(0)
            yield box
            stack[:0] = box.boxes or []


@dataclasses.dataclass(eq=False)
class _Group:
    path: tuple
    members: list = dataclasses.field(default_factory=list)  # places of items, and _Groups, in order

    def places(self) -> list:
        return [place for member in self.members
                for place in (member.places() if isinstance(member, _Group) else [member])]


def view_of(picture: Picture, depth: int | None, most: int) -> View:
    """The View of a Picture.

    Args:
        picture: the Picture, grouped.
        depth: how deep modules are open; None opens as many as leave at most `most` boxes.
        most: see `depth`.
    """
    tree = _tree(picture)
    if depth is not None:
        return _viewed(picture, tree, depth)
    deepest = max((len(item.path) for item in picture.items), default=0)
    found = _viewed(picture, tree, 0)
    for level in range(1, deepest + 1):
        made = _viewed(picture, tree, level)
        if sum(box.boxes is None for box in made.each()) > most:
            break
        found = made
    return found


def _tree(picture) -> _Group:
    root, groups = _Group(()), {}
    groups[()] = root
    for i, item in enumerate(picture.items):
        for k in range(1, len(item.path) + 1):
            path = item.path[:k]
            if path not in groups:
                groups[path] = _Group(path)
                groups[path[:-1]].members.append(groups[path])
        groups[item.path].members.append(i)
    return root


def _viewed(picture, tree, depth) -> View:
    boxes = _boxes(picture, tree, depth)
    owner: dict = {}
    for box in View(boxes, []).each():
        if box.boxes is None:
            owner.update(dict.fromkeys(box.places, box.key))
    counts: dict = {}
    for start, end in picture.arrows:
        pair = owner[start], owner[end]
        if pair[0] != pair[1]:
            counts[pair] = counts.get(pair, 0) + 1
    return View(boxes, [(a, b, n) for (a, b), n in counts.items()])


def _boxes(picture, group, depth) -> list:
    """The boxes in a group, equal closed ones that follow each other as one."""
    found: list[Box] = []
    signatures: list = []
    for member in group.members:
        if not isinstance(member, _Group):
            found.append(Box(f"n{member}", picture.items[member].title, [member], member))
            signatures.append(None)
        elif depth <= 0:
            found.append(Box("m" + ".".join(member.path), _title(member.path), member.places()))
            signatures.append(_signature(picture, member))
        else:
            inner = _boxes(picture, member, depth - 1)
            found.append(Box("m" + ".".join(member.path), _title(member.path), member.places(), boxes=inner))
            signatures.append(None)
    return _folded(found, signatures)


def _title(path) -> str:
    return ".".join(path).split(" #")[0] if len(path) == 1 or " #" not in path[0] else path[-1]


def _signature(picture, group) -> tuple:
    """What two modules have in common that do the same: their Nodes and forms, in order."""
    return tuple((picture.items[i].form, picture.items[i].is_leaf or picture.items[i].title) for i in group.places())


def _folded(boxes, signatures) -> list:
    found: list[Box] = []
    i = 0
    while i < len(boxes):
        k = i + 1
        while signatures[i] is not None and k < len(boxes) and signatures[k] == signatures[i]:
            k += 1
        if k - i >= _FEWEST:
            title = f"{boxes[i].title} to {boxes[k - 1].title}"
            found.append(Box(boxes[i].key, title, [place for box in boxes[i:k] for place in box.places], count=k - i))
        else:
            found += boxes[i:k]
        i = k
    return found
