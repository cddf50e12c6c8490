"""Shapes, strides and offsets of views, as PyTorch computes them. Plain numbers in and out.

Each function takes (shape, strides, offset) of the operand and the row's parameters, and gives the
same three of the result (a list of them for rows with several results).
"""

import math

import numpy as np

from torchlike._base.errors import check_int64, wrap_dim


def same(shape, strides, offset):
    return shape, strides, offset


def broadcast(a, b) -> tuple:
    """The common shape of two; RuntimeError with PyTorch's text where there is none."""
    ndim = max(len(a), len(b))
    a, b = (1,) * (ndim - len(a)) + tuple(a), (1,) * (ndim - len(b)) + tuple(b)
    for i in range(ndim - 1, -1, -1):
        if a[i] != b[i] and a[i] != 1 and b[i] != 1:
            raise RuntimeError(f"The size of tensor a ({a[i]}) must match the size of tensor b ({b[i]}) at non-singleton "
                               f"dimension {i}")
    return tuple(y if x == 1 else x for x, y in zip(a, b, strict=True))


def fill_in(shape, size) -> tuple:
    """`size` with its -1 worked out; RuntimeError where the count does not fit."""
    size = tuple(size)
    numel = math.prod(shape)
    unknown = [i for i, s in enumerate(size) if s == -1]
    if len(unknown) > 1:
        raise RuntimeError("only one dimension can be inferred")
    for i, s in enumerate(size):
        if s < -1:
            raise RuntimeError(f"invalid shape dimension {s} at index {i} of shape {list(size)}")
    known = math.prod(s for s in size if s != -1)
    if unknown:
        if known == numel == 0:
            raise RuntimeError(f"cannot reshape tensor of 0 elements into shape {list(size)} because the "
                               "unspecified dimension size -1 can be any value and is ambiguous")
        if known and numel % known == 0:
            return tuple(numel // known if s == -1 else s for s in size)
    elif known == numel:
        return size
    raise RuntimeError(f"shape '{list(size)}' is invalid for input of size {numel}")


def view_strides(shape, strides, size):
    """Strides of a view of another shape, or None where PyTorch would have to copy."""
    if math.prod(shape) == 0:
        if tuple(shape) == tuple(size):
            return strides
        return row_major(size)
    out, view_d = [0] * len(size), len(size) - 1
    chunk_base = strides[-1] if strides else 1
    tensor_numel = view_numel = 1
    for d in range(len(shape) - 1, -1, -1):
        tensor_numel *= shape[d]
        if d != 0 and (shape[d - 1] == 1 or strides[d - 1] == tensor_numel * chunk_base):
            continue
        while view_d >= 0 and (view_numel < tensor_numel or size[view_d] == 1):
            out[view_d] = view_numel * chunk_base
            view_numel *= size[view_d]
            view_d -= 1
        if view_numel != tensor_numel:
            return None
        if d > 0:
            chunk_base, tensor_numel, view_numel = strides[d - 1], 1, 1
    if not shape:
        return (1,) * len(size)
    return tuple(out) if view_d == -1 else None


def row_major(shape):
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))


def view(shape, strides, offset, *, size):
    size = fill_in(shape, size)
    found = view_strides(shape, strides, size)
    if found is None:
        raise RuntimeError("view size is not compatible with input tensor's size and stride (at least one "
                           "dimension spans across two contiguous subspaces). Use .reshape(...) instead.")
    return size, found, offset


def unsqueeze(shape, strides, offset, *, dim):
    dim = wrap_dim(dim, len(shape) + 1)
    stride = shape[dim] * strides[dim] if dim < len(shape) else 1
    return (*shape[:dim], 1, *shape[dim:]), (*strides[:dim], stride, *strides[dim:]), offset


def squeezed_dims(shape, dim) -> tuple:
    """The dimensions of size 1 that squeeze removes."""
    if dim is None:
        return tuple(i for i, s in enumerate(shape) if s == 1)
    dims = (dim,) if isinstance(dim, int) else dim
    return tuple(sorted({w for d in dims if (shape and shape[w := wrap_dim(d, len(shape))] == 1)
                         or (not shape and wrap_dim(d, 0))}))


def squeeze(shape, strides, offset, *, dim):
    gone = squeezed_dims(shape, dim)
    keep = [i for i in range(len(shape)) if i not in gone]
    return tuple(shape[i] for i in keep), tuple(strides[i] for i in keep), offset


def permute(shape, strides, offset, *, dims):
    if len(dims) != len(shape):
        raise RuntimeError("permute(sparse_coo): number of dimensions in the tensor input does not match the "
                           f"length of the desired ordering of dimensions i.e. input.dim() = {len(shape)} is "
                           f"not equal to len(dims) = {len(dims)}")
    order = [wrap_dim(d, len(shape)) for d in dims]
    if len(set(order)) != len(order):
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return tuple(shape[d] for d in order), tuple(strides[d] for d in order), offset


def transpose(shape, strides, offset, *, dim0, dim1):
    dim0, dim1 = wrap_dim(dim0, len(shape)), wrap_dim(dim1, len(shape))
    if not shape:
        return shape, strides, offset
    order = list(range(len(shape)))
    order[dim0], order[dim1] = order[dim1], order[dim0]
    return tuple(shape[d] for d in order), tuple(strides[d] for d in order), offset


def t(shape, strides, offset):
    if len(shape) > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {len(shape)}D")
    return tuple(reversed(shape)), tuple(reversed(strides)), offset


def expanded(shape, size) -> tuple:
    """The shape that expand gives; RuntimeError with PyTorch's texts."""
    size = tuple(size)
    if len(size) < len(shape):
        raise RuntimeError(f"expand(torch.FloatTensor{{{list(shape)}}}, size={list(size)}): the number of sizes "
                           f"provided ({len(size)}) must be greater or equal to the number of dimensions in the "
                           f"tensor ({len(shape)})")
    pad, out = len(size) - len(shape), []
    for i, want in reversed(list(enumerate(size))):
        have = shape[i - pad] if i >= pad else None
        if want == -1:
            if have is None:
                raise RuntimeError(f"The expanded size of the tensor ({want}) isn't allowed in a leading, "
                                   f"non-existing dimension {i}")
            want = have
        if have is None and want < 0:
            raise RuntimeError("numel: integer multiplication overflow")
        if have is not None and have not in (1, want):
            raise RuntimeError(f"The expanded size of the tensor ({want}) must match the existing size ({have}) "
                               f"at non-singleton dimension {i}.  Target sizes: {list(size)}.  Tensor sizes: "
                               f"{list(shape)}")
        out.append(want)
    return tuple(reversed(out))


def expand(shape, strides, offset, *, size, implicit):
    target = expanded(shape, size)
    pad, out = len(target) - len(shape), [0] * len(target)
    for i in range(len(target) - 1, -1, -1):
        if i >= pad:
            out[i] = strides[i - pad] if shape[i - pad] == target[i] else 0
        else:
            out[i] = target[i + 1] * out[i + 1] if i + 1 < len(target) and target[i] == 1 else 0
    return target, tuple(out), offset


def slice_bounds(size, start, end, step):
    """start, end, step as PyTorch clamps them."""
    if step <= 0:
        raise RuntimeError("slice step must be positive")
    start = 0 if start is None else start
    end = size if end is None else end
    start = min(max(start + size if start < 0 else start, 0), size)
    end = min(max(end + size if end < 0 else end, start), size)
    return start, end, step


def slice_(shape, strides, offset, *, dim, start, end, step):
    if not shape:
        raise RuntimeError("slice() cannot be applied to a 0-dim tensor.")
    dim = wrap_dim(dim, len(shape))
    first, last, step = slice_bounds(shape[dim], start, end, step)
    count = (last - first + step - 1) // step
    return ((*shape[:dim], count, *shape[dim + 1:]),
            (*strides[:dim], strides[dim] * step, *strides[dim + 1:]), offset + first * strides[dim])


def select(shape, strides, offset, *, dim, index):
    if not shape:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    dim = wrap_dim(dim, len(shape))
    size = shape[dim]
    if not -size <= index < size:
        check_int64(index)
        raise IndexError(f"select(): index {index} out of range for tensor of size {list(shape)} at dimension {dim}")
    at = index + size if index < 0 else index
    return (*shape[:dim], *shape[dim + 1:]), (*strides[:dim], *strides[dim + 1:]), offset + at * strides[dim]


def diagonal(shape, strides, start, *, offset, dim1, dim2):
    k = offset
    d1, d2 = wrap_dim(dim1, len(shape)), wrap_dim(dim2, len(shape))
    if d1 == d2:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    size = max(min(shape[d1], shape[d2] - k) if k >= 0 else min(shape[d1] + k, shape[d2]), 0)
    moved = start + (k * strides[d2] if k >= 0 else -k * strides[d1]) if size else start
    keep = [i for i in range(len(shape)) if i not in (d1, d2)]
    return ((*(shape[i] for i in keep), size), (*(strides[i] for i in keep), strides[d1] + strides[d2]), moved)


def unfold(shape, strides, offset, *, dimension, size, step):
    dim = wrap_dim(dimension, len(shape))
    extent = shape[dim] if shape else 1
    if size < 0:
        raise RuntimeError(f"size is {size} but must be >= 0")
    if size > extent:
        raise RuntimeError(f"maximum size for tensor at dimension {dim} is {extent} but size is {size}")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    if not shape:
        return (size,), (1,), offset
    count = (extent - size) // step + 1
    return ((*shape[:dim], count, *shape[dim + 1:], size),
            (*strides[:dim], strides[dim] * step, *strides[dim + 1:], strides[dim]), offset)


def split_bounds(shape, split_size, dim) -> list:
    """(start, end) of the pieces."""
    if not shape:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    if split_size < 0:
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={split_size}")
    n = shape[dim]
    if split_size == 0:
        if n:
            raise RuntimeError(f"split_size can only be 0 if dimension size is 0, but got dimension size of {n}")
        return [(0, 0)]
    return [(a, min(a + split_size, n)) for a in range(0, max(n, 1), split_size)]


def split(shape, strides, offset, *, split_size, dim):
    dim = wrap_dim(dim, len(shape))
    return [slice_(shape, strides, offset, dim=dim, start=a, end=b, step=1)
            for a, b in split_bounds(shape, split_size, dim)]


def split_with_sizes(shape, strides, offset, *, split_sizes, dim):
    dim = wrap_dim(dim, len(shape))
    if any(s < 0 for s in split_sizes):
        raise RuntimeError("split_with_sizes expects split_sizes have only non-negative entries, but got "
                           f"split_sizes={list(split_sizes)}")
    if sum(split_sizes) != shape[dim]:
        raise RuntimeError("split_with_sizes expects split_sizes to sum exactly to "
                           f"{shape[dim]} (input tensor's size at dimension {dim}), but got "
                           f"split_sizes={list(split_sizes)}")
    out, start = [], 0
    for size in split_sizes:
        out.append(slice_(shape, strides, offset, dim=dim, start=start, end=start + size, step=1))
        start += size
    return out


def unbind(shape, strides, offset, *, dim):
    if not shape:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    dim = wrap_dim(dim, len(shape))
    return [select(shape, strides, offset, dim=dim, index=i) for i in range(shape[dim])]


def as_strided(shape, strides, offset, *, size, stride, storage_offset, base_layout):
    return size, stride, storage_offset


def view_as_real(shape, strides, offset):
    return (*shape, 2), (*(2 * s for s in strides), 1), 2 * offset


def view_as_complex(shape, strides, offset):
    if not shape:
        raise RuntimeError("Input tensor must have one or more dimensions")
    if shape[-1] != 2:
        raise RuntimeError("Tensor must have a last dimension of size 2")
    if strides[-1] != 1:
        raise RuntimeError("Tensor must have a last dimension with stride 1")
    if any(s % 2 for s in strides[:-1]):
        raise RuntimeError("Tensor must have a stride divisible by 2 for all but last dimension")
    if offset % 2:
        raise RuntimeError("Tensor must have a storage_offset divisible by 2")
    return shape[:-1], tuple(s // 2 for s in strides[:-1]), offset // 2


def real(shape, strides, offset):
    return shape, tuple(2 * s for s in strides), 2 * offset


def imag(shape, strides, offset):
    return shape, tuple(2 * s for s in strides), 2 * offset + 1


def bitcast(shape, strides, offset, *, dtype, was):
    """The same memory read as elements of another size; RuntimeErrors with PyTorch's texts."""
    old, new = was.itemsize, dtype.itemsize
    if old == new:
        return shape, strides, offset
    what = f"to view {was.scalar_name} as {dtype.scalar_name} (different element sizes)"
    if not shape:
        raise RuntimeError(f"self.dim() cannot be 0 {what}")
    if strides[-1] != 1:
        raise RuntimeError(f"self.stride(-1) must be 1 {what}, but got {strides[-1]}")
    if new < old:
        k = old // new
        return (*shape[:-1], shape[-1] * k), (*(s * k for s in strides[:-1]), 1), offset * k
    k = new // old
    counts = {"size(-1)": shape[-1], "storage_offset()": offset}
    counts |= {f"stride({i})": s for i, s in enumerate(strides[:-1])}
    for name, count in counts.items():
        if count % k:
            raise RuntimeError(f"self.{name} must be divisible by {k} {what}, but got {count}")
    return (*shape[:-1], shape[-1] // k), (*(s // k for s in strides[:-1]), 1), offset // k


def positions(shape, strides, offset) -> np.ndarray:
    """The memory position of each element."""
    out = np.full((), offset, np.int64)
    for size, stride in zip(shape, strides, strict=True):
        out = out[..., None] + np.arange(size, dtype=np.int64) * stride
    return out
