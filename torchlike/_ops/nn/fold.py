"""Sliding blocks as columns and back: im2col and col2im, which are `unfold` and `fold`.

https://pytorch.org/docs/stable/generated/torch.nn.functional.fold.html
"""

import itertools
import math

import jax.numpy as jnp
from jax import lax

from torchlike._ops.rules import scalar_name
from torchlike._ops.table import op


def _two(v) -> tuple:
    return tuple(v) * 2 if len(v) == 1 else tuple(v)


def _blocks(size, kernel, dilation, padding, stride):
    """How many blocks fit along each of the two dimensions."""
    return tuple((s + 2 * p - d * (k - 1) - 1) // t + 1
                 for s, k, d, p, t in zip(size, kernel, dilation, padding, stride, strict=True))


def _check_blocks(x, kernel: str) -> None:
    if jnp.issubdtype(x.dtype, jnp.integer):
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{scalar_name(x)}'")


def _pair_text(v) -> str:
    return f"({v[0]}, {v[1]})"


@op("im2col(Tensor self, int[2] kernel_size, int[2] dilation, int[2] padding, int[2] stride) -> Tensor",
    node="Im2ColBackward0", method=False, function=False, grads={"self": ""})
def im2col(x, *, kernel_size, dilation, padding, stride):
    """(N, C, H, W) to (N, C kh kw, L): each column is one block."""
    kernel, dilation, padding, stride = map(_two, (kernel_size, dilation, padding, stride))
    if x.ndim < 3:
        raise IndexError(f"Dimension out of range (expected to be in range of [-{x.ndim}, {x.ndim - 1}], but got 2)")
    if x.ndim == 3:
        return im2col(x[None], kernel_size=kernel, dilation=dilation, padding=padding, stride=stride)[0]
    size = x.shape[2:]
    blocks = _blocks(size, kernel, dilation, padding, stride)
    if min(blocks) < 1:
        raise RuntimeError(
            f"Given input with spatial size {_pair_text(size)}, kernel_size={_pair_text(kernel)}, dilation="
            f"{_pair_text(dilation)}, padding={_pair_text(padding)}, calculated shape of the array of sliding blocks "
            f"as {_pair_text(blocks)}, but its components must be at least one.")
    _check_blocks(x, "im2col_out_cpu")
    padded = jnp.pad(x, [(0, 0), (0, 0), *((p, p) for p in padding)])
    parts = [padded[:, :, i * dilation[0]:i * dilation[0] + stride[0] * (blocks[0] - 1) + 1:stride[0],
                    j * dilation[1]:j * dilation[1] + stride[1] * (blocks[1] - 1) + 1:stride[1]]
             for i, j in itertools.product(range(kernel[0]), range(kernel[1]))]
    return jnp.stack(parts, 2).reshape(x.shape[0], x.shape[1] * math.prod(kernel), math.prod(blocks))


@op("col2im(Tensor self, int[2] output_size, int[2] kernel_size, int[2] dilation, int[2] padding, int[2] stride) "
    "-> Tensor", node="Col2ImBackward0", method=False, function=False, grads={"self": ""})
def col2im(x, *, output_size, kernel_size, dilation, padding, stride):
    """(N, C kh kw, L) to (N, C, H, W): blocks are put in their places and overlaps are summed."""
    kernel, dilation, padding, stride = map(_two, (kernel_size, dilation, padding, stride))
    size = _two(output_size)
    if x.ndim == 2:
        return col2im(x[None], output_size=size, kernel_size=kernel, dilation=dilation, padding=padding,
                      stride=stride)[0]
    count = math.prod(kernel)
    if x.shape[1] % count:
        raise RuntimeError("Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got "
                           f"input.size(1)={x.shape[1]} and kernel_size={_pair_text(kernel)}.")
    blocks = _blocks(size, kernel, dilation, padding, stride)
    if x.shape[2] != math.prod(blocks):
        raise RuntimeError(
            f"Given output_size={_pair_text(size)}, kernel_size={_pair_text(kernel)}, dilation={_pair_text(dilation)}, "
            f"padding={_pair_text(padding)}, stride={_pair_text(stride)}, expected size of input's dimension 2 to match "
            f"the calculated number of sliding blocks {blocks[0]} * {blocks[1]} = {math.prod(blocks)}, but got "
            f"input.size(2)={x.shape[2]}.")
    _check_blocks(x, "col2im_out_cpu")
    parts = x.reshape(x.shape[0], x.shape[1] // count, *kernel, *blocks)
    total = jnp.zeros((), x.dtype)
    for at in itertools.product(*map(range, kernel)):
        config = [(0, 0, 0), (0, 0, 0)]
        for a, d, p, s, b, full in zip(at, dilation, padding, stride, blocks, size, strict=True):
            config.append((a * d, full + 2 * p - a * d - (s * (b - 1) + 1), s - 1))
        total = total + lax.pad(parts[:, :, at[0], at[1]], jnp.zeros((), x.dtype), config)
    inside = tuple(slice(p, p + s) for p, s in zip(padding, size, strict=True))
    return total[(slice(None), slice(None), *inside)]
