"""What is known of a value before it exists: shape, dtype, strides, offset and device, interned.

Equal avals are the same object, so the recorder compares by identity.
"""

import math
import pathlib
import threading

import jax
import numpy as np

from torchlike._base import device as dev
from torchlike._base import dtypes as dt
from torchlike._base.errors import no_memory
from torchlike._base.forkable import forkable
from torchlike._base.settings import channels_last, channels_last_3d, contiguous_format, preserve_format
from torchlike._base.size import Size
from torchlike._base.size import plain as plain_size
from torchlike._compile.backends.registry import backend_of, device_of
from torchlike._compile.jax_private import own_work

NUMBER_DTYPES = {float: np.dtype(np.float64), int: np.dtype(np.int64), bool: np.dtype(np.bool_),
                 complex: np.dtype(np.complex128)}  # the forms in which Python numbers enter a kernel
_INTERNED: dict = {}
_LOCK = forkable(threading.Lock())
_LIMIT = 1 << 14  # 400 bytes each
_ADDRESSES = 1 << 47  # bytes that a process on x86 can have


def _most_of_host() -> int:
    """The bytes that one allocation in the host's memory cannot reach: Linux refuses, unless told otherwise, what memory
    and swap together could never hold, and does not ask what of it is free."""
    try:
        if pathlib.Path("/proc/sys/vm/overcommit_memory").read_text(encoding="ascii").strip() != "0":
            return _ADDRESSES
        rows = dict(line.split(":") for line in pathlib.Path("/proc/meminfo").read_text(encoding="ascii").splitlines())
        return 1024 * sum(int(rows[name].split()[0]) for name in ("MemTotal", "SwapTotal"))
    except (OSError, KeyError):  # another system
        return _ADDRESSES


_MOST_OF_HOST = _most_of_host()


class Aval:
    """Shape, dtype, device; strides and offset in elements as PyTorch would report them.

    ``plain`` is the same aval contiguous at offset 0: what a kernel sees. ``sds`` is JAX's
    description of it.
    """

    __slots__ = ("contiguous", "device", "dtype", "ndim", "numel", "offset", "plain", "sds",
                 "shape", "strides")
    shape: Size
    dtype: dt.dtype
    device: dev.device
    strides: tuple
    offset: int
    ndim: int
    numel: int
    contiguous: bool
    plain: "Aval"
    sds: jax.ShapeDtypeStruct

    @property
    def nbytes(self) -> int:
        """Bytes of its elements."""
        return self.numel * self.dtype.itemsize

    def __repr__(self):
        layout = "" if self.contiguous else f" strides {self.strides} offset {self.offset}"
        return f"{self.dtype.name}{list(self.shape)}{layout}"

    def __reduce__(self):
        return aval, (tuple(self.shape), self.dtype, self.device, self.strides, self.offset)


def row_major(shape) -> tuple:
    """The strides of a contiguous tensor. PyTorch counts a dimension of size 0 as 1."""
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))


def aval(shape: tuple, dtype: dt.dtype, device=dev.CPU, strides=None, offset: int = 0) -> Aval:
    """The one Aval of these facts; `strides` None means contiguous."""
    key = (shape, dtype, device, strides, offset)
    found = _INTERNED.get(key)
    return found if found is not None else _make(key)


def _make(key) -> Aval:
    shape, dtype, device, strides, offset = key
    normal = row_major(shape)
    strides = normal if strides is None else strides
    with _LOCK:
        if len(_INTERNED) > _LIMIT:  # an aval made anew costs a miss in the recorder, no more
            _INTERNED.clear()
        canonical = (shape, dtype, device, strides, offset)
        made = _INTERNED.get(canonical)
        if made is None:
            made = _build(shape, dtype, device, strides, offset, normal)
        _INTERNED[canonical] = _INTERNED[key] = made
    return made


def moved(a: Aval, offset: int) -> Aval:
    """The Aval with another offset. It is not interned: windows on large tensors have any number of them."""
    made = object.__new__(Aval)
    made.shape, made.dtype, made.device, made.strides, made.offset = a.shape, a.dtype, a.device, a.strides, offset
    made.ndim, made.numel, made.contiguous, made.plain, made.sds = a.ndim, a.numel, a.contiguous, a.plain, a.sds
    return made


def _build(shape, dtype, device, strides, offset, normal) -> Aval:
    made = object.__new__(Aval)
    made.shape = plain_size(shape)
    made.dtype, made.device, made.strides, made.offset = dtype, device, strides, offset
    made.ndim, made.numel = len(shape), math.prod(shape)
    made.contiguous = is_contiguous(shape, strides)
    if strides == normal and offset == 0:
        made.plain = made
        made.sds = backend_of(device).describe(tuple(shape), dtype.np)
    else:
        plain_key = (shape, dtype, device, normal, 0)
        plain = _INTERNED.get(plain_key)
        if plain is None:
            plain = _INTERNED[plain_key] = _build(shape, dtype, device, normal, 0, normal)
        made.plain, made.sds = plain, plain.sds
    return made


def is_contiguous(shape, strides) -> bool:
    """PyTorch's is_contiguous: dimensions of size 1 may have any stride."""
    expected = 1
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        if size == 0:
            return True
        if size != 1 and stride != expected:
            return False
        expected *= size
    return True


def number_sds(kind):
    """JAX's description of a number of that Python type, as it enters a kernel."""
    with own_work():
        return jax.ShapeDtypeStruct((), NUMBER_DTYPES[kind])


def of_array(array) -> Aval:
    """The Aval of a concrete jax array."""
    return aval(array.shape, dt.from_np(array.dtype), device_of(array))


def pointwise_strides(shape: tuple, operands) -> tuple | None:
    """Strides of an elementwise result, by the rule of PyTorch's TensorIterator.

    `operands` are Avals of the tensor operands. None means contiguous.
    """
    full = [a for a in operands if a.numel > 1 or a.ndim]
    if all(a.contiguous for a in full) or len(shape) < 2:
        return None
    aligned = [_broadcast_strides(a, shape) for a in full]
    if all(a.shape == shape for a in full) and len({a.strides for a in full}) == 1 \
            and is_dense(full[0].shape, full[0].strides):
        return full[0].strides
    return _dense_in_order(shape, _iterator_order(shape, aligned))


def _broadcast_strides(a: Aval, shape) -> tuple:
    pad = len(shape) - a.ndim
    own = tuple(0 if size == 1 and full != 1 else stride
                for size, stride, full in zip(a.shape, a.strides, shape[pad:], strict=True))
    return (0,) * pad + own


def _iterator_order(shape, aligned) -> list:
    """Dimensions from innermost to outermost, an insertion sort as TensorIterator does it."""
    ndim = len(shape)
    perm = list(range(ndim - 1, -1, -1))
    for i in range(1, ndim):
        inner = i
        for outer in range(i - 1, -1, -1):
            verdict = _should_swap(perm[outer], perm[inner], shape, aligned)
            if verdict > 0:
                perm[outer], perm[inner] = perm[inner], perm[outer]
                inner = outer
            elif verdict < 0:
                break
    return perm


def _should_swap(dim0, dim1, shape, aligned) -> int:
    for strides in aligned:
        stride0, stride1 = strides[dim0], strides[dim1]
        if stride0 == 0 or stride1 == 0:
            continue
        if stride0 != stride1:
            return -1 if stride0 < stride1 else 1
        if shape[dim0] > shape[dim1]:
            return 1
    return 0


def _dense_in_order(shape, order) -> tuple:
    strides, step = [0] * len(shape), 1
    for dim in order:
        strides[dim] = step
        step *= max(shape[dim], 1)
    return tuple(strides)


def is_dense(shape, strides) -> bool:
    """Whether the elements fill a block of memory without gaps or overlap, in some order."""
    expected = 1
    for stride, size in sorted(zip(strides, shape, strict=True)):
        if size == 1:
            continue
        if stride != expected:
            return False
        expected *= size
    return True


def span(a: Aval) -> int:
    """How many elements its memory has, from the first to the last; fewer than it has where these share their memory."""
    return 1 + sum((n - 1) * step for n, step in zip(a.shape, a.strides, strict=True)) if a.numel else 0


def preserved_strides(a: Aval) -> tuple | None:
    """Strides under torch.preserve_format (clone, empty_like): the operand's if it is dense."""
    if a is a.plain:
        return None
    if a.contiguous or is_dense(a.shape, a.strides):
        return a.strides
    return _dense_in_order(a.shape, _iterator_order(a.shape, [a.strides]))


_RANKS = {channels_last: 4, channels_last_3d: 5}
_FORMATS = {rank: memory_format for memory_format, rank in _RANKS.items()}


def format_strides(a: Aval, memory_format) -> tuple | None:
    """Strides in a torch.memory_format; None for contiguous. RuntimeError where the rank does not fit."""
    if memory_format in (None, preserve_format):
        return preserved_strides(a)
    if memory_format is contiguous_format:
        return None
    rank = _RANKS[memory_format]
    if a.ndim != rank:
        raise RuntimeError(f"required rank {rank} tensor to use {memory_format._name} format")
    return _channels_last_strides(a)


def suggested_format(a: Aval):
    """The torch.memory_format that PyTorch's kernels give the result of this operand: one with the channels last where its
    strides can mean nothing else, else None."""
    memory_format = _FORMATS.get(a.ndim)
    if memory_format is None or a is a.plain or a.strides[1] == 0:
        return None
    least = 0
    for dim in (1, *range(a.ndim - 1, 1, -1), 0):
        if a.shape[dim] == 0 or a.strides[dim] < least or (dim == 0 and least == a.strides[1]):
            return None
        least = a.strides[dim] * max(a.shape[dim], 1)
    return memory_format


def in_format(shape: tuple, dtype: dt.dtype, device, memory_format) -> Aval:
    """A new tensor in a torch.memory_format; RuntimeError where the rank does not fit."""
    plain = aval(shape, dtype, device)
    return aval(shape, dtype, device, format_strides(plain, memory_format))


def by_columns(a: Aval, room=0) -> Aval:
    """A contiguous tensor of matrices, with each matrix by columns in memory, as LAPACK has it.

    Args:
        a: the tensor.
        room: how many elements each column has room for, where these are more than it has.
    """
    *batch, rows, columns = a.shape
    *strides, step = row_major((*batch, columns, max(rows, room)))
    return aval(tuple(a.shape), a.dtype, a.device, (*strides[:-1], step, strides[-1]))


def real_part(a: Aval) -> Aval:
    """A tensor of real numbers that lies as the real parts of complex ones with its strides."""
    return aval(tuple(a.shape), a.dtype, a.device, tuple(2 * step for step in a.strides))


def check_memory(a: Aval) -> None:
    """PyTorch's RuntimeError for more than its numbers can count, or the memory can ever hold.

    Args:
        a: what is to be made; nothing is on device 'meta'.
    """
    if a.nbytes >= 1 << 63:
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(a.shape)}")
    if any(stride >= 1 << 63 for stride in a.strides):
        raise RuntimeError("Stride calculation overflowed")
    if a.nbytes >= _MOST_OF_HOST:
        backend = backend_of(a.device)
        if backend.has_values and (backend.in_host_memory or a.nbytes >= _ADDRESSES):
            raise no_memory(a.nbytes)


def _channels_last_strides(a: Aval) -> tuple:
    strides: list = [0] * a.ndim
    step = 1
    for dim in (1, *range(a.ndim - 1, 1, -1), 0):
        strides[dim] = step
        step *= max(a.shape[dim], 1)
    return tuple(strides)


def is_in_format(a: Aval, memory_format) -> bool:
    """Whether the strides are those of the format; the stride of a dimension of size 1 does not count."""
    if memory_format in (None, contiguous_format, preserve_format):
        return a.contiguous
    if a.ndim != _RANKS[memory_format]:
        return False
    wanted = _channels_last_strides(a)
    return all(size == 1 or mine == theirs for size, mine, theirs in zip(a.shape, a.strides, wanted, strict=True))
