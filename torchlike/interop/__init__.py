"""Bridges to other libraries.

`tensors.py` converts between tensors of torchlike and of real PyTorch, `trees.py` between state dicts and trees of JAX
arrays. `flax.py` turns flax modules into torch modules (`from_flax.py`) and back (`to_flax.py`); it imports flax, so it is
loaded only by its own name, ``import torchlike.interop.flax``. `samplers.py` shares random numbers with JAX.

Only the torch namespace imports this package. Start with `tensors.py`.
"""

from torchlike.interop.tensors import from_torch as from_torch
from torchlike.interop.tensors import to_torch as to_torch
from torchlike.interop.trees import state_dict_to_tree as state_dict_to_tree
from torchlike.interop.trees import tree_to_state_dict as tree_to_state_dict
