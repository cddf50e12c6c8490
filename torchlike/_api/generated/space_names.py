"""The functions of torch.linalg, torch.special and torch.fft.

Written by ``python -m compat.api`` from the operator table: do not edit.
"""

from torchlike._api.activation import special_log_softmax as special_log_softmax
from torchlike._api.activation import special_softmax as special_softmax
from torchlike._api.decompositions import linalg_cond as linalg_cond
from torchlike._api.decompositions import linalg_eig as linalg_eig
from torchlike._api.decompositions import linalg_eigvals as linalg_eigvals
from torchlike._api.decompositions import linalg_ldl_factor as linalg_ldl_factor
from torchlike._api.decompositions import linalg_ldl_factor_ex as linalg_ldl_factor_ex
from torchlike._api.decompositions import linalg_lstsq as linalg_lstsq
from torchlike._api.decompositions import linalg_lu_factor as linalg_lu_factor
from torchlike._api.decompositions import linalg_lu_factor_ex as linalg_lu_factor_ex
from torchlike._api.decompositions import linalg_matrix_rank as linalg_matrix_rank
from torchlike._api.decompositions import linalg_pinv as linalg_pinv
from torchlike._api.decompositions import linalg_polar as linalg_polar
from torchlike._api.decompositions import linalg_tensorinv as linalg_tensorinv
from torchlike._api.decompositions import linalg_tensorsolve as linalg_tensorsolve
from torchlike._api.decompositions import vander as linalg_vander
from torchlike._api.diagonals import linalg_diagonal as linalg_diagonal
from torchlike._api.generated.linalg import linalg_householder_product as linalg_householder_product
from torchlike._api.generated.linalg import linalg_ldl_solve as linalg_ldl_solve
from torchlike._api.generated.linalg import linalg_lu as linalg_lu
from torchlike._api.generated.linalg import linalg_lu_solve as linalg_lu_solve
from torchlike._api.generated.linalg import linalg_matrix_exp as linalg_matrix_exp
from torchlike._api.generated.linalg import linalg_matrix_sqrth as linalg_matrix_sqrth
from torchlike._api.generated.linalg import linalg_qr as linalg_qr
from torchlike._api.generated.linalg import linalg_solve_triangular as linalg_solve_triangular
from torchlike._api.generated.linalg import linalg_vector_norm as linalg_vector_norm
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
from torchlike._api.linalg import LinAlgError as linalg_LinAlgError
from torchlike._api.linalg import linalg_cholesky as linalg_cholesky
from torchlike._api.linalg import linalg_cholesky_ex as linalg_cholesky_ex
from torchlike._api.linalg import linalg_cross as linalg_cross
from torchlike._api.linalg import linalg_det as linalg_det
from torchlike._api.linalg import linalg_eigh as linalg_eigh
from torchlike._api.linalg import linalg_eigvalsh as linalg_eigvalsh
from torchlike._api.linalg import linalg_inv as linalg_inv
from torchlike._api.linalg import linalg_inv_ex as linalg_inv_ex
from torchlike._api.linalg import linalg_matrix_power as linalg_matrix_power
from torchlike._api.linalg import linalg_multi_dot as linalg_multi_dot
from torchlike._api.linalg import linalg_slogdet as linalg_slogdet
from torchlike._api.linalg import linalg_solve as linalg_solve
from torchlike._api.linalg import linalg_solve_ex as linalg_solve_ex
from torchlike._api.linalg import linalg_svd as linalg_svd
from torchlike._api.linalg import linalg_svdvals as linalg_svdvals
from torchlike._api.linalg import linalg_vecdot as linalg_vecdot
from torchlike._api.pointwise import special_ndtr as special_ndtr
from torchlike._api.reduce import linalg_matrix_norm as linalg_matrix_norm
from torchlike._api.reduce import linalg_norm as linalg_norm
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
    "linalg_LinAlgError",
    "linalg_cholesky",
    "linalg_cholesky_ex",
    "linalg_cond",
    "linalg_cross",
    "linalg_det",
    "linalg_diagonal",
    "linalg_eig",
    "linalg_eigh",
    "linalg_eigvals",
    "linalg_eigvalsh",
    "linalg_householder_product",
    "linalg_inv",
    "linalg_inv_ex",
    "linalg_ldl_factor",
    "linalg_ldl_factor_ex",
    "linalg_ldl_solve",
    "linalg_lstsq",
    "linalg_lu",
    "linalg_lu_factor",
    "linalg_lu_factor_ex",
    "linalg_lu_solve",
    "linalg_matrix_exp",
    "linalg_matrix_norm",
    "linalg_matrix_power",
    "linalg_matrix_rank",
    "linalg_matrix_sqrth",
    "linalg_multi_dot",
    "linalg_norm",
    "linalg_pinv",
    "linalg_polar",
    "linalg_qr",
    "linalg_slogdet",
    "linalg_solve",
    "linalg_solve_ex",
    "linalg_solve_triangular",
    "linalg_svd",
    "linalg_svdvals",
    "linalg_tensorinv",
    "linalg_tensorsolve",
    "linalg_vander",
    "linalg_vecdot",
    "linalg_vector_norm",
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
