"""Where PyTorch and JAX give different answers, found by running both.

`counterparts/` is data: a PyTorch call, the JAX expression of it, ordinary inputs and what to watch. `table.py` reads
it, `domains.py` makes ordinary inputs, `points.py` special ones (ties, zeros, bounds, nan, other dtypes). `run.py`
asks both sides for value, gradient and second gradient, `differing.py` compares, `rules.py` says by which rule each
side goes, `answers.py` looks for the JAX expression that gives PyTorch's answer, and `page.py` writes
docs/differences. Nothing in those pages is typed.
"""
