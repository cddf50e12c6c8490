"""Batch norms that became part of the layer before them. https://pytorch.org/docs/stable/nn.html#utilities"""

import copy

from torchlike import _api
from torchlike._record.parameter import Parameter


def fuse_conv_bn_weights(conv_w, conv_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, transpose=False):
    """The parameters of a convolution that does what a convolution and a batch norm after it do.
    https://pytorch.org/docs/stable/generated/torch.nn.utils.fuse_conv_bn_weights.html

    Args:
        conv_w, conv_b: the weight (O, I, *kernel) and the bias (O) or None.
        bn_rm, bn_rv: the running mean and variance (O).
        bn_eps: what is added to the variance.
        bn_w, bn_b: scale and shift (O), or None.
        transpose: whether the weight is (I, O, *kernel), as of a transposed convolution.

    Returns:
        Parameters (weight, bias).
    """
    conv_b = _api.zeros_like(bn_rm) if conv_b is None else conv_b
    bn_w = _api.ones_like(bn_rm) if bn_w is None else bn_w
    bn_b = _api.zeros_like(bn_rm) if bn_b is None else bn_b
    scale = bn_w * _api.rsqrt(bn_rv + bn_eps)
    shape = ([1, -1] if transpose else [-1, 1]) + [1] * (conv_w.dim() - 2)
    weight = (conv_w * scale.reshape(shape)).to(conv_w.dtype)
    bias = ((conv_b - bn_rm) * scale + bn_b).to(conv_b.dtype)
    return Parameter(weight, conv_w.requires_grad), Parameter(bias, conv_b.requires_grad)


def fuse_linear_bn_weights(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b):
    """`fuse_conv_bn_weights` for a Linear.
    https://pytorch.org/docs/stable/generated/torch.nn.utils.fuse_linear_bn_weights.html

    Args:
        linear_w, linear_b: the weight (O, I) and the bias (O) or None.
        bn_rm, bn_rv, bn_eps, bn_w, bn_b: as for `fuse_conv_bn_weights`.

    Returns:
        Parameters (weight, bias).
    """
    return fuse_conv_bn_weights(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b)


def _fused(layer, bn, transpose):
    if layer.training or bn.training:
        raise AssertionError("Fusion only for eval!")
    if bn.running_mean is None or bn.running_var is None:
        raise AssertionError("bn.running_mean and bn.running_var must not be None")
    made = copy.deepcopy(layer)
    made.weight, made.bias = fuse_conv_bn_weights(made.weight, made.bias, bn.running_mean, bn.running_var, bn.eps,
                                                  bn.weight, bn.bias, transpose)
    return made


def fuse_conv_bn_eval(conv, bn, transpose=False):
    """A convolution that does what a convolution and a batch norm after it do.
    https://pytorch.org/docs/stable/generated/torch.nn.utils.fuse_conv_bn_eval.html

    Args:
        conv: the convolution; it stays as it is.
        bn: the batch norm.
        transpose: whether `conv` is a transposed convolution.

    Returns:
        a copy of `conv` with other parameters.

    Raises:
        AssertionError: one of the two is in training mode, or `bn` has no running statistics.
    """
    return _fused(conv, bn, transpose)


def fuse_linear_bn_eval(linear, bn):
    """`fuse_conv_bn_eval` for a Linear.
    https://pytorch.org/docs/stable/generated/torch.nn.utils.fuse_linear_bn_eval.html

    Args:
        linear: the layer; it stays as it is.
        bn: the batch norm.

    Returns:
        a copy of `linear` with other parameters.

    Raises:
        AssertionError: one of the two is in training mode, `bn` has no running statistics, or the sizes differ.
    """
    if linear.training or bn.training:
        raise AssertionError("Fusion only for eval!")
    if linear.out_features != bn.num_features and bn.num_features != 1:
        raise AssertionError("To fuse, linear.out_features == bn.num_features or bn.num_features == 1, got "
                             f"linear.out_features={linear.out_features} and bn.num_features={bn.num_features}")
    return _fused(linear, bn, False)
