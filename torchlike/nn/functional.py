"""`torch.nn.functional`: layers as functions. https://pytorch.org/docs/stable/nn.functional.html

The names here are one of three kinds: an operator as it is (bound below), a thin function around one
(`_functional_activation`, `_functional_layers`), or a composition (`_functional_loss`,
`_functional_attention`).
"""

from torchlike import _api
from torchlike.nn._functional_activation import alpha_dropout as alpha_dropout
from torchlike.nn._functional_activation import celu as celu
from torchlike.nn._functional_activation import dropout as dropout
from torchlike.nn._functional_activation import dropout1d as dropout1d
from torchlike.nn._functional_activation import dropout2d as dropout2d
from torchlike.nn._functional_activation import dropout3d as dropout3d
from torchlike.nn._functional_activation import elu as elu
from torchlike.nn._functional_activation import elu_ as elu_
from torchlike.nn._functional_activation import feature_alpha_dropout as feature_alpha_dropout
from torchlike.nn._functional_activation import gelu as gelu
from torchlike.nn._functional_activation import glu as glu
from torchlike.nn._functional_activation import gumbel_softmax as gumbel_softmax
from torchlike.nn._functional_activation import hardshrink as hardshrink
from torchlike.nn._functional_activation import hardsigmoid as hardsigmoid
from torchlike.nn._functional_activation import hardswish as hardswish
from torchlike.nn._functional_activation import hardtanh as hardtanh
from torchlike.nn._functional_activation import hardtanh_ as hardtanh_
from torchlike.nn._functional_activation import leaky_relu as leaky_relu
from torchlike.nn._functional_activation import leaky_relu_ as leaky_relu_
from torchlike.nn._functional_activation import log_softmax as log_softmax
from torchlike.nn._functional_activation import logsigmoid as logsigmoid
from torchlike.nn._functional_activation import mish as mish
from torchlike.nn._functional_activation import prelu as prelu
from torchlike.nn._functional_activation import relu as relu
from torchlike.nn._functional_activation import relu6 as relu6
from torchlike.nn._functional_activation import selu as selu
from torchlike.nn._functional_activation import sigmoid as sigmoid
from torchlike.nn._functional_activation import silu as silu
from torchlike.nn._functional_activation import softmax as softmax
from torchlike.nn._functional_activation import softmin as softmin
from torchlike.nn._functional_activation import softplus as softplus
from torchlike.nn._functional_activation import softshrink as softshrink
from torchlike.nn._functional_activation import softsign as softsign
from torchlike.nn._functional_activation import tanh as tanh
from torchlike.nn._functional_activation import tanhshrink as tanhshrink
from torchlike.nn._functional_activation import threshold as threshold
from torchlike.nn._functional_activation import threshold_ as threshold_
from torchlike.nn._functional_attention import _canonical_mask as _canonical_mask
from torchlike.nn._functional_attention import _none_or_dtype as _none_or_dtype
from torchlike.nn._functional_attention import multi_head_attention_forward as multi_head_attention_forward
from torchlike.nn._functional_layers import adaptive_avg_pool1d as adaptive_avg_pool1d
from torchlike.nn._functional_layers import adaptive_avg_pool2d as adaptive_avg_pool2d
from torchlike.nn._functional_layers import adaptive_max_pool1d as adaptive_max_pool1d
from torchlike.nn._functional_layers import adaptive_max_pool2d as adaptive_max_pool2d
from torchlike.nn._functional_layers import avg_pool1d as avg_pool1d
from torchlike.nn._functional_layers import avg_pool2d as avg_pool2d
from torchlike.nn._functional_layers import batch_norm as batch_norm
from torchlike.nn._functional_layers import cosine_similarity as cosine_similarity
from torchlike.nn._functional_layers import embedding as embedding
from torchlike.nn._functional_layers import group_norm as group_norm
from torchlike.nn._functional_layers import instance_norm as instance_norm
from torchlike.nn._functional_layers import layer_norm as layer_norm
from torchlike.nn._functional_layers import local_response_norm as local_response_norm
from torchlike.nn._functional_layers import lp_pool1d as lp_pool1d
from torchlike.nn._functional_layers import lp_pool2d as lp_pool2d
from torchlike.nn._functional_layers import max_pool1d as max_pool1d
from torchlike.nn._functional_layers import max_pool1d_with_indices as max_pool1d_with_indices
from torchlike.nn._functional_layers import max_pool2d as max_pool2d
from torchlike.nn._functional_layers import max_pool2d_with_indices as max_pool2d_with_indices
from torchlike.nn._functional_layers import normalize as normalize
from torchlike.nn._functional_layers import pad as pad
from torchlike.nn._functional_layers import pairwise_distance as pairwise_distance
from torchlike.nn._functional_layers import rms_norm as rms_norm
from torchlike.nn._functional_loss import binary_cross_entropy as binary_cross_entropy
from torchlike.nn._functional_loss import binary_cross_entropy_with_logits as binary_cross_entropy_with_logits
from torchlike.nn._functional_loss import cosine_embedding_loss as cosine_embedding_loss
from torchlike.nn._functional_loss import cross_entropy as cross_entropy
from torchlike.nn._functional_loss import gaussian_nll_loss as gaussian_nll_loss
from torchlike.nn._functional_loss import hinge_embedding_loss as hinge_embedding_loss
from torchlike.nn._functional_loss import huber_loss as huber_loss
from torchlike.nn._functional_loss import kl_div as kl_div
from torchlike.nn._functional_loss import l1_loss as l1_loss
from torchlike.nn._functional_loss import margin_ranking_loss as margin_ranking_loss
from torchlike.nn._functional_loss import mse_loss as mse_loss
from torchlike.nn._functional_loss import multilabel_soft_margin_loss as multilabel_soft_margin_loss
from torchlike.nn._functional_loss import nll_loss as nll_loss
from torchlike.nn._functional_loss import poisson_nll_loss as poisson_nll_loss
from torchlike.nn._functional_loss import smooth_l1_loss as smooth_l1_loss
from torchlike.nn._functional_loss import soft_margin_loss as soft_margin_loss
from torchlike.nn._functional_loss import triplet_margin_loss as triplet_margin_loss
from torchlike.nn._functional_loss import (
    triplet_margin_with_distance_loss as triplet_margin_with_distance_loss,
)

# Operators whose signature is already this namespace's.
linear = _api.linear
bilinear = _api.bilinear
conv1d = _api.conv1d
conv2d = _api.conv2d
conv3d = _api.conv3d
conv_transpose1d = _api.conv_transpose1d
conv_transpose2d = _api.conv_transpose2d
scaled_dot_product_attention = _api.scaled_dot_product_attention
one_hot = _api.one_hot
pixel_shuffle = _api.pixel_shuffle
pixel_unshuffle = _api.pixel_unshuffle
relu_ = _api.relu_
celu_ = _api.celu_
selu_ = _api.selu_
