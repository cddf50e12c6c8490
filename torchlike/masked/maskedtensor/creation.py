"""Functions that make a `MaskedTensor`."""

from torchlike.masked.maskedtensor.core import MaskedTensor

__all__ = ["as_masked_tensor", "masked_tensor"]


def masked_tensor(data: object, mask: object, requires_grad: bool = False) -> MaskedTensor:
    """A `MaskedTensor`, without history.
    https://pytorch.org/docs/stable/masked.html

    Args: as for `MaskedTensor`.

    Returns: a MaskedTensor (*).
    """
    return MaskedTensor(data, mask, requires_grad)


def as_masked_tensor(data: object, mask: object) -> MaskedTensor:
    """A `MaskedTensor` with the history of the data.
    https://pytorch.org/docs/stable/masked.html

    Args:
        data, mask: as for `MaskedTensor`.

    Returns: a MaskedTensor (*).
    """
    return MaskedTensor._from_values(data, mask)
