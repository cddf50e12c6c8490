"""Bridges to other libraries: real PyTorch's tensors, and state_dicts as JAX's trees. For flax see
`torchlike.interop.flax`, which is imported by its name only.
"""

from torchlike.interop.tensors import from_torch as from_torch
from torchlike.interop.tensors import to_torch as to_torch
from torchlike.interop.trees import state_dict_to_tree as state_dict_to_tree
from torchlike.interop.trees import tree_to_state_dict as tree_to_state_dict
