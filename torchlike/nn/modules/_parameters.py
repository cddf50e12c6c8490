"""Making and filling a layer's parameters."""

import math

from torchlike import _api
from torchlike._record.parameter import Parameter
from torchlike.nn import init


def new_parameter(*shape, device=None, dtype=None) -> Parameter:
    """A Parameter of this shape whose values are still to be set."""
    return Parameter(_api.empty(shape, device=device, dtype=dtype))


def draw_weight_and_bias(weight: Parameter, bias: Parameter | None) -> None:
    """Both uniform in +-1 / sqrt(fan_in): how linear layers and convolutions start."""
    # a = sqrt(5) makes kaiming's bound 1 / sqrt(fan_in).
    init.kaiming_uniform_(weight, a=math.sqrt(5))
    if bias is not None:
        fan_in, _ = init._calculate_fan_in_and_fan_out(weight)
        bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
        init.uniform_(bias, -bound, bound)
