"""Rows that rearrange, pick, join and write elements: views, indices, gather and scatter, cat, sort.
https://pytorch.org/docs/stable/torch.html#indexing-slicing-joining-mutating-ops

Start with `views.py`: a view has its geometry and how a write to it changes its base. `view_copies.py` makes the same
operators into copies. `by_tensors.py` is ``x[i, :, j]``; what must hold for the values of an index is in
`_ops/index_bounds.py`.

Imports the table, `rules.py`, `geometry.py` and `numerics/`; is imported by `_ops/all.py` for its rows.
"""
