"""Layers that are one step of a recurrent layer; `rnn` is their public home.

https://pytorch.org/docs/stable/nn.html#recurrent-layers
"""

import math

from torchlike import _api
from torchlike._record.tensor import Tensor
from torchlike.nn import _functional_recurrent, init
from torchlike.nn.modules._parameters import new_parameter
from torchlike.nn.modules.module import Module


class RNNCellBase(Module):
    """What the cells share: one step of a recurrent layer.
    https://pytorch.org/docs/stable/generated/torch.nn.RNNCellBase.html

    Args:
        input_size, hidden_size: I and H.
        bias: whether there are `bias_ih` and `bias_hh`.
        num_chunks: how many gates, G.
        device, dtype: of `weight_ih` (G H, I), `weight_hh` (G H, H) and the biases (G H), uniform in +-1 / sqrt(H) at
            first.
    """

    _mode = ""

    def __init__(self, input_size: int, hidden_size: int, bias: bool, num_chunks: int, device=None,
                 dtype=None):
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        where = {"device": device, "dtype": dtype}
        gates = num_chunks * hidden_size
        self.weight_ih = new_parameter(gates, input_size, **where)
        self.weight_hh = new_parameter(gates, hidden_size, **where)
        self.register_parameter("bias_ih", new_parameter(gates, **where) if bias else None)
        self.register_parameter("bias_hh", new_parameter(gates, **where) if bias else None)
        self.reset_parameters()

    def reset_parameters(self):
        """Draws every parameter uniformly in +-1 / sqrt(hidden_size)."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        if self.bias is not True:
            text += f", bias={self.bias}"
        if getattr(self, "nonlinearity", "tanh") != "tanh":
            text += f", nonlinearity={self.nonlinearity}"
        return text

    def _check_dims(self, input, state, names):
        for name, value in (("input", input), *zip(names, state or (), strict=False)):
            if value.dim() not in (1, 2):
                raise ValueError(f"{type(self).__name__}: Expected {name} to be 1D or 2D, got "
                                 f"{value.dim()}D instead")

    def _step(self, function, input, state, parts):
        """The new state, with a batch dimension only if the input has one."""
        batched = input.dim() == 2
        if not batched:
            input = input.unsqueeze(0)
        if state is None:
            zeros = _api.zeros(input.size(0), self.hidden_size, dtype=input.dtype, device=input.device)
            state = (zeros,) * parts
        elif not batched:
            state = tuple(part.unsqueeze(0) for part in state)
        weights = self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh
        state = function(input, state, *weights) if parts == 2 else (function(input, state[0], *weights),)
        return state if batched else tuple(part.squeeze(0) for part in state)


class RNNCell(RNNCellBase):
    """One step of `RNN`.
    https://pytorch.org/docs/stable/generated/torch.nn.RNNCell.html

    Args:
        nonlinearity: "tanh" or "relu"; RuntimeError when called with another.
        input_size, hidden_size, bias, device, dtype: as for `RNNCellBase`.

    Shape:
        (N, I) and the state (N, H) to (N, H), or all without N. The state is zeros if None.
    """

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, nonlinearity: str = "tanh",
                 device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        self._check_dims(input, None if hx is None else (hx,), ("hidden",))
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        step = _functional_recurrent.rnn_relu_cell if self.nonlinearity == "relu" else _functional_recurrent.rnn_tanh_cell
        return self._step(step, input, None if hx is None else (hx,), 1)[0]


class LSTMCell(RNNCellBase):
    """One step of `LSTM`.
    https://pytorch.org/docs/stable/generated/torch.nn.LSTMCell.html

    Args:
        As for `RNNCellBase`.

    Shape:
        (N, I) and the state ((N, H), (N, H)) to such a state, or all without N. The state is zeros if None.
    """

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input: Tensor, hx=None):
        self._check_dims(input, hx, ("hx[0]", "hx[1]"))
        return self._step(_functional_recurrent.lstm_cell, input, hx, 2)


class GRUCell(RNNCellBase):
    """One step of `GRU`.
    https://pytorch.org/docs/stable/generated/torch.nn.GRUCell.html

    Args:
        As for `RNNCellBase`.

    Shape:
        (N, I) and the state (N, H) to (N, H), or all without N. The state is zeros if None.
    """

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        self._check_dims(input, None if hx is None else (hx,), ("hidden",))
        return self._step(_functional_recurrent.gru_cell, input, None if hx is None else (hx,), 1)[0]
