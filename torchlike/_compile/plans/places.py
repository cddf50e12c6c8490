"""Where the windows of a gather or scatter lie in an operand: its dimension numbers as arguments of numpy's indexing."""

import dataclasses
import functools
import math

import numpy as np
from jax.lax import GatherScatterMode

from torchlike._compile.plans.table import Form


@dataclasses.dataclass(slots=True, frozen=True)
class Layout:
    """A gather's or scatter's dimension numbers, in one form for both. "Window" is what one index vector points at.

    ``sizes``: of the window along each dimension of the operand. ``kept``: the dimensions that windows have in the result of
    a gather or the updates of a scatter. ``mapped``: the dimension that each number of an index vector counts along.
    ``batching``: pairs of a dimension of the operand and one of the indices that go together.
    """

    operand: Form
    indices: Form
    sizes: tuple
    kept: tuple
    mapped: tuple
    batching: tuple
    mode: GatherScatterMode

    @property
    def batch(self) -> tuple:
        """Shape of the windows' numbering."""
        return self.indices.shape[:-1]


class Places:
    """The windows of one layout, for indices given later.

    ``labels`` names the dimensions of what `index` selects: numbers from 0 on are the operand's, negative ones count the
    batch's from -1 on. `covers`: whether `index` selects each window on its own; else nothing depends on the indices.
    """

    def __init__(self, layout: Layout):
        self.layout = layout
        self._bounds = [layout.operand.shape[d] - layout.sizes[d] for d in layout.mapped]
        dtype = layout.indices.dtype
        # Read as unsigned, negative numbers are beyond all bounds, if these are below the dtype's largest.
        self._widens = dtype.kind == "i" and any(bound > np.iinfo(dtype).max for bound in self._bounds)
        self._unsigned = np.dtype(np.uint64 if self._widens else f"u{dtype.itemsize}")
        self._converts = dtype == np.uint64  # numpy does not index with these
        self._steps = [math.prod(layout.operand.shape[d + 1:]) for d in range(layout.operand.ndim)]
        self._arrange()

    # -- starts

    def starts(self, indices):
        """(for each mapped dimension where the windows start, moved inside the operand; which windows were inside, None
        where all were)."""
        batch, inside, found = self.layout.batch, None, []
        indices = indices.astype(np.int64) if self._widens else indices
        single = len(self._bounds) == 1
        for n, bound in enumerate(self._bounds):
            column = indices.reshape(batch) if single else indices[..., n]
            if column.size and column.view(self._unsigned).max() > bound:
                ok = (column >= 0) & (column <= bound)
                inside = ok if inside is None else inside & ok
                column = np.clip(column.astype(np.float64) if self._converts else column.astype(np.int64), 0, bound)
                column = column.astype(np.intp)
            elif self._converts:
                column = column.view(np.int64)
            found.append(column)
        return found, None if self.layout.mode == GatherScatterMode.CLIP else inside

    # -- as an index

    def _arrange(self):
        """Decides for each dimension of the operand between a slice and an array of indices."""
        layout, batch = self.layout, len(self.layout.batch)
        size, full = layout.sizes, layout.operand.shape
        batching = dict(layout.batching)
        arrays, self._template = [], []
        self._starts, self._within = [], {}
        partial = [d for d in layout.mapped if d in layout.kept and 1 < size[d] < full[d]]
        partial.sort()
        self._tail = (1,) * len(partial)
        for d in range(layout.operand.ndim):
            if d in layout.kept and (d not in layout.mapped or size[d] == full[d]):
                self._template.append(slice(None) if size[d] == full[d] else slice(0, size[d]))
                continue
            arrays.append(d)
            if d in batching:
                self._template.append(_along(full[d], batching[d], batch + len(partial)))
            elif d in layout.mapped:
                self._template.append(None)
                self._starts.append((d, layout.mapped.index(d)))
                if d in partial:
                    self._within[d] = _along(size[d], batch + partial.index(d), batch + len(partial))
            else:
                self._template.append(np.zeros((1,) * (batch + len(partial)), np.intp))
        self.covers = bool(self._starts or batching) or not self.layout.batch
        if batching and not self._starts:
            d = layout.batching[0][0]
            self._template[d] = np.broadcast_to(self._template[d], (*layout.batch, *self._tail))
        selected = [*range(-1, -batch - 1, -1), *partial]
        if not self.covers:
            arrays, selected = [], []
        together = not arrays or arrays[-1] - arrays[0] == len(arrays) - 1
        self.labels = [] if together else list(selected)
        for d in range(layout.operand.ndim):
            if isinstance(self._template[d], slice):
                self.labels.append(d)
            elif together and arrays and d == arrays[0]:
                self.labels.extend(selected)
        self.arrays = arrays

    def index(self, indices):
        """(a tuple that selects the windows from the operand, which were inside), where `covers`."""
        starts, inside = self.starts(indices)
        found = list(self._template)
        for d, n in self._starts:
            start = starts[n]
            if self._tail:
                start = start.reshape(start.shape + self._tail)
                if d in self._within:
                    start = start + self._within[d]
            found[d] = start
        return tuple(found), inside

    @property
    def line(self) -> int | None:
        """The dimension along which `index` takes single places, where all other ones are whole."""
        alone = len(self.layout.mapped) == len(self._starts) == len(self.arrays) == 1 and not self._tail
        return self.arrays[0] if alone and all(x is None or x == slice(None) for x in self._template) else None

    # -- as places in the flat operand

    @functools.cached_property
    def _base(self):
        """Places of the first elements, without the starts; None for zero."""
        layout, base = self.layout, None
        for d, of in layout.batching:
            part = _along(layout.operand.shape[d], of, len(layout.batch)) * self._steps[d]
            base = part if base is None else base + part
        return base

    @functools.cached_property
    def _offsets(self):
        """Places of the elements of a window from its first one."""
        kept = self.layout.kept
        found = np.zeros((1,) * len(kept), np.intp)
        for n, d in enumerate(kept):
            found = found + _along(self.layout.sizes[d], n, len(kept)) * self._steps[d]
        return found

    def firsts(self, indices):
        """(the place of each window's first element in the flat operand, which windows were inside)."""
        starts, inside = self.starts(indices)
        found = self._base
        for start, d in zip(starts, self.layout.mapped, strict=True):
            step = self._steps[d]
            part = start if step == 1 else start.astype(np.intp) * step
            found = part if found is None else found + part
        found = np.zeros((), np.intp) if found is None else found
        return np.broadcast_to(found, self.layout.batch), inside

    def elements(self, firsts):
        """The places of all elements of windows whose first ones are at `firsts`."""
        if not self.layout.kept:
            return firsts
        return firsts.reshape(firsts.shape + (1,) * len(self.layout.kept)) + self._offsets


def _along(size, axis, ndim):
    """0 to size - 1 along one of ndim dimensions."""
    return np.arange(size, dtype=np.intp).reshape(tuple(size if i == axis else 1 for i in range(ndim)))


def names(ndim, window_dims, kept) -> list:
    """The names, as in `Places.labels`, of the dimensions of a gather's result or a scatter's updates."""
    windows, found, batch = dict(zip(map(int, window_dims), kept, strict=True)), [], 0
    for i in range(ndim):
        if i not in windows:
            batch -= 1
        found.append(windows.get(i, batch))
    return found


def prepared(function, indices):
    """`function` of indices: called once where they are known beforehand."""
    if indices is None:
        return function
    found = function(indices)
    return lambda _: found
