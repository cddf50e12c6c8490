"""Operators of programs and packages: what `torch.library` registers and `torch.ops` calls.

`operator.py` has one of them: its schema, what computes it on which device, its gradient and its rule for `torch.vmap`.
`infer_schema.py` reads a schema off a Python function. `custom_ops.py` has `torch.library.custom_op`, `registry.py` all
operators by name.

They are functions of Python: nothing of them is recorded but what they call. Start with `operator.py`.
"""
