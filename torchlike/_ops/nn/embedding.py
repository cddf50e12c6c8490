"""Look-ups and rearrangements: embedding, padding, pixel and channel shuffles, im2col.

https://pytorch.org/docs/stable/nn.functional.html. XLA's gather and scatter-add are as fast as PyTorch's
embedding on a CPU core (V 5000, D 256, 2048 rows: backward 0.35 ms here, 0.44 ms torch).
"""

import itertools
import math

import jax.numpy as jnp
from jax import lax

from torchlike._ops import index_bounds
from torchlike._ops.rules import is_half, scalar_name
from torchlike._ops.table import op

# --- embedding ----------------------------------------------------------------------------------

def _check_indices(indices, where: str):
    if indices.dtype not in (jnp.int64, jnp.int32):
        raise RuntimeError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got "
            f"torch.{scalar_name(indices)}Tensor instead (while checking arguments for {where})")


def _embedding_gradient(g, weight_aval, indices, padding_idx, scale_grad_by_freq):
    rows, width = weight_aval.shape
    index = indices.reshape(-1)
    values = g.reshape(-1, width).astype(jnp.float32 if is_half(g) else g.dtype)
    if padding_idx >= 0:
        values = jnp.where((index == padding_idx)[:, None], 0, values)
    # Out-of-bounds rows are dropped: their forward value was NaN already.
    index = jnp.where(index < 0, rows, index)
    if scale_grad_by_freq:
        counts = jnp.zeros((rows,), values.dtype).at[index].add(1, mode="drop")
        values = values / counts.at[index].get(mode="fill", fill_value=1)[:, None]
    return jnp.zeros((rows, width), values.dtype).at[index].add(values, mode="drop").astype(g.dtype)


@op("embedding(Tensor weight, Tensor indices, int padding_idx=-1, bool scale_grad_by_freq=False, bool sparse=False) "
    "-> Tensor", method=False, grads={"weight": _embedding_gradient}, tangent_of_fn=True, bounds=index_bounds.embedding)
def embedding(weight, indices, *, padding_idx, scale_grad_by_freq, sparse):
    """`weight[indices]`: (*) integers and (V, D) give (*, D). An index out of bounds gives NaN rows.

    A sparse gradient is refused before it comes here (`check_sparse_gradient` in `_api/selecting.py`).
    """
    if weight.ndim != 2:
        raise RuntimeError("'weight' must be 2-D")
    _check_indices(indices, "embedding")
    if weight.shape[0] == 0:
        return jnp.full((*indices.shape, weight.shape[1]), _missing(weight), weight.dtype)
    index = jnp.where(indices < 0, weight.shape[0], indices)
    return weight.at[index].get(mode="fill", fill_value=_missing(weight))


def _missing(x):
    return jnp.nan if jnp.issubdtype(x.dtype, jnp.inexact) else 0


# --- constant, reflection and replication padding -----------------------------------------------

def _edges(pad, ndim):
    """`pad` (last dimension first) as (low, high) for each dimension."""
    edges = [(0, 0)] * ndim
    for i in range(len(pad) // 2):
        edges[ndim - 1 - i] = (pad[2 * i], pad[2 * i + 1])
    return edges


@op("constant_pad_nd(Tensor self, int[] pad, Scalar value=0) -> Tensor", method=False,
    grads={"self": lambda g, pad: lax.pad(g, jnp.zeros((), g.dtype),
                                         [(-a, -b, 0) for a, b in _edges(pad, g.ndim)])},
    doc="Padded by `value`; negative sizes crop.")
def constant_pad_nd(x, *, pad, value):
    """`pad` is (before, after) of the last dimension, then of the one before it; negative crops."""
    if len(pad) % 2:
        raise RuntimeError(f"Length of pad must be even but instead it equals {len(pad)}")
    if len(pad) > 2 * x.ndim:
        raise RuntimeError("Length of pad should be no more than twice the number of dimensions of the input. Pad "
                           f"length is {len(pad)}while the input has {x.ndim}dimensions.")
    edges = _edges(pad, x.ndim)
    for i, (low, high) in enumerate(edges):
        if x.shape[i] + min(low, 0) + min(high, 0) < 0 or x.shape[i] + low + high < 0:
            raise RuntimeError("narrow(): length must be non-negative.")
    return lax.pad(x, jnp.asarray(value).astype(x.dtype), [(a, b, 0) for a, b in edges])


def _pad_last(x, padding, mode):
    """Pads by `mode`, then crops where a width is negative: both count from the input's own edges."""
    edges = _edges(padding, x.ndim)
    x = jnp.pad(x, [(max(a, 0), max(b, 0)) for a, b in edges], mode=mode)
    return lax.pad(x, jnp.zeros((), x.dtype), [(min(a, 0), min(b, 0), 0) for a, b in edges])


def _check_pad(x, padding, n, reflect):
    if not n + 1 <= x.ndim <= n + 2:
        raise RuntimeError(f"Expected {n + 1}D or {n + 2}D (batch mode) tensor with possibly 0 batch "
                           f"size and other non-zero dimensions for input, but got: {list(x.shape)}")
    sizes, words = x.shape[-n:], "DHW"[-n:]
    for i in range(n):
        low, high = padding[2 * i], padding[2 * i + 1]
        size = sizes[n - 1 - i]
        if reflect and (low >= size or high >= size):
            raise RuntimeError(
                f"Argument #{4 + 2 * i}: Padding size should be less than the corresponding input dimension, but got: "
                f"padding ({low}, {high}) at dimension {x.ndim - 1 - i} of input {list(x.shape)}")
    out = [s + padding[2 * (n - 1 - i)] + padding[2 * (n - 1 - i) + 1] for i, s in enumerate(sizes)]
    if any(o < 1 for o in out):
        text = [" ".join(f"{w}: {v}" for w, v in zip(words, values, strict=True)) for values in (sizes, out)]
        raise RuntimeError(f"input ({text[0]}) is too small. Calculated output {text[1]}")


def _pad_rows():
    for n, (word, mode, title, by) in itertools.product((1, 2, 3), (
            ("reflection", "reflect", "ReflectionPad", "the elements next to the edges, mirrored"),
            ("replication", "edge", "ReplicationPad", "copies of the elements at the edges"))):
        def function(x, *, padding, n=n, mode=mode, word=word):
            _check_pad(x, padding, n, mode == "reflect")
            if x.dtype == jnp.bool_:
                raise NotImplementedError(f"\"{word}_pad{n}d\" not implemented for 'Bool'")
            return _pad_last(x, padding, mode)

        op(f"{word}_pad{n}d(Tensor self, int[{2 * n}] padding) -> Tensor", function, method=False, function=False,
           node=f"{title}{n}DBackward0", grads={"self": "self"}, doc=f"Padded by {by}.",
           autocast={} if (word, n) == ("reflection", 3) else {"cpu": "fp32"})


_pad_rows()


# --- shuffles -----------------------------------------------------------------------------------

@op("pixel_shuffle(Tensor self, int upscale_factor) -> Tensor", method=False, grads={"self": ""})
def pixel_shuffle(x, *, upscale_factor):
    """(*, C r^2, H, W) to (*, C, H r, W r)."""
    r = upscale_factor
    if x.ndim < 3:
        raise RuntimeError("pixel_shuffle expects input to have at least 3 dimensions, but got input with "
                           f"{x.ndim} dimension(s)")
    if r <= 0:
        raise RuntimeError(f"pixel_shuffle expects a positive upscale_factor, but got {r}")
    *lead, c, h, w = x.shape
    if c % (r * r):
        raise RuntimeError("pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of "
                           f"upscale_factor, but input.size(-3)={c} is not divisible by {r * r}")
    n = len(lead)
    x = x.reshape(*lead, c // (r * r), r, r, h, w)
    x = x.transpose(*range(n), n, n + 3, n + 1, n + 4, n + 2)
    return x.reshape(*lead, c // (r * r), h * r, w * r)


@op("pixel_unshuffle(Tensor self, int downscale_factor) -> Tensor", method=False, grads={"self": ""})
def pixel_unshuffle(x, *, downscale_factor):
    """(*, C, H r, W r) to (*, C r^2, H, W)."""
    r = downscale_factor
    if x.ndim < 3:
        raise RuntimeError("pixel_unshuffle expects input to have at least 3 dimensions, but got input with "
                           f"{x.ndim} dimension(s)")
    if r <= 0:
        raise RuntimeError(f"pixel_unshuffle expects a positive downscale_factor, but got {r}")
    *lead, c, h, w = x.shape
    for name, size, dim in (("height", h, -2), ("width", w, -1)):
        if size % r:
            raise RuntimeError(f"pixel_unshuffle expects {name} to be divisible by downscale_factor, but "
                               f"input.size({dim})={size} is not divisible by {r}")
    n = len(lead)
    x = x.reshape(*lead, c, h // r, r, w // r, r)
    x = x.transpose(*range(n), n, n + 2, n + 4, n + 1, n + 3)
    return x.reshape(*lead, c * r * r, h // r, w // r)


@op("channel_shuffle(Tensor self, int groups) -> Tensor", method=False, grads={"self": ""})
def channel_shuffle(x, *, groups):
    """Channels (N, g k, *) reordered as if (g, k) were transposed."""
    if x.ndim < 3:
        raise RuntimeError("channel_shuffle expects input with > 2 dims, but got input with sizes "
                           f"{list(x.shape)}")
    if groups <= 0:
        raise RuntimeError(f"Number of groups to divide channels in must be positive. Value of groups:{groups}")
    if x.shape[1] % groups:
        raise RuntimeError(f"Number of channels must be divisible by groups. Got {x.shape[1]} channels and "
                           f"{groups} groups.")
    n, c = x.shape[:2]
    return x.reshape(n, groups, c // groups, *x.shape[2:]).swapaxes(1, 2).reshape(x.shape)


# --- sliding blocks -----------------------------------------------------------------------------

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
