"""What packages use of `torch._C._nn`, and the functions that `torch.nn.functional` has from there."""

from torchlike.nn.functional import avg_pool2d as avg_pool2d
from torchlike.nn.functional import avg_pool3d as avg_pool3d
from torchlike.nn.functional import elu_ as elu_
from torchlike.nn.functional import gelu as gelu
from torchlike.nn.functional import hardtanh_ as hardtanh_
from torchlike.nn.functional import leaky_relu_ as leaky_relu_
from torchlike.nn.functional import linear as linear
from torchlike.nn.functional import logsigmoid as log_sigmoid  # noqa: F401 - its name here
from torchlike.nn.functional import one_hot as one_hot
from torchlike.nn.functional import scaled_dot_product_attention as scaled_dot_product_attention
from torchlike.nn.functional import softplus as softplus
from torchlike.nn.functional import softshrink as softshrink
from torchlike.nn.modules._to_arguments import parse_to as _parse_to

__all__ = ["_parse_to"]
