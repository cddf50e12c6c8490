"""What a program of several ranks says of itself, in comments::

    # torchlike diff: ranks 2
    # torchlike diff: same loss, totals*
    # torchlike diff: by rank local.*.grad: each rank has its own samples
    # torchlike diff: not one process half.*: each rank rounds its gradients

`ranks` is how many processes it runs in. Parameters, buffers and gradients are held to be the same on all ranks and in one
process, and so is what `same` names. What differs on purpose is named with the reason, and must differ. A ``*`` in a name
stands for anything.
"""

import dataclasses
import pathlib
import re

from torchlike._diff import sources

JUDGED = frozenset(("parameter", "buffer", "grad"))  # kinds that are the same on all ranks unless a program says no
MOST = 64  # ranks
_LINE = re.compile(r"^[ \t]*# torchlike diff:(.*)$", re.MULTILINE)
_RANKS, _SAME, _BY_RANK, _OTHER = "ranks", "same", "by rank", "not one process"
_REASONED = (_BY_RANK, _OTHER)


class TermsError(ValueError):
    """A comment that says nothing that can be understood; the text says why."""


@dataclasses.dataclass(frozen=True)
class Terms:
    """How many ranks there are, None for a program of one process; the names of what is the same though it is neither
    parameter, buffer nor gradient; (names, reason) of what differs by rank, and of what differs from one process.
    """

    ranks: int | None = None
    same: tuple[str, ...] = ()
    by_rank: tuple[tuple[str, str], ...] = ()
    others: tuple[tuple[str, str], ...] = ()

    def is_judged(self, name: str, kind: str) -> bool:
        """Whether something is held against other ranks and one process."""
        return kind in JUDGED or any(_fits(name, pattern) for pattern in self._named())

    def why_by_rank(self, name: str) -> str:
        """Why it differs by rank, "" where it does not."""
        return _reason(self.by_rank, name)

    def why_other(self, name: str) -> str:
        """Why it is not what one process has, "" where it is."""
        return _reason(self.others, name)

    def unused(self, names) -> list[str]:
        """Those of the names in the comments that are nothing's."""
        return [pattern for pattern in self._named() if not any(_fits(name, pattern) for name in names)]

    def _named(self) -> list[str]:
        return [*self.same, *(pattern for pattern, _ in (*self.by_rank, *self.others))]


def _fits(name: str, pattern: str) -> bool:
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), name) is not None


def _reason(pairs, name: str) -> str:
    return next((why for pattern, why in pairs if _fits(name, pattern)), "")


def of_program(path: str) -> Terms:
    """The terms of the program at a path.

    Args:
        path: of a Python file or a notebook.

    Returns:
        the Terms.

    Raises:
        TermsError: a comment cannot be understood.
    """
    text = sources.notebook_source(path)
    return read((pathlib.Path(path).read_bytes() if text is None else text).decode(errors="replace"))


def read(text: str) -> Terms:
    """The terms in a program's text.

    Args:
        text: the text.

    Returns:
        the Terms.

    Raises:
        TermsError: a comment cannot be understood.
    """
    ranks: int | None = None
    found: dict = {word: [] for word in (_SAME, *_REASONED)}
    for said in (match[1].strip() for match in _LINE.finditer(text)):
        word = next((word for word in (_RANKS, *found) if said.startswith(f"{word} ")), None)
        if word is None:
            raise TermsError(f"'# torchlike diff: {said}' begins with none of {', '.join((_RANKS, *found))}")
        rest = said.removeprefix(word).strip()
        if word == _RANKS:
            ranks = number_of(rest)
            continue
        names, _, why = rest.partition(":")
        if (word in _REASONED) is not bool(why.strip()):
            raise TermsError(f"'# torchlike diff: {said}': '{word}' takes names"
                             f"{', a colon and the reason' if word in _REASONED else ''}")
        patterns = [name.strip() for name in names.split(",") if name.strip()]
        found[word] += [(name, why.strip()) for name in patterns] if word in _REASONED else patterns
    return Terms(ranks, *map(tuple, found.values()))


def number_of(text: str) -> int:
    """A number of ranks.

    Args:
        text: what says it.

    Returns:
        the number.

    Raises:
        TermsError: it is none, or there would be too many or too few.
    """
    if not (text.isdecimal() and 2 <= int(text) <= MOST):
        raise TermsError(f"{text!r} is no number of ranks from 2 to {MOST}")
    return int(text)
