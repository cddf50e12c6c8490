"""`torch.special`: https://pytorch.org/docs/stable/special.html

Written by ``python -m compat.api`` from the operator table: do not edit.
"""

from torchlike._api.activation import special_log_softmax as log_softmax
from torchlike._api.activation import special_softmax as softmax
from torchlike._api.generated.special import special_airy_ai as airy_ai
from torchlike._api.generated.special import special_bessel_j0 as bessel_j0
from torchlike._api.generated.special import special_bessel_j1 as bessel_j1
from torchlike._api.generated.special import special_bessel_y0 as bessel_y0
from torchlike._api.generated.special import special_bessel_y1 as bessel_y1
from torchlike._api.generated.special import special_chebyshev_polynomial_t as chebyshev_polynomial_t
from torchlike._api.generated.special import special_chebyshev_polynomial_u as chebyshev_polynomial_u
from torchlike._api.generated.special import special_chebyshev_polynomial_v as chebyshev_polynomial_v
from torchlike._api.generated.special import special_chebyshev_polynomial_w as chebyshev_polynomial_w
from torchlike._api.generated.special import special_digamma as digamma
from torchlike._api.generated.special import special_entr as entr
from torchlike._api.generated.special import special_erf as erf
from torchlike._api.generated.special import special_erfc as erfc
from torchlike._api.generated.special import special_erfcx as erfcx
from torchlike._api.generated.special import special_erfinv as erfinv
from torchlike._api.generated.special import special_exp2 as exp2
from torchlike._api.generated.special import special_expit as expit
from torchlike._api.generated.special import special_expm1 as expm1
from torchlike._api.generated.special import special_gammainc as gammainc
from torchlike._api.generated.special import special_gammaincc as gammaincc
from torchlike._api.generated.special import special_gammaln as gammaln
from torchlike._api.generated.special import special_hermite_polynomial_h as hermite_polynomial_h
from torchlike._api.generated.special import special_hermite_polynomial_he as hermite_polynomial_he
from torchlike._api.generated.special import special_i0 as i0
from torchlike._api.generated.special import special_i0e as i0e
from torchlike._api.generated.special import special_i1 as i1
from torchlike._api.generated.special import special_i1e as i1e
from torchlike._api.generated.special import special_laguerre_polynomial_l as laguerre_polynomial_l
from torchlike._api.generated.special import special_legendre_polynomial_p as legendre_polynomial_p
from torchlike._api.generated.special import special_log1p as log1p
from torchlike._api.generated.special import special_log_ndtr as log_ndtr
from torchlike._api.generated.special import special_logit as logit
from torchlike._api.generated.special import special_logsumexp as logsumexp
from torchlike._api.generated.special import special_modified_bessel_i0 as modified_bessel_i0
from torchlike._api.generated.special import special_modified_bessel_i1 as modified_bessel_i1
from torchlike._api.generated.special import special_modified_bessel_k0 as modified_bessel_k0
from torchlike._api.generated.special import special_modified_bessel_k1 as modified_bessel_k1
from torchlike._api.generated.special import special_multigammaln as multigammaln
from torchlike._api.generated.special import special_ndtri as ndtri
from torchlike._api.generated.special import special_polygamma as polygamma
from torchlike._api.generated.special import special_psi as psi
from torchlike._api.generated.special import special_round as round
from torchlike._api.generated.special import special_scaled_modified_bessel_k0 as scaled_modified_bessel_k0
from torchlike._api.generated.special import special_scaled_modified_bessel_k1 as scaled_modified_bessel_k1
from torchlike._api.generated.special import special_shifted_chebyshev_polynomial_t as shifted_chebyshev_polynomial_t
from torchlike._api.generated.special import special_shifted_chebyshev_polynomial_u as shifted_chebyshev_polynomial_u
from torchlike._api.generated.special import special_shifted_chebyshev_polynomial_v as shifted_chebyshev_polynomial_v
from torchlike._api.generated.special import special_shifted_chebyshev_polynomial_w as shifted_chebyshev_polynomial_w
from torchlike._api.generated.special import special_sinc as sinc
from torchlike._api.generated.special import special_spherical_bessel_j0 as spherical_bessel_j0
from torchlike._api.generated.special import special_xlog1py as xlog1py
from torchlike._api.generated.special import special_xlogy as xlogy
from torchlike._api.generated.special import special_zeta as zeta
from torchlike._api.pointwise import special_ndtr as ndtr

__all__ = [
    "airy_ai",
    "bessel_j0",
    "bessel_j1",
    "bessel_y0",
    "bessel_y1",
    "chebyshev_polynomial_t",
    "chebyshev_polynomial_u",
    "chebyshev_polynomial_v",
    "chebyshev_polynomial_w",
    "digamma",
    "entr",
    "erf",
    "erfc",
    "erfcx",
    "erfinv",
    "exp2",
    "expit",
    "expm1",
    "gammainc",
    "gammaincc",
    "gammaln",
    "hermite_polynomial_h",
    "hermite_polynomial_he",
    "i0",
    "i0e",
    "i1",
    "i1e",
    "laguerre_polynomial_l",
    "legendre_polynomial_p",
    "log1p",
    "log_ndtr",
    "log_softmax",
    "logit",
    "logsumexp",
    "modified_bessel_i0",
    "modified_bessel_i1",
    "modified_bessel_k0",
    "modified_bessel_k1",
    "multigammaln",
    "ndtr",
    "ndtri",
    "polygamma",
    "psi",
    "round",
    "scaled_modified_bessel_k0",
    "scaled_modified_bessel_k1",
    "shifted_chebyshev_polynomial_t",
    "shifted_chebyshev_polynomial_u",
    "shifted_chebyshev_polynomial_v",
    "shifted_chebyshev_polynomial_w",
    "sinc",
    "softmax",
    "spherical_bessel_j0",
    "xlog1py",
    "xlogy",
    "zeta",
]
