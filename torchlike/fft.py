"""`torch.fft`: https://pytorch.org/docs/stable/fft.html"""

from torchlike._faces.spectral import SPACE

globals().update(SPACE)
__all__ = sorted(SPACE)  # noqa: PLE0605 - names are data
