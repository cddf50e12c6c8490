"""How long the parts of a jagged tensor are."""

import itertools

import numpy as np

from torchlike._api import arange, tensor
from torchlike._base.dtypes import int64
from torchlike._base.symbolic import SymInt as _Symbol

_NUMBERS = itertools.count(1)


class SymInt(_Symbol):
    """The size of a ragged dimension, ``j1``: equal for tensors whose parts have the same lengths by construction.

    Args:
        number: that of the symbol.
        factor: what it is multiplied by, as in strides.
    """

    __module__ = "torch"

    def __init__(self, number: int, factor: int = 1):
        self.number, self.factor = number, factor

    def __repr__(self):
        return f"j{self.number}" if self.factor == 1 else f"{self.factor}*j{self.number}"

    def __eq__(self, other):
        return isinstance(other, SymInt) and (self.number, self.factor) == (other.number, other.factor)

    def __hash__(self):
        return hash((self.number, self.factor))

    def __mul__(self, other):
        return SymInt(self.number, self.factor * other)

    __rmul__ = __mul__

    def _refuse(self, other=None):
        raise NotImplementedError(f"the ragged size {self} of a nested tensor is no number")

    __index__ = __int__ = __add__ = __radd__ = __sub__ = __rsub__ = __floordiv__ = __mod__ = __truediv__ = _refuse

    def __ge__(self, other):
        return True

    def __gt__(self, other):
        return True

    def __lt__(self, other):
        return False


class Ragged:
    """Where the parts begin in the values, and how long they are. Tensors that share one have the same ragged size.

    Args:
        offsets: (parts + 1), integers.
        lengths: (parts), where the parts do not follow each other without gaps; else None.
    """

    def __init__(self, offsets, lengths=None):
        self.offsets, self.lengths = offsets, lengths
        self.size = SymInt(next(_NUMBERS))
        self._host = None

    @classmethod
    def of_lengths(cls, lengths: list) -> "Ragged":
        """Of parts one after the other.

        Args:
            lengths: a list of integers.
        """
        return cls(tensor([0, *itertools.accumulate(lengths)], dtype=int64))

    def __reduce__(self):
        return Ragged, (self.offsets, self.lengths)

    @property
    def count(self) -> int:
        """How many parts there are."""
        return self.offsets.shape[0] - 1

    @property
    def on_host(self) -> tuple:
        """(where each part begins, how long it is), lists of integers."""
        if self._host is None:
            offsets = self.offsets.tolist()
            ends = itertools.pairwise(offsets)
            self._host = (offsets[:-1], [b - a for a, b in ends] if self.lengths is None else self.lengths.tolist())
        return self._host

    def places(self):
        """(parts, longest): for each place of the padded form its row of the values; one behind the last for padding."""
        starts, lengths = self.on_host
        longest = max(lengths, default=0)
        steps = np.arange(longest)
        rows = np.asarray(starts, np.int64).reshape(-1, 1) + steps
        return rows, steps < np.asarray(lengths, np.int64).reshape(-1, 1)

    def numbers(self):
        """For each row of the values the part that it belongs to."""
        _, lengths = self.on_host
        return arange(self.count).repeat_interleave(tensor(lengths, dtype=int64))
