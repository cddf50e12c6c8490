"""`linear_cross_entropy` of `torch.nn.functional`.

https://pytorch.org/docs/stable/generated/torch.nn.functional.linear_cross_entropy.html
"""

import math
import warnings
from typing import Any

from torchlike._api.generated import ops
from torchlike._base import dtypes as dt
from torchlike._record.tensor import Tensor
from torchlike._record.trace import state
from torchlike.autograd import engine
from torchlike.autograd.function import Function
from torchlike.autograd.grad_mode import enable_grad
from torchlike.nn import _reduction
from torchlike.nn._functional_layers import linear
from torchlike.nn._functional_loss import cross_entropy

_NONE = _reduction.get_enum("none")
_TWICE = "linear_cross_entropy chunked backward called twice; retain_graph=True / double backward are not supported."


def _forward(ctx, input, table, target, bias, weight, once, *how):
    ctx.save_for_backward(input, table, target, bias, weight)
    ctx.once, ctx.how = once, how
    return ops._linear_cross_entropy_chunked(input, table, target, bias, weight, *how)


def _backward(ctx, g):
    """The gradients of a second forward pass, piece by piece.

    They have no history, as in PyTorch; those of a loss that may be differentiated again lead to `g`, its gradient.
    """
    if ctx.once is None:
        raise RuntimeError(_TWICE)
    input, table, target, bias, weight = ctx.saved_tensors
    again = ctx.once is False and ctx.how[0] != _NONE
    ctx.once = None if ctx.once else ctx.once
    with enable_grad():
        needed = (ctx.needs_input_grad[i] for i in (0, 1, 3))
        parts: list[Any] = [None if x is None else x.detach().requires_grad_(wanted)
                            for x, wanted in zip((input, table, bias), needed, strict=True)]
        loss = ops._linear_cross_entropy_chunked(parts[0], parts[1], target, parts[2], weight, *ctx.how)
    wanted = [x for x in parts if x is not None and x.requires_grad]
    found = iter([g * x for x in engine.grad(loss, wanted)] if again else engine.grad(loss, wanted, g))
    gi, gt, gb = (next(found) if x is not None and x.requires_grad else None for x in parts)
    return (gi, gt, None, gb, *(None,) * (2 + len(ctx.how)))


def _chunked(name):
    return type(f"GeneratedBackwardFor_torch_nn_{name}_default", (Function,),
                {"forward": staticmethod(_forward), "backward": staticmethod(_backward)})


_REDUCED = _chunked("_linear_cross_entropy_batch_chunked")
_UNREDUCED = _chunked("_linear_cross_entropy_batch_chunked_no_reduction")


def _check(input, linear_weight, linear_bias):
    if not 1 <= input.dim() <= 2:
        raise RuntimeError(f"expected input with dimensionality 1 or 2, got {input.dim()}")
    if linear_weight.dim() < 2:
        raise RuntimeError(f"expected linear_weight with dimensionality at least 2, got {linear_weight.dim()}")
    if input.shape[-1] != linear_weight.shape[-1]:
        raise RuntimeError("expected equal input and linear_weight last dimensions (in_features), got "
                           f"{input.shape[-1]} and {linear_weight.shape[-1]}, respectively")
    outputs = tuple(linear_weight.shape[:-1])
    if linear_bias is not None and tuple(linear_bias.shape) != outputs:
        raise RuntimeError(f"expected linear_bias shape {outputs}, got {tuple(linear_bias.shape)}")
    if len(outputs) > 1 and input.dim() == 1:
        raise RuntimeError(f"K-dimensional loss defined by linear_weight shape {tuple(linear_weight.shape)} requires "
                           f"batched input, (N, {input.shape[-1]}), got unbatched input with shape {tuple(input.shape)}")


def _in_pieces(input, linear_weight, target, linear_bias, weight, reduction, ignore_index, options):
    batched = input.dim() == 2
    rows, classes = (input, target) if batched else (input.unsqueeze(0), target.unsqueeze(0))
    chunk = options._chunk(rows.shape[0], rows.shape[1], linear_weight.shape[0], rows.dtype)
    operands = (rows, linear_weight, classes, linear_bias, weight)
    how = (_reduction.get_enum(reduction), ignore_index, chunk, options._accumulated(rows.dtype))
    if state.thread.frames:  # PyTorch's operator has no rules for transforms: it refuses reverse mode, and its tangent is 0
        made = ops._linear_cross_entropy_chunked(*operands, *how)
    else:
        function = _UNREDUCED if reduction == "none" else _REDUCED
        made = function.apply(*operands, reduction != "none" and not options.allow_retain_graph, *how)
    return made if batched or reduction != "none" else made.squeeze(0)


def linear_cross_entropy(input: Tensor, linear_weight: Tensor, target: Tensor, *, linear_bias: Tensor | None = None,
                         weight: Tensor | None = None, reduction: str = "mean", ignore_index: int | None = None,
                         label_smoothing: float = 0.0, options=None) -> Tensor:
    """`cross_entropy` of the logits that a linear map makes of `input`.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.linear_cross_entropy.html

    Args:
        input: (N, D) or (D).
        linear_weight: (C, D), or (C, *, D) for a loss at * positions.
        target: (N, *) classes as int64, or (N, C, *) probabilities; without N for a vector.
        linear_bias: (C, *).
        weight: (C), one for each class.
        reduction, label_smoothing: as in `cross_entropy`.
        ignore_index: a class that does not count; None means -100.
        options: a `torch.nn.LinearCrossEntropyOptions`, with which the logits are made in pieces, forward and backward.
            Only for int64 classes, one position and no smoothing, else it warns. No second gradient is recorded then.

    Returns:
        a number, or the shape of the targets with "none".

    Raises:
        RuntimeError: shapes do not fit, or `ignore_index` comes with probabilities.
    """
    _check(input, linear_weight, linear_bias)
    classes, *positions = linear_weight.shape[:-1]
    shape = (*input.shape[:-1], classes, *positions)
    if tuple(target.shape) == shape and ignore_index is not None:
        raise RuntimeError("ignore_index cannot be specified when target contains probabilities")
    ignored = -100 if ignore_index is None else ignore_index
    if options is not None:
        if not positions and reduction in ("mean", "sum", "none") and not label_smoothing and target.dtype is dt.int64:
            return _in_pieces(input, linear_weight, target, linear_bias, weight, reduction, ignored, options)
        shown = None if linear_bias is None else tuple(linear_bias.shape)
        warnings.warn(
            "linear_cross_entropy: ``options`` ignored; chunked path needs reduction in {'mean','sum','none'}, "
            f"label_smoothing == 0, target.dtype == int64, out_features == (). Got reduction={reduction!r}, label_smoothing="
            f"{label_smoothing}, target.dtype={target.dtype}, out_features={tuple(positions)}, tracing=False, "
            f"linear_bias.shape={shown}.", stacklevel=2)
    if positions:
        count = math.prod(positions, start=classes)
        linear_weight = linear_weight.reshape(count, linear_weight.shape[-1])
        linear_bias = None if linear_bias is None else linear_bias.reshape(count)
    logits = linear(input, linear_weight, linear_bias).reshape(shape)
    return cross_entropy(logits, target, weight, ignore_index=ignored, reduction=reduction, label_smoothing=label_smoothing)
