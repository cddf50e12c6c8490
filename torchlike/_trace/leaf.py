"""Values from outside: numpy and jax arrays as Tensors, and Tensors as arrays."""

import jax
import numpy as np

from torchlike import device as dev
from torchlike._lower import avals
from torchlike._lower.arrays import check_reachable, put
from torchlike._storage import Storage
from torchlike._tensor import LEAF, Tensor, wrap
from torchlike._trace import lanes, recent
from torchlike._trace.expected import settle
from torchlike._trace.trace import force, state
from torchlike._trace.window import on_host


def leaf(array, device=dev.CPU, requires_grad=False) -> Tensor:
    """A Tensor of a numpy or jax array (numpy arrays are copied), on `device`."""
    if not isinstance(array, jax.core.Tracer):
        array = put(np.array(array) if isinstance(array, np.ndarray) else array, device)
        aval = avals.aval(array.shape, avals.dt.from_np(array.dtype), dev.canonical(device))
    else:
        aval = avals.aval(array.shape, avals.dt.from_np(array.dtype), dev.canonical(device))
    made = wrap(Storage(None, -1, aval, array))
    if requires_grad:
        made._edge = LEAF
    if state.trace.inference:
        made._cell.inference = True
    return lanes.noted(made)


_BATCHED = "Cannot access data pointer of Tensor that doesn't have storage"


def host(cell, batched=_BATCHED, name="") -> np.ndarray:
    """The values of a cell; runs the trace. Not to be written to.

    Under `torchlike.func.grad` and the like these are the values that are differentiated; under `vmap` there
    are none: RuntimeError `batched`, or for a batch of gradients what PyTorch says there of the operator `name`.
    """
    recent.note_value(state.trace, recent.READ, cell)
    if cell.base is not None and cell.apart and not state.trace.expected:
        values = on_host(cell)
        if values is not None:
            return values
    check_reachable(cell.aval.device)
    array = force(cell)
    if state.trace.expected:
        settle(state.trace, wait=True)
    while isinstance(array := lanes.stripped(array), jax.core.Tracer):
        array = getattr(array, "primal", None)
        if array is None:
            raise RuntimeError(lanes.NO_RULE.format(name) if name and lanes.of_gradients() else batched)
    return np.asarray(array)


def to_numpy(x) -> np.ndarray:
    """The values of `x` as a numpy array of its own; runs the trace."""
    return np.array(host(x._cell))


def to_jax(x):
    """The values of `x` as a jax array; runs the trace."""
    array = force(x._cell)
    if state.trace.expected:
        settle(state.trace, wait=True)
    return array
