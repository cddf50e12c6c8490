"""Distances between rows. https://pytorch.org/docs/stable/nn.html#distance-functions"""

from torchlike._record.tensor import Tensor
from torchlike.nn import functional as F
from torchlike.nn.modules.module import Module

__all__ = ["CosineSimilarity", "PairwiseDistance"]


class PairwiseDistance(Module):
    """The p-norm of x1 - x2 + eps along the last dimension.
    https://pytorch.org/docs/stable/generated/torch.nn.PairwiseDistance.html

    Args:
        As for `pairwise_distance`.

    Shape:
        Two of (N, D) or (D) to (N), or (N, 1) with `keepdim`.
    """

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False):
        super().__init__()
        self.norm = p
        self.eps = eps
        self.keepdim = keepdim

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)


class CosineSimilarity(Module):
    """The cosine of the angle between x1 and x2 along a dimension.
    https://pytorch.org/docs/stable/generated/torch.nn.CosineSimilarity.html

    Args:
        As for `cosine_similarity`.

    Shape:
        Two of (*) to the broadcast shape without `dim`.
    """

    def __init__(self, dim: int = 1, eps: float = 1e-8):
        super().__init__()
        self.dim = dim
        self.eps = eps

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return F.cosine_similarity(x1, x2, self.dim, self.eps)
