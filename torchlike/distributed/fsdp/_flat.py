"""What a rank keeps of parameters that `FullyShardedDataParallel` divides: of all as one long vector its own piece.

The optimizer sees that piece as one parameter, or what it has of each parameter as parameters of their own.
"""

import dataclasses
import math
from typing import Any

import numpy as np

from torchlike._base.errors import UnsupportedError
from torchlike._c10d import tensors
from torchlike._record.tensor import Tensor
from torchlike.distributed.fsdp._whole import Whole
from torchlike.nn.modules.module import Module
from torchlike.nn.parameter import Parameter

FLAT = "_flat_param"
_ALIGNMENT = 16  # bytes, as in PyTorch


@dataclasses.dataclass(eq=False)
class Slot:
    """A parameter in the vector.

    Args:
        name: its name in the module.
        places: (module, name) wherever it is.
        shape: its sizes.
        start: where it begins.
        requires_grad: whether it does.
    """

    name: str
    places: list
    shape: tuple
    start: int
    requires_grad: bool

    @property
    def numel(self) -> int:
        """How many elements it has."""
        return math.prod(self.shape)

    @property
    def stop(self) -> int:
        """Where it ends."""
        return self.start + self.numel


class Flat:
    """A `Layout` of one vector.

    Args:
        module: the module whose parameters they are, in which the vector is registered, too.
        params: them, in order, each once.
        size, rank: into how many pieces the vector is divided, and which one is this rank's.
        dtype: that of the whole values; None: their own.
        device: where these are; keeps_on: where the piece is.
        is_apart: whether the optimizer sees each parameter, not the vector.
        keeps_low: whether gradients stay in the dtype in which they are reduced.

    Raises:
        ValueError: several dtypes; without `is_apart` also parameters with and without a gradient.
    """

    def __init__(self, module: Module, params: list, size: int, rank: int, dtype, device, keeps_on, is_apart: bool,
                 keeps_low: bool = False):
        self.module, self.size, self.rank, self.is_apart = module, size, rank, is_apart
        self._keeps_low = keeps_low
        self.dtype, first = params[0].dtype, params[0].requires_grad
        for p in params:
            if p.dtype is not self.dtype:
                raise ValueError(f"Must flatten tensors with uniform dtype but got {self.dtype} and {p.dtype}")
            if not is_apart and p.requires_grad != first:
                raise ValueError("Must flatten tensors with uniform `requires_grad` when `use_orig_params=False`")
            if not p.is_contiguous():
                raise UnsupportedError("FullyShardedDataParallel: a parameter that is not contiguous")
        wide = dtype or self.dtype
        self.slots, end = _slots(module, params, _ALIGNMENT // wide.itemsize if is_apart else 1)
        self.each = -(-end // size)
        self.wholes: list[Whole] = [Whole(slot.shape, wide, device, slot.requires_grad) for slot in self.slots]
        mine = self.cut({slot.name: tensors.taken(p.detach()) for slot, p in zip(self.slots, params, strict=True)})
        self.params: list[Any] = [Parameter(tensors.made(np.array(part), keeps_on), flag)
                                  for part, flag in zip(self._split(mine), self._flags(), strict=True)]
        self.show_parts()

    def _flags(self) -> list[bool]:
        return [slot.requires_grad for slot in self.slots] if self.is_apart else [self.slots[0].requires_grad]

    # -- pieces

    def range_of(self, slot: Slot) -> tuple[int, int]:
        """What this rank has of a parameter: from where to where in its piece."""
        start = self.each * self.rank
        first = min(max(slot.start - start, 0), self.each)
        return first, max(first, min(slot.stop - start, self.each))

    def _split(self, piece: np.ndarray) -> list[np.ndarray]:
        """A piece as the optimizer sees it."""
        if not self.is_apart:
            return [piece]
        found = []
        for slot in self.slots:
            first, last = self.range_of(slot)
            found.append(piece[first:last].reshape(slot.shape) if self.size == 1 else piece[first:last])
        return found

    def joined(self, parts: list[np.ndarray], dtype) -> np.ndarray:
        """The piece of what the optimizer sees.

        Args:
            parts: one-dimensional arrays, one for each of `params`.
            dtype: numpy's.

        Returns:
            an array of `each` elements.
        """
        if not self.is_apart:
            return parts[0]
        piece = np.zeros(self.each, dtype)
        for slot, part in zip(self.slots, parts, strict=True):
            first, last = self.range_of(slot)
            piece[first:last] = part
        return piece

    def vector(self, values: dict[str, np.ndarray], dtype) -> np.ndarray:
        """The whole vector; zeros where there is nothing.

        Args:
            values: by the names of parameters.
            dtype: numpy's.

        Returns:
            an array with a row for each rank.
        """
        found = np.zeros(self.each * self.size, dtype)
        for slot in self.slots:
            if slot.name in values:
                found[slot.start:slot.stop] = values[slot.name].reshape(-1)
        return found.reshape(self.size, self.each)

    def cut(self, values: dict[str, np.ndarray]) -> np.ndarray:
        """This rank's piece of whole values, by the names of parameters."""
        return self.vector(values, self.dtype.np)[self.rank]

    def named(self, vector: np.ndarray) -> dict[str, np.ndarray]:
        """The parameters in a whole vector, by their names."""
        flat = vector.reshape(-1)
        return {slot.name: flat[slot.start:slot.stop].reshape(slot.shape) for slot in self.slots}

    def piece(self) -> np.ndarray:
        """This rank's piece."""
        return self.joined([tensors.taken(p.detach()) for p in self.params], self.dtype.np)

    def set_piece(self, piece: np.ndarray) -> None:
        """This rank has these values from now on."""
        for p, part in zip(self.params, self._split(piece), strict=True):
            tensors.put(p.data, np.array(part))

    # -- what a group asks

    def given(self) -> list[np.ndarray]:
        """This rank's piece, in the dtype of the whole values."""
        for whole, flag in zip(self.wholes, self._now(), strict=True):
            if whole.leaf.requires_grad != flag:
                whole.leaf.requires_grad_(flag)
        return [self.piece().astype(self.wholes[0].dtype.np)]

    def _now(self) -> list[bool]:
        flags = [p.requires_grad for p in self.params]
        return flags if self.is_apart else flags * len(self.slots)

    def spread(self, pieces: list[np.ndarray]) -> None:
        """The whole values from all pieces."""
        for whole, values in zip(self.wholes, self.named(pieces[0]).values(), strict=True):
            whole.fill(values)

    def packed(self, grads: list) -> list[np.ndarray]:
        """The gradients as one vector."""
        values = {slot.name: tensors.taken(g) for slot, g in zip(self.slots, grads, strict=True) if g is not None}
        return [self.vector(values, next(iter(values.values())).dtype)]

    def keep(self, grads: list, rows: list[np.ndarray]) -> None:
        """The reduced gradient of this rank's piece."""
        dtype = rows[0].dtype if self._keeps_low else self.dtype.np
        parts = self._split(rows[0].astype(dtype))
        has = [g is not None for g in grads] if self.is_apart else [True]
        for p, part, there in zip(self.params, parts, has, strict=True):
            if there and (part.size or self.size == 1):
                new = tensors.made(np.array(part), p.device)
                if new.dtype is not p.dtype:
                    p.grad_dtype = None
                p.grad = new if p.grad is None else p.grad.add_(new)

    def show(self, tensors_: list[Tensor]) -> None:
        """The modules have these parameters.

        Args:
            tensors_: one for each slot.
        """
        self.module._parameters.pop(FLAT, None)
        for slot, tensor in zip(self.slots, tensors_, strict=True):
            for module, name in slot.places:
                module.__dict__.pop(name, None)
                _set(module, name, tensor)

    def show_wholes(self) -> None:
        """The modules have the whole parameters."""
        if self.is_apart:
            self.show([whole.leaf for whole in self.wholes])

    def show_parts(self) -> None:
        """The modules have what this rank keeps. Where that is the vector, the whole parameters are plain attributes, whose
        values are there or not."""
        if self.is_apart:
            self.show(self.params)
            return
        for slot, whole in zip(self.slots, self.wholes, strict=True):
            for module, name in slot.places:
                module._parameters.pop(name, None)
                module.__dict__[name] = whole.leaf
        self.module._parameters[FLAT] = self.params[0]


def _set(module, name, param) -> None:
    if name in module._parameters or type(module).__setattr__ is Module.__setattr__:
        module._parameters[name] = param
    else:
        setattr(module, name, param)


def _slots(module, params, alignment) -> tuple[list[Slot], int]:
    """The parameters in the vector, and how long that is."""
    places: dict = {}
    for prefix, each in module.named_modules(remove_duplicate=False):
        for name, p in each._parameters.items():
            if p is not None:
                known, full = places.setdefault(id(p), ([], f"{prefix}.{name}" if prefix else name))
                if (each, name) not in known:
                    known.append((each, name))
    slots, end = [], 0
    for p in params:
        end = -(-end // alignment) * alignment
        listed, full = places[id(p)]
        slots.append(Slot(full, listed, tuple(p.shape), end, p.requires_grad))
        end = slots[-1].stop
    return slots, end
