"""Dropout of `torch.nn.functional`.

https://pytorch.org/docs/stable/nn.functional.html#dropout-functions. Channels are dimension 1 of a batch.
"""

import warnings

from torchlike import _api
from torchlike._record.tensor import Tensor


def _check_probability(p: float) -> None:
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeroes elements with probability `p` and multiplies the others by 1 / (1 - p).
    https://pytorch.org/docs/stable/generated/torch.nn.functional.dropout.html

    Args:
        input: (*), of floating dtype.
        p: the probability, from 0 to 1.
        training: whether to do so; else the result is the input.
        inplace: whether to overwrite `input`.

    Returns:
        (*), of the dtype of `input`.

    Raises:
        ValueError: `p` is not in [0, 1].
    """
    if p < 0.0 or p > 1.0:
        _check_probability(p)
    return (_api.dropout_ if inplace else _api.dropout)(input, p, training)


def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """Dropout that keeps mean and variance of SELU's output: dropped elements take SELU's lower limit, and all are
    rescaled.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.alpha_dropout.html

    Args:
        As for `dropout`; `training` is False by default.

    Returns:
        As for `dropout`.

    Raises:
        As for `dropout`.
    """
    _check_probability(p)
    return (_api.alpha_dropout_ if inplace else _api.alpha_dropout)(input, p, training)


def feature_alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False,
                          inplace: bool = False) -> Tensor:
    """`alpha_dropout` of whole channels, which are dimension 1.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.feature_alpha_dropout.html

    Args:
        As for `alpha_dropout`, with an input (N, C, *).

    Returns:
        As for `dropout`.

    Raises:
        As for `dropout`.
    """
    _check_probability(p)
    return (_api.feature_alpha_dropout_ if inplace else _api.feature_alpha_dropout)(input, p, training)


def _batched_channel_dropout(input, p, training, inplace, batched):
    """Channel dropout; an input without a batch dimension gets one meanwhile."""
    if not batched:
        input = input.unsqueeze_(0) if inplace else input.unsqueeze(0)
    result = (_api.feature_dropout_ if inplace else _api.feature_dropout)(input, p, training)
    if not batched:
        result = result.squeeze_(0) if inplace else result.squeeze(0)
    return result


def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """`dropout` of whole channels of sequences.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.dropout1d.html

    Args:
        input: (N, C, L) or (C, L).
        p, training, inplace: as for `dropout`.

    Returns:
        The shape of `input`.

    Raises:
        RuntimeError: `input` has not two or three dimensions.
        ValueError: `p` is not in [0, 1].
    """
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
    """`dropout` of whole channels of images.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.dropout2d.html

    Args:
        input: (N, C, H, W). Three dimensions are read as (N, C, L), with a warning; other numbers of dimensions warn,
            too.
        p, training, inplace: as for `dropout`.

    Returns:
        The shape of `input`.

    Raises:
        As for `dropout`.
    """
    _check_probability(p)
    ndim = input.dim()
    if ndim not in (3, 4):
        warnings.warn(_WRONG_NDIM.format(n=2, ndim=ndim, low=3, high=4), stacklevel=2)
    if ndim == 3:
        warnings.warn(_DROPOUT2D_OF_3D, stacklevel=2)
    return (_api.feature_dropout_ if inplace else _api.feature_dropout)(input, p, training)


def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """`dropout` of whole channels of volumes.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.dropout3d.html

    Args:
        input: (N, C, D, H, W) or (C, D, H, W); other numbers of dimensions warn.
        p, training, inplace: as for `dropout`.

    Returns:
        The shape of `input`.

    Raises:
        As for `dropout`.
    """
    _check_probability(p)
    ndim = input.dim()
    if ndim not in (4, 5):
        warnings.warn(_WRONG_NDIM.format(n=3, ndim=ndim, low=4, high=5), stacklevel=2)
    return _batched_channel_dropout(input, p, training, inplace, ndim == 5)
