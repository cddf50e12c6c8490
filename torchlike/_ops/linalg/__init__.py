"""Rows of linear algebra: products, factorizations, and what is solved with them.
https://pytorch.org/docs/stable/linalg.html and https://pytorch.org/docs/stable/torch.html#blas-and-lapack-operations

Start with `products.py` for ``mm`` and its kin, and with `factorizations.py` for Cholesky, QR, SVD and eigh. LAPACK is
called through `numerics/lapack.py`, which keeps large batches from waiting for each other.

Imports the table, `rules.py` and `numerics/`; is imported by `_ops/all.py` for its rows.
"""
