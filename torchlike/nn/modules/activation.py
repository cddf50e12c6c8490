"""Activations. https://pytorch.org/docs/stable/nn.html#non-linear-activations-weighted-sum-nonlinearity

All keep the shape of their input; `inplace` overwrites it.
"""

import warnings

from torchlike import _api
from torchlike._record.tensor import Tensor
from torchlike.nn import functional as F
from torchlike.nn import init as _init
from torchlike.nn.modules._attention import MultiheadAttention
from torchlike.nn.modules._parameters import new_parameter
from torchlike.nn.modules._softmax import LogSoftmax, Softmax, Softmax2d, Softmin
from torchlike.nn.modules.module import Module

__all__ = [
    "CELU", "ELU", "GELU", "GLU", "SELU", "Hardshrink", "Hardsigmoid", "Hardswish", "Hardtanh", "LeakyReLU",
    "LogSigmoid", "LogSoftmax", "Mish", "MultiheadAttention", "PReLU", "RReLU", "ReLU", "ReLU6", "SiLU", "Sigmoid",
    "Softmax", "Softmax2d", "Softmin", "Softplus", "Softshrink", "Softsign", "Tanh", "Tanhshrink", "Threshold",
]


class _InplaceUnshown(Module):
    """An activation whose only setting is `inplace`, which its `repr` does not show."""

    def __init__(self, inplace: bool = False):
        super().__init__()
        self.inplace = inplace


class _Inplace(_InplaceUnshown):
    """An activation whose only setting is `inplace`."""

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


def _and_inplace(settings, inplace):
    return f"{settings}, inplace=True" if inplace else settings


class Threshold(Module):
    """x where x > threshold, else `value`.
    https://pytorch.org/docs/stable/generated/torch.nn.Threshold.html

    Args:
        As for `threshold`.

    Shape:
        (*) to (*).
    """

    def __init__(self, threshold: float, value: float, inplace: bool = False):
        super().__init__()
        self.threshold = threshold
        self.value = value
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.threshold(input, self.threshold, self.value, self.inplace)

    def extra_repr(self) -> str:
        return _and_inplace(f"threshold={self.threshold}, value={self.value}", self.inplace)


class ReLU(_Inplace):
    """max(0, x).
    https://pytorch.org/docs/stable/generated/torch.nn.ReLU.html

    Args:
        inplace: whether to overwrite the input.

    Shape:
        (*) to (*).
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.relu(input, self.inplace)


class Hardtanh(Module):
    """x clamped to [min_val, max_val].
    https://pytorch.org/docs/stable/generated/torch.nn.Hardtanh.html

    Args:
        min_val, max_val: the ends of the interval.
        inplace: whether to overwrite the input.
        min_value, max_value: deprecated names of the ends, which warn.

    Shape:
        (*) to (*).

    Raises:
        AssertionError: `max_val` does not exceed `min_val`.
    """

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False,
                 min_value: float | None = None, max_value: float | None = None):
        super().__init__()
        for old, value in (("min", min_value), ("max", max_value)):
            if value is not None:
                warnings.warn(f"keyword argument `{old}_value` is deprecated and renamed to `{old}_val`",
                              FutureWarning, stacklevel=2)
        self.min_val = min_val if min_value is None else min_value
        self.max_val = max_val if max_value is None else max_value
        self.inplace = inplace
        if self.max_val <= self.min_val:
            raise AssertionError(f"max_val ({self.max_val}) must be greater than min_val ({self.min_val})")

    def forward(self, input: Tensor) -> Tensor:
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)

    def extra_repr(self) -> str:
        return _and_inplace(f"min_val={self.min_val}, max_val={self.max_val}", self.inplace)


class ReLU6(Hardtanh):
    """min(max(0, x), 6).
    https://pytorch.org/docs/stable/generated/torch.nn.ReLU6.html

    Args:
        As for `ReLU`.
    """

    def __init__(self, inplace: bool = False):
        super().__init__(0.0, 6.0, inplace)

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


class RReLU(Module):
    """x where x > 0, else x times a slope: a random one in training, otherwise the mean of the bounds.
    https://pytorch.org/docs/stable/generated/torch.nn.RReLU.html

    Args:
        As for `rrelu`.

    Shape:
        (*) to (*).
    """

    def __init__(self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False):
        super().__init__()
        self.lower = lower
        self.upper = upper
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self) -> str:
        return _and_inplace(f"lower={self.lower}, upper={self.upper}", self.inplace)


class Sigmoid(Module):
    """1 / (1 + exp(-x)).
    https://pytorch.org/docs/stable/generated/torch.nn.Sigmoid.html

    Shape:
        (*) to (*).
    """

    def forward(self, input: Tensor) -> Tensor:
        return _api.sigmoid(input)


class Hardsigmoid(_InplaceUnshown):
    """x / 6 + 1/2 clamped to [0, 1].
    https://pytorch.org/docs/stable/generated/torch.nn.Hardsigmoid.html

    Args:
        As for `ReLU`.

    Shape:
        (*) to (*).
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.hardsigmoid(input, self.inplace)


class Tanh(Module):
    """tanh(x).
    https://pytorch.org/docs/stable/generated/torch.nn.Tanh.html

    Shape:
        (*) to (*).
    """

    def forward(self, input: Tensor) -> Tensor:
        return _api.tanh(input)


class SiLU(_Inplace):
    """x sigmoid(x), also called swish.
    https://pytorch.org/docs/stable/generated/torch.nn.SiLU.html

    Args:
        As for `ReLU`.

    Shape:
        (*) to (*).
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.silu(input, self.inplace)


class Mish(_Inplace):
    """x tanh(softplus(x)).
    https://pytorch.org/docs/stable/generated/torch.nn.Mish.html

    Args:
        As for `ReLU`.

    Shape:
        (*) to (*).
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.mish(input, self.inplace)


class Hardswish(_InplaceUnshown):
    """x hardsigmoid(x).
    https://pytorch.org/docs/stable/generated/torch.nn.Hardswish.html

    Args:
        As for `ReLU`.

    Shape:
        (*) to (*).
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.hardswish(input, self.inplace)


class _Alpha(Module):
    """An activation with a scale `alpha`."""

    def __init__(self, alpha: float = 1.0, inplace: bool = False):
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def extra_repr(self) -> str:
        return _and_inplace(f"alpha={self.alpha}", self.inplace)


class ELU(_Alpha):
    """x where x > 0, else alpha (exp(x) - 1).
    https://pytorch.org/docs/stable/generated/torch.nn.ELU.html

    Args:
        As for `elu`.

    Shape:
        (*) to (*).
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.elu(input, self.alpha, self.inplace)


class CELU(_Alpha):
    """max(0, x) + min(0, alpha (exp(x / alpha) - 1)).
    https://pytorch.org/docs/stable/generated/torch.nn.CELU.html

    Args:
        As for `celu`.

    Shape:
        (*) to (*).
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.celu(input, self.alpha, self.inplace)


class SELU(_Inplace):
    """The self-normalising elu, see `torch.nn.functional.selu`.
    https://pytorch.org/docs/stable/generated/torch.nn.SELU.html

    Args:
        As for `ReLU`.

    Shape:
        (*) to (*).
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.selu(input, self.inplace)


class GLU(Module):
    """a sigmoid(b) for the two halves a, b of the input along `dim`.
    https://pytorch.org/docs/stable/generated/torch.nn.GLU.html

    Args:
        dim: the dimension that is halved; its extent is even.

    Shape:
        (*, 2 C, *) to (*, C, *).
    """

    def __init__(self, dim: int = -1):
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        return F.glu(input, self.dim)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class GELU(Module):
    """x times the normal distribution function of x.
    https://pytorch.org/docs/stable/generated/torch.nn.GELU.html

    Args:
        approximate: "none", or "tanh" for a cheaper formula with tanh.

    Shape:
        (*) to (*).
    """

    def __init__(self, approximate: str = "none"):
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Tensor) -> Tensor:
        return _api.gelu(input, approximate=self.approximate)

    def extra_repr(self) -> str:
        return f"approximate={self.approximate!r}"


class Hardshrink(Module):
    """x where |x| > lambd, else 0.
    https://pytorch.org/docs/stable/generated/torch.nn.Hardshrink.html

    Args:
        lambd: half the width of the interval that becomes 0.

    Shape:
        (*) to (*).
    """

    def __init__(self, lambd: float = 0.5):
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Tensor) -> Tensor:
        return F.hardshrink(input, self.lambd)

    def extra_repr(self) -> str:
        return f"{self.lambd}"


class Softshrink(Hardshrink):
    """x moved towards 0 by `lambd`; 0 where |x| <= lambd.
    https://pytorch.org/docs/stable/generated/torch.nn.Softshrink.html

    Shape:
        (*) to (*).
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.softshrink(input, self.lambd)


class LeakyReLU(Module):
    """x where x > 0, else negative_slope x.
    https://pytorch.org/docs/stable/generated/torch.nn.LeakyReLU.html

    Args:
        As for `leaky_relu`.

    Shape:
        (*) to (*).
    """

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False):
        super().__init__()
        self.negative_slope = negative_slope
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.leaky_relu(input, self.negative_slope, self.inplace)

    def extra_repr(self) -> str:
        return _and_inplace(f"negative_slope={self.negative_slope}", self.inplace)


class LogSigmoid(Module):
    """log(sigmoid(x)), computed without overflow.
    https://pytorch.org/docs/stable/generated/torch.nn.LogSigmoid.html

    Shape:
        (*) to (*).
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.logsigmoid(input)


class Softplus(Module):
    """log(1 + exp(beta x)) / beta; x itself where beta x > threshold.
    https://pytorch.org/docs/stable/generated/torch.nn.Softplus.html

    Args:
        As for `softplus`.

    Shape:
        (*) to (*).
    """

    def __init__(self, beta: float = 1.0, threshold: float = 20.0):
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(self, input: Tensor) -> Tensor:
        return F.softplus(input, self.beta, self.threshold)

    def extra_repr(self) -> str:
        return f"beta={self.beta}, threshold={self.threshold}"


class PReLU(Module):
    """x where x > 0, else a learned slope times x.
    https://pytorch.org/docs/stable/generated/torch.nn.PReLU.html

    Args:
        num_parameters: 1, or one slope for each channel, which is dimension 1.
        init: the slopes at first.
        device, dtype: of `weight`, the slopes (num_parameters).

    Shape:
        (N, C, *) or (*), to the same.
    """

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device=None, dtype=None):
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        self.weight = new_parameter(num_parameters, device=device, dtype=dtype)
        self.reset_parameters()

    def reset_parameters(self):
        """Sets every slope to `init`."""
        _init.constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Tensor:
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"


class Softsign(Module):
    """x / (1 + |x|).
    https://pytorch.org/docs/stable/generated/torch.nn.Softsign.html

    Shape:
        (*) to (*).
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.softsign(input)


class Tanhshrink(Module):
    """x - tanh(x).
    https://pytorch.org/docs/stable/generated/torch.nn.Tanhshrink.html

    Shape:
        (*) to (*).
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.tanhshrink(input)
