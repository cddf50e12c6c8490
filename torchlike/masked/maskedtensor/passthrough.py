"""Functions of the places of elements, which are done with the data and with the mask."""

from torchlike.masked.maskedtensor.core import DISPATCH, _wrap_result, dispatched, mapped, packet_name

PASSTHROUGH_NAMES = str.split(
    "select transpose split t slice slice_backward select_backward index expand view _unsafe_view _reshape_alias cat unsqueeze "
    "unfold unfold_backward im2col col2im stack")


@dispatched(*PASSTHROUGH_NAMES)
def _apply_pass_through_fn(func, *args, **kwargs):
    data = func(*mapped(args, lambda x: x.get_data()), **kwargs)
    mask = func(*mapped(args, lambda x: x.get_mask()), **kwargs)
    return _wrap_result(data, mask)


def _is_pass_through_fn(fn) -> bool:
    return DISPATCH.get(packet_name(fn)) is _apply_pass_through_fn
