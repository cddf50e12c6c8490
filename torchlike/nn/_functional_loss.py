"""Losses of `torch.nn.functional`.

https://pytorch.org/docs/stable/nn.functional.html#loss-functions. `reduction` is "mean", "sum" or "none"
(ValueError on another word); `size_average` and `reduce` are its deprecated ancestors.
"""

import math
import warnings

from torchlike import _api
from torchlike._api.generated import ops
from torchlike._modes.composite import composite
from torchlike._record.tensor import Tensor
from torchlike.autograd.grad_mode import no_grad
from torchlike.nn import _reduction

# Keeps the denominator of the cosine away from 0.
_COSINE_EPS = 1e-12
_KL_MEAN = (
    "reduction: 'mean' divides the total loss by both the batch size and the support size."
    "'batchmean' divides only by the batch size, and aligns with the KL div math definition."
    "'mean' will be changed to behave the same as 'batchmean' in the next major release."
)


def cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average=None,
                  ignore_index: int = -100, reduce=None, reduction: str = "mean",
                  label_smoothing: float = 0.0) -> Tensor:
    """-log softmax of the target class; `input` (N, C, *) or (C), `target` classes or probabilities."""
    which = _reduction.number(size_average, reduce, reduction)
    return _api.cross_entropy_loss(input, target, weight, which, ignore_index, label_smoothing)


def nll_loss(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average=None,
             ignore_index: int = -100, reduce=None, reduction: str = "mean") -> Tensor:
    """Minus the entry of `input` (log-probabilities, (N, C, *) or (C)) at the target class."""
    which = _reduction.number(size_average, reduce, reduction)
    return _api.nll_loss_nd(input, target, weight, which, ignore_index)


def binary_cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average=None,
                         reduce=None, reduction: str = "mean") -> Tensor:
    """-(t log x + (1 - t) log(1 - x)), the logarithms at least -100; ValueError if sizes differ."""
    which = _reduction.number(size_average, reduce, reduction)
    if target.size() != input.size():
        raise ValueError(f"Using a target size ({target.size()}) that is different to the input size "
                         f"({input.size()}) is deprecated. Please ensure they have the same size.")
    if weight is not None:
        weight = weight.expand(_api.broadcast_shapes(target.size(), weight.size()))
    return _api.binary_cross_entropy(input, target, weight, which)


def binary_cross_entropy_with_logits(input: Tensor, target: Tensor, weight: Tensor | None = None,
                                     size_average=None, reduce=None, reduction: str = "mean",
                                     pos_weight: Tensor | None = None) -> Tensor:
    """`binary_cross_entropy` of sigmoid(input), computed stably; ValueError if sizes differ."""
    which = _reduction.number(size_average, reduce, reduction)
    if target.size() != input.size():
        raise ValueError(f"Target size ({target.size()}) must be the same as input size ({input.size()})")
    return _api.binary_cross_entropy_with_logits(input, target, weight, pos_weight, which)


def _broadcast(input, target):
    """The two broadcast against each other, with a warning where that is needed."""
    if target.size() == input.size():
        return input, target
    warnings.warn(f"Using a target size ({target.size()}) that is different to the input size "
                  f"({input.size()}). This will likely lead to incorrect results due to broadcasting. "
                  "Please ensure they have the same size.", stacklevel=3)
    return _api.broadcast_tensors(input, target)


def _weighted(loss, weight, input, reduction, divide_by_weight=True):
    """`loss * weight`, reduced; the mean is over the weights where `divide_by_weight`."""
    if weight.size() != input.size():
        raise ValueError("Weights and input must have the same size.")
    loss = loss * weight
    if reduction == "none":
        return loss
    if reduction == "sum":
        return loss.sum()
    if reduction == "mean":
        return loss.sum() / weight.sum() if divide_by_weight else loss.mean()
    raise ValueError(f"Invalid reduction mode: {reduction}. Expected one of 'none', 'mean', 'sum'.")


def mse_loss(input: Tensor, target: Tensor, size_average=None, reduce=None, reduction: str = "mean",
             weight: Tensor | None = None) -> Tensor:
    """(x - t)^2."""
    a, b = _broadcast(input, target)
    reduction = _reduction.resolve(size_average, reduce, reduction)
    if weight is not None:
        return _weighted((a - b).pow(2), weight, input, reduction)
    return _api.mse_loss(a, b, _reduction.get_enum(reduction))


@composite("l1_loss")
def l1_loss(input: Tensor, target: Tensor, size_average=None, reduce=None, reduction: str = "mean",
            weight: Tensor | None = None) -> Tensor:
    """|x - t|."""
    a, b = _broadcast(input, target)
    reduction = _reduction.resolve(size_average, reduce, reduction)
    if weight is not None:
        return _weighted((a - b).abs(), weight, input, reduction)
    return _reduction.reduce_loss((a - b).abs(), _reduction.get_enum(reduction))


def smooth_l1_loss(input: Tensor, target: Tensor, size_average=None, reduce=None, reduction: str = "mean",
                   beta: float = 1.0) -> Tensor:
    """d^2 / (2 beta) where d = |x - t| < beta, else d - beta / 2; `beta` 0 is `l1_loss`."""
    a, b = _broadcast(input, target)
    which = _reduction.number(size_average, reduce, reduction)
    if beta == 0.0:
        return _reduction.reduce_loss((a - b).abs(), which)
    return _api.smooth_l1_loss(a, b, which, beta)


def huber_loss(input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0,
               weight: Tensor | None = None) -> Tensor:
    """d^2 / 2 where d = |x - t| < delta, else delta (d - delta / 2)."""
    a, b = _broadcast(input, target)
    if weight is not None:
        return _weighted(_api.huber_loss(a, b, 0, delta), weight, input, reduction, divide_by_weight=False)
    return _api.huber_loss(a, b, _reduction.get_enum(reduction), delta)


@composite("kl_div")
def kl_div(input: Tensor, target: Tensor, size_average=None, reduce=None, reduction: str = "mean",
           log_target: bool = False) -> Tensor:
    """t (log t - x) for log-probabilities x; "batchmean" divides the sum by the batch size."""
    if size_average is None and reduce is None:
        if reduction == "mean":
            warnings.warn(_KL_MEAN, stacklevel=2)
        which = 2 if reduction == "batchmean" else _reduction.get_enum(reduction)
    else:
        which = _reduction.number(size_average, reduce, reduction)
    if not all(x.is_floating_point() for x in (input, target)):
        kind = "Complex" if input.is_complex() or target.is_complex() else "Integral"
        raise RuntimeError(f"kl_div: {kind} inputs not supported.")
    if log_target:
        loss = target.exp() * (target - input)
    else:
        loss = _api.xlogy(target, target) - target * input
    reduced = _reduction.reduce_loss(loss, which)
    if reduction == "batchmean" and input.dim() != 0:
        reduced = reduced / input.size()[0]
    return reduced


@composite("poisson_nll_loss")
def poisson_nll_loss(input: Tensor, target: Tensor, log_input: bool = True, full: bool = False,
                     size_average=None, eps: float = 1e-8, reduce=None, reduction: str = "mean") -> Tensor:
    """exp(x) - t x, or x - t log(x + eps) without `log_input`; `full` adds Stirling's term."""
    which = _reduction.number(size_average, reduce, reduction)
    if log_input:
        loss = _api.exp(input) - target * input
    else:
        loss = input - target * _api.log(input + eps)
    if full:
        stirling = target * _api.log(target) - target + 0.5 * _api.log(2 * math.pi * target)
        loss += stirling.masked_fill(target <= 1, 0)
    return _reduction.reduce_loss(loss, which)


def gaussian_nll_loss(input: Tensor, target: Tensor, var, full: bool = False, eps: float = 1e-6,
                      reduction: str = "mean") -> Tensor:
    """(log var + (x - t)^2 / var) / 2, the variance at least `eps`; `full` adds log(2 pi) / 2."""
    if isinstance(var, float):
        if var < 0:
            raise ValueError("var has negative entry/entries")
        var = var * _api.ones_like(input)
    elif (var < 0).any():
        raise ValueError("var has negative entry/entries")
    var = _match_variance(var, input)
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not valid")
    var = var.clone()
    with no_grad():
        var.clamp_(min=eps)
    loss = 0.5 * (_api.log(var) + (input - target) ** 2 / var)
    if full:
        loss += 0.5 * math.log(2 * math.pi)
    return _reduction.reduce_loss(loss, _reduction.get_enum(reduction))


def _match_variance(var, input):
    """`var` broadcastable against `input`: equal, one value a row, or 1 along one dimension."""
    if var.size() == input.size():
        return var
    if input.size()[:-1] == var.size():
        return var.unsqueeze(-1)
    unequal = [v for i, v in zip(input.size(), var.size(), strict=False) if i != v]
    if input.dim() == var.dim() and sum(unequal) == 1:
        return var
    raise ValueError("var is of incorrect size")


@composite("margin_ranking_loss")
def margin_ranking_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0,
                        size_average=None, reduce=None, reduction: str = "mean") -> Tensor:
    """max(0, -t (x1 - x2) + margin)."""
    which = _reduction.number(size_average, reduce, reduction)
    if input1.dim() != input2.dim() or input1.dim() != target.dim():
        raise RuntimeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: "
            f"input1: {input1.size()}, input2: {input2.size()}, target: {target.size()} ")
    loss = (-target * (input1 - input2) + margin).clamp_min_(0)
    return _reduction.reduce_loss(loss, which)


@composite("hinge_embedding_loss")
def hinge_embedding_loss(input: Tensor, target: Tensor, margin: float = 1.0, size_average=None,
                         reduce=None, reduction: str = "mean") -> Tensor:
    """x where t is 1, max(0, margin - x) where t is -1."""
    which = _reduction.number(size_average, reduce, reduction)
    zeros = _api.zeros_like(input)
    near = _api.where(target != 1, (margin - input).clamp_min(0), zeros)
    return _reduction.reduce_loss(near + _api.where(target != -1, input, zeros), which)


def soft_margin_loss(input: Tensor, target: Tensor, size_average=None, reduce=None,
                     reduction: str = "mean") -> Tensor:
    """log(1 + exp(-t x))."""
    return _api.soft_margin_loss(input, target, _reduction.number(size_average, reduce, reduction))


def multilabel_soft_margin_loss(input: Tensor, target: Tensor, weight: Tensor | None = None,
                                size_average=None, reduce=None, reduction: str = "mean") -> Tensor:
    """Binary cross entropy of the logits (N, C), averaged over the classes."""
    reduction = _reduction.resolve(size_average, reduce, reduction)
    loss = -(target * _api.log_sigmoid(input) + (1 - target) * _api.log_sigmoid(-input))
    if weight is not None:
        loss = loss * weight
    loss = loss.sum(dim=input.dim() - 1) / input.size(input.dim() - 1)
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not valid")
    return _reduction.reduce_loss(loss, _reduction.get_enum(reduction))


def _check_cosine_sizes(input1, input2, target):
    if target.dim() not in (0, 1):
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    want = target.dim() + 1
    if input1.dim() != want or input2.dim() != want:
        raise RuntimeError(f"{target.dim()}D target tensor expects {want}D input tensors, but found inputs "
                           f"with sizes {list(input1.shape)} and {list(input2.shape)}.")


@composite("cosine_embedding_loss")
def cosine_embedding_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0,
                          size_average=None, reduce=None, reduction: str = "mean") -> Tensor:
    """1 - cos where t is 1, max(0, cos - margin) where t is -1; inputs (N, D) or (D)."""
    which = _reduction.number(size_average, reduce, reduction)
    _check_cosine_sizes(input1, input2, target)
    dim = target.dim()
    square1 = (input1 * input1).sum(dim) + _COSINE_EPS
    square2 = (input2 * input2).sum(dim) + _COSINE_EPS
    cos = (input1 * input2).sum(dim) / (square1 * square2).sqrt()
    zeros = _api.zeros_like(cos)
    near = _api.where(target == 1, 1 - cos, zeros)
    far = _api.where(target == -1, (cos - margin).clamp_min(0), zeros)
    return _reduction.reduce_loss(near + far, which)


def _check_triplet(anchor, positive, negative, margin):
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    dims = anchor.dim(), positive.dim(), negative.dim()
    if len(set(dims)) != 1:
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, "
            "but got: anchor {}D, positive {}D, and negative {}D inputs".format(*dims))


@composite("triplet_margin_loss")
def triplet_margin_loss(anchor: Tensor, positive: Tensor, negative: Tensor, margin: float = 1.0,
                        p: float = 2, eps: float = 1e-6, swap: bool = False, size_average=None,
                        reduce=None, reduction: str = "mean") -> Tensor:
    """max(0, d(anchor, positive) - d(anchor, negative) + margin), d the p-norm distance."""
    which = _reduction.number(size_average, reduce, reduction)
    loss = _triplet(anchor, positive, negative,
                    lambda a, b: _api.pairwise_distance(a, b, p, eps), margin, swap)
    return _reduction.reduce_loss(loss, which)


def triplet_margin_with_distance_loss(anchor: Tensor, positive: Tensor, negative: Tensor, *,
                                      distance_function=None, margin: float = 1.0, swap: bool = False,
                                      reduction: str = "mean") -> Tensor:
    """`triplet_margin_loss` with a distance of one's own."""
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    distance = _api.pairwise_distance if distance_function is None else distance_function
    loss = _triplet(anchor, positive, negative, distance, margin, swap)
    return _reduction.reduce_loss(loss, _reduction.get_enum(reduction))


def _triplet(anchor, positive, negative, distance, margin, swap):
    _check_triplet(anchor, positive, negative, margin)
    near = distance(anchor, positive)
    far = distance(anchor, negative)
    if swap:
        far = _api.minimum(far, distance(positive, negative))
    return _api.clamp_min(margin + near - far, 0)


def multi_margin_loss(input: Tensor, target: Tensor, p: int = 1, margin: float = 1.0, weight: Tensor | None = None,
                      size_average=None, reduce=None, reduction: str = "mean") -> Tensor:
    """The mean over classes of max(0, margin - input[target] + input[j]) ** p; `input` (N, C) or (C)."""
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.dim() != 1:
        raise ValueError("weight must be one-dimensional")
    which = _reduction.number(size_average, reduce, reduction)
    loss = ops.multi_margin_loss(input, target, weight, p, margin, which)
    if bool(((target < 0) | (target >= (input.shape[-1] if input.dim() else 1))).any()):
        raise RuntimeError("target out of range")
    return loss


def multilabel_margin_loss(input: Tensor, target: Tensor, size_average=None, reduce=None,
                           reduction: str = "mean") -> Tensor:
    """The margins between each label of `target` (up to the first -1) and each class that is none."""
    return ops.multilabel_margin_loss(input, target, _reduction.number(size_average, reduce, reduction))


def ctc_loss(log_probs: Tensor, targets: Tensor, input_lengths, target_lengths, blank: int = 0, reduction: str = "mean",
             zero_infinity: bool = False) -> Tensor:
    """The negative log-likelihood of label sequences under frame-wise log-probabilities (T, N, C) or (T, C).

    `targets` (N, S) or one after another, `input_lengths` and `target_lengths` (N). With "mean" each loss is divided by
    its target's length. RuntimeError for shapes and lengths that do not fit.
    https://pytorch.org/docs/stable/generated/torch.nn.CTCLoss.html"""
    return _api.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, _reduction.get_enum(reduction),
                         zero_infinity)
