"""Losses of `torch.nn.functional`.

https://pytorch.org/docs/stable/nn.functional.html#loss-functions. `reduction` is "mean", "sum" or "none"
(ValueError on another word); `size_average` and `reduce` are its deprecated ancestors.
"""

import math
import warnings

from torchlike import _api
from torchlike._modes.composite import composite
from torchlike._record.tensor import Tensor
from torchlike.autograd.grad_mode import no_grad
from torchlike.nn import _reduction

_KL_MEAN = (
    "reduction: 'mean' divides the total loss by both the batch size and the support size."
    "'batchmean' divides only by the batch size, and aligns with the KL div math definition."
    "'mean' will be changed to behave the same as 'batchmean' in the next major release."
)


def cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average=None,
                  ignore_index: int = -100, reduce=None, reduction: str = "mean",
                  label_smoothing: float = 0.0) -> Tensor:
    """Minus the log softmax of `input` at the target class.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.cross_entropy.html

    Args:
        input: (N, C, *) or (C), logits of floating dtype.
        target: (N, *) or (), classes as int64; or probabilities in the shape of `input`.
        weight: (C), one for each class.
        size_average, reduce: deprecated in favour of `reduction`; False for "sum" and "none".
        ignore_index: a class that adds neither loss nor gradient; only for targets that are classes.
        reduction: "none", "sum", or "mean": the sum divided by the sum of the weights of the targets.
        label_smoothing: from 0 to 1, the share of the target that is spread evenly over all classes.

    Returns:
        a number, or the shape of `target` with "none" ((N, *) for probabilities).

    Raises:
        ValueError: an unknown `reduction`.
    """
    which = _reduction.number(size_average, reduce, reduction)
    return _api.cross_entropy_loss(input, target, weight, which, ignore_index, label_smoothing)


def nll_loss(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average=None,
             ignore_index: int = -100, reduce=None, reduction: str = "mean") -> Tensor:
    """Minus the entry of `input` at the target class, times its weight.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.nll_loss.html

    Args:
        input: (N, C, *) or (C), log-probabilities of floating dtype.
        target: (N, *) or (), classes as int64.
        weight, size_average, ignore_index, reduce, reduction: as for `cross_entropy`.

    Returns:
        a number, or the shape of `target` with "none".

    Raises:
        As for `cross_entropy`.
    """
    which = _reduction.number(size_average, reduce, reduction)
    return _api.nll_loss_nd(input, target, weight, which, ignore_index)


def binary_cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average=None,
                         reduce=None, reduction: str = "mean") -> Tensor:
    """-(t log x + (1 - t) log(1 - x)), with logarithms of at least -100.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.binary_cross_entropy.html

    Args:
        input: (*), probabilities from 0 to 1.
        target: the shape of `input`, from 0 to 1.
        weight: broadcastable to it; multiplies the losses.
        size_average, reduce: deprecated in favour of `reduction`; False for "sum" and "none".
        reduction: "none", "sum" or "mean".

    Returns:
        a number, or (*) with "none".

    Raises:
        ValueError: `input` and `target` differ in shape, or an unknown `reduction`.
    """
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
    """`binary_cross_entropy` of sigmoid(input), computed without overflow.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.binary_cross_entropy_with_logits.html

    Args:
        input: (*), logits of floating dtype.
        pos_weight: broadcastable to it; multiplies the losses of positive targets.
        target, weight, size_average, reduce, reduction: as for `binary_cross_entropy`.

    Returns:
        As for `binary_cross_entropy`.

    Raises:
        As for `binary_cross_entropy`.
    """
    which = _reduction.number(size_average, reduce, reduction)
    if target.size() != input.size():
        raise ValueError(f"Target size ({target.size()}) must be the same as input size ({input.size()})")
    return _api.binary_cross_entropy_with_logits(input, target, weight, pos_weight, which)


def _warn_of_sizes(input, target):
    """A warning if two shapes differ, which will be broadcast against each other."""
    if target.size() != input.size():
        warnings.warn(f"Using a target size ({target.size()}) that is different to the input size "
                      f"({input.size()}). This will likely lead to incorrect results due to broadcasting. "
                      "Please ensure they have the same size.", stacklevel=3)


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
    """(x - t)^2.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.mse_loss.html

    Args:
        input: (*).
        target: the shape of `input`; another shape is broadcast, with a warning.
        size_average, reduce: deprecated in favour of `reduction`; False for "sum" and "none".
        reduction: "none", "sum" or "mean".
        weight: the shape of `input`; multiplies the losses, and "mean" divides by the sum of the weights.

    Returns:
        a number, or (*) with "none".

    Raises:
        ValueError: an unknown `reduction`, or a `weight` of another shape.
    """
    _warn_of_sizes(input, target)
    reduction = _reduction.resolve(size_average, reduce, reduction)
    a, b = _api.broadcast_tensors(input, target)
    if weight is not None:
        return _weighted((a - b).pow(2), weight, input, reduction)
    return _api.mse_loss(a, b, _reduction.get_enum(reduction))


@composite("l1_loss")
def l1_loss(input: Tensor, target: Tensor, size_average=None, reduce=None, reduction: str = "mean",
            weight: Tensor | None = None) -> Tensor:
    """|x - t|.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.l1_loss.html

    Args:
        As for `mse_loss`.

    Returns:
        As for `mse_loss`.

    Raises:
        As for `mse_loss`.
    """
    _warn_of_sizes(input, target)
    reduction = _reduction.resolve(size_average, reduce, reduction)
    a, b = _api.broadcast_tensors(input, target)
    if weight is not None:
        return _weighted((a - b).abs(), weight, input, reduction)
    return _reduction.reduce_loss((a - b).abs(), _reduction.get_enum(reduction))


def smooth_l1_loss(input: Tensor, target: Tensor, size_average=None, reduce=None, reduction: str = "mean",
                   beta: float = 1.0) -> Tensor:
    """d^2 / (2 beta) where d = |x - t| < beta, else d - beta / 2.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.smooth_l1_loss.html

    Args:
        beta: where the parabola ends, at least 0; 0 gives `l1_loss`.
        input, target, size_average, reduce, reduction: as for `mse_loss`.

    Returns:
        As for `mse_loss`.

    Raises:
        As for `mse_loss`.
    """
    _warn_of_sizes(input, target)
    which = _reduction.number(size_average, reduce, reduction)
    a, b = _api.broadcast_tensors(input, target)
    if beta == 0.0:
        return _reduction.reduce_loss((a - b).abs(), which)
    return _api.smooth_l1_loss(a, b, which, beta)


def huber_loss(input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0,
               weight: Tensor | None = None) -> Tensor:
    """d^2 / 2 where d = |x - t| < delta, else delta (d - delta / 2).
    https://pytorch.org/docs/stable/generated/torch.nn.functional.huber_loss.html

    Args:
        delta: where the parabola ends, more than 0.
        weight: the shape of `input`; multiplies the losses, and "mean" still divides by their number.
        input, target, reduction: as for `mse_loss`.

    Returns:
        As for `mse_loss`.

    Raises:
        As for `mse_loss`.
    """
    _warn_of_sizes(input, target)
    a, b = _api.broadcast_tensors(input, target)
    if weight is not None:
        return _weighted(_api.huber_loss(a, b, 0, delta), weight, input, reduction, divide_by_weight=False)
    return _api.huber_loss(a, b, _reduction.get_enum(reduction), delta)


@composite("kl_div")
def kl_div(input: Tensor, target: Tensor, size_average=None, reduce=None, reduction: str = "mean",
           log_target: bool = False) -> Tensor:
    """The Kullback-Leibler divergence, element by element: t (log t - x).
    https://pytorch.org/docs/stable/generated/torch.nn.functional.kl_div.html

    Args:
        input: (*), log-probabilities.
        target: the shape of `input`, probabilities, or their logarithms with `log_target`.
        size_average, reduce: deprecated in favour of `reduction`; False for "sum" and "none".
        reduction: "none", "sum", "mean" (over all elements, with a warning), or "batchmean": the sum divided by the
            extent of dimension 0, which is the divergence.
        log_target: whether `target` holds logarithms.

    Returns:
        a number, or (*) with "none".

    Raises:
        RuntimeError: an integer or complex argument.
    """
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
    """exp(x) - t x, or x - t log(x + eps) without `log_input`.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.poisson_nll_loss.html

    Args:
        input: (*), the expectation or its logarithm.
        target: the shape of `input`, counts.
        log_input: whether `input` is a logarithm.
        full: whether to add Stirling's approximation of log(t!), for targets above 1.
        eps: keeps the logarithm finite.
        size_average, reduce, reduction: as for `mse_loss`.

    Returns:
        a number, or (*) with "none".

    Raises:
        TypeError: `log_input` or `full` is no bool, or `eps` no number.
    """
    for position, name, kind, value in ((3, "log_input", bool, log_input), (4, "full", bool, full), (5, "eps", float, eps)):
        if not isinstance(value, bool if kind is bool else int | float | Tensor):
            raise TypeError(f"poisson_nll_loss(): argument '{name}' (position {position}) must be {kind.__name__}, not "
                            f"{type(value).__name__}")
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
    """(log var + (x - t)^2 / var) / 2.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.gaussian_nll_loss.html

    Args:
        input: (*), expectations.
        target: the shape of `input`, or broadcastable.
        var: variances: the shape of `input`, the same with a last dimension of 1 or without it, or a number.
        full: whether to add log(2 pi) / 2.
        eps: what `var` counts as at least; without gradient there.
        reduction: "none", "sum" or "mean".

    Returns:
        a number, or (*) with "none".

    Raises:
        ValueError: a negative variance (this reads the values), a `var` of another shape, or an unknown `reduction`.
    """
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


def ctc_loss(log_probs: Tensor, targets: Tensor, input_lengths, target_lengths, blank: int = 0, reduction: str = "mean",
             zero_infinity: bool = False) -> Tensor:
    """Connectionist temporal classification: minus the log-likelihood of label sequences over all alignments.
    https://pytorch.org/docs/stable/generated/torch.nn.CTCLoss.html

    Args:
        log_probs: (T, N, C) or (T, C), log-probabilities of each frame.
        targets: (N, S), or all one after another in one dimension; without blanks.
        input_lengths, target_lengths: (N) integers, a tensor or a tuple; at most T and S.
        blank: the class that stands for no label.
        reduction: "none", "sum", or "mean": each loss divided by its target's length, then averaged.
        zero_infinity: whether infinite losses (targets longer than inputs) and their gradients become 0.

    Returns:
        a number, or (N) with "none".

    Raises:
        RuntimeError: shapes or lengths do not fit.
    """
    return _api.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, _reduction.get_enum(reduction),
                         zero_infinity)
