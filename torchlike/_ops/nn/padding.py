"""Padding by a constant, by mirrored elements and by copies of the edges.

https://pytorch.org/docs/stable/generated/torch.nn.functional.pad.html
"""

import itertools

import jax.numpy as jnp
from jax import lax

from torchlike._base import dtypes as dt
from torchlike._ops.number_ranges import as_result
from torchlike._ops.promotion import cast
from torchlike._ops.table import op


def _edges(pad, ndim):
    """`pad` (last dimension first) as (low, high) for each dimension."""
    edges = [(0, 0)] * ndim
    for i in range(len(pad) // 2):
        edges[ndim - 1 - i] = (pad[2 * i], pad[2 * i + 1])
    return edges


@op("constant_pad_nd(Tensor self, int[] pad, Scalar value=0) -> Tensor", method=False, out=False, layout="channels",
    grads={"self": lambda g, pad: lax.pad(g, jnp.zeros((), g.dtype),
                                         [(-a, -b, 0) for a, b in _edges(pad, g.ndim)])},
    fits={"value": as_result}, copies=True, doc="Padded by `value`; negative sizes crop.")
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
    return lax.pad(x, cast(jnp.asarray(value), dt.from_np(x.dtype)), [(a, b, 0) for a, b in edges])


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
           layout="channels", node=f"{title}{n}DBackward0", grads={"self": "self"}, doc=f"Padded by {by}.",
           autocast={} if (word, n) == ("reflection", 3) else {"cpu": "fp32"})


_pad_rows()
