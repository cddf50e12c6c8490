"""Puts the methods and properties on Tensor, once, at import."""

import types

from torchlike._api.families import own_names
from torchlike._api.generated import space_names, torch_names
from torchlike._api.generated.methods import TensorMethods
from torchlike._record.tensor import Tensor
from torchlike._record.torch_function import copied


def attach() -> None:
    """Each method that is a function of the torch namespace, too, becomes a copy: as keys of dictionaries they differ."""
    shared = {id(function) for names in (torch_names, space_names) for function in vars(names).values()}
    for cls in TensorMethods.__mro__[:-1]:
        for name in own_names(cls):
            value = vars(cls)[name]
            is_shared = isinstance(value, types.FunctionType) and id(value) in shared
            setattr(Tensor, name, copied(value) if is_shared else value)


attach()
