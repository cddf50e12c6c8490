"""Recurrent layers and their single steps as functions of all weights, which the layers of `modules/rnn.py` call.

https://pytorch.org/docs/stable/nn.html#recurrent-layers
"""

from torchlike._record.wrong_calls import checked, judged
from torchlike.nn._recurrent import cell, run


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
