"""Functions of the torch namespace that are made of those of `torch.nn`; `torchlike/__init__.py` puts them there.

The losses take the reduction as a number: 0 none, 1 mean, 2 sum. Their schemas say `Mean` for its default, which PyTorch's
parser of arguments reads as 0.
"""

from torchlike import _api
from torchlike._record.warning import warn_once
from torchlike._record.wrong_calls import judged
from torchlike.nn import functional as F
from torchlike.nn._functional_conv import conv_tbc
from torchlike.nn._functional_layers import native_channel_shuffle, renormalise_rows
from torchlike.nn._functional_recurrent import (
    gru,
    gru_cell,
    lstm,
    lstm_cell,
    rnn_relu,
    rnn_relu_cell,
    rnn_tanh,
    rnn_tanh_cell,
)
from torchlike.nn._reduction import reduce_loss


@judged
def kl_div(input, target, reduction=0, *, log_target=False):
    """The Kullback-Leibler divergence of `input` from `target`.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.kl_div.html

    Args:
        input: (*) logarithms of probabilities.
        target: (*) probabilities, or their logarithms.
        reduction: 0 for each element, 1 the mean, 2 the sum.
        log_target: whether `target` has logarithms.

    Returns:
        The loss: (*), or a scalar.
    """
    return reduce_loss(F.kl_div(input, target, reduction="none", log_target=log_target), reduction)


@judged
def poisson_nll_loss(input, target, log_input, full, eps, reduction):
    """The negative logarithm of the likelihood of counts.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.poisson_nll_loss.html

    Args:
        input: (*) expected counts, or their logarithms.
        target: (*) counts.
        log_input: whether `input` has logarithms.
        full: add Stirling's approximation of the term that depends on `target` alone.
        eps: a small number against log(0).
        reduction: 0 for each element, 1 the mean, 2 the sum.

    Returns:
        The loss: (*), or a scalar.
    """
    return reduce_loss(F.poisson_nll_loss(input, target, log_input, full, eps=eps, reduction="none"), reduction)


def cosine_embedding_loss(input1, input2, target, margin=0.0, reduction=0):
    """A loss of the angle between pairs: small for pairs of target 1, above `margin` for those of -1.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.cosine_embedding_loss.html

    Args:
        input1: (N, D) or (D).
        input2: of the same shape.
        target: (N) or scalar, 1 or -1.
        margin: the cosine from which pairs of -1 cost something.
        reduction: 0 for each element, 1 the mean, 2 the sum.

    Returns:
        The loss: (N), or a scalar.
    """
    return reduce_loss(F.cosine_embedding_loss(input1, input2, target, margin, reduction="none"), reduction)


@judged
def hinge_embedding_loss(input, target, margin=1.0, reduction=0):
    """`input` where `target` is 1, and what `margin` is above it where that is -1.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.hinge_embedding_loss.html

    Args:
        input: (*).
        target: (*) of 1 and -1.
        margin: the margin.
        reduction: 0 for each element, 1 the mean, 2 the sum.

    Returns:
        The loss: (*), or a scalar.
    """
    return reduce_loss(F.hinge_embedding_loss(input, target, margin, reduction="none"), reduction)


@judged
def margin_ranking_loss(input1, input2, target, margin=0.0, reduction=0):
    """How far pairs are from the order that `target` says, by less than `margin`.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.margin_ranking_loss.html

    Args:
        input1: (N).
        input2: (N).
        target: (N), 1 where the first should be larger, else -1.
        margin: the margin.
        reduction: 0 for each element, 1 the mean, 2 the sum.

    Returns:
        The loss: (N), or a scalar.
    """
    return reduce_loss(F.margin_ranking_loss(input1, input2, target, margin, reduction="none"), reduction)


@judged
def triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2, eps=1e-6, swap=False, reduction=0):
    """How much nearer than `negative` `positive` is to `anchor`, where by less than `margin`.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.triplet_margin_loss.html

    Args:
        anchor: (N, D).
        positive: (N, D).
        negative: (N, D).
        margin: the margin.
        p: the order of the distance.
        eps: a small number against division by zero.
        swap: take the distance of `positive` and `negative` where it is smaller.
        reduction: 0 for each element, 1 the mean, 2 the sum.

    Returns:
        The loss: (N), or a scalar.
    """
    return reduce_loss(F.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, reduction="none"),
                       reduction)


@judged
def native_dropout(input, p, train):
    """`nn.functional.dropout`, and where it kept elements.

    Args:
        input: (*).
        p: the probability of a zero.
        train: whether to drop; None counts as True.

    Returns:
        (dropped, kept): (*) and (*) of bool.
    """
    kept = _api.dropout(_api.ones_like(input, requires_grad=False), p, train is None or train) != 0
    scale = 0.0 if p == 1 or train is False else 1 / (1 - p)
    return (input.clone() if train is False else input * kept * scale), kept


@judged
def norm_except_dim(v, pow=2, dim=0):
    """The norm over all dimensions but one.

    Args:
        v: (*).
        pow: the order of the norm.
        dim: the dimension that stays; -1 for none.

    Returns:
        The norm, other dimensions of size 1; a scalar for -1.
    """
    if dim == -1:
        return v.norm(pow)
    others = [d for d in range(v.dim()) if d != dim % v.dim()]
    return v.norm(pow, others, keepdim=True) if others else v.abs()


@judged
def frobenius_norm(input, dim=None, keepdim=False, *, axis=None, out=None):
    """The 2-norm over some dimensions; deprecated, as `torch.linalg.vector_norm` is the same.

    Args:
        input: (*).
        dim, axis: the dimensions; `axis` is numpy's name of them.
        keepdim: keep them, of size 1.
        out: written to and returned.

    Returns:
        The norm.
    """
    warn_once("at::frobenius_norm is deprecated and it is just left for JIT compatibility. It will be removed in a future "
              "PyTorch release. Please use `linalg.vector_norm(A, 2., dim, keepdim)` instead")
    return _api.norm(input, 2, axis if dim is None else dim, keepdim, out=out)


@judged
def nuclear_norm(input, dim=(-2, -1), keepdim=False, *, out=None):
    """The sum of the singular values; deprecated, as `torch.linalg.matrix_norm` is the same.

    Args:
        input: (*).
        dim: the two dimensions of the matrices.
        keepdim: keep them, of size 1.
        out: written to and returned.

    Returns:
        The norm.
    """
    warn_once("at::nuclear_norm is deprecated and it is just left for JIT compatibility. It will be removed in a future "
              "PyTorch release. Please use `linalg.matrix_norm(A, 'nuc', dim, keepdim)` instead")
    if isinstance(dim, bool):  # nuclear_norm(input, keepdim)
        dim, keepdim = (-2, -1), dim
    dim = (dim, dim) if isinstance(dim, int) else dim
    return _api.linalg_matrix_norm(input, "nuc", dim, keepdim, out=out)


@judged
def embedding_renorm_(input, indices, max_norm, norm_type):
    """Scales rows in place to a norm of at most `max_norm`.

    Args:
        input: (V, D).
        indices: (*) integers, the rows.
        max_norm: the largest norm.
        norm_type: its order.

    Returns:
        `input`.

    Raises:
        RuntimeError: `input` is a leaf that requires grad.
    """
    if input.requires_grad and input.is_leaf:
        raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")
    renormalise_rows(input, indices, max_norm, norm_type)
    return input


FUNCTIONS = {function.__name__: function for function in (
    conv_tbc, native_channel_shuffle, cosine_embedding_loss, embedding_renorm_, frobenius_norm, gru, gru_cell,
    hinge_embedding_loss, kl_div, lstm, lstm_cell, margin_ranking_loss, native_dropout, norm_except_dim, nuclear_norm,
    poisson_nll_loss, rnn_relu, rnn_relu_cell, rnn_tanh, rnn_tanh_cell, triplet_margin_loss)}
