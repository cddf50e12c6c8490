"""The operator table: what each operator of PyTorch computes, and everything that is particular to it.

An operator is a row: PyTorch's schema, a pure function on jax arrays, its gradient, and facts such as its other names,
its policy under autocast, and what is special about its in-place form. No other module lists operators or asks for
their names (tests/ops/test_facts.py holds that); all the rest of torchlike reads fields.

Start with `table.py`, which says what a row has, then look at some in `pointwise/unary.py`. `schema.py` parses
schemas, `promotion.py` decides dtypes, `rules.py` has what row files share, `dispatcher_names.py` the names that PyTorch's
dispatcher uses. Rows are in files by chapter of PyTorch's documentation: `creation.py`, `random_sampling.py`,
`spectral.py` and the folders; `core.py` has those that the recorder itself needs. `numerics/` has algorithms that are no
rows, `jax_gradients.py` JAX's gradients of some rows. `all.py` imports every file with rows, so that the table is full.

May be imported by everything but `_base/`, and imports `_base/` only.
"""
