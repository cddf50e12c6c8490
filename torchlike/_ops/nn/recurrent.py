"""One layer of an LSTM in one direction as one operator, the one PyTorch's CPU path uses.

https://pytorch.org/docs/stable/generated/torch.nn.LSTM.html. The steps are a loop of the program, so a program does not
grow with the length of the sequences. What does not depend on the step before is one product for all steps: the input's
share of the gates, and the gradients of the weights. The workspace keeps what the gradient reads: the gates, in the order
input, forget, cell, output, and the cells.
"""

import jax.numpy as jnp
from jax import lax

from torchlike._ops.table import op


def _split(x, hidden):
    """The last dimension in pieces of the size `hidden`."""
    return [lax.slice_in_dim(x, start, start + hidden, axis=x.ndim - 1) for start in range(0, x.shape[-1], hidden)]


def _before(first, steps, reverse):
    """What each step begins with: what the step before it ended with, `first` for the one that is the first."""
    return jnp.concatenate([steps[1:], first[None]] if reverse else [first[None], steps[:-1]])


def _gradients(g0, g1, g2, g3, input, weight0, weight1, hx_, cx_, result0, result3, reverse, hidden_size):
    gates, cells = lax.slice_in_dim(result3, 0, 4 * hidden_size, axis=2), result3[..., 4 * hidden_size:]
    h_before, c_before = _before(hx_, result0, reverse), _before(cx_, cells, reverse)
    g0, g1, g2 = (jnp.zeros_like(like) if g is None else g for g, like in ((g0, result0), (g1, hx_), (g2, cx_)))

    def back(state, step):
        dh, dc = state
        g_out, g_kept, activated, c, c_old = step
        write, keep, new, show = _split(activated, hidden_size)
        top = jnp.tanh(c)
        dh = dh + g_out
        dc = dc + dh * show * (1 - top * top)
        if g_kept is not None:
            dc = dc + g_kept[:, 4 * hidden_size:]
        of_gates = jnp.concatenate([dc * new, dc * c_old, dc * write, dh * top], 1)
        if g_kept is not None:
            of_gates = of_gates + g_kept[:, :4 * hidden_size]
        slopes = jnp.concatenate([write * (1 - write), keep * (1 - keep), 1 - new * new, show * (1 - show)], 1)
        of_gates = of_gates * slopes
        return (of_gates @ weight1, dc * keep), of_gates

    (of_hx, of_cx), of_gates = lax.scan(back, (g1, g2), (g0, g3, gates, cells, c_before), reverse=not reverse)
    rows = of_gates.reshape(-1, of_gates.shape[2])
    of_bias = rows.sum(0)
    return {"input": of_gates @ weight0, "weight0": rows.T @ input.reshape(-1, input.shape[2]),
            "weight1": rows.T @ h_before.reshape(-1, hidden_size), "weight2": of_bias, "weight3": of_bias,
            "hx_": of_hx, "cx_": of_cx}


@op("mkldnn_rnn_layer(Tensor input, Tensor weight0, Tensor weight1, Tensor weight2, Tensor weight3, Tensor hx_, "
    "Tensor cx_, bool reverse, int[] batch_sizes, int mode, int hidden_size, int num_layers, bool has_biases, "
    "bool bidirectional, bool batch_first, bool train) -> (Tensor, Tensor, Tensor, Tensor)",
    method=False, out=False,
    grads=dict.fromkeys(("input", "weight0", "weight1", "weight2", "weight3", "hx_", "cx_"), _gradients))
def lstm_layer(input, w_ih, w_hh, b_ih, b_hh, h, c, *, reverse, batch_sizes, mode, hidden_size, num_layers,
               has_biases, bidirectional, batch_first, train):
    """(T, N, I) and a state of (N, H) each give (T, N, H), the last state, and the workspace (T, N, 5 H).

    The weights are (4 H, I), (4 H, H) and two of (4 H,). `reverse`: from the last step to the first. The other arguments
    tell PyTorch's library what the shapes tell here.
    """
    if input.dtype != jnp.float32:
        raise RuntimeError("get_mkldnn_dtype: unsupported data type")
    del batch_sizes, mode, num_layers, has_biases, bidirectional, batch_first, train
    transposed = w_hh.T  # once, not in each step

    def advance(state, from_input):
        h, c = state
        write, keep, new, show = _split(from_input + h @ transposed, hidden_size)
        write, keep, new, show = lax.logistic(write), lax.logistic(keep), jnp.tanh(new), lax.logistic(show)
        c = keep * c + write * new
        h = show * jnp.tanh(c)
        return (h, c), (h, jnp.concatenate([write, keep, new, show, c], 1))

    (h, c), (output, workspace) = lax.scan(advance, (h, c), input @ w_ih.T + (b_ih + b_hh), reverse=reverse)
    return output, h, c, workspace
