"""The arithmetic of recurrent layers: one step of each kind, and the loops over steps and layers.

A state is a tuple: (h,) or (h, c). A step takes the input's share of the gates, already multiplied by
the weights, so that one product serves all time steps.
"""

from torchlike import _api
from torchlike._api.generated import ops
from torchlike._base.dtypes import float32
from torchlike._modes.composite import composite
from torchlike.nn import functional as F

_LSTM = 2  # the mode's number in PyTorch


def simple_step(activation):
    """h' = activation(x W_ih + h W_hh + biases)."""

    def step(from_input, state, w_hh, b_hh, _w_hr):
        return (activation(_api.linear(state[0], w_hh, b_hh) + from_input),)

    return step


def lstm_step(from_input, state, w_hh, b_hh, w_hr):
    """The gates are input, forget, cell, output, in this order; `w_hr` projects h if given."""
    h, c = state
    gates = _api.linear(h, w_hh, b_hh) + from_input
    write, keep, new, show = gates.chunk(4, 1)
    c = keep.sigmoid() * c + write.sigmoid() * new.tanh()
    h = show.sigmoid() * c.tanh()
    return (h if w_hr is None else _api.linear(h, w_hr)), c


def gru_step(from_input, state, w_hh, b_hh, _w_hr):
    """The gates are reset, update, new, in this order."""
    h = state[0]
    reset_x, update_x, new_x = from_input.chunk(3, 1)
    reset_h, update_h, new_h = _api.linear(h, w_hh, b_hh).chunk(3, 1)
    reset = (reset_h + reset_x).sigmoid()
    update = (update_h + update_x).sigmoid()
    new = (new_x + new_h * reset).tanh()
    return ((h - new) * update + new,)


GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}
STEPS = {
    "RNN_TANH": simple_step(lambda x: x.tanh()),
    "RNN_RELU": simple_step(lambda x: x.relu()),
    "LSTM": lstm_step,
    "GRU": gru_step,
}


def cell(mode, input, state, w_ih, w_hh, b_ih, b_hh):
    """One step of `input` (N, I): the new state."""
    return _CELLS[mode](mode, input, state, w_ih, w_hh, b_ih, b_hh)


def _check_weights(mode, input, state, w_ih, w_hh):
    gates, size = GATES[mode], w_hh.size(1)
    for name, weight in (("weight_ih", w_ih), ("weight_hh", w_hh)):
        if weight.size(0) != gates * size:
            raise RuntimeError(f"{name} first dim must be {gates} * hidden_size = {gates * size}, but got {weight.size(0)}")


def _check_input(mode, input, state, w_ih, w_hh):
    if input.size(1) != w_ih.size(1):
        raise RuntimeError(f"input has inconsistent input_size: got {input.size(1)} expected {w_ih.size(1)}")


def _check_state(mode, input, state, w_ih, w_hh):
    for number, part in enumerate(state):
        if input.size(0) != part.size(0):
            raise RuntimeError(f"Input batch size {input.size(0)} doesn't match hidden{number} batch size "
                               f"{part.size(0)}")
        if part.size(1) != w_hh.size(1):
            raise RuntimeError(f"hidden{number} has inconsistent hidden_size: got {part.size(1)}, expected "
                               f"{w_hh.size(1)}")


# in PyTorch's order
_PLAIN_CHECKS = (_check_weights, _check_input, _check_state)
_CHECKS = {"LSTM": (_check_input, _check_weights, _check_state), "GRU": (_check_input, _check_state, _check_weights),
           "RNN_TANH": _PLAIN_CHECKS, "RNN_RELU": _PLAIN_CHECKS}


def _cell(mode, input, state, w_ih, w_hh, b_ih, b_hh):
    for check in _CHECKS[mode]:
        check(mode, input, state, w_ih, w_hh)
    return STEPS[mode](_api.linear(input, w_ih, b_ih), state, w_hh, b_hh, None)


_CELLS = {mode: composite(f"{mode.lower()}_cell")(_cell) for mode in STEPS}


def _run_padded(steps, state, advance, reverse):
    outputs = []
    for x in reversed(steps) if reverse else steps:
        state = advance(x, state)
        outputs.append(state[0])
    return outputs, state


def _run_packed_forward(steps, state, advance):
    """Sequences end one after the other, the last of the batch first; the final state of each is kept."""
    outputs, ended = [], []
    for x in steps:
        rows = x.size(0)
        if rows < state[0].size(0):
            ended.append(tuple(part[rows:] for part in state))
            state = tuple(part[:rows] for part in state)
        state = advance(x, state)
        outputs.append(state[0])
    ended.append(state)
    final = tuple(_api.cat(parts) for parts in zip(*reversed(ended), strict=True))
    return outputs, final


def _run_packed_reverse(steps, initial, advance):
    """From the last step back; a sequence joins at its own last step."""
    state = tuple(part[:0] for part in initial)
    outputs = []
    for x in reversed(steps):
        rows, running = x.size(0), state[0].size(0)
        if rows > running:
            state = tuple(_api.cat([part, start[running:rows]])
                          for part, start in zip(state, initial, strict=True))
        state = advance(x, state)
        outputs.append(state[0])
    return outputs, state


def _direction(mode, x, sizes, state, weights, reverse):
    """One layer in one direction over `x` (T, N, I), or (rows, I) packed by `sizes`."""
    w_ih, w_hh, b_ih, b_hh, w_hr = weights
    step = STEPS[mode]

    def advance(from_input, now):
        return step(from_input, now, w_hh, b_hh, w_hr)

    gates = _api.linear(x, w_ih, b_ih)
    if sizes is None:
        outputs, final = _run_padded(gates.unbind(0), state, advance, reverse)
    elif reverse:
        outputs, final = _run_packed_reverse(gates.split(sizes), state, advance)
    else:
        outputs, final = _run_packed_forward(gates.split(sizes), state, advance)
    if reverse:
        outputs.reverse()
    return (_api.stack(outputs) if sizes is None else _api.cat(outputs)), final


@composite("mkldnn_rnn_layer")
def _lstm_layer(mode, x, sizes, state, weights, reverse):
    """`_direction` of an LSTM without projection over steps of one size: one operator in the dtype that it is for."""
    if x.dtype is not float32 or x.numel() == 0:
        return _direction(mode, x, sizes, state, weights, reverse)
    (h, c), (w_ih, w_hh, b_ih, b_hh, _) = state, weights
    if b_ih is None:
        b_ih = b_hh = _api.zeros(w_ih.size(0), device=x.device)
    output, h, c, _ = ops.mkldnn_rnn_layer(x, w_ih, w_hh, b_ih, b_hh, h, c, reverse, (), _LSTM, w_hh.size(1), 1,
                                           weights[2] is not None, False, False, True)
    return output, (h, c)


@composite("_cudnn_rnn")
def run(mode, x, sizes, state, weights, directions, dropout):
    """All layers over `x`: (output, final state), every state part (layers * directions, N, H).

    `weights` lists (w_ih, w_hh, b_ih, b_hh, w_hr) by layer and direction, None where there is none;
    `dropout` is the probability between layers.
    """
    if x.size(0) == 0:
        raise RuntimeError("Expected sequence length to be larger than 0 in RNN")
    finals = []
    for first in range(0, len(weights), directions):
        outputs = []
        for direction in range(directions):
            at = first + direction
            layer = _lstm_layer if mode == "LSTM" and sizes is None and weights[at][4] is None else _direction
            out, final = layer(mode, x, sizes, tuple(part[at] for part in state), weights[at], direction == 1)
            outputs.append(out)
            finals.append(final)
        x = outputs[0] if directions == 1 else _api.cat(outputs, -1)
        if dropout > 0 and first + directions < len(weights):
            x = F.dropout(x, dropout)
    return x, tuple(_api.stack(parts) for parts in zip(*finals, strict=True))
