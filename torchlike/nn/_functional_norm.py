"""Normalisation of `torch.nn.functional`.

https://pytorch.org/docs/stable/nn.functional.html#normalization-functions. Channels are dimension 1 of a batch.
"""

from torchlike import _api
from torchlike._record.tensor import Tensor
from torchlike.nn._functional_pad import pad


def _check_more_than_one(size) -> None:
    count = size[0]
    for extent in size[2:]:
        count *= extent
    if count == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {size}")


def batch_norm(input: Tensor, running_mean: Tensor | None, running_var: Tensor | None,
               weight: Tensor | None = None, bias: Tensor | None = None, training: bool = False,
               momentum: float = 0.1, eps: float = 1e-5) -> Tensor:
    """Normalises each channel over the batch: (x - mean) / sqrt(var + eps) weight + bias.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.batch_norm.html

    Args:
        input: (N, C, *), of floating dtype.
        running_mean, running_var: (C); updated in place in training, used otherwise. None where they are not kept.
        weight, bias: (C).
        training: whether to use the batch's own mean and variance.
        momentum: the share of the new values in the running ones.
        eps: added to the variance.

    Returns:
        The shape of `input`.

    Raises:
        ValueError: one value per channel in training, a negative `eps`, or an `eps` of 0 in training.
    """
    if training:
        _check_more_than_one(input.size())
        if eps <= 0.0:
            raise ValueError(f"batch_norm eps must be positive during training, but got {eps}")
    elif eps < 0.0:
        raise ValueError(f"batch_norm eps must be non-negative, but got {eps}")
    return _api.batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, True)


def instance_norm(input: Tensor, running_mean: Tensor | None = None, running_var: Tensor | None = None,
                  weight: Tensor | None = None, bias: Tensor | None = None, use_input_stats: bool = True,
                  momentum: float = 0.1, eps: float = 1e-5) -> Tensor:
    """Normalises each channel of each sample over its spatial dimensions.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.instance_norm.html

    Args:
        input: (N, C, *), of floating dtype.
        running_mean, running_var: (C); moved towards the mean of the samples' values in place, used without
            `use_input_stats`.
        use_input_stats: whether to use each sample's own mean and variance.
        weight, bias, momentum, eps: as for `batch_norm`.

    Returns:
        The shape of `input`.

    Raises:
        ValueError: a single spatial element with `use_input_stats`.
        RuntimeError: no running statistics without `use_input_stats`.
    """
    size = input.size()
    if use_input_stats:
        spatial = 1
        for extent in size[2:]:
            spatial *= extent
        if spatial == 1:
            raise ValueError(f"Expected more than 1 spatial element when training, got input size {size}")
    elif running_mean is None or running_var is None:
        raise RuntimeError("Expected running_mean and running_var to be defined when use_input_stats is "
                           "false")
    return _api.instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, True)


def layer_norm(input: Tensor, normalized_shape, weight: Tensor | None = None, bias: Tensor | None = None,
               eps: float = 1e-5) -> Tensor:
    """Normalises over the last dimensions: (x - mean) / sqrt(var + eps) weight + bias, with the biased variance.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.layer_norm.html

    Args:
        input: (*, *normalized_shape), of floating dtype.
        normalized_shape: the extents of the dimensions to normalise over; a list, or one number.
        weight, bias: of shape `normalized_shape`.
        eps: added to the variance.

    Returns:
        The shape of `input`.

    Raises:
        RuntimeError: `input` does not end with `normalized_shape`.
    """
    return _api.layer_norm(input, normalized_shape, weight, bias, eps)


def rms_norm(input: Tensor, normalized_shape, weight: Tensor | None = None,
             eps: float | None = None) -> Tensor:
    """Divides by the root mean square over the last dimensions: x / sqrt(mean(x^2) + eps) weight.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.rms_norm.html

    Args:
        eps: added to the mean; None means the machine epsilon of the dtype.
        input, normalized_shape, weight: as for `layer_norm`.

    Returns:
        As for `layer_norm`.

    Raises:
        As for `layer_norm`.
    """
    return _api.rms_norm(input, normalized_shape, weight, eps)


def group_norm(input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None,
               eps: float = 1e-5) -> Tensor:
    """Normalises each group of channels of each sample.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.group_norm.html

    Args:
        input: (N, C, *), of floating dtype.
        num_groups: how many groups; divides C.
        weight, bias: (C).
        eps: added to the variance.

    Returns:
        The shape of `input`.

    Raises:
        RuntimeError: `input` has less than two dimensions.
        ValueError: a group has one value.
    """
    if input.dim() < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {input.dim()}")
    size = input.size()
    _check_more_than_one([size[0] * size[1] // num_groups, num_groups, *size[2:]])
    return _api.group_norm(input, num_groups, weight, bias, eps)


def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12, out=None) -> Tensor:
    """`input` divided by its p-norm along a dimension.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.normalize.html

    Args:
        input: (*).
        p: the exponent of the norm.
        dim: the dimension.
        eps: what the norm counts as at least.
        out: a tensor that takes the result.

    Returns:
        The shape of `input`.
    """
    scale = input.norm(p, dim, keepdim=True).clamp_min(eps).expand_as(input)
    return input / scale if out is None else _api.div(input, scale, out=out)


def local_response_norm(input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75,
                        k: float = 1.0) -> Tensor:
    """x / (k + alpha mean(x^2 over neighbouring channels)) ** beta.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.local_response_norm.html

    Args:
        input: (N, C, *), with at least three dimensions.
        size: how many channels each mean takes; missing ones count as 0.
        alpha, beta, k: the numbers of the formula.

    Returns:
        The shape of `input`.

    Raises:
        ValueError: `input` has less than three dimensions.
    """
    dim = input.dim()
    if dim < 3:
        raise ValueError("Expected 3D or higher dimensionality                          input "
                         f"(got {dim} dimensions)")
    if input.numel() == 0:
        return input
    shape = input.size()
    square = input.mul(input).reshape(shape[0], 1, shape[1], -1)
    square = pad(square, (0, 0, size // 2, (size - 1) // 2))
    mean = _api.avg_pool2d(square, (size, 1), stride=1).reshape(shape)
    return input / mean.mul(alpha).add(k).pow(beta)
