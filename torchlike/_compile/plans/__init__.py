"""Kernels run by numpy: what has not been compiled runs at once.

`plan.py` turns the jaxpr of a kernel into a flat list of numpy calls, once. `table.py` says what a rule is: the numpy
function of one of lax's primitives for given shapes. The rules are in the other modules, by chapter; `rules.py` names them
all. A kernel with a primitive that has no rule, or that numpy does badly, goes to XLA.

Results are XLA's to rounding, in every dtype. May be imported by `backends/` and the cold tier alone; imports numpy and jax.
Start with `plan.py`.
"""
