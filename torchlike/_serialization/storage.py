"""The memory of tensors, as it is written to a file and read from it."""

import math
import pickle

import numpy as np

from torchlike._api.arguments import sizes_of
from torchlike._api.creation import empty_strided
from torchlike._api.sparse.construct import sparse_compressed_tensor, sparse_coo_tensor
from torchlike._api.sparse.invariants import checks
from torchlike._api.subclasses import become, make_wrapper_subclass
from torchlike._api.tensor_copies import FILLED
from torchlike._api.typed_storages import TypedStorage
from torchlike._api.untyped_storage import UntypedStorage
from torchlike._base import dtypes as dt
from torchlike._base.errors import UnsupportedError, type_name
from torchlike._base.settings import sparse_coo
from torchlike._compile.avals import is_dense, row_major
from torchlike._compile.backends.registry import backend_of
from torchlike._record.cell import counter_of
from torchlike._record.parameter import Parameter
from torchlike._record.tensor import LEAF, OWN_ATTRIBUTES, Tensor
from torchlike._serialization.config import local
from torchlike._serialization.locations import location_tag, placed
from torchlike._serialization.pickled_names import STORAGES, as_text, told

_MOST = 2**63
_LARGEST = _MOST >> 4  # elements of an array, counted without its dimensions of size 0
_OVERLAPPING = 1 << 27  # elements of a tensor on fewer, beyond which a small file would take all memory


class Saved:
    """A storage to be written, as the record ``data/<key>``; its bytes are numbers of `dtype`."""

    def __init__(self, storage, dtype, key):
        self.storage, self.dtype, self.key = storage, dtype, key
        self.location = location_tag(storage)

    def data(self) -> memoryview:
        """The bytes; zeros of a storage that has no values."""
        values = backend_of(self.storage.device).has_values
        return (self.storage._bytes.contents() if values else np.zeros(self.storage.nbytes(), np.uint8)).data


def tensor_on(storage, dtype, size, strides, offset) -> Tensor:
    """A tensor on the memory of an UntypedStorage, which then is a tensor's; RuntimeError if it would reach outside."""
    count = storage.nbytes() // dtype.itemsize
    if isinstance(offset, int) and offset >= _MOST:
        raise ValueError("Overflow when unpacking long long")
    (offset,), size, strides = sizes_of((offset,)), sizes_of(size), sizes_of(() if strides is None else strides)
    strides = strides or row_major(size)
    if len(size) != len(strides):
        raise RuntimeError(f"unequal size length ({len(size)}) and stride length ({len(strides)})")
    needed = 0 if 0 in size else 1 + sum((n - 1) * s for n, s in zip(size, strides, strict=True))
    if min(offset, *size, *strides, 0) < 0 or (needed and offset + needed > count):
        raise RuntimeError(f"setStorage: sizes {list(size)}, strides {list(strides)}, storage offset {offset}, and "
                           f"itemsize {dtype.itemsize} requiring a storage size of {(offset + needed) * dtype.itemsize} "
                           f"are out of bounds for storage of size {storage.nbytes()}")
    is_whole = offset == 0 and needed == count and strides == row_major(size)
    first = storage.first_tensor(dtype, size if is_whole else (-1,))
    counter_of(first._cell).version = FILLED
    if tuple(first.shape) == tuple(size) and first.stride() == tuple(strides) and offset == 0:
        return first
    return _parted(_strided(first.detach(), size, strides, offset))


def _strided(x, size, strides, offset) -> Tensor:
    """`as_strided`, whose result takes no memory for dimensions of stride 0."""
    return x.as_strided(_check_overlap(size, strides, x.numel()), strides, offset).expand(size)


def _check_overlap(size, strides, count) -> tuple:
    """The sizes, 1 for dimensions of stride 0. RuntimeError for a tensor of many more elements than `count`."""
    plain = tuple(1 if stride == 0 and n else n for n, stride in zip(size, strides, strict=True))
    if math.prod(plain) > max(count, _OVERLAPPING) or math.prod(size) >= _MOST or \
            (0 in size and math.prod(n or 1 for n in size) >= _LARGEST):
        raise RuntimeError(f"a tensor of {math.prod(size)} elements on a storage of {count}")
    return plain


def _parted(made):
    """A view as a leaf of its own on the same memory."""
    made = made.detach()
    made._cell.owner, made._view = None, None
    return made


# -- the functions that PyTorch's pickles call

def rebuild_tensor(storage, offset, size, stride):
    """``torch._utils._rebuild_tensor``."""
    return tensor_on(storage._untyped_storage, storage.dtype, size, stride, offset)


def rebuild_tensor_v2(storage, offset, size, stride, requires_grad, hooks, metadata=None):
    """``torch._utils._rebuild_tensor_v2``."""
    return _with_grad(_with_bits(rebuild_tensor(storage, offset, size, stride), metadata), requires_grad)


def rebuild_tensor_v3(storage, offset, size, stride, requires_grad, hooks, dtype, metadata=None):
    """``torch._utils._rebuild_tensor_v3``: the storage is of bytes."""
    made = tensor_on(storage._untyped_storage, dtype, size, stride, offset)
    return _with_grad(_with_bits(made, metadata), requires_grad)


def rebuild_meta_tensor(dtype, size, stride, requires_grad):
    """``torch._utils._rebuild_meta_tensor_no_storage``."""
    if not isinstance(requires_grad, bool | None):
        raise TypeError(f"empty_strided(): argument 'requires_grad' must be bool, not {type_name(type(requires_grad))}")
    size, stride = sizes_of(size), sizes_of(stride)
    if min(stride, default=0) < 0:
        raise RuntimeError(f"Negative strides are not supported: {list(stride)}")
    if not is_dense(size, stride):
        _check_overlap(size, stride, 0)
    return empty_strided(size, stride, dtype=dtype, device="meta", requires_grad=bool(requires_grad))


def rebuild_wrapper_subclass(cls, dtype, size, stride, storage_offset, layout, device, requires_grad):
    """``torch._utils._rebuild_wrapper_subclass``."""
    return make_wrapper_subclass(cls, size, stride, storage_offset, dtype=dtype, layout=layout, device=placed(device),
                                 requires_grad=requires_grad)


def _with_bits(made, metadata):
    """A tensor with its conjugate and negative bits, which `metadata` names. UnsupportedError for
    a negated one whose values are not there yet."""
    if metadata and not (isinstance(metadata, dict) and all(isinstance(key, str) for key in metadata)
                         and all(map(_is_flag, metadata.values()))):
        raise TypeError("the metadata of a tensor is a dict from names to bools")
    if metadata and "conj" in metadata:
        if not made.is_complex():
            raise RuntimeError(f"a conjugated tensor of {made.dtype}")
        made = _parted(made.conj())
    if metadata and "neg" in metadata:
        if local.values_follow:
            raise UnsupportedError("a negated tensor in a file of the format before PyTorch 1.6")
        made = made.neg().detach()
    return made


def _is_flag(value) -> bool:
    """Whether PyTorch takes it for a bool: its class has ``__bool__``, which has an answer."""
    try:
        return value is None or (hasattr(type(value), "__bool__") and bool(value) in (False, True))
    except Exception:  # noqa: BLE001 - of a tensor of several elements
        return False


def _with_grad(made, requires_grad):
    if not isinstance(requires_grad, bool):
        raise RuntimeError("requires_grad must be a bool")
    if requires_grad and made.dtype.category < dt.FLOAT:
        raise RuntimeError("only Tensors of floating point and complex dtype can require gradients")
    made._edge = LEAF if requires_grad else None
    return made


def rebuild_sparse_tensor(layout, data):
    """``torch._utils._rebuild_sparse_tensor``."""
    if layout is sparse_coo:
        indices, values, size, is_coalesced = (*data, False) if len(data) == 3 else data
        if not isinstance(is_coalesced, bool | None):
            raise TypeError("sparse_coo_tensor(): argument 'is_coalesced' must be bool")
        size = None if size is None else sizes_of(size)
        return sparse_coo_tensor(indices, values, size, is_coalesced=bool(is_coalesced), check_invariants=checks.enabled)
    compressed, plain, values, size = data
    size = None if size is None else sizes_of(size)
    return sparse_compressed_tensor(compressed, plain, values, size, layout=layout, check_invariants=checks.enabled)


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
        if len(state) != 2:
            raise RuntimeError(f"Invalid serialized state: {len(state)} things")
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
    "torch._utils._rebuild_meta_tensor_no_storage": rebuild_meta_tensor,
    "torch._utils._rebuild_wrapper_subclass": rebuild_wrapper_subclass,
    "torch._tensor._rebuild_from_type_v2": rebuild_from_type_v2,
}


class StorageType:
    """A storage class of PyTorch; in a pickle it stands for a dtype.

    Args:
        name: such as ``"FloatStorage"``; others than those of dtypes are of bytes, and TypedStorage is of nothing.
    """

    def __init__(self, name):
        self.name, self.dtype = name, STORAGES.get(name, None if name == "TypedStorage" else dt.uint8)


def storage_id(saved_id, length, known=()) -> tuple:
    """What follows the word "storage" in the persistent id of a storage.

    Args:
        saved_id: the id, as the pickle has it.
        length: of a tuple that is one.
        known: keys of storages whose number of elements nobody looks at again.

    Returns:
        Its StorageType, key, location, number of elements, and what else it has.

    Raises:
        pickle.UnpicklingError: it is none.
    """
    if isinstance(saved_id, tuple) and len(saved_id) == length and as_text(saved_id[0]) == "storage":
        kind = StorageType("UntypedStorage") if saved_id[1] is UntypedStorage else saved_id[1]
        if isinstance(kind, StorageType) and kind.dtype is not None and isinstance(saved_id[2], str) \
                and (saved_id[2] in known or (isinstance(saved_id[4], int) and saved_id[4] >= 0)):
            return kind, saved_id[2], as_text(saved_id[3]), *saved_id[4:]
    raise pickle.UnpicklingError(f"no storage: {told(saved_id)}")


def restored(kind, location, count, memory, restore):
    """The storage of a file as a TypedStorage.

    Args:
        kind: its StorageType.
        location: where it was.
        count: the number of elements.
        memory: the UntypedStorage that was read.
        restore: puts it where it belongs.

    Raises:
        RuntimeError: the memory holds no such number of elements.
        TypeError: `restore` gives something else than a storage.
    """
    if memory.nbytes() != count * kind.dtype.itemsize:
        raise RuntimeError(f"a storage of {count} elements of {kind.dtype.itemsize} bytes has {memory.nbytes()} bytes")
    found = restore(memory, location)
    if not isinstance(found, UntypedStorage):
        raise TypeError(f"Argument type for 'wrap_storage' must be UntypedStorage but got {type(found).__name__}")
    return TypedStorage(wrap_storage=found, dtype=kind.dtype, _internal=True)
