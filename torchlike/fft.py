"""`torch.fft`: https://pytorch.org/docs/stable/fft.html

Written by ``python -m compat.api`` from the operator table: do not edit.
"""

from torchlike._api.spectral import fft_fft as fft
from torchlike._api.spectral import fft_fft2 as fft2
from torchlike._api.spectral import fft_fftn as fftn
from torchlike._api.spectral import fft_hfft as hfft
from torchlike._api.spectral import fft_hfft2 as hfft2
from torchlike._api.spectral import fft_hfftn as hfftn
from torchlike._api.spectral import fft_ifft as ifft
from torchlike._api.spectral import fft_ifft2 as ifft2
from torchlike._api.spectral import fft_ifftn as ifftn
from torchlike._api.spectral import fft_ihfft as ihfft
from torchlike._api.spectral import fft_ihfft2 as ihfft2
from torchlike._api.spectral import fft_ihfftn as ihfftn
from torchlike._api.spectral import fft_irfft as irfft
from torchlike._api.spectral import fft_irfft2 as irfft2
from torchlike._api.spectral import fft_irfftn as irfftn
from torchlike._api.spectral import fft_rfft as rfft
from torchlike._api.spectral import fft_rfft2 as rfft2
from torchlike._api.spectral import fft_rfftn as rfftn
from torchlike._api.spectral import fftfreq as fftfreq
from torchlike._api.spectral import fftshift as fftshift
from torchlike._api.spectral import ifftshift as ifftshift
from torchlike._api.spectral import rfftfreq as rfftfreq
from torchlike._record.tensor import Tensor as Tensor

__all__ = [
    "Tensor",
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "hfft2",
    "hfftn",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "ihfft2",
    "ihfftn",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]
