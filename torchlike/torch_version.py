"""`torch.torch_version`: ``torch.__version__``, a text that is compared as a version."""

import functools
import re
from collections.abc import Iterable
from typing import Any

from torchlike.version import full

_FORM = re.compile(r"v?(\d+(?:\.\d+)*)(?:[-_.]?(a|b|rc|alpha|beta|c)[-_.]?(\d*))?(?:\.?(post|dev)(\d*))?(?:\+([\w.]+))?",
                   re.IGNORECASE)
_STAGES = {"alpha": "a", "beta": "b", "c": "rc"}


def _key(text: str) -> tuple | None:
    """What PEP 440 orders by: the release without zeros at its end, the stage, the local part; None for another text."""
    found = _FORM.fullmatch(text.strip())
    if found is None:
        return None
    release, stage, number, late, late_number, local = found.groups()
    numbers = [int(part) for part in release.split(".")]
    while numbers and not numbers[-1]:
        numbers.pop()
    early = (_STAGES.get(stage.lower(), stage.lower()), int(number or 0)) if stage else ("z", 0)
    if late == "dev":
        early = ("", int(late_number or 0)) if not stage else (*early, -1)
    posts = int(late_number or 0) + 1 if late == "post" else 0
    parts = tuple((1, int(part), "") if part.isdigit() else (0, 0, part) for part in (local or "").split(".") if part)
    return tuple(numbers), early, posts, parts


def _text(other: Any) -> str:
    if isinstance(other, str):
        return other
    if isinstance(other, Iterable):
        return ".".join(str(part) for part in other)
    raise ValueError(f"can't convert {other} to TorchVersion")


def _comparison(name: str):
    of_texts = getattr(str, name)

    @functools.wraps(of_texts)
    def compare(self, other):
        try:
            text = _text(other)
        except ValueError:
            return NotImplemented
        mine, theirs = _key(self), _key(text)
        if mine is None or theirs is None:
            return of_texts(self, other)  # as texts: one of them is no version
        return getattr(tuple, name)(mine, theirs)

    return compare


class TorchVersion(str):
    """A version, of its text, that is compared with versions, given as texts or as tuples of numbers."""

    __slots__ = ()
    __hash__ = str.__hash__
    __eq__ = _comparison("__eq__")
    __lt__ = _comparison("__lt__")
    __le__ = _comparison("__le__")
    __gt__ = _comparison("__gt__")
    __ge__ = _comparison("__ge__")


__version__ = TorchVersion(full)
