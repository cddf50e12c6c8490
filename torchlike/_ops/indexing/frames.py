"""Overlapping frames put back together: the transpose of `Tensor.unfold`."""

import jax.numpy as jnp

from torchlike._base.errors import wrap_dim
from torchlike._ops.table import op

_MOST = 64  # shifted sums; with more the frames are added one element at a time


def _places(count, size, step):
    return jnp.arange(count, dtype=jnp.int32)[:, None] * step + jnp.arange(size, dtype=jnp.int32)


def _gradient(g, grad_in_aval, dim, size, step):
    dim = wrap_dim(dim, g.ndim)
    frames = jnp.take(g, _places(grad_in_aval.shape[dim], size, step), axis=dim)
    return jnp.moveaxis(frames, dim + 1, -1)


def _overlapped(frames, length, step):
    """(*, frames, size) to (*, length), as sums of pieces of `step` elements; frames one apart overlap in the next piece."""
    *lead, count, size = frames.shape
    pieces = -(-size // step)
    padded = jnp.pad(frames, [(0, 0)] * (len(lead) + 1) + [(0, pieces * step - size)])
    total = jnp.zeros((*lead, (count + pieces) * step), frames.dtype)
    for k in range(pieces):
        piece = padded[..., k * step:(k + 1) * step].reshape(*lead, count * step)
        total = total.at[..., k * step:k * step + count * step].add(piece)
    have = total.shape[-1]
    return total[..., :length] if have >= length else jnp.pad(total, [(0, 0)] * len(lead) + [(0, length - have)])


@op("unfold_backward(Tensor grad_in, int[] input_sizes, int dim, int size, int step) -> Tensor", method=False,
    function=False, node="UnfoldBackwardBackward0", grads={"grad_in": _gradient})
def unfold_backward(frames, *, input_sizes, dim, size, step):
    """Frames (*, number, *, size), `step` apart along `dim`, summed where they overlap, in a tensor of `input_sizes`."""
    if frames.dtype == jnp.bool_:
        counts = unfold_backward(frames.astype(jnp.int32), input_sizes=input_sizes, dim=dim, size=size, step=step)
        return counts > 0
    dim = wrap_dim(dim, len(input_sizes))
    moved = jnp.moveaxis(frames, dim, -2)
    length = input_sizes[dim]
    if size <= _MOST * step:
        total = _overlapped(moved, length, step)
    else:
        where = _places(moved.shape[-2], size, step)
        total = jnp.zeros((*moved.shape[:-2], length), frames.dtype).at[..., where].add(moved)
    return jnp.moveaxis(total, -1, dim)
