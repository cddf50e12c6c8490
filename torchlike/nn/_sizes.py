"""Turning `kernel_size=3` into `(3, 3)`."""

import itertools
from collections.abc import Iterable


def _ntuple(n):
    def spread(x):
        return tuple(x) if isinstance(x, Iterable) else tuple(itertools.repeat(x, n))

    return spread


_single = _ntuple(1)
_pair = _ntuple(2)
_triple = _ntuple(3)
_quadruple = _ntuple(4)
