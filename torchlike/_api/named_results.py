"""The named tuples of `torch.return_types` that functions written by hand return; the others are generated."""

import collections

from torchlike._api.arguments import shown


def _named(name: str, fields: str) -> type:
    made = collections.namedtuple(name, fields)  # pyrefly: ignore[bad-class-definition]
    made.__module__, made.__repr__ = "torch.return_types", shown
    return made


histogram = _named("histogram", "hist bin_edges")
histogramdd = _named("histogramdd", "hist bin_edges")
linalg_eigh = _named("linalg_eigh", "eigenvalues eigenvectors")
linalg_ldl_factor = _named("linalg_ldl_factor", "LD pivots")
linalg_lstsq = _named("linalg_lstsq", "solution residuals rank singular_values")
linalg_lu_factor = _named("linalg_lu_factor", "LU pivots")
linalg_slogdet = _named("linalg_slogdet", "sign logabsdet")
linalg_solve_ex = _named("linalg_solve_ex", "result info")
linalg_svd = _named("linalg_svd", "U S Vh")
lu_with_info = _named("_lu_with_info", "LU pivots info")
qr = _named("qr", "Q R")
slogdet = _named("slogdet", "sign logabsdet")
svd = _named("svd", "U S V")
triangular_solve = _named("triangular_solve", "solution cloned_coefficient")
