"""What functions, classes and their methods say of themselves: ``__module__``, ``__qualname__``, ``__name__``, ``repr``.

Each difference has its reason, or none that is known.
"""

import dataclasses
import enum
import inspect
import types

from compat.api import homes
from torchlike._api.homes import name_all

UNEXPLAINED = "no reason known"
ELSEWHERE = "torchlike has no such object in the module that is its home in PyTorch"
SEVERAL = "one object has several names"
INHERITED = "torchlike inherits the method"
CLOSURE = "PyTorch's is made inside of a function"
ENUM = "PyTorch's enumeration is a class of C++"
FUNCTION = "torchlike's is a function"
_ATTRIBUTES = ("__module__", "__qualname__", "__name__", "repr")
_IN_C = types.BuiltinFunctionType | types.MethodDescriptorType | types.ClassMethodDescriptorType
_OF_CLASSES = _IN_C | types.FunctionType


@dataclasses.dataclass(frozen=True)
class Said:
    """What both packages say of one name; `why` they differ, "" where they say the same."""

    path: str
    attribute: str
    theirs: str
    ours: str
    why: str


def examine() -> list:
    """All that is said of the public names of public modules, and of the public methods of classes there."""
    found: list = []
    names = list(homes.shared())
    name_all("torchlike")  # for modules that were imported just now
    for place, name, theirs, ours in names:
        if "._" not in place and not name.startswith("_"):
            found += compare(f"{place}.{name}", theirs, ours)
    return found


def compare(path, theirs, ours) -> list:
    """What both say of a function or class that has the same name in both packages."""
    found = [_said(path, attribute, theirs, ours, _reason(attribute, theirs, ours)) for attribute in _ATTRIBUTES]
    if isinstance(theirs, type) and isinstance(ours, type):
        why = "" if homes.at_home(theirs) is ours and not found[0].why else _reason("", theirs, ours)
        for name, known in vars(theirs).items():
            function, own = _plain(known), _plain(inspect.getattr_static(ours, name, None))
            if not name.startswith("_") and isinstance(function, _OF_CLASSES) and isinstance(own, types.FunctionType):
                reason = why or _reason_of_method(own, name, ours)
                attributes = _ATTRIBUTES[1:3] if isinstance(function, _IN_C) else _ATTRIBUTES[:3]
                found += [_said(f"{path}.{name}", attribute, function, own, reason) for attribute in attributes]
    return [said for said in found if said is not None]


def _said(path, attribute, theirs, ours, why) -> Said | None:
    """None where there is nothing to compare: a function of C++ has the name of a C++ class before its own."""
    if attribute == "repr":
        if not isinstance(theirs, type):
            return None
        known, own = repr(theirs), repr(ours).replace("torchlike", "torch")
    else:
        known, own = getattr(theirs, attribute), getattr(ours, attribute)
    if attribute == "__qualname__" and isinstance(theirs, _IN_C):
        known, own = known.rpartition(".")[2], own.rpartition(".")[2]
    if attribute == "__module__":
        own = homes.theirs(own)
    return Said(path, attribute, known, own, why if known != own else "")


def _plain(method):
    return getattr(method, "__func__", method)


def _reason(attribute, theirs, ours) -> str:
    if "<locals>" in theirs.__qualname__:
        return CLOSURE
    if isinstance(theirs, type) and not isinstance(ours, type):
        return FUNCTION
    if attribute == "repr" and isinstance(ours, enum.EnumMeta) and not isinstance(theirs, enum.EnumMeta):
        return ENUM
    if homes.at_home(theirs) is not ours:
        return ELSEWHERE
    return SEVERAL if ours.__name__ != theirs.__name__ or homes.theirs(ours.__module__) != theirs.__module__ else UNEXPLAINED


def _reason_of_method(own, name, ours) -> str:
    if name not in vars(ours):
        return INHERITED
    if not own.__qualname__.startswith(f"{ours.__qualname__}.") or own.__name__ != name:
        return SEVERAL
    return UNEXPLAINED
