"""Rows that combine elements along dimensions: sums, extrema, moments, medians, and running sums and products.
https://pytorch.org/docs/stable/torch.html#reduction-ops

A reduction of everything and one along dimensions are two overloads in PyTorch, and so two rows. Start with
`aggregates.py`; `cumulative.py` has what keeps its length.

Imports the table, `rules.py` and `numerics/`; is imported by `_ops/all.py` for its rows.
"""
