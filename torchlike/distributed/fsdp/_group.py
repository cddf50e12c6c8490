"""Parameters that are gathered together, and whose gradients are reduced together.

What a rank keeps of each is the layout's (`_parts.py`, `_flat.py`). All that is sent is made in host memory, from where a
channel sends: one collective for the group, whatever the number of parameters.
"""

from collections.abc import Callable
from typing import Protocol

import numpy as np

from torchlike._base.dtypes import from_np
from torchlike._c10d import tensors
from torchlike._c10d.group import ProcessGroup
from torchlike._c10d.reduce_op import ReduceOp, applied
from torchlike._c10d.work import Work
from torchlike.autograd.grad_mode import no_grad
from torchlike.distributed.fsdp._whole import Whole, finished


class Layout(Protocol):
    """What a rank keeps of a group's parameters."""

    @property
    def wholes(self) -> list[Whole]:
        """The whole parameters."""
        ...

    def given(self) -> list[np.ndarray]:
        """What this rank has, one-dimensional, of the same sizes on all ranks."""
        ...

    def spread(self, pieces: list[np.ndarray]) -> None:
        """The ranks' `given`, each an array with a row for each rank, become the whole values."""
        ...

    def packed(self, grads: list) -> list[np.ndarray]:
        """Gradients, None for what has none, as arrays with a row for each rank."""
        ...

    def keep(self, grads: list, rows: list[np.ndarray]) -> None:
        """This rank's rows of the reduced gradients are those of what it has."""
        ...

    def show_wholes(self) -> None:
        """The modules have the whole parameters."""
        ...

    def show_parts(self) -> None:
        """The modules have what this rank keeps."""
        ...


class Group:
    """Parameters that come and go together.

    Args:
        layout: what this rank keeps of them.
        shard_group: the ranks that have a part each; None where each has all.
        replicate_group: the ranks that have the same part; None where there are no others.
        reduce_dtype: in which gradients are summed; None: in their own.
        reshards: whether the whole values go after the forward pass.

    The other attributes are the settings of `FSDPModule`.
    """

    def __init__(self, layout: Layout, shard_group: ProcessGroup | None, replicate_group: ProcessGroup | None, reduce_dtype,
                 reshards: bool):
        self.layout, self.reduce_dtype, self.reshards = layout, reduce_dtype, reshards
        self.shard_group, self.replicate_group = shard_group, replicate_group
        self.reduces = self.reduces_all = self.reshards_after_backward = self.unshards_in_backward = True
        self.sends_unused = False
        self.divisor: float | None = None
        self.hook: Callable | None = None
        self.is_whole = False
        self._pending: tuple[Work, list, list] | None = None
        self._partial: np.ndarray | None = None

    @property
    def wholes(self) -> list[Whole]:
        """The parameters."""
        return self.layout.wholes

    # -- values

    def start_unshard(self) -> None:
        """Begin to gather the values, unless they are there."""
        if self.is_whole or self._pending is not None:
            return
        with no_grad():
            given = self.layout.given()
        if self.shard_group is None:
            self._show([x[None] for x in given])
            return
        back, entry = self.shard_group.start("parameters", "all_gather", (), _joined(given))
        box: list = []
        self._pending = self.shard_group.work(entry, [back], box.extend, []), box, given

    def unshard(self) -> None:
        """Have the whole values, and the modules the whole parameters."""
        self.start_unshard()
        if self._pending is not None:
            (work, box, given), self._pending = self._pending, None
            work.wait()
            assert self.shard_group is not None
            self._show(_rows(box[0], given, self.shard_group.size()))

    def _show(self, pieces) -> None:
        self.layout.spread(pieces)
        self.layout.show_wholes()
        self.is_whole = True

    def reshard(self) -> None:
        """Let the whole values go."""
        if self._pending is not None:
            self.unshard()
        if self.is_whole:
            finished(self.wholes)
            for whole in self.wholes:
                whole.free()
            self.layout.show_parts()
            self.is_whole = False

    def drop(self) -> None:
        """Let the whole values go, and gradients that have not been reduced."""
        for whole in self.wholes:
            whole.take_grad()
        self._partial = None
        self.reshard()

    # -- gradients

    def after_backward(self) -> None:
        """The gradients of the whole parameters are there: they are reduced, and each rank gets its part."""
        with no_grad():
            if self.reduces:
                grads = [whole.take_grad() if whole.leaf.requires_grad else None for whole in self.wholes]
                if self.sends_unused:
                    grads = [_zeros(whole) if grad is None and whole.leaf.requires_grad else grad
                             for whole, grad in zip(self.wholes, grads, strict=True)]
                if any(grad is not None for grad in grads):
                    self._reduce(grads)
            else:
                for whole in self.wholes:
                    whole.accumulate(self.reduce_dtype)
            if self.reshards_after_backward:
                self.reshard()

    def _reduce(self, grads: list) -> None:
        wanted = self.reduce_dtype
        packed = self.layout.packed([g if g is None or wanted is None else g.to(wanted) for g in grads])
        before, after = self._factors(packed[0].dtype)
        total = np.concatenate(packed, 1).reshape(-1)
        total = _divided(total, before)
        if self.shard_group is not None and self.shard_group.size() > 1:
            total = _reduced(self.shard_group, "reduce_scatter", total)
        if self._partial is not None:
            total, self._partial = total + self._partial, None
        if self.replicate_group is not None and not self.reduces_all:
            self._partial = total
            return
        if self.replicate_group is not None and self.replicate_group.size() > 1:
            total = _reduced(self.replicate_group, "all_reduce", total)
        total = _divided(total, after)
        if self.hook is not None:
            hooked = tensors.made(total, self.wholes[0].device)
            self.hook(hooked)
            total = tensors.taken(hooked)
        ends = np.cumsum([x.shape[1] for x in packed])
        self.layout.keep(grads, np.split(total, ends[:-1]))

    def _factors(self, dtype) -> tuple[float, float]:
        """By what gradients are divided before they are summed, and after. Half precision is divided before, in part."""
        groups = [group for group in (self.shard_group, self.replicate_group) if group is not None]
        factor = float(np.prod([group.size() for group in groups])) if self.divisor is None else float(self.divisor)
        if dtype.itemsize > 2 or dtype.name == "bfloat16":
            return 1.0, factor
        before = 1.0
        while factor % before == 0 and factor / before > before:
            before *= 2
        return before, factor / before


def _zeros(whole):
    return tensors.made(np.zeros(whole.shape, whole.dtype.np), whole.device)


def _divided(values, factor) -> np.ndarray:
    return values if factor == 1.0 else values / values.dtype.type(factor)


def _reduced(group, kind, values) -> np.ndarray:
    """The sum over the ranks of a group, of which each gets its part, or all."""
    sent, back = applied(ReduceOp.SUM, from_np(values.dtype), group.size()).sent(values)
    return back(group.run("gradients", kind, ("sum",), sent))


def _joined(given: list[np.ndarray]) -> np.ndarray:
    """Arrays one after the other, as bytes where their dtypes differ."""
    if len(given) == 1:
        return given[0]
    if len({x.dtype for x in given}) > 1:
        given = [x.view(np.uint8) for x in given]
    return np.concatenate(given)


def _rows(back: np.ndarray, given: list[np.ndarray], size: int) -> list[np.ndarray]:
    """What the ranks gave, apart again: for each array a row of each rank."""
    found, start = [], 0
    rows = back.reshape(size, -1)
    total = sum(x.nbytes for x in given)
    step = total // rows.shape[1] if rows.shape[1] else 1  # bytes of an element of what was sent
    for x in given:
        stop = start + x.nbytes // step
        found.append(np.ascontiguousarray(rows[:, start:stop]).view(x.dtype))
        start = stop
    return found
