"""`torch.fft`: https://pytorch.org/docs/stable/fft.html"""

from torchlike._api.spectral import SPACE
from torchlike._record.tensor import Tensor as Tensor

globals().update(SPACE)
__all__ = sorted({*SPACE, "Tensor"})  # noqa: PLE0605 - names are data
