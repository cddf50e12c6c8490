"""Rows of special functions: error and gamma functions, Bessel functions, orthogonal polynomials.
https://pytorch.org/docs/stable/special.html

Most are functions of `torch.special` only and so have no method. Start with `functions.py`. Series and recurrences that JAX
does not have are in `numerics/`.

Imports the table, `rules.py` and `numerics/`; is imported by `_ops/all.py` for its rows.
"""
