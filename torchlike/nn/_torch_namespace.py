"""Functions of the torch namespace that are made of those of `torch.nn`; `torchlike/__init__.py` puts them there.

The losses take the reduction as a number: 0 none, 1 mean, 2 sum. Their schemas say `Mean` for its default, which PyTorch's
parser of arguments reads as 0.
"""

from torchlike import _api
from torchlike._record.warning import warn_once
from torchlike._record.wrong_calls import checked, judged
from torchlike.nn import functional as F
from torchlike.nn._functional_conv import conv_tbc
from torchlike.nn._functional_layers import native_channel_shuffle, renormalise_rows
from torchlike.nn._reduction import reduce_loss
from torchlike.nn.modules._recurrent import cell, run


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


def _two_states(name, hx) -> tuple:
    if len(hx) != 2:
        raise RuntimeError(f"{name} expects two hidden states")
    return tuple(hx)


def _step(mode, input, hx, w_ih, w_hh, b_ih, b_hh):
    """The next h, or (h, c), of one step of a recurrent layer."""
    state = _two_states("lstm_cell", hx) if mode == "LSTM" else (hx,)
    found = cell(mode, input, state, w_ih, w_hh, b_ih, b_hh)
    return found if mode == "LSTM" else found[0]


def rnn_tanh_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    """One step of `nn.RNN` with tanh.
    https://pytorch.org/docs/stable/generated/torch.nn.RNNCell.html

    Args:
        input: (N, I).
        hx: the state (N, H).
        w_ih, w_hh: the weights (G H, I) and (G H, H), of G gates.
        b_ih, b_hh: the biases (G H), or None.

    Returns:
        The next state (N, H).
    """
    return _step("RNN_TANH", input, hx, w_ih, w_hh, b_ih, b_hh)


def rnn_relu_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    """One step of `nn.RNN` with relu.
    https://pytorch.org/docs/stable/generated/torch.nn.RNNCell.html

    Args:
        input, hx, w_ih, w_hh, b_ih, b_hh: as for `rnn_tanh_cell`.

    Returns:
        The next state (N, H).
    """
    return _step("RNN_RELU", input, hx, w_ih, w_hh, b_ih, b_hh)


@judged
def lstm_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    """One step of `nn.LSTM`.
    https://pytorch.org/docs/stable/generated/torch.nn.LSTMCell.html

    Args:
        hx: the state, (h, c), both (N, H).
        input, w_ih, w_hh, b_ih, b_hh: as for `rnn_tanh_cell`.

    Returns:
        The next state (h, c).
    """
    return _step("LSTM", input, hx, w_ih, w_hh, b_ih, b_hh)


def gru_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    """One step of `nn.GRU`.
    https://pytorch.org/docs/stable/generated/torch.nn.GRUCell.html

    Args:
        input, hx, w_ih, w_hh, b_ih, b_hh: as for `rnn_tanh_cell`.

    Returns:
        The next state (N, H).
    """
    return _step("GRU", input, hx, w_ih, w_hh, b_ih, b_hh)


def _weights(params, has_biases, mode, is_projected):
    """The weights by layer and direction, each (w_ih, w_hh, b_ih, b_hh, w_hr)."""
    one = (4 if has_biases else 2) + is_projected
    if len(params) % one:
        raise RuntimeError(f"MatrixRef: ArrayRef size {len(params)} not divisible by stride {one}" if mode == "LSTM"
                           else "got an incorrect number of RNN parameters")
    found = []
    for first in range(0, len(params), one):
        part = params[first:first + one]
        biases = part[2:4] if has_biases else [None, None]
        found.append((part[0], part[1], *biases, part[-1] if is_projected else None))
    return found


def _layers(mode, input, args):
    """The output and the final state of all layers, of padded sequences or of packed ones."""
    if isinstance(args[2], bool):
        hx, params, has_biases, layers, dropout, train, bidirectional, batch_first = args
        x, sizes = (input.transpose(0, 1) if batch_first else input), None
    else:
        sizes, hx, params, has_biases, layers, dropout, train, bidirectional = args
        x, sizes, batch_first = input, sizes.tolist(), False
    directions = 2 if bidirectional else 1
    state = _two_states("lstm", hx) if mode == "LSTM" else (hx,)
    is_projected = mode == "LSTM" and hx[0].size(2) != hx[1].size(2)
    weights = _weights(params, has_biases, mode, is_projected)
    if len(state[0]) < layers * directions:
        raise RuntimeError("Expected more hidden states in stacked_rnn")
    out, final = run(mode, x, sizes, state, weights, directions, dropout if train else 0)
    return (out.transpose(0, 1) if batch_first else out), *final


@judged
def rnn_tanh(input, *args):
    """All layers of `nn.RNN` with tanh.
    https://pytorch.org/docs/stable/generated/torch.nn.RNN.html

    Args:
        input: (T, N, I), or (N, T, I) with `batch_first`, or the data of a packed sequence.
        args: hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first; or for a packed sequence
            batch_sizes, hx, params, has_biases, num_layers, dropout, train, bidirectional.

    Returns:
        (output, h).
    """
    return _layers("RNN_TANH", input, args)


@judged
def rnn_relu(input, *args):
    """All layers of `nn.RNN` with relu.
    https://pytorch.org/docs/stable/generated/torch.nn.RNN.html

    Args:
        input, args: as for `rnn_tanh`.

    Returns:
        (output, h).
    """
    return _layers("RNN_RELU", input, args)


@checked
def lstm(input, *args):
    """All layers of `nn.LSTM`.
    https://pytorch.org/docs/stable/generated/torch.nn.LSTM.html

    Args:
        input, args: as for `rnn_tanh`, with (h, c) as hx.

    Returns:
        (output, h, c).
    """
    return _layers("LSTM", input, args)


@judged
def gru(input, *args):
    """All layers of `nn.GRU`.
    https://pytorch.org/docs/stable/generated/torch.nn.GRU.html

    Args:
        input, args: as for `rnn_tanh`.

    Returns:
        (output, h).
    """
    return _layers("GRU", input, args)


FUNCTIONS = {function.__name__: function for function in (
    conv_tbc, native_channel_shuffle, cosine_embedding_loss, embedding_renorm_, frobenius_norm, gru, gru_cell,
    hinge_embedding_loss, kl_div, lstm, lstm_cell, margin_ranking_loss, native_dropout, norm_except_dim, nuclear_norm,
    poisson_nll_loss, rnn_relu, rnn_relu_cell, rnn_tanh, rnn_tanh_cell, triplet_margin_loss)}
