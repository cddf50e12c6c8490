"""`torch._C._special`: the functions of torch.special, by their full names.

Written by ``python -m compat.api`` from the operator table: do not edit.
"""

from torchlike._api.activation import special_log_softmax as special_log_softmax
from torchlike._api.activation import special_softmax as special_softmax
from torchlike._api.generated.special import special_airy_ai as special_airy_ai
from torchlike._api.generated.special import special_bessel_j0 as special_bessel_j0
from torchlike._api.generated.special import special_bessel_j1 as special_bessel_j1
from torchlike._api.generated.special import special_bessel_y0 as special_bessel_y0
from torchlike._api.generated.special import special_bessel_y1 as special_bessel_y1
from torchlike._api.generated.special import special_chebyshev_polynomial_t as special_chebyshev_polynomial_t
from torchlike._api.generated.special import special_chebyshev_polynomial_u as special_chebyshev_polynomial_u
from torchlike._api.generated.special import special_chebyshev_polynomial_v as special_chebyshev_polynomial_v
from torchlike._api.generated.special import special_chebyshev_polynomial_w as special_chebyshev_polynomial_w
from torchlike._api.generated.special import special_digamma as special_digamma
from torchlike._api.generated.special import special_entr as special_entr
from torchlike._api.generated.special import special_erf as special_erf
from torchlike._api.generated.special import special_erfc as special_erfc
from torchlike._api.generated.special import special_erfcx as special_erfcx
from torchlike._api.generated.special import special_erfinv as special_erfinv
from torchlike._api.generated.special import special_exp2 as special_exp2
from torchlike._api.generated.special import special_expit as special_expit
from torchlike._api.generated.special import special_expm1 as special_expm1
from torchlike._api.generated.special import special_gammainc as special_gammainc
from torchlike._api.generated.special import special_gammaincc as special_gammaincc
from torchlike._api.generated.special import special_gammaln as special_gammaln
from torchlike._api.generated.special import special_hermite_polynomial_h as special_hermite_polynomial_h
from torchlike._api.generated.special import special_hermite_polynomial_he as special_hermite_polynomial_he
from torchlike._api.generated.special import special_i0 as special_i0
from torchlike._api.generated.special import special_i0e as special_i0e
from torchlike._api.generated.special import special_i1 as special_i1
from torchlike._api.generated.special import special_i1e as special_i1e
from torchlike._api.generated.special import special_laguerre_polynomial_l as special_laguerre_polynomial_l
from torchlike._api.generated.special import special_legendre_polynomial_p as special_legendre_polynomial_p
from torchlike._api.generated.special import special_log1p as special_log1p
from torchlike._api.generated.special import special_log_ndtr as special_log_ndtr
from torchlike._api.generated.special import special_logit as special_logit
from torchlike._api.generated.special import special_logsumexp as special_logsumexp
from torchlike._api.generated.special import special_modified_bessel_i0 as special_modified_bessel_i0
from torchlike._api.generated.special import special_modified_bessel_i1 as special_modified_bessel_i1
from torchlike._api.generated.special import special_modified_bessel_k0 as special_modified_bessel_k0
from torchlike._api.generated.special import special_modified_bessel_k1 as special_modified_bessel_k1
from torchlike._api.generated.special import special_multigammaln as special_multigammaln
from torchlike._api.generated.special import special_ndtri as special_ndtri
from torchlike._api.generated.special import special_polygamma as special_polygamma
from torchlike._api.generated.special import special_psi as special_psi
from torchlike._api.generated.special import special_round as special_round
from torchlike._api.generated.special import special_scaled_modified_bessel_k0 as special_scaled_modified_bessel_k0
from torchlike._api.generated.special import special_scaled_modified_bessel_k1 as special_scaled_modified_bessel_k1
from torchlike._api.generated.special import special_shifted_chebyshev_polynomial_t as special_shifted_chebyshev_polynomial_t
from torchlike._api.generated.special import special_shifted_chebyshev_polynomial_u as special_shifted_chebyshev_polynomial_u
from torchlike._api.generated.special import special_shifted_chebyshev_polynomial_v as special_shifted_chebyshev_polynomial_v
from torchlike._api.generated.special import special_shifted_chebyshev_polynomial_w as special_shifted_chebyshev_polynomial_w
from torchlike._api.generated.special import special_sinc as special_sinc
from torchlike._api.generated.special import special_spherical_bessel_j0 as special_spherical_bessel_j0
from torchlike._api.generated.special import special_xlog1py as special_xlog1py
from torchlike._api.generated.special import special_xlogy as special_xlogy
from torchlike._api.generated.special import special_zeta as special_zeta
from torchlike._api.pointwise import special_ndtr as special_ndtr

__all__ = [
    "special_airy_ai",
    "special_bessel_j0",
    "special_bessel_j1",
    "special_bessel_y0",
    "special_bessel_y1",
    "special_chebyshev_polynomial_t",
    "special_chebyshev_polynomial_u",
    "special_chebyshev_polynomial_v",
    "special_chebyshev_polynomial_w",
    "special_digamma",
    "special_entr",
    "special_erf",
    "special_erfc",
    "special_erfcx",
    "special_erfinv",
    "special_exp2",
    "special_expit",
    "special_expm1",
    "special_gammainc",
    "special_gammaincc",
    "special_gammaln",
    "special_hermite_polynomial_h",
    "special_hermite_polynomial_he",
    "special_i0",
    "special_i0e",
    "special_i1",
    "special_i1e",
    "special_laguerre_polynomial_l",
    "special_legendre_polynomial_p",
    "special_log1p",
    "special_log_ndtr",
    "special_log_softmax",
    "special_logit",
    "special_logsumexp",
    "special_modified_bessel_i0",
    "special_modified_bessel_i1",
    "special_modified_bessel_k0",
    "special_modified_bessel_k1",
    "special_multigammaln",
    "special_ndtr",
    "special_ndtri",
    "special_polygamma",
    "special_psi",
    "special_round",
    "special_scaled_modified_bessel_k0",
    "special_scaled_modified_bessel_k1",
    "special_shifted_chebyshev_polynomial_t",
    "special_shifted_chebyshev_polynomial_u",
    "special_shifted_chebyshev_polynomial_v",
    "special_shifted_chebyshev_polynomial_w",
    "special_sinc",
    "special_softmax",
    "special_spherical_bessel_j0",
    "special_xlog1py",
    "special_xlogy",
    "special_zeta",
]
