"""`torch.linalg`: https://pytorch.org/docs/stable/linalg.html

Written by ``python -m compat.api`` from the operator table: do not edit.
"""

from torchlike._api.decompositions import linalg_cond as cond
from torchlike._api.decompositions import linalg_eig as eig
from torchlike._api.decompositions import linalg_eigvals as eigvals
from torchlike._api.decompositions import linalg_ldl_factor as ldl_factor
from torchlike._api.decompositions import linalg_ldl_factor_ex as ldl_factor_ex
from torchlike._api.decompositions import linalg_lstsq as lstsq
from torchlike._api.decompositions import linalg_lu_factor as lu_factor
from torchlike._api.decompositions import linalg_lu_factor_ex as lu_factor_ex
from torchlike._api.decompositions import linalg_matrix_rank as matrix_rank
from torchlike._api.decompositions import linalg_pinv as pinv
from torchlike._api.decompositions import linalg_polar as polar
from torchlike._api.decompositions import linalg_tensorinv as tensorinv
from torchlike._api.decompositions import linalg_tensorsolve as tensorsolve
from torchlike._api.decompositions import vander as vander
from torchlike._api.diagonals import linalg_diagonal as diagonal
from torchlike._api.generated.linalg import linalg_householder_product as householder_product
from torchlike._api.generated.linalg import linalg_ldl_solve as ldl_solve
from torchlike._api.generated.linalg import linalg_lu as lu
from torchlike._api.generated.linalg import linalg_lu_solve as lu_solve
from torchlike._api.generated.linalg import linalg_matrix_exp as matrix_exp
from torchlike._api.generated.linalg import linalg_matrix_sqrth as matrix_sqrth
from torchlike._api.generated.linalg import linalg_qr as qr
from torchlike._api.generated.linalg import linalg_solve_triangular as solve_triangular
from torchlike._api.generated.linalg import linalg_vector_norm as vector_norm
from torchlike._api.linalg import LinAlgError as LinAlgError
from torchlike._api.linalg import linalg_cholesky as cholesky
from torchlike._api.linalg import linalg_cholesky_ex as cholesky_ex
from torchlike._api.linalg import linalg_cross as cross
from torchlike._api.linalg import linalg_det as det
from torchlike._api.linalg import linalg_eigh as eigh
from torchlike._api.linalg import linalg_eigvalsh as eigvalsh
from torchlike._api.linalg import linalg_inv as inv
from torchlike._api.linalg import linalg_inv_ex as inv_ex
from torchlike._api.linalg import linalg_matrix_power as matrix_power
from torchlike._api.linalg import linalg_multi_dot as multi_dot
from torchlike._api.linalg import linalg_slogdet as slogdet
from torchlike._api.linalg import linalg_solve as solve
from torchlike._api.linalg import linalg_solve_ex as solve_ex
from torchlike._api.linalg import linalg_svd as svd
from torchlike._api.linalg import linalg_svdvals as svdvals
from torchlike._api.linalg import linalg_vecdot as vecdot
from torchlike._api.linear import matmul_function as matmul
from torchlike._api.reduce import linalg_matrix_norm as matrix_norm
from torchlike._api.reduce import linalg_norm as norm

__all__ = [
    "LinAlgError",
    "cholesky",
    "cholesky_ex",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "householder_product",
    "inv",
    "inv_ex",
    "ldl_factor",
    "ldl_factor_ex",
    "ldl_solve",
    "lstsq",
    "lu",
    "lu_factor",
    "lu_factor_ex",
    "lu_solve",
    "matmul",
    "matrix_exp",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_sqrth",
    "multi_dot",
    "norm",
    "pinv",
    "polar",
    "qr",
    "slogdet",
    "solve",
    "solve_ex",
    "solve_triangular",
    "svd",
    "svdvals",
    "tensorinv",
    "tensorsolve",
    "vander",
    "vecdot",
    "vector_norm",
]
