"""`torch.nn.functional`: layers as functions. https://pytorch.org/docs/stable/nn.functional.html

The names here are one of three kinds: an operator as it is (bound below), a thin function around one
(`_functional_activation`, `_functional_layers`), or a composition (`_functional_loss`,
`_functional_attention`).
"""

from torchlike import _api
from torchlike.nn._functional_activation import (
    alpha_dropout as alpha_dropout,
    celu as celu,
    dropout as dropout,
    dropout1d as dropout1d,
    dropout2d as dropout2d,
    dropout3d as dropout3d,
    elu as elu,
    elu_ as elu_,
    feature_alpha_dropout as feature_alpha_dropout,
    gelu as gelu,
    glu as glu,
    gumbel_softmax as gumbel_softmax,
    hardshrink as hardshrink,
    hardsigmoid as hardsigmoid,
    hardswish as hardswish,
    hardtanh as hardtanh,
    hardtanh_ as hardtanh_,
    leaky_relu as leaky_relu,
    leaky_relu_ as leaky_relu_,
    log_softmax as log_softmax,
    logsigmoid as logsigmoid,
    mish as mish,
    prelu as prelu,
    relu as relu,
    relu6 as relu6,
    selu as selu,
    sigmoid as sigmoid,
    silu as silu,
    softmax as softmax,
    softmin as softmin,
    softplus as softplus,
    softshrink as softshrink,
    softsign as softsign,
    tanh as tanh,
    tanhshrink as tanhshrink,
    threshold as threshold,
    threshold_ as threshold_,
)
from torchlike.nn._functional_attention import (
    canonical_mask as _canonical_mask,
    multi_head_attention_forward as multi_head_attention_forward,
    none_or_dtype as _none_or_dtype,
)
from torchlike.nn._functional_layers import (
    adaptive_avg_pool1d as adaptive_avg_pool1d,
    adaptive_avg_pool2d as adaptive_avg_pool2d,
    adaptive_max_pool1d as adaptive_max_pool1d,
    adaptive_max_pool2d as adaptive_max_pool2d,
    avg_pool1d as avg_pool1d,
    avg_pool2d as avg_pool2d,
    batch_norm as batch_norm,
    cosine_similarity as cosine_similarity,
    embedding as embedding,
    group_norm as group_norm,
    instance_norm as instance_norm,
    layer_norm as layer_norm,
    local_response_norm as local_response_norm,
    lp_pool1d as lp_pool1d,
    lp_pool2d as lp_pool2d,
    max_pool1d as max_pool1d,
    max_pool1d_with_indices as max_pool1d_with_indices,
    max_pool2d as max_pool2d,
    max_pool2d_with_indices as max_pool2d_with_indices,
    normalize as normalize,
    pad as pad,
    pairwise_distance as pairwise_distance,
    rms_norm as rms_norm,
)
from torchlike.nn._functional_loss import (
    binary_cross_entropy as binary_cross_entropy,
    binary_cross_entropy_with_logits as binary_cross_entropy_with_logits,
    cosine_embedding_loss as cosine_embedding_loss,
    cross_entropy as cross_entropy,
    gaussian_nll_loss as gaussian_nll_loss,
    hinge_embedding_loss as hinge_embedding_loss,
    huber_loss as huber_loss,
    kl_div as kl_div,
    l1_loss as l1_loss,
    margin_ranking_loss as margin_ranking_loss,
    mse_loss as mse_loss,
    multilabel_soft_margin_loss as multilabel_soft_margin_loss,
    nll_loss as nll_loss,
    poisson_nll_loss as poisson_nll_loss,
    smooth_l1_loss as smooth_l1_loss,
    soft_margin_loss as soft_margin_loss,
    triplet_margin_loss as triplet_margin_loss,
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
