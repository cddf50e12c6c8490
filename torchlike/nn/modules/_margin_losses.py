"""Losses with a margin between right and wrong; `loss` is their public home.

https://pytorch.org/docs/stable/nn.html#loss-functions
"""

from torchlike._record.tensor import Tensor
from torchlike.nn import functional as F
from torchlike.nn.modules._loss_bases import _Loss, _WeightedLoss
from torchlike.nn.modules.distance import PairwiseDistance


class _MarginLoss(_Loss):
    def __init__(self, margin: float = 0.0, size_average=None, reduce=None, reduction: str = "mean"):
        super().__init__(size_average, reduce, reduction)
        self.margin = margin


class SoftMarginLoss(_Loss):
    """log(1 + exp(-t x)).
    https://pytorch.org/docs/stable/generated/torch.nn.SoftMarginLoss.html

    Args:
        As for `soft_margin_loss`.

    Shape:
        (*) and targets (*) to a number, or (*) with "none".
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.soft_margin_loss(input, target, reduction=self.reduction)


class MultiLabelSoftMarginLoss(_WeightedLoss):
    """Binary cross entropy of logits, averaged over the classes.
    https://pytorch.org/docs/stable/generated/torch.nn.MultiLabelSoftMarginLoss.html

    Args:
        As for `multilabel_soft_margin_loss`.

    Shape:
        (N, C) and targets (N, C) to a number, or (N) with "none".
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.multilabel_soft_margin_loss(input, target, weight=self.weight, reduction=self.reduction)


class HingeEmbeddingLoss(_MarginLoss):
    """x where t is 1, max(0, margin - x) where t is -1.
    https://pytorch.org/docs/stable/generated/torch.nn.HingeEmbeddingLoss.html

    Args:
        As for `hinge_embedding_loss`.

    Shape:
        (*) and targets (*) to a number, or (*) with "none".
    """

    def __init__(self, margin: float = 1.0, size_average=None, reduce=None, reduction: str = "mean"):
        super().__init__(margin, size_average, reduce, reduction)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.hinge_embedding_loss(input, target, margin=self.margin, reduction=self.reduction)


class CosineEmbeddingLoss(_MarginLoss):
    """1 - cos where t is 1, max(0, cos - margin) where t is -1.
    https://pytorch.org/docs/stable/generated/torch.nn.CosineEmbeddingLoss.html

    Args:
        As for `cosine_embedding_loss`.

    Shape:
        Two of (N, D) or (D) and targets (N) or () to a number, or (N) with "none".
    """

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        return F.cosine_embedding_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


class MarginRankingLoss(_MarginLoss):
    """max(0, -t (x1 - x2) + margin).
    https://pytorch.org/docs/stable/generated/torch.nn.MarginRankingLoss.html

    Args:
        As for `margin_ranking_loss`.

    Shape:
        Two of (N) and targets (N) to a number, or (N) with "none".
    """

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        return F.margin_ranking_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


class TripletMarginLoss(_MarginLoss):
    """max(0, d(anchor, positive) - d(anchor, negative) + margin), d the p-norm distance.
    https://pytorch.org/docs/stable/generated/torch.nn.TripletMarginLoss.html

    Args:
        As for `triplet_margin_loss`.

    Shape:
        Three of (N, D) or (D) to a number, or (N) with "none".

    Raises:
        ValueError: `margin` is not positive.
    """

    def __init__(self, margin: float = 1.0, p: float = 2.0, eps: float = 1e-6, swap: bool = False,
                 size_average=None, reduce=None, reduction: str = "mean"):
        super().__init__(margin, size_average, reduce, reduction)
        if margin <= 0:
            raise ValueError(f"TripletMarginLoss: expected margin to be greater than 0, got {margin} instead")
        self.p = p
        self.eps = eps
        self.swap = swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        return F.triplet_margin_loss(anchor, positive, negative, margin=self.margin, p=self.p, eps=self.eps,
                                     swap=self.swap, reduction=self.reduction)


class TripletMarginWithDistanceLoss(_MarginLoss):
    """`TripletMarginLoss` with any distance.
    https://pytorch.org/docs/stable/generated/torch.nn.TripletMarginWithDistanceLoss.html

    Args:
        As for `triplet_margin_with_distance_loss`.

    Shape:
        Three of (N, D) or (D) to a number, or the shape of the distances with "none".

    Raises:
        ValueError: `margin` is not positive.
    """

    def __init__(self, *, distance_function=None, margin: float = 1.0, swap: bool = False,
                 reduction: str = "mean"):
        super().__init__(margin, reduction=reduction)
        if margin <= 0:
            raise ValueError("TripletMarginWithDistanceLoss: expected margin to be greater than 0, got "
                             f"{margin} instead")
        self.distance_function = PairwiseDistance() if distance_function is None else distance_function
        self.swap = swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        return F.triplet_margin_with_distance_loss(
            anchor, positive, negative, distance_function=self.distance_function, margin=self.margin,
            swap=self.swap, reduction=self.reduction)


class MultiLabelMarginLoss(_Loss):
    """How far the labels are ahead of the other classes, see `torch.nn.functional.multilabel_margin_loss`.
    https://pytorch.org/docs/stable/generated/torch.nn.MultiLabelMarginLoss.html

    Args:
        As for `multilabel_margin_loss`.

    Shape:
        (N, C) and targets (N, C) to a number, or (N) with "none".
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.multilabel_margin_loss(input, target, reduction=self.reduction)


class MultiMarginLoss(_WeightedLoss):
    """How far the target class is ahead of the others, see `torch.nn.functional.multi_margin_loss`.
    https://pytorch.org/docs/stable/generated/torch.nn.MultiMarginLoss.html

    Args:
        As for `multi_margin_loss`.

    Shape:
        (N, C) or (C) and targets (N) or () to a number, or (N) with "none".

    Raises:
        ValueError: `p` is neither 1 nor 2, or `weight` has not one dimension.
    """

    def __init__(self, p: int = 1, margin: float = 1.0, weight: Tensor | None = None, size_average=None, reduce=None,
                 reduction: str = "mean"):
        super().__init__(weight, size_average, reduce, reduction)
        if p not in (1, 2):
            raise ValueError("only p == 1 and p == 2 supported")
        if weight is not None and weight.dim() != 1:
            raise ValueError(f"MultiMarginLoss: expected weight to be None or 1D tensor, got {weight.dim()}D instead")
        self.p = p
        self.margin = margin

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.multi_margin_loss(input, target, p=self.p, margin=self.margin, weight=self.weight,
                                   reduction=self.reduction)
