"""The cross entropy of a linear map, some rows of logits at a time.

https://pytorch.org/docs/stable/generated/torch.nn.functional.linear_cross_entropy.html. A table of 128 000 classes makes
logits that are larger than everything else; here there is room for one piece of them, which the gradient makes again.
"""

import jax
import jax.numpy as jnp
from jax import lax

from torchlike._ops.nn.loss import MEAN, NONE, picked
from torchlike._ops.table import op


def _losses(x, classes, table, bias, weight, ignore_index):
    """(losses, weights) of a few rows. A target that is no class gives NaN."""
    logits = x @ table.T
    if bias is not None:
        logits = logits + bias
    safe, outside, w = picked(classes, table.shape[0], weight, ignore_index, logits.dtype)
    own = jnp.take_along_axis(logits, safe[:, None], 1)[:, 0]
    losses = jnp.where(classes.astype(jnp.int64) != ignore_index, (jax.nn.logsumexp(logits, 1) - own) * w, 0)
    return jnp.where(outside, jnp.nan, losses), w


_PARTS = "input linear_weight target linear_bias weight"


@op("_linear_cross_entropy_chunked(Tensor input, Tensor linear_weight, Tensor target, Tensor? linear_bias, Tensor? weight, "
    "int reduction, int ignore_index, int chunk, ScalarType acc_dtype) -> Tensor", method=False, function=False,
    grads={"input": _PARTS, "linear_weight": _PARTS, "linear_bias": _PARTS}, ours=True)
def _linear_cross_entropy_chunked(x, table, target, bias, weight, *, reduction, ignore_index, chunk, acc_dtype):
    """(N, D), (C, D) and integers (N) to losses (N), or to their sum or mean, in the dtype of `input`."""
    n = x.shape[0]
    pieces = -(-n // chunk)
    extra = pieces * chunk - n
    rows = jnp.pad(x, [(0, extra), (0, 0)]).reshape(pieces, chunk, x.shape[1])
    classes = jnp.pad(target, (0, extra), constant_values=ignore_index).reshape(pieces, chunk)
    wide_table, wide_bias, wide_weight = (None if p is None else p.astype(acc_dtype.np) for p in (table, bias, weight))

    def piece(given):
        return _losses(given[0].astype(acc_dtype.np), given[1], wide_table, wide_bias, wide_weight, ignore_index)

    losses, weights = lax.map(jax.checkpoint(piece), (rows, classes))
    if reduction == NONE:
        return losses.reshape(-1)[:n].astype(x.dtype)
    total = losses.sum()
    return (total / weights.sum() if reduction == MEAN else total).astype(x.dtype)
