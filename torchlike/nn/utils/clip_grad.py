"""Clipping gradients, by their total norm or value by value.

https://pytorch.org/docs/stable/generated/torch.nn.utils.clip_grad_norm_.html. `foreach` is accepted and
changes nothing: the whole step is one program anyway.
"""

import types
import warnings

from torchlike import _api
from torchlike._record.tensor import Tensor
from torchlike.autograd.grad_mode import no_grad

_NONFINITE = (
    "The total norm of order {} for gradients from `parameters` is non-finite, so it cannot be clipped. To "
    "disable this error and scale the gradients by the non-finite norm anyway, set "
    "`error_if_nonfinite=False`"
)


def _as_list(tensors) -> list:
    return [tensors] if isinstance(tensors, Tensor) else list(tensors)


@no_grad()
def get_total_norm(tensors, norm_type: float = 2.0, error_if_nonfinite: bool = False,
                   foreach: bool | None = None) -> Tensor:
    """The norm of several tensors taken as one vector.
    https://pytorch.org/docs/stable/generated/torch.nn.utils.get_total_norm.html

    Args:
        tensors: one tensor or an iterable of them.
        norm_type: the exponent of the norm; infinity is the largest absolute value.
        error_if_nonfinite: whether to raise if the norm is infinite or not a number, which reads its value.
        foreach: without effect: the whole step is one program anyway.

    Returns:
        a number, on the device of the first tensor.

    Raises:
        RuntimeError: the norm is not finite, with `error_if_nonfinite`.
    """
    tensors = _as_list(tensors)
    norm_type = float(norm_type)
    if not tensors:
        return _api.tensor(0.0)
    device = tensors[0].device
    norms = [_api.linalg_vector_norm(t, norm_type).to(device) for t in tensors]
    total = _api.linalg_vector_norm(_api.stack(norms), norm_type)
    if error_if_nonfinite and not total.isfinite():
        raise RuntimeError(_NONFINITE.format(norm_type))
    return total


@no_grad()
def clip_grads_with_norm_(parameters, max_norm: float, total_norm: Tensor,
                          foreach: bool | None = None) -> None:
    """Multiplies every gradient by max_norm / (total_norm + 1e-6) in place, if that is below 1.
    https://pytorch.org/docs/stable/generated/torch.nn.utils.clip_grads_with_norm_.html

    Args:
        parameters: one tensor or an iterable of them; their `grad` is scaled.
        max_norm: the norm to reach at most.
        total_norm: the norm of the gradients, as `get_total_norm` gives it.
        foreach: without effect.
    """
    grads, max_norm = [p.grad for p in _as_list(parameters) if p.grad is not None], float(max_norm)
    if not grads:
        return
    # Multiply even by 1: a branch would have to read the norm.
    scale = _api.clamp(max_norm / (total_norm + 1e-6), max=1.0)
    for grad in grads:
        grad.mul_(scale.to(grad.device))


def clip_grad_norm_(parameters, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False,
                    foreach: bool | None = None) -> Tensor:
    """Clips gradients, taken as one vector, to a norm in place.
    https://pytorch.org/docs/stable/generated/torch.nn.utils.clip_grad_norm_.html

    Args:
        parameters: one tensor or an iterable of them; their `grad` is scaled.
        max_norm: the norm to reach at most.
        norm_type, error_if_nonfinite, foreach: as for `get_total_norm`.

    Returns:
        The norm before, a number.

    Raises:
        As for `get_total_norm`.
    """
    generated = isinstance(parameters, types.GeneratorType)
    parameters = _as_list(parameters)
    if generated and not parameters:
        warnings.warn("`parameters` is an empty generator, no gradient clipping will occur.", stacklevel=2)
    grads = [p.grad for p in parameters if p.grad is not None]
    total = get_total_norm(grads, norm_type, error_if_nonfinite, foreach)
    clip_grads_with_norm_(parameters, max_norm, total, foreach)
    return total


def clip_grad_norm(parameters, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False,
                   foreach: bool | None = None) -> Tensor:
    """The deprecated name of `clip_grad_norm_`, which warns.

    Args:
        As for `clip_grad_norm_`.

    Returns:
        As for `clip_grad_norm_`.
    """
    warnings.warn("`torch.nn.utils.clip_grad_norm` is now deprecated in favor of "
                  "`torch.nn.utils.clip_grad_norm_`.", FutureWarning, stacklevel=2)
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


@no_grad()
def clip_grad_value_(parameters, clip_value: float, foreach: bool | None = None) -> None:
    """Clamps every element of the gradients in place.
    https://pytorch.org/docs/stable/generated/torch.nn.utils.clip_grad_value_.html

    Args:
        parameters: one tensor or an iterable of them.
        clip_value: elements end up between -clip_value and clip_value.
        foreach: without effect.
    """
    clip_value = float(clip_value)
    for param in _as_list(parameters):
        if param.grad is not None:
            param.grad.clamp_(min=-clip_value, max=clip_value)
