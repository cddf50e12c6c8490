"""Functions behind `torch.nn.functional` that the torch namespace does not have.

Written by ``python -m compat.api`` from the operator table: do not edit.
"""

from torchlike._api.activation import relu6 as relu6
from torchlike._api.activation import relu6_ as relu6_
from torchlike._api.attention import scaled_dot_product_attention as scaled_dot_product_attention
from torchlike._api.embedding import one_hot as one_hot
from torchlike._api.generated.nn_functional import adaptive_max_pool2d as adaptive_max_pool2d
from torchlike._api.generated.nn_functional import adaptive_max_pool3d as adaptive_max_pool3d
from torchlike._api.generated.nn_functional import avg_pool2d as avg_pool2d
from torchlike._api.generated.nn_functional import avg_pool3d as avg_pool3d
from torchlike._api.generated.nn_functional import binary_cross_entropy as binary_cross_entropy
from torchlike._api.generated.nn_functional import col2im as col2im
from torchlike._api.generated.nn_functional import elu as elu
from torchlike._api.generated.nn_functional import fractional_max_pool2d as fractional_max_pool2d
from torchlike._api.generated.nn_functional import fractional_max_pool3d as fractional_max_pool3d
from torchlike._api.generated.nn_functional import gelu as gelu
from torchlike._api.generated.nn_functional import glu as glu
from torchlike._api.generated.nn_functional import hardsigmoid as hardsigmoid
from torchlike._api.generated.nn_functional import hardswish as hardswish
from torchlike._api.generated.nn_functional import hardtanh as hardtanh
from torchlike._api.generated.nn_functional import huber_loss as huber_loss
from torchlike._api.generated.nn_functional import im2col as im2col
from torchlike._api.generated.nn_functional import leaky_relu as leaky_relu
from torchlike._api.generated.nn_functional import log_sigmoid as log_sigmoid
from torchlike._api.generated.nn_functional import max_pool2d_with_indices as max_pool2d_with_indices
from torchlike._api.generated.nn_functional import max_pool2d_with_indices_backward as max_pool2d_with_indices_backward
from torchlike._api.generated.nn_functional import max_pool3d_with_indices as max_pool3d_with_indices
from torchlike._api.generated.nn_functional import mish as mish
from torchlike._api.generated.nn_functional import mse_loss as mse_loss
from torchlike._api.generated.nn_functional import multi_margin_loss as multi_margin_loss
from torchlike._api.generated.nn_functional import multilabel_margin_loss as multilabel_margin_loss
from torchlike._api.generated.nn_functional import native_dropout_backward as native_dropout_backward
from torchlike._api.generated.nn_functional import nll_loss2d_forward as nll_loss2d_forward
from torchlike._api.generated.nn_functional import nll_loss_forward as nll_loss_forward
from torchlike._api.generated.nn_functional import reflection_pad1d as reflection_pad1d
from torchlike._api.generated.nn_functional import reflection_pad2d as reflection_pad2d
from torchlike._api.generated.nn_functional import reflection_pad3d as reflection_pad3d
from torchlike._api.generated.nn_functional import replication_pad1d as replication_pad1d
from torchlike._api.generated.nn_functional import replication_pad2d as replication_pad2d
from torchlike._api.generated.nn_functional import replication_pad3d as replication_pad3d
from torchlike._api.generated.nn_functional import rrelu_with_noise as rrelu_with_noise
from torchlike._api.generated.nn_functional import silu as silu
from torchlike._api.generated.nn_functional import smooth_l1_loss as smooth_l1_loss
from torchlike._api.generated.nn_functional import softplus as softplus
from torchlike._api.generated.nn_functional import softshrink as softshrink
from torchlike._api.generated.nn_functional import upsample_bicubic2d as upsample_bicubic2d
from torchlike._api.generated.nn_functional import upsample_bilinear2d as upsample_bilinear2d
from torchlike._api.generated.nn_functional import upsample_linear1d as upsample_linear1d
from torchlike._api.generated.nn_functional import upsample_nearest1d as upsample_nearest1d
from torchlike._api.generated.nn_functional import upsample_nearest2d as upsample_nearest2d
from torchlike._api.generated.nn_functional import upsample_nearest3d as upsample_nearest3d
from torchlike._api.generated.nn_functional import upsample_trilinear3d as upsample_trilinear3d
from torchlike._api.generated.ops.nn_functional import celu_ as celu_
from torchlike._api.generated.ops.nn_functional import elu_ as elu_
from torchlike._api.generated.ops.nn_functional import hardsigmoid_ as hardsigmoid_
from torchlike._api.generated.ops.nn_functional import hardswish_ as hardswish_
from torchlike._api.generated.ops.nn_functional import hardtanh_ as hardtanh_
from torchlike._api.generated.ops.nn_functional import leaky_relu_ as leaky_relu_
from torchlike._api.generated.ops.nn_functional import mish_ as mish_
from torchlike._api.generated.ops.nn_functional import rrelu_with_noise_ as rrelu_with_noise_
from torchlike._api.generated.ops.nn_functional import silu_ as silu_
from torchlike._api.generated.ops.nn_functional import threshold_ as threshold_
from torchlike._api.linear import linear as linear
from torchlike._api.linear import linear_out as linear_out
from torchlike._api.losses import cross_entropy_loss as cross_entropy_loss
from torchlike._api.losses import nll_loss_nd as nll_loss_nd
from torchlike._api.losses import soft_margin_loss as soft_margin_loss
from torchlike._api.padding import pad as pad
from torchlike._api.pooling import adaptive_avg_pool2d as adaptive_avg_pool2d
from torchlike._api.pooling import adaptive_avg_pool3d as adaptive_avg_pool3d
from torchlike._api.pooling import max_unpool2d as max_unpool2d
from torchlike._api.pooling import max_unpool3d as max_unpool3d

__all__ = [
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool2d",
    "adaptive_max_pool3d",
    "avg_pool2d",
    "avg_pool3d",
    "binary_cross_entropy",
    "celu_",
    "col2im",
    "cross_entropy_loss",
    "elu",
    "elu_",
    "fractional_max_pool2d",
    "fractional_max_pool3d",
    "gelu",
    "glu",
    "hardsigmoid",
    "hardsigmoid_",
    "hardswish",
    "hardswish_",
    "hardtanh",
    "hardtanh_",
    "huber_loss",
    "im2col",
    "leaky_relu",
    "leaky_relu_",
    "linear",
    "linear_out",
    "log_sigmoid",
    "max_pool2d_with_indices",
    "max_pool2d_with_indices_backward",
    "max_pool3d_with_indices",
    "max_unpool2d",
    "max_unpool3d",
    "mish",
    "mish_",
    "mse_loss",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "native_dropout_backward",
    "nll_loss2d_forward",
    "nll_loss_forward",
    "nll_loss_nd",
    "one_hot",
    "pad",
    "reflection_pad1d",
    "reflection_pad2d",
    "reflection_pad3d",
    "relu6",
    "relu6_",
    "replication_pad1d",
    "replication_pad2d",
    "replication_pad3d",
    "rrelu_with_noise",
    "rrelu_with_noise_",
    "scaled_dot_product_attention",
    "silu",
    "silu_",
    "smooth_l1_loss",
    "soft_margin_loss",
    "softplus",
    "softshrink",
    "threshold_",
    "upsample_bicubic2d",
    "upsample_bilinear2d",
    "upsample_linear1d",
    "upsample_nearest1d",
    "upsample_nearest2d",
    "upsample_nearest3d",
    "upsample_trilinear3d",
]
