"""Losses and distances of vectors. https://pytorch.org/docs/stable/nn.functional.html#loss-functions"""

from __future__ import annotations

import math

from torchlike._api.complex_numbers import refuse_complex
from torchlike._api.generated import ops
from torchlike._api.index_checks import check_classes, expect
from torchlike._api.writing import result_type
from torchlike._modes.composite import composite
from torchlike._ops.geometry import broadcast
from torchlike._record.tensor import Tensor
from torchlike._record.wrong_calls import checked
from torchlike.autograd.grad_mode import no_grad


def nll_loss_nd(input: Tensor, target: Tensor, weight: Tensor | None = None, reduction: int = 1,
                ignore_index: int = -100) -> Tensor:
    """Minus the log-probability of the target class, classes along dimension 1 (0 of a vector).
    https://pytorch.org/docs/stable/generated/torch.nn.functional.nll_loss.html"""
    rank = input.dim()
    if rank < 1:
        raise ValueError(f"Expected 1 or more dimensions (got {rank})")
    if rank != 1 and (target.dim() == 0 or input.shape[0] != target.shape[0]):
        got = target.shape[0] if target.dim() else 0
        raise ValueError(f"Expected input batch_size ({input.shape[0]}) to match target batch_size ({got}).")
    later = check_classes(input.shape[0 if rank == 1 else 1], target, ignore_index)
    made = _nll_loss(input, target, weight, reduction, ignore_index)
    expect(later)
    return made


@composite("nll_loss")
def _nll_loss(input, target, weight, reduction, ignore_index):
    if input.dim() <= 2:
        return ops.nll_loss_forward(input, target, weight, reduction, ignore_index)[0]
    if input.dim() == 4:
        return ops.nll_loss2d_forward(input, target, weight, reduction, ignore_index)[0]
    n, c = input.shape[:2]
    out_size = (n, *input.shape[2:])
    if tuple(target.shape[1:]) != out_size[1:]:
        raise RuntimeError(f"Expected target size {list(out_size)}, got {list(target.shape)}")
    input, target = input.contiguous(), target.contiguous()
    if input.numel():
        input, target = input.view(n, c, 1, -1), target.view(n, 1, -1)
    else:
        input, target = input.view(n, c, 0, 0), target.view(n, 0, 0)
    out = ops.nll_loss2d_forward(input, target, weight, reduction, ignore_index)[0]
    return out.view(*out_size) if reduction == 0 else out


def _check_class_weight(input, weight, dim):
    n = input.shape[dim]
    if weight is not None and (weight.dim() != 1 or weight.numel() != n):
        raise RuntimeError(f"cross_entropy: weight tensor should be defined either for all {n} classes or no classes but "
                           f"got weight tensor of shape: {list(weight.shape)}")


def _by_channel(weight, input, dim):
    """A vector over classes shaped to multiply (N, C, *)."""
    if input.dim() == 1:
        return weight
    return weight.view(*(-1 if i == dim else 1 for i in range(input.dim())))


def _share(smoothing, n_classes) -> float:
    """What each class gets; infinite where there is none."""
    return smoothing / n_classes if n_classes else math.inf


def _probability_loss(input, target, weight, reduction, smoothing):
    dim = 0 if input.dim() == 1 else 1
    n_classes = input.shape[dim]
    _check_class_weight(input, weight, dim)
    logs = input.log_softmax(dim)
    if smoothing > 0:
        target = target * (1 - smoothing) + _share(smoothing, n_classes)
    product = logs * target
    if weight is not None:
        product = logs * target * _by_channel(weight, input, dim)
    if reduction == 0:
        return -product.sum(dim)
    if reduction == 2:
        return -product.sum()
    return -product.sum() / (input.numel() // n_classes if n_classes else 0)


def _smoothed_loss(input, target, weight, reduction, ignore_index, smoothing):
    dim = 0 if input.dim() == 1 else 1
    n_classes = input.shape[dim]
    logs = input.log_softmax(dim)
    nll = nll_loss_nd(logs, target, weight, reduction, ignore_index)
    weighted = logs if weight is None else logs * _by_channel(weight, input, dim)
    smooth = -weighted.sum(dim)
    ignored = target == ignore_index
    smooth = smooth.masked_fill(ignored, 0.0)
    if reduction == 1:
        if weight is None:
            count = ignored.logical_not().sum()
            smooth = smooth.sum() / count
        else:
            used = weight.gather(0, target.masked_fill(ignored, 0).flatten())
            smooth = smooth.sum() / used.masked_fill(ignored.flatten(), 0).sum()
    elif reduction == 2:
        smooth = smooth.sum()
    return nll * (1 - smoothing) + smooth * _share(smoothing, n_classes)


@composite("cross_entropy_loss")
def cross_entropy_loss(input: Tensor, target: Tensor, weight: Tensor | None = None, reduction: int = 1,
                       ignore_index: int = -100, label_smoothing: float = 0.0) -> Tensor:
    """log_softmax and `nll_loss_nd`, or a product with class probabilities.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.cross_entropy.html"""
    if tuple(input.shape) == tuple(target.shape):
        if not target.is_floating_point():
            raise RuntimeError("Expected floating point type for target with class probabilities, got "
                               f"{target.dtype.scalar_name}")
        if ignore_index >= 0:
            raise RuntimeError("ignore_index is not supported for floating point target")
    if label_smoothing < 0 or label_smoothing > 1:  # nan is taken
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing:g}")
    if tuple(input.shape) == tuple(target.shape):
        return _probability_loss(input, target, weight, reduction, label_smoothing)
    if label_smoothing > 0:
        return _smoothed_loss(input, target, weight, reduction, ignore_index, label_smoothing)
    logs = input.log_softmax(0 if input.dim() == 1 else 1)
    return nll_loss_nd(logs, target, weight, reduction, ignore_index)


@composite("cosine_similarity")
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.nn.functional.cosine_similarity.html"""
    common = result_type(x1, x2)
    if not common.is_floating_point:
        raise RuntimeError(f"expected common dtype to be floating point, yet common dtype is {common.scalar_name}")
    a, b = x1.to(common), x2.to(common)
    size = broadcast(a.shape, b.shape)
    a, b = (x if tuple(x.shape) == size else x.expand(size) for x in (a, b))
    norms = []
    for x in (a, b):
        norm = ops.linalg_vector_norm(x, 2, dim, True).clone()
        with no_grad():
            norm.clamp_min_(eps)
        norms.append(norm)
    return (a / norms[0] * (b / norms[1])).sum(dim)


@checked
def pairwise_distance(x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.nn.functional.pairwise_distance.html"""
    last = max(x1.dim(), x2.dim()) - 1
    return (x1 - x2 + eps).norm(p, last, keepdim)


def soft_margin_loss(input: Tensor, target: Tensor, reduction: int = 1) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.nn.functional.soft_margin_loss.html"""
    refuse_complex("soft_margin_loss", input, target)
    return ops.soft_margin_loss(input, target, reduction)


FUNCTIONS: dict = {"cosine_similarity": cosine_similarity, "pairwise_distance": pairwise_distance}
NN: dict = {"nll_loss_nd": nll_loss_nd, "cross_entropy_loss": cross_entropy_loss, "soft_margin_loss": soft_margin_loss}
