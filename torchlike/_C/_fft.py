"""`torch._C._fft`: the functions of torch.fft, by their full names.

Written by ``python -m compat.api`` from the operator table: do not edit.
"""

from torchlike._api.spectral import fft_fft as fft_fft
from torchlike._api.spectral import fft_fft2 as fft_fft2
from torchlike._api.spectral import fft_fftn as fft_fftn
from torchlike._api.spectral import fft_hfft as fft_hfft
from torchlike._api.spectral import fft_hfft2 as fft_hfft2
from torchlike._api.spectral import fft_hfftn as fft_hfftn
from torchlike._api.spectral import fft_ifft as fft_ifft
from torchlike._api.spectral import fft_ifft2 as fft_ifft2
from torchlike._api.spectral import fft_ifftn as fft_ifftn
from torchlike._api.spectral import fft_ihfft as fft_ihfft
from torchlike._api.spectral import fft_ihfft2 as fft_ihfft2
from torchlike._api.spectral import fft_ihfftn as fft_ihfftn
from torchlike._api.spectral import fft_irfft as fft_irfft
from torchlike._api.spectral import fft_irfft2 as fft_irfft2
from torchlike._api.spectral import fft_irfftn as fft_irfftn
from torchlike._api.spectral import fft_rfft as fft_rfft
from torchlike._api.spectral import fft_rfft2 as fft_rfft2
from torchlike._api.spectral import fft_rfftn as fft_rfftn
from torchlike._api.spectral import fftfreq as fft_fftfreq
from torchlike._api.spectral import fftshift as fft_fftshift
from torchlike._api.spectral import ifftshift as fft_ifftshift
from torchlike._api.spectral import rfftfreq as fft_rfftfreq

__all__ = [
    "fft_fft",
    "fft_fft2",
    "fft_fftfreq",
    "fft_fftn",
    "fft_fftshift",
    "fft_hfft",
    "fft_hfft2",
    "fft_hfftn",
    "fft_ifft",
    "fft_ifft2",
    "fft_ifftn",
    "fft_ifftshift",
    "fft_ihfft",
    "fft_ihfft2",
    "fft_ihfftn",
    "fft_irfft",
    "fft_irfft2",
    "fft_irfftn",
    "fft_rfft",
    "fft_rfft2",
    "fft_rfftfreq",
    "fft_rfftn",
]
