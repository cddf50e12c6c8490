"""Activations of `torch.nn.functional`.

https://pytorch.org/docs/stable/nn.functional.html#non-linear-activation-functions. All keep the shape
and dtype of `input`; `inplace` overwrites it.
"""

from torchlike import _api
from torchlike._record.tensor import Tensor


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """max(0, x).
    https://pytorch.org/docs/stable/generated/torch.nn.functional.relu.html

    Args:
        input: (*), of any real dtype.
        inplace: whether to overwrite `input`.

    Returns:
        (*), of the dtype of `input`; `input` itself if `inplace`.
    """
    return _api.relu_(input) if inplace else _api.relu(input)


def relu_(input: Tensor) -> Tensor:
    """`relu` in place.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.relu_.html

    Args:
        input: (*), of any real dtype; overwritten.

    Returns:
        `input`.
    """
    return _api.relu_(input)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """min(max(0, x), 6).
    https://pytorch.org/docs/stable/generated/torch.nn.functional.relu6.html

    Args:
        input, inplace: as for `relu`.

    Returns:
        As for `relu`.
    """
    return _api.relu6_(input) if inplace else _api.relu6(input)


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """x where x > threshold, else `value`.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.threshold.html

    Args:
        threshold: values above it stay.
        value: what the others become.
        input, inplace: as for `relu`.

    Returns:
        As for `relu`.
    """
    return (_api.threshold_ if inplace else _api.threshold)(input, threshold, value)


def threshold_(input: Tensor, threshold: float, value: float) -> Tensor:
    """`threshold` in place.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.threshold_.html

    Args:
        input, threshold, value: as for `threshold`; `input` is overwritten.

    Returns:
        `input`.
    """
    return _api.threshold_(input, threshold, value)


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """x clamped to [min_val, max_val].
    https://pytorch.org/docs/stable/generated/torch.nn.functional.hardtanh.html

    Args:
        min_val, max_val: the ends of the interval.
        input, inplace: as for `relu`.

    Returns:
        As for `relu`.

    Raises:
        ValueError: `min_val` exceeds `max_val`.
    """
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return (_api.hardtanh_ if inplace else _api.hardtanh)(input, min_val, max_val)


def hardtanh_(input: Tensor, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    """`hardtanh` in place.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.hardtanh_.html

    Args:
        input, min_val, max_val: as for `hardtanh`; `input` is overwritten.

    Returns:
        `input`.

    Raises:
        As for `hardtanh`.
    """
    return hardtanh(input, min_val, max_val, inplace=True)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """x where x > 0, else alpha (exp(x) - 1).
    https://pytorch.org/docs/stable/generated/torch.nn.functional.elu.html

    Args:
        alpha: the limit for x to minus infinity is -alpha.
        input, inplace: as for `relu`, of floating dtype.

    Returns:
        As for `relu`.
    """
    return (_api.elu_ if inplace else _api.elu)(input, alpha)


def elu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """`elu` in place.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.elu_.html

    Args:
        input, alpha: as for `elu`; `input` is overwritten.

    Returns:
        `input`.
    """
    return _api.elu_(input, alpha)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """The self-normalising elu: scale (max(0, x) + min(0, alpha (exp(x) - 1))), scale 1.0507 and alpha 1.6733.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.selu.html

    Args:
        input, inplace: as for `relu`, of floating dtype.

    Returns:
        As for `relu`.
    """
    return _api.selu_(input) if inplace else _api.selu(input)


def selu_(input: Tensor) -> Tensor:
    """`selu` in place.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.selu_.html

    Args:
        input: as for `selu`; overwritten.

    Returns:
        `input`.
    """
    return _api.selu_(input)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """max(0, x) + min(0, alpha (exp(x / alpha) - 1)).
    https://pytorch.org/docs/stable/generated/torch.nn.functional.celu.html

    Args:
        alpha: not 0; the derivative is continuous for every alpha.
        input, inplace: as for `relu`, of floating dtype.

    Returns:
        As for `relu`.
    """
    return (_api.celu_ if inplace else _api.celu)(input, alpha)


def celu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """`celu` in place.

    Args:
        input, alpha: as for `celu`; `input` is overwritten.

    Returns:
        `input`.
    """
    return _api.celu_(input, alpha)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """x where x > 0, else negative_slope x.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.leaky_relu.html

    Args:
        negative_slope: the slope below 0.
        input, inplace: as for `relu`, of floating dtype.

    Returns:
        As for `relu`.
    """
    return (_api.leaky_relu_ if inplace else _api.leaky_relu)(input, negative_slope)


def leaky_relu_(input: Tensor, negative_slope: float = 0.01) -> Tensor:
    """`leaky_relu` in place.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.leaky_relu_.html

    Args:
        input, negative_slope: as for `leaky_relu`; `input` is overwritten.

    Returns:
        `input`.
    """
    return _api.leaky_relu_(input, negative_slope)


def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """x where x > 0, else weight x.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.prelu.html

    Args:
        input: (N, C, *) or any other shape.
        weight: (1), or (C) with one slope for each channel, which is dimension 1 of `input`; of the dtype of `input`.

    Returns:
        The shape of `input`.
    """
    return _api.prelu(input, weight)


def glu(input: Tensor, dim: int = -1) -> Tensor:
    """a sigmoid(b) for the two halves a, b of `input` along `dim`.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.glu.html

    Args:
        input: (*, 2 C, *), of floating dtype.
        dim: the dimension that is halved.

    Returns:
        (*, C, *).

    Raises:
        RuntimeError: `input` has no dimension, or an odd extent along `dim`.
    """
    if input.dim() == 0:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    return _api.glu(input, dim)


def gelu(input: Tensor, *, approximate: str = "none", out=None) -> Tensor:
    """x times the normal distribution function of x.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.gelu.html

    Args:
        input: (*), of floating dtype.
        approximate: "none", or "tanh" for a cheaper formula with tanh.
        out: a tensor that takes the result.

    Returns:
        (*), of the dtype of `input`.
    """
    return _api.gelu(input, approximate=approximate, out=out)


def logsigmoid(input: Tensor, *, out=None) -> Tensor:
    """log(sigmoid(x)), computed without overflow.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.logsigmoid.html

    Args:
        input: (*), of floating dtype.
        out: a tensor that takes the result.

    Returns:
        (*), of the dtype of `input`.
    """
    return _api.log_sigmoid(input, out=out)


def softplus(input: Tensor, beta: float = 1, threshold: float = 20, *, out=None) -> Tensor:
    """log(1 + exp(beta x)) / beta; x itself where beta x > threshold.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.softplus.html

    Args:
        input: (*), of floating dtype.
        beta: the sharpness of the bend.
        threshold: where the formula turns linear, in units of beta x.
        out: a tensor that takes the result.

    Returns:
        (*), of the dtype of `input`.
    """
    return _api.softplus(input, beta, threshold, out=out)


def hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """x where |x| > lambd, else 0.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.hardshrink.html

    Args:
        input: (*), of floating dtype.
        lambd: half the width of the interval that becomes 0.

    Returns:
        (*), of the dtype of `input`.
    """
    return _api.hardshrink(input, lambd)


def softshrink(input: Tensor, lambd: float = 0.5, *, out=None) -> Tensor:
    """x moved towards 0 by `lambd`; 0 where |x| <= lambd.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.softshrink.html

    Args:
        lambd: at least 0.
        out: a tensor that takes the result.
        input: as for `hardshrink`.

    Returns:
        As for `hardshrink`.
    """
    return _api.softshrink(input, lambd, out=out)


def tanhshrink(input: Tensor) -> Tensor:
    """x - tanh(x).
    https://pytorch.org/docs/stable/generated/torch.nn.functional.tanhshrink.html

    Args:
        input: (*).

    Returns:
        (*), of the dtype of `input`; of the default dtype for integers.
    """
    return input - input.tanh()


def rrelu(input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False,
          inplace: bool = False) -> Tensor:
    """x where x > 0, else x times a slope: in training a random one for each element, otherwise the mean of the bounds.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.rrelu.html

    Args:
        lower, upper: the bounds between which slopes are drawn uniformly.
        training: whether to draw.
        input, inplace: as for `relu`, of floating dtype.

    Returns:
        As for `relu`.

    Raises:
        RuntimeError: `lower` exceeds `upper`.
    """
    return (_api.rrelu_ if inplace else _api.rrelu)(input, lower, upper, training)


def rrelu_(input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False) -> Tensor:
    """`rrelu` in place.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.rrelu_.html

    Args:
        input, lower, upper, training: as for `rrelu`; `input` is overwritten.

    Returns:
        `input`.

    Raises:
        As for `rrelu`.
    """
    return _api.rrelu_(input, lower, upper, training)


def softsign(input: Tensor) -> Tensor:
    """x / (1 + |x|).
    https://pytorch.org/docs/stable/generated/torch.nn.functional.softsign.html

    Args:
        input: (*).

    Returns:
        (*), of the dtype of `input`; of the default dtype for integers.
    """
    return input / (input.abs() + 1)


def tanh(input: Tensor) -> Tensor:
    """tanh(x).
    https://pytorch.org/docs/stable/generated/torch.nn.functional.tanh.html

    Args:
        input: (*).

    Returns:
        (*), of the dtype of `input`; of the default dtype for integers.
    """
    return input.tanh()


def sigmoid(input: Tensor) -> Tensor:
    """1 / (1 + exp(-x)).
    https://pytorch.org/docs/stable/generated/torch.nn.functional.sigmoid.html

    Args:
        input: (*).

    Returns:
        (*), of the dtype of `input`; of the default dtype for integers.
    """
    return input.sigmoid()


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """x / 6 + 1/2 clamped to [0, 1].
    https://pytorch.org/docs/stable/generated/torch.nn.functional.hardsigmoid.html

    Args:
        input, inplace: as for `relu`, of floating dtype.

    Returns:
        As for `relu`.
    """
    return _api.hardsigmoid_(input) if inplace else _api.hardsigmoid(input)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """x hardsigmoid(x).
    https://pytorch.org/docs/stable/generated/torch.nn.functional.hardswish.html

    Args:
        input, inplace: as for `relu`, of floating dtype.

    Returns:
        As for `relu`.
    """
    return _api.hardswish_(input) if inplace else _api.hardswish(input)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """x sigmoid(x), also called swish.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.silu.html

    Args:
        input, inplace: as for `relu`, of floating dtype.

    Returns:
        As for `relu`.
    """
    return _api.silu_(input) if inplace else _api.silu(input)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """x tanh(softplus(x)).
    https://pytorch.org/docs/stable/generated/torch.nn.functional.mish.html

    Args:
        input, inplace: as for `relu`, of floating dtype.

    Returns:
        As for `relu`.
    """
    return _api.mish_(input) if inplace else _api.mish(input)
