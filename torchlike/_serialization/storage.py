"""The memory of tensors, as it is written to a file and read from it."""

import pickle

import numpy as np

from torchlike._api.sparse.construct import sparse_compressed_tensor, sparse_coo_tensor
from torchlike._api.subclasses import become
from torchlike._api.tensor_copies import FILLED, flat_memory
from torchlike._base import device as dev
from torchlike._base import dtypes as dt
from torchlike._base.errors import UnsupportedError
from torchlike._base.settings import sparse_coo
from torchlike._compile.avals import row_major
from torchlike._compile.backends.registry import accelerators, backend_of
from torchlike._record.cell import counter_of, storage_of
from torchlike._record.leaf import leaf
from torchlike._record.parameter import Parameter
from torchlike._record.tensor import LEAF, OWN_ATTRIBUTES, Tensor
from torchlike._serialization.pickled_names import STORAGES

_NO_CUDA = (
    "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. If you are running on a "
    "CPU-only machine, please use torch.load with map_location=torch.device('cpu') to map your storages to the CPU.")


class Saved:
    """A storage to be written, as the record ``data/<key>``."""

    def __init__(self, storage, key):
        self.storage, self.key = storage, key

    @property
    def location(self) -> str:
        """``cpu``, ``cuda:0``."""
        device = self.storage.aval.device
        return f"{device.type}:{device.index or 0}" if backend_of(device).is_accelerator else device.type

    def data(self) -> memoryview:
        """The bytes."""
        return np.ascontiguousarray(flat_memory(self.storage)).view(np.uint8).data


class Memory:
    """A storage that was read: bytes of a dtype on a device. Tensors of the same file share it."""

    def __init__(self, data, dtype, device=dev.CPU):
        self.values = np.frombuffer(data, dtype.np)
        self.dtype, self.device = dtype, device
        self._first = None

    def size(self) -> int:
        """Number of elements."""
        return self.values.size

    def nbytes(self) -> int:
        """Number of bytes."""
        return self.values.nbytes

    def cpu(self):
        """The same on the CPU; a `map_location` function may call it."""
        return self.on(dev.CPU)

    def cuda(self, device=None):
        """The same on a GPU."""
        return self.on(dev.device("cuda", device or 0) if not isinstance(device, dev.device) else device)

    def on(self, device):
        """The same on a device."""
        if backend_of(device).has_values:
            backend_of(device).hardware()  # there is one
        made = Memory(b"", self.dtype, device)
        made.values = self.values
        return made

    def leaf(self, values) -> Tensor:
        """A tensor of the values."""
        return leaf(values, self.device)

    def check_bits(self, metadata) -> None:
        """Of these values tensors may be made with conjugate and negative bits."""

    def tensor(self, size, strides, offset, dtype=None) -> Tensor:
        """A tensor on this memory; RuntimeError if it would reach outside."""
        dtype = self.dtype if dtype is None else dtype
        values = self.values if dtype is self.dtype else self.values.view(np.uint8).view(dtype.np)
        needed = 0 if 0 in size else 1 + sum((n - 1) * s for n, s in zip(size, strides, strict=True))
        if min(offset, *size, *strides, 0) < 0 or (needed and offset + needed > values.size):
            raise RuntimeError(f"setStorage: sizes {list(size)}, strides {list(strides)}, storage offset {offset}, and "
                               f"itemsize {dtype.itemsize} requiring a storage size of {(offset + needed) * dtype.itemsize} "
                               f"are out of bounds for storage of size {values.nbytes}")
        if self._first is None:
            whole = offset == 0 and needed == values.size and strides == row_major(size)
            self._first = self.leaf(values.reshape(size) if whole else values)
            counter_of(self._first._cell).version = FILLED
        first = self._first
        if tuple(first.shape) == tuple(size) and first.stride() == tuple(strides) and offset == 0 and first.dtype is dtype:
            made = object.__new__(Tensor)
            made._cell = first._cell
            return made
        if first.dtype is not dtype:
            raise UnsupportedError("tensors of several dtypes on one storage of a file")
        made = first.detach().as_strided(size, strides, offset).detach()
        made._cell.owner, made._view = None, None
        return made


def moved(location, map_location, memory):
    """The memory of a storage saved at `location` ("cpu", "cuda:1") on the device that `map_location` says."""
    if callable(map_location):
        found = map_location(memory, location)
        return found if found is not None else _at(location, memory)
    if isinstance(map_location, dict):
        location = map_location.get(location, location)
    elif map_location is not None:
        location = str(map_location)
    return _at(location, memory)


def _at(location, memory):
    device = dev.device(location)
    if backend_of(device).is_accelerator and not accelerators():
        raise RuntimeError(_NO_CUDA)
    return memory.on(dev.canonical(device))


# -- the functions that PyTorch's pickles call

def rebuild_tensor(storage, offset, size, stride):
    """``torch._utils._rebuild_tensor``."""
    return storage.tensor(tuple(size), tuple(stride), offset)


def rebuild_tensor_v2(storage, offset, size, stride, requires_grad, hooks, metadata=None):
    """``torch._utils._rebuild_tensor_v2``."""
    storage.check_bits(metadata)
    return _with_grad(_resolved(rebuild_tensor(storage, offset, size, stride), metadata), requires_grad)


def rebuild_tensor_v3(storage, offset, size, stride, requires_grad, hooks, dtype, metadata=None):
    """``torch._utils._rebuild_tensor_v3``: the storage is of bytes."""
    storage.check_bits(metadata)
    return _with_grad(_resolved(storage.tensor(tuple(size), tuple(stride), offset, dtype), metadata), requires_grad)


def _resolved(made, metadata):
    """A tensor with its conjugate and negative bits applied to the values."""
    for bit, method in (("conj", "conj_physical"), ("neg", "neg")):
        if metadata and metadata.get(bit):
            made = getattr(made, method)().detach()
    return made


def _with_grad(made, requires_grad):
    made._edge = LEAF if requires_grad else None
    return made


def rebuild_sparse_tensor(layout, data):
    """``torch._utils._rebuild_sparse_tensor``."""
    if layout is sparse_coo:
        indices, values, size, *is_coalesced = data
        return sparse_coo_tensor(indices, values, size, is_coalesced=bool(is_coalesced and is_coalesced[0]))
    compressed, plain, values, size = data
    return sparse_compressed_tensor(compressed, plain, values, size, layout=layout)


def rebuild_parameter(data, requires_grad, hooks):
    """``torch._utils._rebuild_parameter``."""
    return Parameter(data, requires_grad)


def rebuild_parameter_with_state(data, requires_grad, hooks, state):
    """``torch._utils._rebuild_parameter_with_state``."""
    return _with_state(Parameter(data, requires_grad), state)


def rebuild_from_type_v2(function, kind, args, state):
    """``torch._tensor._rebuild_from_type_v2``. UnpicklingError for a function that is none of these."""
    if function not in REBUILDS.values():
        raise pickle.UnpicklingError(f"Trying to call reduce for unrecognized function {function}")
    made = function(*args)
    if type(made) is not kind:
        become(made, kind)
    return _with_state(made, state)


def _with_state(made, state):
    slots = None
    if isinstance(state, tuple):
        state, slots = state
    for key, value in {**(state or {}), **(slots or {})}.items():
        if key in OWN_ATTRIBUTES:
            raise pickle.UnpicklingError(f"the state of a tensor has an attribute {key}")
        setattr(made, key, value)
    return made


REBUILDS = {
    "torch._utils._rebuild_tensor": rebuild_tensor, "torch._utils._rebuild_tensor_v2": rebuild_tensor_v2,
    "torch._utils._rebuild_tensor_v3": rebuild_tensor_v3, "torch._utils._rebuild_parameter": rebuild_parameter,
    "torch._utils._rebuild_parameter_with_state": rebuild_parameter_with_state,
    "torch._utils._rebuild_sparse_tensor": rebuild_sparse_tensor,
    "torch._tensor._rebuild_from_type_v2": rebuild_from_type_v2,
}


class StorageType:
    """A storage class of PyTorch; in a pickle it stands for a dtype."""

    def __init__(self, name):
        self.name, self.dtype = name, STORAGES.get(name, dt.uint8)


def restored(kind, key, location, reader, map_location):
    """The memory of the storage `key`."""
    data = reader.read(f"data/{key}")
    if len(data) % kind.dtype.itemsize:
        raise RuntimeError(f"storage {key} has {len(data)} bytes, no multiple of {kind.dtype.itemsize}")
    memory = Memory(data, kind.dtype)
    if reader.byteorder == "big":
        memory.values = memory.values.byteswap()
    return moved(location, map_location, memory)


def storage_and_layout(x) -> tuple:
    """(storage, offset, size, strides) of a tensor whose memory is saved."""
    cell = x._cell
    storage, aval = storage_of(cell), cell.aval
    if storage.aval.dtype is not aval.dtype:  # such as the real parts of complex numbers: saved as a storage of their own
        return storage_and_layout(x.detach().clone())
    return storage, aval.offset, tuple(aval.shape), aval.strides
