"""Algorithms that rows share and that are no rows: series, recurrences, sums, order by keys, batches for LAPACK,
and arrays that are traced at little cost (`lean.py`).

All are functions of jax arrays (`window_functions.py`: of numpy arrays on the host). Many exist because XLA's CPU code
computes the plain form one element at a time, or loses digits; each file says which, with what was measured.

Imports `rules.py` at most; is imported by the row files, and by `_compile/` for sums in gradients.
"""
