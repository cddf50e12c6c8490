"""Sparse tensors: https://pytorch.org/docs/stable/sparse.html

A sparse tensor is a Tensor whose cell (`cell.py`) holds ordinary Tensors: indices and values. The cell brings a handler,
which does each operation by the rule of its row (`rules.py`), on those parts; what is recorded are operations on the parts,
so traces, compiled programs and devices need nothing of their own. Rules are in files by what they compute, each with the
history of its results (`history.py`): Nodes of PyTorch's names, whose backward is again made of operations on sparse and
dense tensors. A row without a rule raises what PyTorch raises.

How many elements `to_sparse` and `coalesce` leave depends on values, so these look at them.
"""
