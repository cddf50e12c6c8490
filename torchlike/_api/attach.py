"""Puts the methods and properties on Tensor, once, at import, and looks whether each public name has one owner."""

import types

from torchlike._api.families import FAMILIES, own_names
from torchlike._api.generated import nn_names, space_names, torch_names
from torchlike._api.generated.methods import TensorMethods
from torchlike._record.tensor import Tensor
from torchlike._record.torch_function import copied
from torchlike._record.wrong_calls import name_missing


def check_owners(families, functions, methods) -> None:
    """That what each family says a name is, is what the written lists say.

    Args:
        families: modules with FUNCTIONS, NN, METHODS and PROPERTIES.
        functions: public name -> function, of the torch namespace and behind `torch.nn.functional`.
        methods: name -> attribute of Tensor.

    Raises:
        ValueError: a name has another owner, or none yet.
    """
    for family in families:
        for kind, found in (("FUNCTIONS", functions), ("NN", functions), ("METHODS", methods), ("PROPERTIES", methods)):
            for name, value in getattr(family, kind, {}).items():
                if found.get(name) is not value:
                    raise ValueError(f"{name}, which is in {kind} of {family.__name__}, is another one's, or new: "
                                     "``python -m compat.api`` says which")


def attach() -> None:
    """Each method that is a function of the torch namespace, too, or a method of another name, becomes a copy: as keys of
    dictionaries they differ, and each has its own name.

    Raises:
        ValueError: a name has two owners.
    """
    functions = {**vars(torch_names), **vars(space_names)}
    methods: dict = {}
    for cls in TensorMethods.__mro__[:-1]:
        for name in own_names(cls):
            if name in methods:
                raise ValueError(f"Tensor.{name} is defined twice: in {cls.__name__}, too")
            methods[name] = vars(cls)[name]
    attributes = {**methods, "__new__": TensorMethods.__new__}  # which a class makes a static method
    check_owners(FAMILIES, {**functions, **vars(nn_names)}, attributes)
    shared = {id(function) for function in functions.values()}
    for name, value in methods.items():
        is_shared = isinstance(value, types.FunctionType) and (id(value) in shared or value.__name__ != name)
        setattr(Tensor, name, _method(value, name) if is_shared else value)
    name_missing(vars(torch_names).items(), "torch.")
    for space in ("linalg", "special", "fft"):
        name_missing(((name.removeprefix(f"{space}_"), function) for name, function in vars(space_names).items()
                      if name.startswith(f"{space}_")), f"torch.{space}.")
    name_missing(vars(Tensor).items(), "torch.Tensor.")


def _method(function, name):
    """A copy with code of its own, by which an error's frames tell it from the function; and so what it decorates."""
    inner, cells = getattr(function, "__wrapped__", None), function.__closure__ or ()
    if isinstance(inner, types.FunctionType) and any(cell.cell_contents is inner for cell in cells):
        own = _method(inner, name)
        made = copied(function, tuple(types.CellType(own) if cell.cell_contents is inner else cell for cell in cells))
        made.__wrapped__ = own
    else:
        made = copied(function)
    made.__name__ = made.__qualname__ = name
    code = made.__code__
    names = code.co_varnames
    if code.co_argcount and "self" not in names and names[0] not in code.co_cellvars:
        names = ("self", *names[1:])
    made.__code__ = code.replace(co_qualname=f"Tensor.{name}", co_varnames=names)
    return made


attach()
