"""What ``python -m compat.api`` writes from the operator table; do not edit. A test compares it.

`ops` has each row under its own name; the other modules have the functions of the torch namespace, one module for each
chapter of PyTorch's documentation. `return_types` are the named tuples that they return, `foreach` the forms for lists of
tensors. `torch_names`, `space_names`, `nn_names` and `methods` say where each public name is from.

Modules here import the recorder and the helpers beside this folder. A function that a row alone does not say is written by
hand in a module of `torchlike._api`. Start with `pointwise.py`.
"""
