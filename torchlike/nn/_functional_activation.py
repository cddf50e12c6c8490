"""Activations, softmax and dropout of `torch.nn.functional`.

https://pytorch.org/docs/stable/nn.functional.html#non-linear-activation-functions. All keep the shape
and dtype of `input`; `inplace` overwrites it.
"""

import warnings

from torchlike import _api
from torchlike._record.tensor import Tensor

# SELU's alpha times scale: the value that a dropped unit of alpha dropout takes.


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """max(0, x)."""
    return _api.relu_(input) if inplace else _api.relu(input)


def relu_(input: Tensor) -> Tensor:
    """`relu` in place."""
    return _api.relu_(input)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """min(max(0, x), 6)."""
    return _api.relu6_(input) if inplace else _api.relu6(input)


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """x where x > threshold, else `value`."""
    return (_api.threshold_ if inplace else _api.threshold)(input, threshold, value)


def threshold_(input: Tensor, threshold: float, value: float) -> Tensor:
    """`threshold` in place."""
    return _api.threshold_(input, threshold, value)


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """x clamped to [min_val, max_val]; ValueError if they are the wrong way round."""
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return (_api.hardtanh_ if inplace else _api.hardtanh)(input, min_val, max_val)


def hardtanh_(input: Tensor, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    """`hardtanh` in place."""
    return hardtanh(input, min_val, max_val, inplace=True)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """x where x > 0, else alpha (exp(x) - 1)."""
    return (_api.elu_ if inplace else _api.elu)(input, alpha)


def elu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """`elu` in place."""
    return _api.elu_(input, alpha)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """The self-normalising elu."""
    return _api.selu_(input) if inplace else _api.selu(input)


def selu_(input: Tensor) -> Tensor:
    """`selu` in place."""
    return _api.selu_(input)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """max(0, x) + min(0, alpha (exp(x / alpha) - 1))."""
    return (_api.celu_ if inplace else _api.celu)(input, alpha)


def celu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """`celu` in place."""
    return _api.celu_(input, alpha)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """x where x > 0, else negative_slope x."""
    return (_api.leaky_relu_ if inplace else _api.leaky_relu)(input, negative_slope)


def leaky_relu_(input: Tensor, negative_slope: float = 0.01) -> Tensor:
    """`leaky_relu` in place."""
    return _api.leaky_relu_(input, negative_slope)


def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """x where x > 0, else weight x; one weight, or one a channel (dimension 1)."""
    return _api.prelu(input, weight)


def glu(input: Tensor, dim: int = -1) -> Tensor:
    """a sigmoid(b) for the two halves a, b of `input` along `dim`."""
    if input.dim() == 0:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    return _api.glu(input, dim)


def gelu(input: Tensor, *, approximate: str = "none", out=None) -> Tensor:
    """x times the normal distribution function of x; `approximate="tanh"` for the cheaper formula."""
    return _api.gelu(input, approximate=approximate, out=out)


def logsigmoid(input: Tensor, *, out=None) -> Tensor:
    """log(sigmoid(x))."""
    return _api.log_sigmoid(input, out=out)


def softplus(input: Tensor, beta: float = 1, threshold: float = 20, *, out=None) -> Tensor:
    """log(1 + exp(beta x)) / beta; x itself where beta x > threshold."""
    return _api.softplus(input, beta, threshold, out=out)


def hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """x where |x| > lambd, else 0."""
    return _api.hardshrink(input, lambd)


def softshrink(input: Tensor, lambd: float = 0.5, *, out=None) -> Tensor:
    """x moved towards 0 by lambd, and 0 within."""
    return _api.softshrink(input, lambd, out=out)


def tanhshrink(input: Tensor) -> Tensor:
    """x - tanh(x)."""
    return input - input.tanh()


def rrelu(input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False,
          inplace: bool = False) -> Tensor:
    """x where x > 0, else x times a slope: a random one of [lower, upper] when `training`, else the middle.

    RuntimeError if `lower` exceeds `upper`.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.rrelu.html"""
    return (_api.rrelu_ if inplace else _api.rrelu)(input, lower, upper, training)


def rrelu_(input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False) -> Tensor:
    """`rrelu` in place."""
    return _api.rrelu_(input, lower, upper, training)


def softsign(input: Tensor) -> Tensor:
    """x / (1 + |x|)."""
    return input / (input.abs() + 1)


def tanh(input: Tensor) -> Tensor:
    """tanh(x)."""
    return input.tanh()


def sigmoid(input: Tensor) -> Tensor:
    """1 / (1 + exp(-x))."""
    return input.sigmoid()


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """x / 6 + 1/2 clamped to [0, 1]."""
    return _api.hardsigmoid_(input) if inplace else _api.hardsigmoid(input)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """x hardsigmoid(x)."""
    return _api.hardswish_(input) if inplace else _api.hardswish(input)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """x sigmoid(x)."""
    return _api.silu_(input) if inplace else _api.silu(input)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """x tanh(softplus(x))."""
    return _api.mish_(input) if inplace else _api.mish(input)


def _implicit_dim(name: str, ndim: int, stacklevel: int) -> int:
    warnings.warn(f"Implicit dimension choice for {name} has been deprecated. Change the call to include "
                  "dim=X as an argument.", stacklevel=stacklevel)
    return 0 if ndim in (0, 1, 3) else 1


def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype=None) -> Tensor:
    """exp(x) / sum(exp(x)) along `dim`, computed in `dtype` if given."""
    if dim is None:
        dim = _implicit_dim("softmax", input.dim(), _stacklevel)
    return input.softmax(dim) if dtype is None else input.softmax(dim, dtype=dtype)


def softmin(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype=None) -> Tensor:
    """`softmax` of -x."""
    if dim is None:
        dim = _implicit_dim("softmin", input.dim(), _stacklevel)
    return softmax(-input, dim, dtype=dtype)


def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype=None) -> Tensor:
    """log(softmax(x)) along `dim`, computed in `dtype` if given."""
    if dim is None:
        dim = _implicit_dim("log_softmax", input.dim(), _stacklevel)
    return input.log_softmax(dim) if dtype is None else input.log_softmax(dim, dtype=dtype)


def gumbel_softmax(logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10,
                   dim: int = -1) -> Tensor:
    """A sample of the Gumbel-softmax distribution; with `hard` one-hot, with the soft gradient."""
    if eps != 1e-10:
        warnings.warn("`eps` parameter is deprecated and has no effect.", stacklevel=2)
    gumbels = -_api.empty_like(logits).exponential_().log()
    soft = ((logits + gumbels) / tau).softmax(dim)
    if not hard:
        return soft
    index = soft.max(dim, keepdim=True)[1]
    one_hot = _api.zeros_like(logits).scatter_(dim, index, 1.0)
    return one_hot - soft.detach() + soft


def _check_probability(p: float) -> None:
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeroes elements with probability `p` and scales the others by 1 / (1 - p), when `training`."""
    if p < 0.0 or p > 1.0:
        _check_probability(p)
    return (_api.dropout_ if inplace else _api.dropout)(input, p, training)


def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """Dropout that keeps the mean and variance of SELU's output."""
    _check_probability(p)
    return (_api.alpha_dropout_ if inplace else _api.alpha_dropout)(input, p, training)


def feature_alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False,
                          inplace: bool = False) -> Tensor:
    """`alpha_dropout` of whole channels (dimension 1)."""
    _check_probability(p)
    return (_api.feature_alpha_dropout_ if inplace else _api.feature_alpha_dropout)(input, p, training)


def _batched_channel_dropout(input, p, training, inplace, batched):
    """Channel dropout; an input without a batch dimension gets one for the time being."""
    if not batched:
        input = input.unsqueeze_(0) if inplace else input.unsqueeze(0)
    result = (_api.feature_dropout_ if inplace else _api.feature_dropout)(input, p, training)
    if not batched:
        result = result.squeeze_(0) if inplace else result.squeeze(0)
    return result


def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeroes whole channels of an (N, C, L) or (C, L) input; RuntimeError on another shape."""
    _check_probability(p)
    ndim = input.dim()
    if ndim not in (2, 3):
        raise RuntimeError(
            f"dropout1d: Expected 2D or 3D input, but received a {ndim}D input. Note that dropout1d exists "
            "to provide channel-wise dropout on inputs with 1 spatial dimension, a channel dimension, and "
            "an optional batch dimension (i.e. 2D or 3D inputs).")
    return _batched_channel_dropout(input, p, training, inplace, ndim == 3)


_WRONG_NDIM = (
    "dropout{n}d: Received a {ndim}-D input to dropout{n}d, which is deprecated and will result in an error "
    "in a future release. To retain the behavior and silence this warning, please use dropout instead. Note "
    "that dropout{n}d exists to provide channel-wise dropout on inputs with {n} spatial dimensions, a "
    "channel dimension, and an optional batch dimension (i.e. {low}D or {high}D inputs)."
)
_DROPOUT2D_OF_3D = (
    "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior is "
    "desired - input is interpreted as shape (N, C, L), where C is the channel dim. This behavior will "
    "change in a future release to interpret the input as one without a batch dimension, i.e. shape "
    "(C, H, W). To maintain the 1D channel-wise dropout behavior, please switch to using dropout1d instead."
)


def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeroes whole channels (dimension 1) of an (N, C, H, W) input."""
    _check_probability(p)
    ndim = input.dim()
    if ndim not in (3, 4):
        warnings.warn(_WRONG_NDIM.format(n=2, ndim=ndim, low=3, high=4), stacklevel=2)
    if ndim == 3:
        warnings.warn(_DROPOUT2D_OF_3D, stacklevel=2)
    return (_api.feature_dropout_ if inplace else _api.feature_dropout)(input, p, training)


def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeroes whole channels of an (N, C, D, H, W) or (C, D, H, W) input."""
    _check_probability(p)
    ndim = input.dim()
    if ndim not in (4, 5):
        warnings.warn(_WRONG_NDIM.format(n=3, ndim=ndim, low=4, high=5), stacklevel=2)
    return _batched_channel_dropout(input, p, training, inplace, ndim == 5)
