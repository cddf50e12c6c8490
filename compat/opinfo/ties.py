"""Positions of equal elements: operators that do not promise which of several they name."""

import numpy as np
import torch

from compat.compare import array
from compat.opinfo.translate import ours

NAMES = {"sort", "argsort", "topk", "kthvalue", "median", "nanmedian", "mode"}


def resolved(source, want, got):
    """`got` with torch's positions in the place of ours wherever both name equal elements of `source`."""
    single = isinstance(want, torch.Tensor)
    if single and want.shape != source.shape:
        return got  # a value
    theirs, mine = ([want], [got]) if single else (list(want), list(got))
    if len(theirs) != len(mine) or theirs[-1].dtype != torch.int64 or not hasattr(mine[-1], "numpy"):
        return got
    if _name_the_same(source, theirs[-1], array(mine[-1])):
        mine[-1] = ours(theirs[-1])
    return mine[0] if single else tuple(mine)


def _name_the_same(source, theirs, mine) -> bool:
    if mine.shape != tuple(theirs.shape):
        return False
    values, theirs = array(source), array(theirs)
    for dim in range(values.ndim):
        want, got = (_taken(values, positions, dim) for positions in (theirs, mine))
        if want is not None and got is not None and np.array_equal(want, got, equal_nan=values.dtype.kind in "fc"):
            return True
    return False


def _taken(values, positions, dim):
    """The elements at the positions along `dim`, which they may have lost; None if they do not fit."""
    if positions.ndim == values.ndim - 1:
        positions = np.expand_dims(positions, dim)
    sizes = [n if i == dim else m for i, (n, m) in enumerate(zip(positions.shape, values.shape, strict=False))]
    if positions.ndim != values.ndim or tuple(sizes) != positions.shape or not (
            0 <= positions.min(initial=0) <= positions.max(initial=0) < max(values.shape[dim], 1)):
        return None
    return np.take_along_axis(values, positions, dim)
