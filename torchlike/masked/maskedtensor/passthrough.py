"""Functions of the places of elements, which are done with the data and with the mask."""

from torchlike.masked._names import BACKWARD_NAMES, PASSTHROUGH_NAMES
from torchlike.masked.maskedtensor.core import (
    DISPATCH,
    MaskedTensor,
    _get_data,
    _maybe_get_mask,
    _wrap_result,
    dispatched,
    mapped,
    packet_name,
)


@dispatched(*PASSTHROUGH_NAMES)
def _apply_pass_through_fn(func, *args, **kwargs):
    data = func(*mapped(args, lambda x: x.get_data()), **kwargs)
    mask = func(*mapped(args, lambda x: x.get_mask()), **kwargs)
    return _wrap_result(data, mask)


@dispatched(*BACKWARD_NAMES)
def _of_gradient(func, grad):
    data = _get_data(grad)
    return MaskedTensor(func(data), func(_maybe_get_mask(grad).to(data.dtype)) != 0)  # the kernel is of that dtype


@dispatched("alias")
def _alias(func, x):
    data = x.get_data()
    return MaskedTensor(data.view(data.size()), x.get_mask())


def _is_pass_through_fn(fn) -> bool:
    return DISPATCH.get(packet_name(fn)) is _apply_pass_through_fn
