"""Recurrent layers. https://pytorch.org/docs/stable/nn.html#recurrent-layers"""

import math
import numbers
import warnings

from torchlike import _api
from torchlike._record.tensor import Tensor
from torchlike.nn import _functional_recurrent, init
from torchlike.nn._recurrent import GATES
from torchlike.nn.modules._parameters import new_parameter
from torchlike.nn.modules._recurrent_cells import GRUCell, LSTMCell, RNNCell, RNNCellBase
from torchlike.nn.modules.module import Module
from torchlike.nn.utils.rnn import PackedSequence

__all__ = ["GRU", "LSTM", "RNN", "GRUCell", "LSTMCell", "RNNBase", "RNNCell", "RNNCellBase"]

_FUNCTIONS = {"LSTM": _functional_recurrent.lstm, "GRU": _functional_recurrent.gru,
              "RNN_TANH": _functional_recurrent.rnn_tanh, "RNN_RELU": _functional_recurrent.rnn_relu}
_PROJ_ONLY_LSTM = "proj_size argument is only supported for LSTM, not RNN or GRU"


def _check_settings(input_size, hidden_size, num_layers, bias, batch_first, dropout, proj_size):
    if not isinstance(dropout, numbers.Number) or isinstance(dropout, bool) or not 0 <= dropout <= 1:
        raise ValueError("dropout should be a number in range [0, 1] representing the probability of an "
                         "element being zeroed")
    if dropout > 0 and num_layers == 1:
        warnings.warn("dropout option adds dropout after all but last recurrent layer, so non-zero dropout "
                      f"expects num_layers greater than 1, but got dropout={dropout} and "
                      f"num_layers={num_layers}", stacklevel=4)
    for name, value, kind in (("bias", bias, bool), ("batch_first", batch_first, bool),
                              ("input_size", input_size, int), ("hidden_size", hidden_size, int)):
        if not isinstance(value, kind):
            raise TypeError(f"{name} should be of type {kind.__name__}, got: {type(value).__name__}")
        if kind is int and value <= 0:
            raise ValueError(f"{name} must be greater than zero")
    if num_layers <= 0:
        raise ValueError("num_layers must be greater than zero")
    if proj_size < 0:
        raise ValueError("proj_size should be a positive integer or zero to disable projections")
    if proj_size >= hidden_size:
        raise ValueError("proj_size has to be smaller than hidden_size")


class RNNBase(Module):
    """What RNN, LSTM and GRU share. The parameters of layer k are `weight_ih_lk`, `weight_hh_lk`, `bias_ih_lk`,
    `bias_hh_lk`, with `proj_size` `weight_hr_lk`, and the same with `_reverse` for the second direction.
    https://pytorch.org/docs/stable/generated/torch.nn.RNNBase.html

    Args:
        mode: "RNN_TANH", "RNN_RELU", "LSTM" or "GRU".
        input_size: I, the length of an input vector.
        hidden_size: H, the length of a state vector.
        num_layers: K; each layer after the first takes the output of the one before.
        bias: whether there are biases.
        batch_first: whether the batch is dimension 0 of input and output (the state stays as it is).
        dropout: the probability of dropout between layers, from 0 to 1.
        bidirectional: whether a second set of layers reads backwards.
        proj_size: of an LSTM: the length to which h is projected; 0 for none.
        device, dtype: of the parameters, which start uniform in +-1 / sqrt(H).

    Shape:
        Input (T, N, I), or (N, T, I) with `batch_first`, or (T, I), or a PackedSequence; and a state (K D, N, H), zeros
        if None. To the output (T, N, D H), in the form of the input, and the final state. D is 2 if `bidirectional`, else
        1.

    Raises:
        TypeError: a setting has a wrong type.
        ValueError: a setting is out of range, or an unknown `mode`.
    """

    _state_parts = 1
    _dim_error = "{}: Expected input to be 2D or 3D, got {}D instead"

    def __init__(self, mode: str, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True,
                 batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False,
                 proj_size: int = 0, device=None, dtype=None):
        super().__init__()
        _check_settings(input_size, hidden_size, num_layers, bias, batch_first, dropout, proj_size)
        if mode not in _FUNCTIONS:
            raise ValueError("Unrecognized RNN mode: " + mode)
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        self._all_weights = []
        for layer in range(num_layers):
            for suffix in ("", "_reverse") if bidirectional else ("",):
                self._make_layer(layer, suffix, {"device": device, "dtype": dtype})
        self.reset_parameters()

    def _make_layer(self, layer, suffix, where):
        gates = GATES[self.mode] * self.hidden_size
        width = self.proj_size or self.hidden_size
        shapes: dict[str, tuple] = {"weight_ih": (gates, width * self._directions() if layer else self.input_size),
                                    "weight_hh": (gates, width)}
        if self.bias:
            shapes.update(bias_ih=(gates,), bias_hh=(gates,))
        if self.proj_size:
            shapes["weight_hr"] = (self.proj_size, self.hidden_size)
        names = []
        for kind, shape in shapes.items():
            names.append(f"{kind}_l{layer}{suffix}")
            setattr(self, names[-1], new_parameter(*shape, **where))
        self._all_weights.append(names)

    def _directions(self):
        return 2 if self.bidirectional else 1

    @property
    def all_weights(self) -> list:
        """The parameters, as a list for each layer and direction."""
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    @property
    def _flat_weights(self):
        return [weight for weights in self.all_weights for weight in weights]

    def __getstate__(self):
        """With the lists of weights that PyTorch keeps, so that it can read a saved module."""
        names = [name for names in self._all_weights for name in names]
        return {**super().__getstate__(), "_flat_weights_names": names, "_flat_weights": self._flat_weights}

    def __setstate__(self, state):
        super().__setstate__({name: v for name, v in state.items() if name not in ("_flat_weights_names", "_flat_weights")})

    def flatten_parameters(self) -> None:
        """Does nothing: XLA lays the weights out itself."""

    def reset_parameters(self):
        """Draws every parameter uniformly in +-1 / sqrt(hidden_size)."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def check_input(self, input: Tensor, batch_sizes: Tensor | None) -> None:
        """Checks the shape and dtype of an input.

        Args:
            input: (T, N, I) or (N, T, I), or the data of a packed one.
            batch_sizes: those of a packed input, or None.

        Raises:
            ValueError: another dtype than that of the weights.
            RuntimeError: another number of dimensions or another I.
        """
        dtype = self._flat_weights[0].dtype
        if input.dtype != dtype:
            raise ValueError(f"RNN input dtype ({input.dtype}) does not match weight dtype ({dtype}). "
                             f"Convert input: input.to({dtype}), or convert model: model.to({input.dtype})")
        wanted = 3 if batch_sizes is None else 2
        if input.dim() != wanted:
            raise RuntimeError(f"input must have {wanted} dimensions, got {input.dim()}")
        if input.size(-1) != self.input_size:
            raise RuntimeError("input.size(-1) must be equal to input_size. Expected "
                               f"{self.input_size}, got {input.size(-1)}")

    def get_expected_hidden_size(self, input: Tensor, batch_sizes: Tensor | None) -> tuple:
        """The shape that h must have.

        Args:
            As for `check_input`.

        Returns:
            (layers times directions, N, H).
        """
        return self._state_size(input, batch_sizes, self.proj_size or self.hidden_size)

    def _state_size(self, input, batch_sizes, width):
        if batch_sizes is not None:
            batch = int(batch_sizes[0])
        else:
            batch = input.size(0 if self.batch_first else 1)
        return self.num_layers * self._directions(), batch, width

    def _state_sizes(self, input, batch_sizes):
        return [self.get_expected_hidden_size(input, batch_sizes)]

    def check_hidden_size(self, hx: Tensor, expected_hidden_size: tuple,
                          msg: str = "Expected hidden size {}, got {}") -> None:
        """Checks the shape of a state.

        Args:
            hx: the state.
            expected_hidden_size: what it must be.
            msg: the error's text, with places for both shapes.

        Raises:
            RuntimeError: the shapes differ.
        """
        if hx.size() != expected_hidden_size:
            raise RuntimeError(msg.format(expected_hidden_size, list(hx.size())))

    def check_forward_args(self, input: Tensor, hidden, batch_sizes: Tensor | None) -> None:
        """Checks an input and a state.

        Args:
            hidden: the state.
            input, batch_sizes: as for `check_input`.

        Raises:
            As for `check_input`.
        """
        self.check_input(input, batch_sizes)
        self.check_hidden_size(hidden, self.get_expected_hidden_size(input, batch_sizes))

    def permute_hidden(self, hx, permutation: Tensor | None):
        """The state with its batch dimension in another order.

        Args:
            hx: the state.
            permutation: (N) indices, or None to keep the order.

        Returns:
            a state.
        """
        return hx if permutation is None else hx.index_select(1, permutation)

    def _check_state_dims(self, hx, batched):
        wanted = 3 if batched else 2
        if hx.dim() != wanted:
            kind = "batched 3-D" if batched else "unbatched 2-D"
            raise RuntimeError(f"For {kind} input, hx should also be {wanted}-D but got {hx.dim()}-D tensor")

    def _parts(self, hx):
        """A state as the user gives it -> a tuple of its parts."""
        return (hx,)

    def _whole(self, parts):
        """The inverse of `_parts`."""
        return parts[0]

    def _forward(self, input, hx):
        """`forward` of the three classes; this one has none."""
        if isinstance(input, PackedSequence):
            return self._forward_packed(input, hx)
        if input.dim() not in (2, 3):
            raise ValueError(self._dim_error.format(type(self).__name__, input.dim()))
        batched = input.dim() == 3
        batch_dim = 0 if self.batch_first else 1
        if not batched:
            input = input.unsqueeze(batch_dim)
        if hx is not None:
            self._check_state_dims(hx, batched)
            if not batched:
                hx = self._whole(tuple(part.unsqueeze(1) for part in self._parts(hx)))
        output, hx = self._run(input, hx, None)
        if not batched:
            output = output.squeeze(batch_dim)
            hx = self._whole(tuple(part.squeeze(1) for part in self._parts(hx)))
        return output, hx

    def _forward_packed(self, packed, hx):
        data, batch_sizes, order, back = packed
        if hx is not None:
            hx = self.permute_hidden(hx, order)
        output, hx = self._run(data, hx, batch_sizes)
        return PackedSequence(output, batch_sizes, order, back), self.permute_hidden(hx, back)

    def _run(self, x, hx, batch_sizes):
        if hx is None:
            hx = self._whole(tuple(_api.zeros(size, dtype=x.dtype, device=x.device)
                                   for size in self._state_sizes(x, batch_sizes)))
        self.check_forward_args(x, hx, batch_sizes)
        how = self._flat_weights, self.bias, self.num_layers, self.dropout, self.training, self.bidirectional
        function = _FUNCTIONS[self.mode]  # as PyTorch's layers call it: modes and subclasses see one function
        output, *parts = (function(x, hx, *how, self.batch_first) if batch_sizes is None
                          else function(x, batch_sizes, hx, *how))
        return output, self._whole(parts)

    def extra_repr(self) -> str:
        parts = [f"{self.input_size}, {self.hidden_size}"]
        for name, plain in (("proj_size", 0), ("num_layers", 1), ("bias", True), ("batch_first", False),
                            ("dropout", 0), ("bidirectional", False)):
            value = getattr(self, name)
            if value != plain:
                parts.append(f"{name}={value}")
        return ", ".join(parts)


class RNN(RNNBase):
    """h' = tanh(x W_ih^T + b_ih + h W_hh^T + b_hh), or relu.
    https://pytorch.org/docs/stable/generated/torch.nn.RNN.html

    Args:
        args, kwargs: as for `RNNBase` after `mode`, with `nonlinearity`, "tanh" or "relu", as the fourth. There is no
            `proj_size`.

    Shape:
        As of `RNNBase`.

    Raises:
        ValueError: another `nonlinearity`, or `proj_size`.
    """

    _dim_error = "{}: Expected input to be 2D or 3D, got {}D tensor instead"

    def __init__(self, *args, **kwargs):
        if "proj_size" in kwargs:
            raise ValueError(_PROJ_ONLY_LSTM)
        if len(args) > 3:
            nonlinearity = args[3]
            args = args[:3] + args[4:]
        else:
            nonlinearity = kwargs.pop("nonlinearity", "tanh")
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        super().__init__(f"RNN_{nonlinearity.upper()}", *args, **kwargs)
        self.nonlinearity = nonlinearity

    def forward(self, input, hx=None):
        """The run over all time steps and layers.

        Args:
            input, hx: as the class says.

        Returns:
            (output, final state).

        Raises:
            ValueError: `input` has not two or three dimensions.
        """
        return self._forward(input, hx)


class GRU(RNNBase):
    """A gated recurrent unit.
    https://pytorch.org/docs/stable/generated/torch.nn.GRU.html

    Args:
        args, kwargs: as for `RNNBase` after `mode`, without `proj_size`.

    Shape:
        As of `RNNBase`.

    Raises:
        ValueError: there is a `proj_size`.
    """

    def __init__(self, *args, **kwargs):
        if "proj_size" in kwargs:
            raise ValueError(_PROJ_ONLY_LSTM)
        super().__init__("GRU", *args, **kwargs)

    def forward(self, input, hx=None):
        """The run over all time steps and layers.

        Args:
            input, hx: as the class says.

        Returns:
            (output, final state).

        Raises:
            ValueError: `input` has not two or three dimensions.
        """
        return self._forward(input, hx)


class LSTM(RNNBase):
    """Long short-term memory. The state is a pair (h, c): h (K D, N, proj_size or H), c (K D, N, H).
    https://pytorch.org/docs/stable/generated/torch.nn.LSTM.html

    Args:
        args, kwargs: as for `RNNBase` after `mode`.

    Shape:
        As of `RNNBase`, with such pairs for states.
    """

    def __init__(self, *args, **kwargs):
        super().__init__("LSTM", *args, **kwargs)

    def forward(self, input, hx=None):
        """The run over all time steps and layers.

        Args:
            input, hx: as the class says.

        Returns:
            (output, final state).

        Raises:
            ValueError: `input` has not two or three dimensions.
        """
        return self._forward(input, hx)

    def get_expected_cell_size(self, input: Tensor, batch_sizes: Tensor | None) -> tuple:
        """The shape that c must have.

        Args:
            As for `check_input`.

        Returns:
            (layers times directions, N, H).
        """
        return self._state_size(input, batch_sizes, self.hidden_size)

    def _state_sizes(self, input, batch_sizes):
        return [self.get_expected_hidden_size(input, batch_sizes),
                self.get_expected_cell_size(input, batch_sizes)]

    def check_forward_args(self, input: Tensor, hidden, batch_sizes: Tensor | None) -> None:
        self.check_input(input, batch_sizes)
        for i, size in enumerate(self._state_sizes(input, batch_sizes)):
            self.check_hidden_size(hidden[i], size, f"Expected hidden[{i}] size {{}}, got {{}}")

    def permute_hidden(self, hx, permutation: Tensor | None):
        if permutation is None:
            return hx
        return hx[0].index_select(1, permutation), hx[1].index_select(1, permutation)

    def _check_state_dims(self, hx, batched):
        wanted = 3 if batched else 2
        if hx[0].dim() != wanted or hx[1].dim() != wanted:
            raise RuntimeError(f"For batched 3-D input, hx and cx should also be {wanted}-D but got "
                               f"({hx[0].dim()}-D, {hx[1].dim()}-D) tensors" if batched else
                               f"For unbatched 2-D input, hx and cx should also be {wanted}-D but got "
                               f"({hx[0].dim()}-D, {hx[1].dim()}-D) tensors")

    def _parts(self, hx):
        return tuple(hx)

    def _whole(self, parts):
        return parts
