"""From rows of the operator table to what runs: kernels, their derivatives, programs, backends.

A row with the shapes of its operands is a kernel (`kernels.py`; `row_function.py` makes a function on arrays of a row),
and so is its gradient (`gradients.py`) and its tangent (`tangents.py`, `custom_jvp.py` for jax's own transforms). Kernels
know shapes, dtypes and strides as Avals (`avals.py`). A trace is a list of calls of kernels (`program.py`, which also
splices it into one function; `fences.py` keeps XLA's algebra inside one operator there). Two kinds of kernels save
compilations: `picks.py` for ``x[i]``, `steps.py` for optimizers.

`backends/` knows devices: where arrays live and what compiles for them. `executors/` runs traces. `jax_private.py` has all
names of JAX that JAX does not document.

Nothing here knows Tensors or autograd graphs: those are built on top, in `_record` and `autograd`. It imports `_base` and
`_ops`. The packages of users' faces use `torchlike/_record/facade.py` instead of this folder. Start with `kernels.py`.
"""
