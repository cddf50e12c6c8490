"""Joining, repeating and turning: cat, stack, repeat, flip, roll, rot90, block_diag.

https://pytorch.org/docs/stable/torch.html#indexing-slicing-joining-mutating-ops
"""

import jax.numpy as jnp

from torchlike._base.errors import wrap_dim, wrap_dims
from torchlike._ops import gradient_strides as lies
from torchlike._ops.numerics import sums
from torchlike._ops.table import op


def shape_text(shape) -> str:
    """A shape as PyTorch prints it in errors."""
    return f"[{', '.join(map(str, shape))}]"


# -- joining

def _is_skipped(x) -> bool:
    """PyTorch ignores 1-D tensors without elements, whatever the other shapes."""
    return x.shape == (0,)


def _check_cat(arrays, dim):
    """The wrapped dimension; the errors of shapes that do not fit."""
    for i, x in enumerate(arrays):
        if x.ndim == 0:
            raise RuntimeError(f"zero-dimensional tensor (at position {i}) cannot be concatenated")
    kept = [(i, x) for i, x in enumerate(arrays) if not _is_skipped(x)]
    if not kept:
        return 0
    first = kept[0][1]
    dim = wrap_dim(dim, first.ndim)
    for i, x in kept[1:]:
        if x.ndim != first.ndim:
            raise RuntimeError(f"Tensors must have same number of dimensions: got {first.ndim} and {x.ndim}")
        for d in range(x.ndim):
            if d != dim and x.shape[d] != first.shape[d]:
                raise RuntimeError(
                    f"Sizes of tensors must match except in dimension {dim}. Expected size {first.shape[d]} "
                    f"but got size {x.shape[d]} for tensor number {i} in the list.")
    return dim


@op("cat(Tensor[] tensors, int dim=0) -> Tensor", promote="default", grads={"tensors": ""}, method=False,
    autocast={"cpu": "promote"}, doc="The tensors one after the other along `dim`.", by_hand="function",
    layout="channels of all", gradient=lies.as_given)
def _cat(arrays, *, dim):
    if not arrays:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    dim = _check_cat(arrays, dim)
    kept = [x for x in arrays if not _is_skipped(x)]
    return jnp.concatenate(kept, dim) if kept else arrays[0]


@op("stack(Tensor[] tensors, int dim=0) -> Tensor", promote="default", grads={"tensors": ""}, method=False,
    autocast={"cpu": "promote"}, doc="The tensors side by side along a new dimension `dim`.", by_hand="function",
    layout="stacked", gradient=lies.without)
def _stack(arrays, *, dim):
    if not arrays:
        raise RuntimeError("stack expects a non-empty TensorList")
    first = arrays[0].shape
    dim = wrap_dim(dim, len(first) + 1)
    for i, x in enumerate(arrays):
        if x.shape != first:
            raise RuntimeError(f"stack expects each tensor to be equal size, but got {shape_text(first)} at "
                               f"entry 0 and {shape_text(x.shape)} at entry {i}")
    return jnp.stack(arrays, dim)


@op("block_diag(Tensor[] tensors) -> Tensor", promote="default", grads={"tensors": ""}, method=False,
    function=False, copies=True, doc="A matrix with the given matrices along its diagonal and zeros elsewhere.")
def _block_diag(arrays):
    for i, x in enumerate(arrays):
        if x.ndim > 2:
            raise RuntimeError("torch.block_diag: Input tensors must have 2 or fewer dimensions. Input "
                               f"{i} has {x.ndim} dimensions")
    blocks = [x if x.ndim == 2 else x.reshape(1, -1) for x in arrays]
    height, width = sum(b.shape[0] for b in blocks), sum(b.shape[1] for b in blocks)
    rows, left = [], 0
    for b in blocks:
        rows.append(jnp.pad(b, ((0, 0), (left, width - left - b.shape[1]))))
        left += b.shape[1]
    return jnp.concatenate(rows, 0) if rows else jnp.zeros((height, width))


# -- repeating

def _repeat_gradient(g, self_aval, repeats):
    shape = (1,) * (len(repeats) - len(self_aval.shape)) + tuple(self_aval.shape)
    parts = [size for pair in zip(repeats, shape, strict=True) for size in pair]
    return sums.total(g.reshape(parts), range(0, len(parts), 2))


@op("repeat(Tensor self, int[*] repeats) -> Tensor", promote="default", grads={"self": _repeat_gradient}, function=False,
    doc="Copies of the tensor, `repeats` times along each dimension.", by_hand="method")
def _repeat(x, *, repeats):
    if len(repeats) < x.ndim:
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of "
                           "dimensions of tensor")
    sizes = [r * n for r, n in zip(repeats, (1,) * (len(repeats) - x.ndim) + x.shape, strict=True)]
    for size in sizes:
        if size < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {size}: {shape_text(sizes)}")
    return jnp.tile(x, repeats)


# -- turning

@op("flip(Tensor self, int[*] dims) -> Tensor", grads={"self": ""}, function=False, layout="preserve",
    doc="The elements in reverse order along `dims`.", by_hand="method")
def _flip(x, *, dims):
    return jnp.flip(x, wrap_dims(dims, x.ndim) if dims else ()) if x.ndim else x


@op("roll(Tensor self, int[1] shifts, int[1] dims=()) -> Tensor", grads={"self": ""}, out=False,
    doc="The elements moved by `shifts` along `dims`; what leaves at one end comes in at the other.")
def _roll(x, *, shifts, dims):
    shifts, dims = ((v,) if isinstance(v, int) else v for v in (shifts, dims))
    if not shifts:
        raise RuntimeError("`shifts` required")
    if not dims and len(shifts) == 1:
        return jnp.roll(x.reshape(-1), shifts[0]).reshape(x.shape)
    if len(shifts) != len(dims):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(shifts)}, dims:{len(dims)}")
    for shift, dim in zip(shifts, dims, strict=True):
        if not x.ndim:
            raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
        x = jnp.roll(x, shift, wrap_dim(dim, x.ndim))
    return x


@op("rot90(Tensor self, int k=1, int[] dims=[0,1]) -> Tensor", grads={"self": ""}, out=False,
    doc="A quarter turn in the plane of `dims`, `k` times.")
def _rot90(x, *, k, dims):
    if len(dims) != 2:
        raise RuntimeError(f"expected total rotation dims == 2, but got dims = {len(dims)}")
    if x.ndim < 2:
        raise RuntimeError(f"expected total dims >= 2, but got total dims = {x.ndim}")
    axes = tuple(wrap_dim(d, x.ndim) for d in dims)
    if axes[0] == axes[1]:
        raise RuntimeError(f"expected rotation dims to be different, but got dim0 = {dims[0]} and dim1 = "
                           f"{dims[1]}")
    return jnp.rot90(x, k, axes)
