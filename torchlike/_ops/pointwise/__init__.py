"""Rows that compute element by element, with broadcasting: arithmetic, functions of one and of two operands,
comparisons, logic and bits. https://pytorch.org/docs/stable/torch.html#pointwise-ops

Most are one call of `op` with a schema, a function of `jax.numpy` and a formula for the gradient; start with `unary.py`.
Gradients are PyTorch's at ties, bounds and poles, where `jax.vjp` of the function would give others.

Imports the table, `rules.py` and `numerics/`; is imported by `_ops/all.py` for its rows, and by other row files that
share a helper.
"""
