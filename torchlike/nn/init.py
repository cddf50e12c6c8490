"""`torch.nn.init`: filling parameters in place.

https://pytorch.org/docs/stable/nn.init.html. Every function runs without gradient and returns its
tensor; the random numbers are drawn in PyTorch's order, so a seed gives PyTorch's weights.
"""

import functools
import math
import warnings

from torchlike import _api
from torchlike._record.tensor import Tensor
from torchlike.autograd.grad_mode import no_grad

_LINEAR_LIKE = {"linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d",
                "conv_transpose3d", "sigmoid"}
_FIXED_GAIN = {"tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 3.0 / 4}
_FAN_NEEDS_2D = "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions"
_FAR_MEAN = (
    "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of values may be "
    "incorrect."
)


def calculate_gain(nonlinearity: str, param=None) -> float:
    """The factor that keeps a layer's variance with a nonlinearity after it.

    Args:
        nonlinearity: "linear", "conv2d" and its like, "sigmoid" (1), "tanh" (5/3), "relu" (sqrt 2), "leaky_relu" or
            "selu" (3/4).
        param: the slope of leaky_relu below 0; None means 0.01.

    Returns:
        The factor.

    Raises:
        ValueError: an unknown nonlinearity, or a slope that is no number.
    """
    if nonlinearity in _LINEAR_LIKE:
        return 1
    if nonlinearity in _FIXED_GAIN:
        return _FIXED_GAIN[nonlinearity]
    if nonlinearity != "leaky_relu":
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    if param is None:
        slope = 0.01
    elif isinstance(param, (int, float)) and not isinstance(param, bool):
        slope = param
    else:
        raise ValueError(f"negative_slope {param} not a valid number")
    return math.sqrt(2.0 / (1 + slope**2))


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator=None) -> Tensor:
    """Fills with numbers uniform in [a, b).

    Args:
        tensor: (*), of floating dtype; overwritten, without a record for autograd.
        a, b: the interval.
        generator: a `torch.Generator`; None means the default one.

    Returns:
        `tensor`.
    """
    with no_grad():
        return tensor.uniform_(a, b, generator=generator)


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator=None) -> Tensor:
    """Fills with normal numbers.

    Args:
        mean, std: of the distribution.
        tensor, generator: as for `uniform_`.

    Returns:
        `tensor`.
    """
    with no_grad():
        return tensor.normal_(mean, std, generator=generator)


def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fills with one number.

    Args:
        tensor: (*); overwritten.
        val: the number.

    Returns:
        `tensor`.
    """
    with no_grad():
        return tensor.fill_(val)


def ones_(tensor: Tensor) -> Tensor:
    """Fills with 1.

    Args:
        tensor: (*); overwritten.

    Returns:
        `tensor`.
    """
    return constant_(tensor, 1.0)


def zeros_(tensor: Tensor) -> Tensor:
    """Fills with 0.

    Args:
        tensor: (*); overwritten.

    Returns:
        `tensor`.
    """
    with no_grad():
        return tensor.zero_()


def eye_(tensor: Tensor) -> Tensor:
    """Fills with 1 on the diagonal and 0 elsewhere.

    Args:
        tensor: (N, M); overwritten.

    Returns:
        `tensor`.

    Raises:
        ValueError: `tensor` has not two dimensions.
    """
    if tensor.dim() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    with no_grad():
        return tensor.copy_(_api.eye(*tensor.shape, dtype=tensor.dtype, device=tensor.device))


def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """Fills the weight of a convolution so that channel i of the input comes out as channel i, for as many as there are.

    Args:
        tensor: (O, I, *kernel), with three to five dimensions; overwritten.
        groups: how many groups of output channels start again at channel 0.

    Returns:
        `tensor`.

    Raises:
        ValueError: another number of dimensions, or `groups` does not divide O.
    """
    ndim = tensor.dim()
    if ndim not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    out_channels, in_channels, *kernel = tensor.size()
    if out_channels % groups != 0:
        raise ValueError("dim 0 must be divisible by groups")
    per_group = out_channels // groups
    centre = tuple(extent // 2 for extent in kernel)
    with no_grad():
        tensor.zero_()
        for group in range(groups):
            for channel in range(min(per_group, in_channels)):
                tensor[(group * per_group + channel, channel, *centre)] = 1
    return tensor


def trunc_normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0,
                  generator=None) -> Tensor:
    """Fills with normal numbers, restricted to [a, b].

    Args:
        mean, std: of the distribution before it is restricted.
        a, b: the interval.
        tensor, generator: as for `uniform_`.

    Returns:
        `tensor`.
    """
    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn(_FAR_MEAN, stacklevel=2)

    with no_grad():
        if _normal_cdf((b - mean) / std) - _normal_cdf((a - mean) / std) > 0.3:
            return _truncate_by_redrawing(tensor, mean, std, a, b, generator)
        return _truncate_by_rejecting(tensor, mean, std, a, b, generator)


def _normal_cdf(x):
    return (1.0 + math.erf(x / math.sqrt(2.0))) / 2.0


def _truncate_by_redrawing(tensor, mean, std, a, b, generator):
    """For a wide interval: draw normal numbers, and draw those outside again until none is."""
    # The bounds rounded to the tensor's dtype: else a number could stay just outside for ever.
    low, high = _api.tensor([a, b], dtype=tensor.dtype).tolist()
    result = tensor.normal_(mean, std, generator=generator)
    while True:
        outside = (result < low) | (result > high)
        if not outside.any():
            return result if result is tensor else tensor.copy_(result)
        again = _api.empty_like(result).normal_(mean, std, generator=generator)
        result = _api.where(outside, again, result)


def _truncate_by_rejecting(tensor, mean, std, a, b, generator):
    """For a narrow interval: draw uniformly, and accept by the density against its peak in [a, b]."""
    log_peak = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2

    def rejected(candidates):
        log_density = candidates.sub(mean).div_(std).pow_(2).mul_(-0.5).sub_(log_peak)
        return _api.empty_like(tensor).uniform_(generator=generator).log_().gt(log_density)

    result = tensor.uniform_(a, b, generator=generator)
    pending = rejected(result)
    while pending.any():
        candidates = _api.empty_like(tensor).uniform_(a, b, generator=generator)
        result = _api.where(pending, candidates, result)
        pending = _api.where(pending, rejected(candidates), pending)
    return result if result is tensor else tensor.copy_(result)


def _calculate_fan_in_and_fan_out(tensor: Tensor) -> tuple:
    """(inputs, outputs) that one unit of a weight (out, in, *kernel) connects."""
    if tensor.dim() < 2:
        raise ValueError(_FAN_NEEDS_2D)
    field = math.prod(tensor.shape[2:])
    return tensor.size(1) * field, tensor.size(0) * field


def _calculate_correct_fan(tensor: Tensor, mode: str) -> int:
    mode = mode.lower()
    valid = ["fan_in", "fan_out"]
    if mode not in valid:
        raise ValueError(f"Mode {mode} not supported, please use one of {valid}")
    return _calculate_fan_in_and_fan_out(tensor)[valid.index(mode)]


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator=None) -> Tensor:
    """Fills uniformly in +-gain sqrt(6 / (fan_in + fan_out)) (Glorot).

    Args:
        tensor: (fan_out, fan_in) or (O, I, *kernel), where the fans are O and I times the kernel's size; overwritten.
        gain: a factor, see `calculate_gain`.
        generator: as for `uniform_`.

    Returns:
        `tensor`.

    Raises:
        ValueError: `tensor` has less than two dimensions.
    """
    std = gain * math.sqrt(2.0 / float(sum(_calculate_fan_in_and_fan_out(tensor))))
    bound = math.sqrt(3.0) * std
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator=None) -> Tensor:
    """Fills with normal numbers of standard deviation gain sqrt(2 / (fan_in + fan_out)) (Glorot).

    Args:
        As for `xavier_uniform_`.

    Returns:
        `tensor`.

    Raises:
        As for `xavier_uniform_`.
    """
    std = gain * math.sqrt(2.0 / float(sum(_calculate_fan_in_and_fan_out(tensor))))
    return normal_(tensor, 0.0, std, generator)


def _kaiming_std(tensor, a, mode, nonlinearity):
    return calculate_gain(nonlinearity, a) / math.sqrt(_calculate_correct_fan(tensor, mode))


def kaiming_uniform_(tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu",
                     generator=None) -> Tensor:
    """Fills uniformly in +-gain sqrt(3 / fan) (He).

    Args:
        tensor: (fan_out, fan_in) or (O, I, *kernel), where the fans are O and I times the kernel's size; overwritten.
            Without elements it stays, with a warning.
        a: the slope of leaky_relu below 0.
        mode: "fan_in" keeps the variance forward, "fan_out" backward.
        nonlinearity: what follows, as in `calculate_gain`, which gives the gain.
        generator: as for `uniform_`.

    Returns:
        `tensor`.

    Raises:
        ValueError: less than two dimensions, or an unknown `mode` or `nonlinearity`.
    """
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=2)
        return tensor
    bound = math.sqrt(3.0) * _kaiming_std(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu",
                    generator=None) -> Tensor:
    """Fills with normal numbers of standard deviation gain / sqrt(fan) (He).

    Args:
        As for `kaiming_uniform_`.

    Returns:
        `tensor`.

    Raises:
        As for `kaiming_uniform_`.
    """
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=2)
        return tensor
    return normal_(tensor, 0, _kaiming_std(tensor, a, mode, nonlinearity), generator)


def orthogonal_(tensor: Tensor, gain: float = 1, generator=None) -> Tensor:
    """Fills with orthonormal rows, or columns where there are more rows.

    Args:
        tensor: (N, *), read as a matrix (N, M); overwritten.
        gain: a factor.
        generator: as for `uniform_`.

    Returns:
        `tensor`.

    Raises:
        ValueError: less than two dimensions.
    """
    if tensor.dim() < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0:
        return tensor
    rows = tensor.size(0)
    cols = tensor.numel() // rows
    drawn = _api.empty((rows, cols), dtype=tensor.dtype, device=tensor.device)
    with no_grad():
        drawn.normal_(0, 1, generator=generator)
        q, r = _api.linalg_qr(drawn.t() if rows < cols else drawn)
        # The sign of R's diagonal makes the distribution uniform (arXiv:math-ph/0609050).
        q = q * r.diag().sign()
        if rows < cols:
            q = q.t()
        tensor.view_as(q).copy_(q)
        tensor.mul_(gain)
    return tensor


def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01, generator=None) -> Tensor:
    """Fills with normal numbers, and zeros in randomly chosen rows of each column.

    Args:
        tensor: (N, M); overwritten.
        sparsity: the share of zeros in each column, rounded up.
        std: the standard deviation of the others.
        generator: draws the normal numbers; the default one draws the rows.

    Returns:
        `tensor`.

    Raises:
        ValueError: `tensor` has not two dimensions.
    """
    if tensor.dim() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows, cols = tensor.shape
    zeros = math.ceil(sparsity * rows)
    with no_grad():
        tensor.normal_(0, std, generator=generator)
        for col in range(cols):
            tensor[_api.randperm(rows)[:zeros], col] = 0
    return tensor


def _deprecated(function):
    """The name without the underscore, which PyTorch keeps with a warning."""
    new, old = function.__name__, function.__name__[:-1]

    @functools.wraps(function)
    def call(*args, **kwargs):
        warnings.warn(f"`nn.init.{old}` is now deprecated in favor of `nn.init.{new}`.", FutureWarning,
                      stacklevel=2)
        return function(*args, **kwargs)

    call.__name__ = old
    return call


uniform = _deprecated(uniform_)
normal = _deprecated(normal_)
constant = _deprecated(constant_)
eye = _deprecated(eye_)
dirac = _deprecated(dirac_)
xavier_uniform = _deprecated(xavier_uniform_)
xavier_normal = _deprecated(xavier_normal_)
kaiming_uniform = _deprecated(kaiming_uniform_)
kaiming_normal = _deprecated(kaiming_normal_)
orthogonal = _deprecated(orthogonal_)
sparse = _deprecated(sparse_)


def _no_grad_uniform_(tensor: Tensor, a: float, b: float, generator=None) -> Tensor:
    """`uniform_`, under the name that packages use."""
    return uniform_(tensor, a, b, generator)


def _no_grad_normal_(tensor: Tensor, mean: float, std: float, generator=None) -> Tensor:
    """`normal_`, under the name that packages use."""
    return normal_(tensor, mean, std, generator)


def _no_grad_fill_(tensor: Tensor, val: float) -> Tensor:
    """`constant_`, under the name that packages use."""
    return constant_(tensor, val)


def _no_grad_zero_(tensor: Tensor) -> Tensor:
    """`zeros_`, under the name that packages use."""
    return zeros_(tensor)
