"""Between Tensors and what channels send: one-dimensional arrays in host memory."""

import numpy as np

from torchlike._base.errors import UnsupportedError
from torchlike._base.settings import strided
from torchlike._compile import avals
from torchlike._compile.backends.registry import backend_of
from torchlike._record.cell import Storage, storage_of
from torchlike._record.leaf import host
from torchlike._record.shared_memory import is_outside
from torchlike._record.tensor import Tensor, wrap
from torchlike._record.views import mark_stale


def taken(tensor: Tensor) -> np.ndarray:
    """The values of a tensor in its order, which nobody writes to. What has been recorded runs up to there."""
    if tensor._cell.layout is not strided:
        raise UnsupportedError("torch.distributed: a sparse tensor is not sent; DistributedDataParallel averages sparse "
                               "gradients of embeddings")
    values = host(tensor._cell)
    if is_outside(storage_of(tensor._cell)):
        values = values.copy()
    return np.ascontiguousarray(values).reshape(-1)


def joined(tensors: list) -> np.ndarray:
    """The values of tensors of one dtype, one after the other."""
    return taken(tensors[0]) if len(tensors) == 1 else np.concatenate([taken(tensor) for tensor in tensors])


def made(values: np.ndarray, device, shape=None) -> Tensor:
    """A tensor of values that nobody writes to."""
    array = backend_of(device).place(values if shape is None else values.reshape(shape))
    return wrap(Storage(None, -1, avals.aval(array.shape, avals.dt.from_np(array.dtype), device), array))


def put(tensor: Tensor, values: np.ndarray) -> None:
    """Write values into a tensor. Its version stays, as in PyTorch, where collectives are no operators of autograd."""
    cell = tensor._cell
    aval = cell.aval
    dtype = aval.dtype.np
    if values.dtype != dtype and values.dtype.itemsize <= dtype.itemsize:
        values = values.view(dtype)
    if cell.__class__ is Storage and cell.handler is None and cell.trace is None and aval.contiguous:  # nobody computes it
        cell.array = backend_of(aval.device).place(values.reshape(tuple(aval.shape)))
        mark_stale(cell, None)
        return
    tensor.data.copy_(made(values, tensor.device, tuple(tensor.shape)))
