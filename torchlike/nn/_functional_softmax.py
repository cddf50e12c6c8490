"""Normalisations along a dimension, and samples of categories.

https://pytorch.org/docs/stable/nn.functional.html#non-linear-activation-functions. All keep the shape of `input`.
"""

import warnings

from torchlike import _api
from torchlike._base.settings import contiguous_format
from torchlike._record.tensor import Tensor


def _implicit_dim(name: str, ndim: int, stacklevel: int) -> int:
    warnings.warn(f"Implicit dimension choice for {name} has been deprecated. Change the call to include "
                  "dim=X as an argument.", stacklevel=stacklevel)
    return 0 if ndim in (0, 1, 3) else 1


def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype=None) -> Tensor:
    """exp(x) / sum(exp(x)) along a dimension, computed without overflow.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.softmax.html

    Args:
        input: (*).
        dim: the dimension along which the result sums to 1. None is deprecated: it warns and takes 0 for inputs of 0, 1
            or 3 dimensions, else 1.
        dtype: what `input` is cast to first.

    Returns:
        (*), of `dtype` or of the dtype of `input`.
    """
    if dim is None:
        dim = _implicit_dim("softmax", input.dim(), _stacklevel)
    return input.softmax(dim) if dtype is None else input.softmax(dim, dtype=dtype)


def softmin(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype=None) -> Tensor:
    """`softmax` of -x.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.softmin.html

    Args:
        As for `softmax`.

    Returns:
        As for `softmax`.
    """
    if dim is None:
        dim = _implicit_dim("softmin", input.dim(), _stacklevel)
    return softmax(-input, dim, dtype=dtype)


def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype=None) -> Tensor:
    """log(softmax(x)) along a dimension, computed without overflow.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.log_softmax.html

    Args:
        As for `softmax`.

    Returns:
        As for `softmax`.
    """
    if dim is None:
        dim = _implicit_dim("log_softmax", input.dim(), _stacklevel)
    return input.log_softmax(dim) if dtype is None else input.log_softmax(dim, dtype=dtype)


def gumbel_softmax(logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10,
                   dim: int = -1) -> Tensor:
    """A sample of the Gumbel-softmax distribution.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.gumbel_softmax.html

    Args:
        logits: (*, C, *), unnormalised log-probabilities of floating dtype.
        tau: the temperature; towards 0 samples become one-hot.
        hard: whether the result is one-hot. Its gradient is that of the soft sample.
        eps: deprecated and without effect; another value than the default warns.
        dim: the dimension of the classes.

    Returns:
        The shape of `logits`; sums to 1 along `dim`.
    """
    if eps != 1e-10:
        warnings.warn("`eps` parameter is deprecated and has no effect.", stacklevel=2)
    gumbels = -_api.empty_like(logits, memory_format=contiguous_format).exponential_().log()
    soft = ((logits + gumbels) / tau).softmax(dim)
    if not hard:
        return soft
    index = soft.max(dim, keepdim=True)[1]
    one_hot = _api.zeros_like(logits).scatter_(dim, index, 1.0)
    return one_hot - soft.detach() + soft
