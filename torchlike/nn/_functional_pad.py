"""`torch.nn.functional.pad`. https://pytorch.org/docs/stable/generated/torch.nn.functional.pad.html"""

from torchlike import _api
from torchlike._record.tensor import Tensor


def pad(input: Tensor, pad, mode: str = "constant", value: float | None = None) -> Tensor:
    """Adds to both ends of the last dimensions, or cuts off.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.pad.html

    Args:
        input: (*). Modes other than "constant" take 2 to 5 dimensions and pad the last one to three.
        pad: (before, after) of the last dimension, then of the one before it, and so on; negative widths cut off.
        mode: "constant", "reflect", "replicate" or "circular".
        value: what "constant" adds; None means 0.

    Returns:
        The dtype of `input`; each padded extent grows by its two widths.

    Raises:
        RuntimeError: an odd number of widths, more than `input` has dimensions, or a `value` for another mode than
            "constant".
        NotImplementedError: an unknown mode, or one that does not take so many dimensions.
    """
    return _api.pad(input, pad, mode, value)
