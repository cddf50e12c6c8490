"""Losses. https://pytorch.org/docs/stable/nn.html#loss-functions

Each holds its settings and calls the function of `torch.nn.functional`; `reduction` is "mean", "sum" or
"none", `size_average` and `reduce` are its deprecated ancestors.
"""

import math
import warnings

from torchlike._record.tensor import Tensor
from torchlike.nn import functional as F
from torchlike.nn.modules._loss_bases import _Loss, _WeightedLoss
from torchlike.nn.modules._margin_losses import (
    CosineEmbeddingLoss,
    HingeEmbeddingLoss,
    MarginRankingLoss,
    MultiLabelMarginLoss,
    MultiLabelSoftMarginLoss,
    MultiMarginLoss,
    SoftMarginLoss,
    TripletMarginLoss,
    TripletMarginWithDistanceLoss,
)
from torchlike.nn.modules.linear import Linear

__all__ = [
    "BCELoss",
    "BCEWithLogitsLoss",
    "CTCLoss",
    "CosineEmbeddingLoss",
    "CrossEntropyLoss",
    "GaussianNLLLoss",
    "HingeEmbeddingLoss",
    "HuberLoss",
    "KLDivLoss",
    "L1Loss",
    "LinearCrossEntropyLoss",
    "MSELoss",
    "MarginRankingLoss",
    "MultiLabelMarginLoss",
    "MultiLabelSoftMarginLoss",
    "MultiMarginLoss",
    "NLLLoss",
    "NLLLoss2d",
    "PoissonNLLLoss",
    "SmoothL1Loss",
    "SoftMarginLoss",
    "TripletMarginLoss",
    "TripletMarginWithDistanceLoss",
]


class L1Loss(_Loss):
    """|x - t|.
    https://pytorch.org/docs/stable/generated/torch.nn.L1Loss.html

    Args:
        size_average, reduce, reduction: as for `l1_loss`.

    Shape:
        As for `l1_loss`.
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.l1_loss(input, target, reduction=self.reduction)


class MSELoss(_Loss):
    """(x - t)^2.
    https://pytorch.org/docs/stable/generated/torch.nn.MSELoss.html

    Args:
        size_average, reduce, reduction: as for `mse_loss`.

    Shape:
        As for `mse_loss`.
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.mse_loss(input, target, reduction=self.reduction)


class SmoothL1Loss(_Loss):
    """Squared below `beta`, absolute above, see `torch.nn.functional.smooth_l1_loss`.
    https://pytorch.org/docs/stable/generated/torch.nn.SmoothL1Loss.html

    Args:
        As for `smooth_l1_loss`.

    Shape:
        As for `smooth_l1_loss`.
    """

    def __init__(self, size_average=None, reduce=None, reduction: str = "mean", beta: float = 1.0):
        super().__init__(size_average, reduce, reduction)
        self.beta = beta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.smooth_l1_loss(input, target, reduction=self.reduction, beta=self.beta)


class HuberLoss(_Loss):
    """Squared below `delta`, linear above, see `torch.nn.functional.huber_loss`.
    https://pytorch.org/docs/stable/generated/torch.nn.HuberLoss.html

    Args:
        As for `huber_loss`.

    Shape:
        As for `huber_loss`.

    Raises:
        TypeError: `delta` is no number.
    """

    def __init__(self, reduction: str = "mean", delta: float = 1.0):
        if not isinstance(delta, (float, int)):
            raise TypeError(f"delta must be a float or int, got: {type(delta)}")
        super().__init__(reduction=reduction)
        self.delta = delta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.huber_loss(input, target, reduction=self.reduction, delta=self.delta)


class CrossEntropyLoss(_WeightedLoss):
    """Minus the log softmax of the input at the target class.
    https://pytorch.org/docs/stable/generated/torch.nn.CrossEntropyLoss.html

    Args:
        As for `cross_entropy`.

    Shape:
        (N, C, *) or (C) and targets (N, *) or () to a number, or to the shape of the targets with "none".
    """

    def __init__(self, weight: Tensor | None = None, size_average=None, ignore_index: int = -100,
                 reduce=None, reduction: str = "mean", label_smoothing: float = 0.0):
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.cross_entropy(input, target, weight=self.weight, ignore_index=self.ignore_index,
                               reduction=self.reduction, label_smoothing=self.label_smoothing)


class NLLLoss(_WeightedLoss):
    """Minus the log-probability at the target class, times its weight.
    https://pytorch.org/docs/stable/generated/torch.nn.NLLLoss.html

    Args:
        As for `nll_loss`.

    Shape:
        As for `CrossEntropyLoss`.
    """

    def __init__(self, weight: Tensor | None = None, size_average=None, ignore_index: int = -100,
                 reduce=None, reduction: str = "mean"):
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.nll_loss(input, target, weight=self.weight, ignore_index=self.ignore_index,
                          reduction=self.reduction)


class NLLLoss2d(NLLLoss):
    """`NLLLoss` by its name for pictures; deprecated, as in PyTorch.
    https://pytorch.org/docs/stable/generated/torch.nn.NLLLoss.html

    Args:
        As for `nll_loss`.

    Shape:
        As for `CrossEntropyLoss`.
    """

    def __init__(self, weight: Tensor | None = None, size_average=None, ignore_index: int = -100,
                 reduce=None, reduction: str = "mean"):
        warnings.warn("`NLLLoss2d` has been deprecated. Please use `NLLLoss` instead as a drop-in replacement and see "
                      "https://pytorch.org/docs/main/nn.html#torch.nn.NLLLoss for more details.", FutureWarning,
                      stacklevel=2)
        super().__init__(weight, size_average, ignore_index, reduce, reduction)


class BCELoss(_WeightedLoss):
    """Binary cross entropy of probabilities.
    https://pytorch.org/docs/stable/generated/torch.nn.BCELoss.html

    Args:
        As for `binary_cross_entropy`.

    Shape:
        (*) and targets (*) to a number, or (*) with "none".
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.binary_cross_entropy(input, target, weight=self.weight, reduction=self.reduction)


class BCEWithLogitsLoss(_Loss):
    """Binary cross entropy of logits.
    https://pytorch.org/docs/stable/generated/torch.nn.BCEWithLogitsLoss.html

    Args:
        As for `binary_cross_entropy_with_logits`.

    Shape:
        (*) and targets (*) to a number, or (*) with "none".
    """

    def __init__(self, weight: Tensor | None = None, size_average=None, reduce=None,
                 reduction: str = "mean", pos_weight: Tensor | None = None):
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.binary_cross_entropy_with_logits(input, target, self.weight, pos_weight=self.pos_weight,
                                                  reduction=self.reduction)


class KLDivLoss(_Loss):
    """The Kullback-Leibler divergence of log-probabilities, t (log t - x); "batchmean" is its mathematical definition.
    https://pytorch.org/docs/stable/generated/torch.nn.KLDivLoss.html

    Args:
        As for `kl_div`.

    Shape:
        (*) and targets (*) to a number, or (*) with "none".
    """

    def __init__(self, size_average=None, reduce=None, reduction: str = "mean", log_target: bool = False):
        super().__init__(size_average, reduce, reduction)
        self.log_target = log_target

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.kl_div(input, target, reduction=self.reduction, log_target=self.log_target)


class PoissonNLLLoss(_Loss):
    """Minus the log-likelihood of counts under a Poisson distribution.
    https://pytorch.org/docs/stable/generated/torch.nn.PoissonNLLLoss.html

    Args:
        As for `poisson_nll_loss`.

    Shape:
        (*) and targets (*) to a number, or (*) with "none".
    """

    def __init__(self, log_input: bool = True, full: bool = False, size_average=None, eps: float = 1e-8,
                 reduce=None, reduction: str = "mean"):
        super().__init__(size_average, reduce, reduction)
        self.log_input = log_input
        self.full = full
        self.eps = eps

    def forward(self, log_input: Tensor, target: Tensor) -> Tensor:
        return F.poisson_nll_loss(log_input, target, log_input=self.log_input, full=self.full, eps=self.eps,
                                  reduction=self.reduction)


class GaussianNLLLoss(_Loss):
    """Minus the log-likelihood of targets under normal distributions.
    https://pytorch.org/docs/stable/generated/torch.nn.GaussianNLLLoss.html

    Args:
        As for `gaussian_nll_loss`.

    Shape:
        Expectations (*), targets (*) and variances as for `gaussian_nll_loss` to a number, or (*) with "none".
    """

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean"):
        super().__init__(None, None, reduction)
        self.full = full
        self.eps = eps

    def forward(self, input: Tensor, target: Tensor, var) -> Tensor:
        return F.gaussian_nll_loss(input, target, var, full=self.full, eps=self.eps,
                                   reduction=self.reduction)


class CTCLoss(_Loss):
    """Connectionist temporal classification: minus the log-likelihood of label sequences.
    https://pytorch.org/docs/stable/generated/torch.nn.CTCLoss.html

    Args:
        As for `ctc_loss`.

    Shape:
        Log-probabilities (T, N, C) or (T, C), targets (N, S), and the lengths of both (N), to a number, or (N) with
        "none".
    """

    def __init__(self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False):
        super().__init__(reduction=reduction)
        self.blank = blank
        self.zero_infinity = zero_infinity

    def forward(self, log_probs: Tensor, targets: Tensor, input_lengths, target_lengths) -> Tensor:
        return F.ctc_loss(log_probs, targets, input_lengths, target_lengths, self.blank, self.reduction, self.zero_infinity)


class LinearCrossEntropyLoss(_WeightedLoss):
    """The cross entropy of a linear map that it holds, see `torch.nn.functional.linear_cross_entropy`.
    https://pytorch.org/docs/stable/generated/torch.nn.LinearCrossEntropyLoss.html

    Args:
        in_features: D.
        num_classes: C.
        out_features: the extents of the positions that each have a loss; () for one.
        bias: whether the map has a bias.
        device, dtype: of the map's weight (C product(out_features), D) and bias.
        reduction, weight, ignore_index, label_smoothing, options: as for `linear_cross_entropy`.

    Shape:
        (N, D) or (D) and targets (N, *out_features) to a number, or to the shape of the targets with "none".

    Raises:
        RuntimeError: `weight` is not (C), or `label_smoothing` not in [0, 1].
    """

    def __init__(self, in_features: int, num_classes: int, *, out_features: tuple = (), bias: bool = False, device=None,
                 dtype=None, reduction: str = "mean", weight: Tensor | None = None, ignore_index: int | None = None,
                 label_smoothing: float = 0.0, options=None):
        if weight is not None and tuple(weight.shape) != (num_classes,):
            raise RuntimeError(f"expected weight shape to be {(num_classes,)}, got {tuple(weight.shape)}")
        if not 0 <= label_smoothing <= 1:
            raise RuntimeError(f"expected label_smoothing to be in range [0, 1], got {label_smoothing}")
        super().__init__(weight, None, None, reduction)
        self.num_classes = num_classes
        self.out_features = out_features
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing
        self.linear = Linear(in_features, math.prod(out_features, start=num_classes), bias=bias, device=device, dtype=dtype)
        self.options = options

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        shape = (self.num_classes, *self.out_features)
        bias = None if self.linear.bias is None else self.linear.bias.reshape(shape)
        table = self.linear.weight.reshape(*shape, self.linear.in_features)
        return F.linear_cross_entropy(input, table, target, linear_bias=bias, weight=self.weight, reduction=self.reduction,
                                      ignore_index=self.ignore_index, label_smoothing=self.label_smoothing,
                                      options=self.options)

    def extra_repr(self) -> str:
        return (f"in_features={self.linear.in_features}, num_classes={self.num_classes}, out_features={self.out_features}, "
                f"bias={self.linear.bias is not None}, reduction={self.reduction}, ignore_index={self.ignore_index}, "
                f"label_smoothing={self.label_smoothing}, options={self.options}")
