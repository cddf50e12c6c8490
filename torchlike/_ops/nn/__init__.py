"""Rows of layers, losses and images: what `torch.nn.functional` is made of.
https://pytorch.org/docs/stable/nn.functional.html

A file is a chapter of that page, or the part of one that PyTorch has as operators; what is made of several operators is in
`torchlike/nn`. Start with `activation.py`, whose rows are the simplest.

Imports the table, `rules.py`, `geometry.py` and `numerics/`; is imported by `_ops/all.py` for its rows.
"""
