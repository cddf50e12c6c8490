"""Activations that PyTorch composes or checks in front of the row, and softmax.

https://pytorch.org/docs/stable/nn.functional.html#non-linear-activation-functions
"""

from torchlike._faces.generate import inplace_face
from torchlike._faces.generated import ops
from torchlike._ops.all import ROWS
from torchlike._trace.inplace import write_out

_SELU_ALPHA = 1.6732632423543772848170429916717
_SELU_SCALE = 1.0507009873554804934193349852946
_LOWER, _UPPER = 1.0 / 8, 1.0 / 3  # rrelu's range of slopes

_elu_ = inplace_face(ROWS["elu"])
_hardtanh_ = inplace_face(ROWS["hardtanh"])


def selu(input):
    """The self-normalising elu. https://pytorch.org/docs/stable/generated/torch.nn.SELU.html"""
    return ops.elu(input, _SELU_ALPHA, _SELU_SCALE)


def selu_(input):
    """`selu` in place."""
    return _elu_(input, _SELU_ALPHA, _SELU_SCALE)


def relu6(input):
    """min(max(0, x), 6)."""
    return ops.hardtanh(input, 0, 6)


def relu6_(input):
    """`relu6` in place."""
    return _hardtanh_(input, 0, 6)


def _check_prelu(input, weight):
    if input.dtype is not weight.dtype:
        raise RuntimeError(f"prelu: Type promoting not supported. Got {input.dtype.scalar_name} and "
                           f"{weight.dtype.scalar_name}")
    if weight.ndim > 1:
        raise RuntimeError("prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = "
                           f"{weight.ndim}")
    if weight.numel() == 1:
        return
    if input.ndim == 0:
        raise RuntimeError("Not allow zero-dim input tensor.")
    channels = input.shape[1] if input.ndim > 1 else 1
    if channels != weight.numel():
        raise RuntimeError("Mismatch of parameter numbers and input channel size. Found parameter numbers = "
                           f"{weight.numel()} and channel size = {channels}.")


def prelu(input, weight):
    """x where x > 0, else weight x; one weight, or one a channel (dimension 1).
    https://pytorch.org/docs/stable/generated/torch.nn.functional.prelu.html"""
    _check_prelu(input, weight)
    if weight.ndim != input.ndim:
        shape = [1] * input.ndim
        if input.ndim > 1:
            shape[1] = weight.numel()
        weight = weight.reshape(shape)
    return ops._prelu_kernel(input, weight)


def rrelu(input, lower=_LOWER, upper=_UPPER, training=False, inplace=False):
    """x where x > 0, else x times a slope: the middle of [lower, upper], or when `training` a random one.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.rrelu.html"""
    return _rrelu_(input, *_slopes(input, lower, upper, training)) if inplace else \
        ops.rrelu_with_noise(input, *_slopes(input, lower, upper, training))


_rrelu_ = inplace_face(ROWS["rrelu_with_noise"])


def rrelu_(input, lower=_LOWER, upper=_UPPER, training=False):
    """`rrelu` in place."""
    return rrelu(input, lower, upper, training, inplace=True)


def _slopes(input, lower, upper, training):
    """The noise, which the row reads only when `training`, and the numbers."""
    noise = input.detach()
    if training:
        drawn = input.new_empty(input.shape).uniform_(lower, upper)
        noise = ops.where_self(noise <= 0, drawn, 1.0)
    return noise, lower, upper, training


def softmax(input, dim, dtype=None, *, out=None):
    """exp(x) / sum(exp(x)) along `dim`, computed in `dtype` if given.
    https://pytorch.org/docs/stable/generated/torch.softmax.html"""
    result = ops._softmax(input if dtype is None else input.to(dtype), dim)
    return result if out is None else write_out(out, result)


def log_softmax(input, dim, dtype=None, *, out=None):
    """log(softmax(x)) along `dim`, computed in `dtype` if given.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.log_softmax.html"""
    result = ops._log_softmax(input if dtype is None else input.to(dtype), dim)
    return result if out is None else write_out(out, result)


def _prelu_method(self, weight):
    return prelu(self, weight)


METHODS: dict = {"softmax": softmax, "log_softmax": log_softmax, "prelu": _prelu_method}
FUNCTIONS: dict = {
    "selu": selu, "selu_": selu_, "prelu": prelu, "rrelu": rrelu, "rrelu_": rrelu_, "softmax": softmax,
    "log_softmax": log_softmax, "special_softmax": softmax, "special_log_softmax": log_softmax,
}
_INPLACE = ("elu", "leaky_relu", "hardtanh", "hardswish", "hardsigmoid", "silu", "mish")
NN: dict = {
    "relu6": relu6, "relu6_": relu6_,
    **{f"{name}_": inplace_face(ROWS[name]) for name in _INPLACE},
}
