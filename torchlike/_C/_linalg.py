"""`torch._C._linalg`: the functions of torch.linalg, by their full names.

Written by ``python -m compat.api`` from the operator table: do not edit.
"""

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
from torchlike._api.reduce import linalg_matrix_norm as linalg_matrix_norm
from torchlike._api.reduce import linalg_norm as linalg_norm

__all__ = [
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
]
