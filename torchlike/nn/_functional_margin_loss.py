"""Losses of `torch.nn.functional` that ask for a margin between scores or distances.

https://pytorch.org/docs/stable/nn.functional.html#loss-functions. `reduction` and its deprecated ancestors are those of
`_functional_loss`.
"""

from torchlike import _api
from torchlike._api.generated import ops
from torchlike._modes.composite import composite
from torchlike._modes.vmap_levels import known
from torchlike._record.tensor import Tensor
from torchlike._record.wrong_calls import checked
from torchlike.nn import _reduction

# Keeps the denominator of the cosine away from 0.
_COSINE_EPS = 9.999999960041972e-13  # 1e-12 as a float32


@checked
@composite("margin_ranking_loss")
def margin_ranking_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0,
                        size_average=None, reduce=None, reduction: str = "mean") -> Tensor:
    """max(0, -t (x1 - x2) + margin): x1 should be larger where t is 1, x2 where it is -1.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.margin_ranking_loss.html

    Args:
        input1, input2: (N) or any shapes that broadcast, with equally many dimensions.
        target: 1 or -1, of as many dimensions.
        margin: by how much.
        size_average, reduce, reduction: as for `mse_loss`.

    Returns:
        a number, or the broadcast shape with "none".

    Raises:
        RuntimeError: the numbers of dimensions differ.
    """
    which = _reduction.number(size_average, reduce, reduction)
    if input1.dim() != input2.dim() or input1.dim() != target.dim():
        raise RuntimeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: "
            f"input1: {input1.size()}, input2: {input2.size()}, target: {target.size()} ")
    loss = (-target * (input1 - input2) + float(margin)).clamp_min_(0)
    return _reduction.reduce_loss(loss, which)


@composite("hinge_embedding_loss")
def hinge_embedding_loss(input: Tensor, target: Tensor, margin: float = 1.0, size_average=None,
                         reduce=None, reduction: str = "mean") -> Tensor:
    """x where t is 1, max(0, margin - x) where t is -1, for distances x.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.hinge_embedding_loss.html

    Args:
        input: (*).
        target: the shape of `input`, 1 or -1.
        margin: how far apart those of -1 should be.
        size_average, reduce, reduction: as for `mse_loss`.

    Returns:
        a number, or (*) with "none".
    """
    which = _reduction.number(size_average, reduce, reduction)
    zeros = _api.zeros_like(input)
    near = _api.where(target != 1, (_api.full_like(input, margin) - input).clamp_min(0), zeros)
    return _reduction.reduce_loss(near + _api.where(target != -1, input, zeros), which)


@checked
def soft_margin_loss(input: Tensor, target: Tensor, size_average=None, reduce=None,
                     reduction: str = "mean") -> Tensor:
    """log(1 + exp(-t x)).
    https://pytorch.org/docs/stable/generated/torch.nn.functional.soft_margin_loss.html

    Args:
        input: (*).
        target: the shape of `input`, 1 or -1.
        size_average, reduce, reduction: as for `mse_loss`.

    Returns:
        a number, or (*) with "none".
    """
    return _api.soft_margin_loss(input, target, _reduction.number(size_average, reduce, reduction))


def multilabel_soft_margin_loss(input: Tensor, target: Tensor, weight: Tensor | None = None,
                                size_average=None, reduce=None, reduction: str = "mean") -> Tensor:
    """Binary cross entropy of logits, averaged over the classes.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.multilabel_soft_margin_loss.html

    Args:
        input: (N, C) or (C), logits.
        target: the shape of `input`, 0 or 1.
        weight: (C); multiplies the losses of each class.
        size_average, reduce, reduction: as for `mse_loss`.

    Returns:
        a number, or (N) with "none".

    Raises:
        ValueError: an unknown `reduction`.
    """
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
    """1 - cos(x1, x2) where t is 1, max(0, cos(x1, x2) - margin) where t is -1.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.cosine_embedding_loss.html

    Args:
        input1, input2: (N, D) or (D).
        target: (N) or (), 1 or -1.
        margin: from -1 to 1.
        size_average, reduce, reduction: as for `mse_loss`.

    Returns:
        a number, or (N) with "none".

    Raises:
        RuntimeError: the numbers of dimensions do not fit.
    """
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
    """max(0, d(anchor, positive) - d(anchor, negative) + margin), d the p-norm distance.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.triplet_margin_loss.html

    Args:
        anchor, positive, negative: (N, D) or (D).
        margin: how much nearer the positive should be; more than 0.
        p: the exponent of the norm.
        eps: added to each difference, so that the gradient at 0 is finite.
        swap: whether to use d(positive, negative) where that is less than d(anchor, negative).
        size_average, reduce, reduction: as for `mse_loss`.

    Returns:
        a number, or (N) with "none".

    Raises:
        ValueError: `margin` is not positive.
        RuntimeError: the numbers of dimensions differ.
    """
    which = _reduction.number(size_average, reduce, reduction)
    loss = _triplet(anchor, positive, negative,
                    lambda a, b: _api.pairwise_distance(a, b, p, eps), margin, swap)
    return _reduction.reduce_loss(loss, which)


def triplet_margin_with_distance_loss(anchor: Tensor, positive: Tensor, negative: Tensor, *,
                                      distance_function=None, margin: float = 1.0, swap: bool = False,
                                      reduction: str = "mean") -> Tensor:
    """`triplet_margin_loss` with any distance.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.triplet_margin_with_distance_loss.html

    Args:
        distance_function: from two tensors to their distances; None means the Euclidean one.
        anchor, positive, negative, margin, swap, reduction: as for `triplet_margin_loss`.

    Returns:
        a number, or the shape of the distances with "none".

    Raises:
        ValueError: `margin` is not positive, or an unknown `reduction`.
        RuntimeError: the numbers of dimensions differ.
    """
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
    """The mean over the classes other than the target of max(0, margin - input[target] + input[j]) ** p.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.multi_margin_loss.html

    Args:
        input: (N, C) or (C).
        target: (N) or (), classes as int64.
        p: 1 or 2.
        margin: by how much the target's entry should be the largest.
        weight: (C); multiplies the loss of each target class.
        size_average, reduce, reduction: as for `mse_loss`.

    Returns:
        a number, or (N) with "none".

    Raises:
        ValueError: `p` is another number, or `weight` has not one dimension.
        RuntimeError: a class is out of range; this reads the targets.
    """
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.dim() != 1:
        raise ValueError("weight must be one-dimensional")
    which = _reduction.number(size_average, reduce, reduction)
    loss = ops.multi_margin_loss(input, target, weight, p, margin, which)
    classes = known(target)
    if classes is not None and ((classes < 0) | (classes >= (input.shape[-1] if input.dim() else 1))).any():
        raise RuntimeError("target out of range")
    return loss


def multilabel_margin_loss(input: Tensor, target: Tensor, size_average=None, reduce=None,
                           reduction: str = "mean") -> Tensor:
    """The sum over labels y and classes j that are no label of max(0, 1 - input[y] + input[j]), divided by C.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.multilabel_margin_loss.html

    Args:
        input: (N, C) or (C).
        target: the shape of `input`, int64: the labels, ended by the first -1.
        size_average, reduce, reduction: as for `mse_loss`.

    Returns:
        a number, or (N) with "none".

    Raises:
        RuntimeError: shapes differ, labels are not int64, or one that is known is no class.
    """
    loss = ops.multilabel_margin_loss(input, target, _reduction.number(size_average, reduce, reduction))
    labels = known(target)
    if labels is not None and ((labels < -1) | (labels >= (input.shape[-1] if input.dim() else 1))).any():
        raise RuntimeError("argument #2 'target' is out of range")
    return loss
