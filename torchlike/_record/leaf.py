"""Values from outside: numpy and jax arrays as Tensors, and Tensors as arrays."""

from typing import Any

import jax
import numpy as np

from torchlike._base import device as dev
from torchlike._compile import avals
from torchlike._compile.backends.meta import NO_DATA
from torchlike._compile.backends.registry import backend_of
from torchlike._record import explain_log
from torchlike._record.cell import Storage, storage_of
from torchlike._record.deferred_checks import settle
from torchlike._record.host_window import in_memory_as, is_window, on_host
from torchlike._record.shared_memory import Outside, share
from torchlike._record.tensor import LEAF, Tensor, wrap
from torchlike._record.trace import computed, force, state
from torchlike._record.tracers import NO_RULE, noted, of_gradients, stripped
from torchlike._record.views import mark_stale


def leaf(array, device=dev.CPU, requires_grad=False) -> Tensor:
    """A Tensor of a numpy or jax array (numpy arrays are copied), on `device`."""
    if not isinstance(array, jax.core.Tracer):
        array = backend_of(device).place(np.array(array) if isinstance(array, np.ndarray) else array)
        aval = avals.aval(array.shape, avals.dt.from_np(array.dtype), dev.canonical(device))
    else:
        aval = avals.aval(array.shape, avals.dt.from_np(array.dtype), dev.canonical(device))
    made = wrap(Storage(None, -1, aval, array))
    if requires_grad:
        made._edge = LEAF
    if state.thread.inference:
        made._cell.inference = True
    return noted(made)


def leaf_in(memory: np.ndarray, is_alone=False) -> Tensor:
    """A Tensor of the values in a numpy array that others may write to: it sees what they write, they what it does. With
    `is_alone` nobody else has the array."""
    aval = avals.aval(memory.shape, avals.dt.from_np(memory.dtype), dev.CPU)
    strides = tuple(s // memory.itemsize for s in memory.strides)
    if strides != tuple(aval.strides):
        aval = avals.aval(memory.shape, aval.dtype, dev.CPU, strides)
    made = wrap(Storage(None, -1, aval, memory if is_alone else None))
    if not is_alone:
        share(made._cell, memory)
    if state.thread.inference:
        made._cell.inference = True
    return noted(made)


NO_STORAGE = "Cannot access data pointer of Tensor that doesn't have storage"


def host(cell, batched=NO_STORAGE, name="") -> np.ndarray:
    """The values of a cell; runs the trace. Not to be written to.

    On device 'meta' there are none: NotImplementedError. Under `torchlike.func.grad` and the like these are the values that
    are differentiated; under `vmap` there are none: RuntimeError `batched`, or for a batch of gradients what PyTorch says
    there of the operator `name`.
    """
    trace = state.trace
    explain_log.note_value(trace, explain_log.READ, cell)
    if cell.base is not None and cell.apart and not trace.thread.expected:
        values = on_host(cell)
        if values is not None:
            return values
    backend = backend_of(cell.aval.device)
    backend.check_reachable()
    if not backend.has_values:
        raise NotImplementedError(NO_DATA)
    array = computed(cell)
    if trace.thread.expected:
        settle(trace, wait=True)
    if array.__class__ is np.ndarray:
        return array
    while isinstance(array := stripped(array), jax.core.Tracer):
        array = getattr(array, "primal", None)
        if array is None:
            raise RuntimeError(NO_RULE.format(name) if name and of_gradients() else batched)
    return backend.read(array)


def to_numpy(x) -> np.ndarray:
    """The values of `x` as a numpy array of its own; runs the trace."""
    return np.array(host(x._cell))


def on_shared_memory(x) -> np.ndarray | None:
    """An array on the memory of `x` itself, which becomes memory that others may write to; None where its elements do not
    lie in host memory as numpy has them."""
    storage = storage_of(x._cell)
    if storage.handler is not None or state.thread.frames or not (x._cell.base is None or is_window(x._cell.chain)):
        return None
    host(storage)
    if storage.trace.__class__ is not Outside:
        array = storage.array
        if array is None or isinstance(array, jax.core.Tracer) or not backend_of(storage.aval.device).in_host_memory:
            return None
        share(storage, in_memory_as(storage.aval, np.asarray(array)))
        mark_stale(storage, storage.trace)  # views that were recorded have the values until now; no history changes
    found = on_host(x._cell)
    return None if found is None else found.view()  # not the Storage's own array, which does not count as a holder


def to_jax(x) -> Any:
    """The values of `x` as a jax array; runs the trace."""
    array = force(x._cell)
    if state.thread.expected:
        settle(state.trace, wait=True)
    return array
