"""Linear layers. https://pytorch.org/docs/stable/nn.html#linear-layers"""

import math

from torchlike import _api
from torchlike._record.tensor import Tensor
from torchlike.autograd.grad_mode import no_grad
from torchlike.nn import init
from torchlike.nn.modules._parameters import draw_weight_and_bias, new_parameter
from torchlike.nn.modules.lazy import LazyLayer
from torchlike.nn.modules.module import Module

__all__ = ["Bilinear", "Identity", "LazyLinear", "Linear"]


class Identity(Module):
    """Returns its input.
    https://pytorch.org/docs/stable/generated/torch.nn.Identity.html

    Args:
        args, kwargs: ignored.

    Shape:
        (*) to (*).
    """

    def __init__(self, *args, **kwargs):
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        return input


class Linear(Module):
    """x W^T + b over the last dimension.
    https://pytorch.org/docs/stable/generated/torch.nn.Linear.html

    Args:
        in_features, out_features: the lengths of input and output vectors.
        bias: whether there is a `bias`.
        device, dtype: of `weight` (out_features, in_features) and `bias` (out_features). Both start uniform in +-1 /
            sqrt(in_features).

    Shape:
        (*, in_features) to (*, out_features).
    """

    def __init__(self, in_features: int, out_features: int, bias: bool = True, device=None, dtype=None):
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = new_parameter(out_features, in_features, device=device, dtype=dtype)
        self.register_parameter("bias", new_parameter(out_features, device=device, dtype=dtype) if bias else None)
        self.reset_parameters()

    def reset_parameters(self):
        """Draws the parameters anew."""
        draw_weight_and_bias(self.weight, self.bias)

    def forward(self, input: Tensor) -> Tensor:
        own = self._parameters
        try:  # not by `__getattr__`, which costs 0.5 us a name: this layer is called most
            weight, bias = own["weight"], own["bias"]
        except KeyError:  # something other than a parameter was put in its place
            weight, bias = self.weight, self.bias
        return _api.linear(input, weight, bias)

    def extra_repr(self) -> str:
        return (f"in_features={self.in_features}, out_features={self.out_features}, "
                f"bias={self.bias is not None}")


class NonDynamicallyQuantizableLinear(Linear):
    """`MultiheadAttention.out_proj`: a Linear under the name that PyTorch prints for it."""


class Bilinear(Module):
    """x1^T W x2 + b.
    https://pytorch.org/docs/stable/generated/torch.nn.Bilinear.html

    Args:
        in1_features, in2_features, out_features: the lengths of the vectors.
        bias: whether there is a `bias`.
        device, dtype: of `weight` (out_features, in1_features, in2_features) and `bias` (out_features). Both start
            uniform in +-1 / sqrt(in1_features).

    Shape:
        (*, in1_features) and (*, in2_features) to (*, out_features).
    """

    def __init__(self, in1_features: int, in2_features: int, out_features: int, bias: bool = True,
                 device=None, dtype=None):
        super().__init__()
        self.in1_features = in1_features
        self.in2_features = in2_features
        self.out_features = out_features
        self.weight = new_parameter(out_features, in1_features, in2_features, device=device, dtype=dtype)
        self.register_parameter("bias", new_parameter(out_features, device=device, dtype=dtype) if bias else None)
        self.reset_parameters()

    def reset_parameters(self):
        """Draws the parameters anew.

        Raises:
            ValueError: `in1_features` is not positive.
        """
        if self.in1_features <= 0:
            raise ValueError(f"in1_features must be > 0, but got (in1_features={self.in1_features})")
        bound = 1 / math.sqrt(self.weight.size(1))
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        return _api.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        return (f"in1_features={self.in1_features}, in2_features={self.in2_features}, "
                f"out_features={self.out_features}, bias={self.bias is not None}")


class LazyLinear(LazyLayer, Linear):
    """`Linear` that takes `in_features` from its first input.
    https://pytorch.org/docs/stable/generated/torch.nn.LazyLinear.html

    Args:
        As for `Linear`.
    """

    cls_to_become = Linear
    _inferred = "in_features"

    def __init__(self, out_features: int, bias: bool = True, device=None, dtype=None):
        super().__init__(0, 0, False)
        self.out_features = out_features
        self._await(("weight", "bias") if bias else ("weight",), device, dtype)

    def initialize_parameters(self, input):
        """Gives the parameters their shapes.

        Args:
            input: (*, in_features).

        Raises:
            AssertionError: a state was loaded with another `in_features`.
        """
        if self.has_uninitialized_params():
            with no_grad():
                self.in_features = input.shape[-1]
                self.weight.materialize((self.out_features, self.in_features))
                if self.bias is not None:
                    self.bias.materialize((self.out_features,))
                self.reset_parameters()
        if self.in_features == 0:  # a state was loaded
            if input.shape[-1] != self.weight.shape[-1]:
                raise AssertionError(f"The in_features inferred from input: {input.shape[-1]} is not equal to in_features "
                                     f"from self.weight: {self.weight.shape[-1]}")
            self.in_features = input.shape[-1]
