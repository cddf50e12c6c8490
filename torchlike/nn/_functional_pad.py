"""`torch.nn.functional.pad`. https://pytorch.org/docs/stable/generated/torch.nn.functional.pad.html"""

from torchlike import _api
from torchlike._record.tensor import Tensor


def pad(input: Tensor, pad, mode: str = "constant", value: float | None = None) -> Tensor:
    """Pads the last dimensions: `pad` is (before, after) of the last one, then of the one before it.

    `mode` is "constant" (with `value`, 0 by default), "reflect", "replicate" or "circular"
    (NotImplementedError on another); a negative width cuts off. RuntimeError on widths that do not fit.
    """
    return _api.pad(input, pad, mode, value)
