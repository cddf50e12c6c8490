"""Every function of the torch namespace, and those that only nn.functional has, as attributes.

They are made from the operator table and the families in `torchlike/_api`, so their names are data.
"""

from torchlike._api.attach import FUNCTIONS, NN

globals().update({**NN, **FUNCTIONS})

# What ``from torchlike._api import *`` gives: the torch namespace, without what is in torch.linalg and torch.special.
__all__ = sorted(name for name in FUNCTIONS if not name.startswith(("linalg_", "special_")))
