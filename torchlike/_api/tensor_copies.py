"""Copies of whole Tensors: clone, copy.copy, copy.deepcopy and pickle."""

from __future__ import annotations

import copy
import weakref

import numpy as np

from torchlike._api.sparse.cell import made
from torchlike._api.subclasses import as_subclass
from torchlike._base.settings import contiguous_format, memory_format, strided
from torchlike._modes.torch_dispatch import is_wrapper
from torchlike._ops.all import ROWS
from torchlike._record.bind import bind
from torchlike._record.cell import Storage, ViewCell, counter_of, register_view, storage_of
from torchlike._record.host_window import flat_memory_as
from torchlike._record.leaf import leaf, to_numpy
from torchlike._record.shared_memory import is_outside
from torchlike._record.tensor import LEAF, Tensor, wrap
from torchlike._record.torch_function import met
from torchlike._record.trace import computed, state
from torchlike._record.views import data

FILLED = 1  # the version of a copy: PyTorch makes an empty tensor and sets its memory
_NO_NEW_EMPTY = (
    "The default implementation of __deepcopy__() for non-wrapper subclasses only works for subclass types that implement "
    "new_empty() and for which that function returns another instance of the same subclass. You should either properly "
    "implement new_empty() for your subclass or override __deepcopy__() if it is intended behavior for new_empty() to "
    "return an instance of a different type.")


def clone(input: Tensor, *, memory_format: memory_format | None = None) -> Tensor:
    """A copy with history. https://pytorch.org/docs/stable/generated/torch.clone.html"""
    if memory_format is contiguous_format:
        return bind(ROWS["_contiguous"], (input,))
    return bind(ROWS["clone"], (input,), (), (memory_format,))


def _copy(self: Tensor) -> Tensor:
    """A leaf on the same memory, which counts its own versions."""
    plain, kind = wrap((data(self) if self._cell.handler is None else self)._cell), type(self)
    plain._edge = None if self._edge is None else LEAF
    if self._cell.handler is None:
        counter = counter_of(plain._cell)
        counter.version, counter.inference = 0 if kind._is_param else FILLED, state.thread.inference
        counter.is_inference = counter.inference
    made = _as_kind(plain, kind)
    if made._edge is None:
        made._edge = plain._edge
    made.__dict__.update(self.__dict__)
    return made


def _as_kind(x: Tensor, kind: type) -> Tensor:
    """`x`, as a view of it where its class is another one."""
    if kind._is_param or kind is Tensor:
        made = object.__new__(kind)
        made._cell = x._cell
        return made
    return as_subclass(x, kind)


def _deepcopy(self: Tensor, memo):
    if not self.is_leaf:
        raise RuntimeError("Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at "
                           "the moment.  If you were attempting to deepcopy a module, this may be because of a "
                           "torch.nn.utils.weight_norm usage, see https://github.com/pytorch/pytorch/pull/103001")
    found = memo.get(id(self))
    if found is not None:
        return found
    if is_wrapper(self):
        made = memo[id(self)] = self.detach().clone()
        made._edge = self._edge
        return _with_copied_attributes(made, self, memo)
    if self._is_param:  # a copy of the values, without attributes or .grad
        made = memo[id(self)] = object.__new__(type(self))
        made._cell, made._edge = self.detach().clone()._cell, self._edge
        return made
    if type(self) is not Tensor and type(self.new_empty(())) is not type(self):
        raise RuntimeError(_NO_NEW_EMPTY)
    made = memo[id(self)] = _as_kind(wrap(_copied_cell(self._cell, memo)), type(self))
    made._edge = LEAF if self.requires_grad else None
    return _with_copied_attributes(made, self, memo)


def _with_copied_attributes(made, self, memo) -> Tensor:
    for name, value in self.__dict__.items():
        made.__dict__[name] = copy.deepcopy(value, memo)
    if self._grad is not None:
        made._grad = copy.deepcopy(self._grad, memo)
    return made


def _copied_cell(cell, memo):
    """The same view of a copy of the Storage, which other views in this deepcopy share."""
    if cell.layout is not strided:
        return wrap(cell).clone()._cell
    storage = storage_of(cell)
    copied = memo.get(id(storage))
    if copied is None:
        values = computed(storage)
        copied = memo[id(storage)] = Storage(None, -1, storage.aval, values.copy() if is_outside(storage) else values)
        copied.inference, copied.version = state.thread.inference, FILLED
    if cell.base is None:
        return copied
    made = ViewCell(None, -1, cell.aval, copied, cell.chain, copied)
    register_view(copied, weakref.ref(made))
    return made


def rebuild(kind, array, requires_grad, attributes, layout=None):
    """A tensor from its pickled parts; `layout`: size, strides and offset in a flat array."""
    met(kind)
    whole = leaf(array)
    counter_of(whole._cell).version = FILLED
    if layout is not None:
        whole = whole.as_strided(*layout)
        whole._cell.owner = whole._view = None
    made = _as_kind(whole, kind)
    made._edge = LEAF if requires_grad else None
    made.__dict__.update(attributes)
    return made


def rebuild_sparse(kind, layout, indices, values, size, coalesced, requires_grad, attributes):
    """A sparse tensor from its pickled parts."""
    met(kind)
    built = object.__new__(kind)
    built._cell = made(layout, indices, values, size, coalesced)._cell
    built._edge = LEAF if requires_grad else None
    built.__dict__.update(attributes)
    return built


def _reduce(self: Tensor, protocol):
    if self._cell.layout is not strided:
        cell = self._cell
        return rebuild_sparse, (type(self), cell.layout, cell.indices, cell.values, tuple(cell.aval.shape), cell.coalesced,
                                self._edge is not None, dict(self.__dict__))
    aval, storage = self._cell.aval, storage_of(self._cell)
    array, layout = to_numpy(self), None
    if not aval.contiguous and storage.aval.dtype is aval.dtype:
        array, layout = flat_memory(storage), (tuple(aval.shape), aval.strides, aval.offset)
    return rebuild, (type(self), array, self._edge is not None, dict(self.__dict__), layout)


def flat_memory(storage):
    """The elements of a Storage in the order in which PyTorch would have them in memory."""
    return flat_memory_as(storage.aval, np.asarray(computed(storage)))


def _setstate(self: Tensor, state):
    """What BUILD of a pickle does, which PyTorch no longer writes."""
    if not self.is_leaf:
        raise RuntimeError("__setstate__ can be only called on leaf Tensors")
    if len(state) == 4:
        self.set_(*state)
        return
    if len(state) == 5:
        self.data = state[0]
        state = state[3], state[4], state[2]
    self.requires_grad, _, _ = state


METHODS: dict = {"clone": clone, "__copy__": _copy, "__deepcopy__": _deepcopy, "__reduce_ex__": _reduce,
                 "__setstate__": _setstate}
FUNCTIONS: dict = {"clone": clone}
