"""Names: of Nodes and of the globals of generated code, and how functions and types are called in them."""

import builtins
import importlib
import keyword
import math
import operator
import re
import types

from torchlike import ops, overrides
from torchlike._serialization.pickled_names import path_of

_SUFFIX = re.compile(r"(.*)_(\d+)$")
_ILLEGAL = re.compile(r"[^0-9a-zA-Z_]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])([A-Z])")
RESERVED = {"inf", "nan", "NoneType", "torch", "device", "fx_pytree", "pytree"}  # what generated code finds without asking
_SPACES = ("torch", "torch.nn.functional", "torch.linalg", "torch.fft", "torch.special")


def torch_package() -> types.ModuleType:
    """The package that generated code calls ``torch``."""
    return importlib.import_module("torchlike")


class Namespace:
    """Gives each object one name that nothing else has, and that is not one of Python's."""

    def __init__(self):
        self._of_objects: dict = {}
        self._used: set = set()
        self._counts: dict = {}

    def create_name(self, candidate: str, obj) -> str:
        """A name.

        Args:
            candidate: what it is like.
            obj: what it is for; None for nothing. The same object gets the same name again.

        Returns:
            The candidate, or it with a number.
        """
        if obj is not None and id(obj) in self._of_objects:
            return self._of_objects[id(obj)][0]
        candidate = _ILLEGAL.sub("_", candidate) or "_unnamed"
        if candidate[0].isdigit():
            candidate = f"_{candidate}"
        match = _SUFFIX.match(candidate)
        base, number = (candidate, None) if match is None else (match.group(1), int(match.group(2)))
        if number is None:
            number = self._counts.get(base, 0)
        while candidate in self._used or _is_illegal(candidate, obj):
            number += 1
            candidate = f"{base}_{number}"
        self._used.add(candidate)
        self._counts[base] = number
        if obj is not None:
            self._of_objects[id(obj)] = (candidate, obj)  # which keeps it, so that the id stays its own
        return candidate

    def associate(self, name: str, obj) -> None:
        """Say that an object has this name.

        Args:
            name, obj: the two.
        """
        self._used.add(name)
        self._of_objects[id(obj)] = (name, obj)

    def rename(self, obj, name: str) -> None:
        """Say that an object has another name.

        Args:
            obj, name: the two.
        """
        del self._of_objects[id(obj)]
        self.associate(name, obj)


def _is_illegal(name, obj) -> bool:
    if keyword.iskeyword(name) or name in RESERVED:
        return True
    return name in vars(builtins) and obj is not vars(builtins)[name]


def hint_of(target) -> str:
    """What the name of a Node is like: ``relu``, ``add`` of ``__add__``, ``layer_norm`` of ``LayerNorm``.

    Args:
        target: the Node's target.

    Returns:
        A text.
    """
    text = target if isinstance(target, str) else target.__name__
    if text.startswith("__") and text.endswith("__"):
        text = text[2:-2]
    return _CAMEL.sub(r"_\1", text).lower()


def qualified_name(function) -> str:
    """What generated code calls a function or class: ``torch.relu``, ``len``, ``_operator.abs``, ``module.function``.

    Args:
        function: the function.

    Returns:
        The name, with dots.
    """
    if isinstance(function, ops.OpOverload):
        return f"torch.ops.{function}"
    name = getattr(function, "__name__", repr(function))
    if getattr(builtins, name, None) is function:
        return name
    for space in _SPACES:
        found = torch_package()
        for part in space.split(".")[1:]:
            found = getattr(found, part)
        if getattr(found, name, None) is function:
            return f"{space}.{name}"
    if isinstance(function, types.MethodDescriptorType | types.FunctionType):
        known = overrides.resolve_name(function)
        if known is not None:
            return known
    module, path = path_of(function)
    return f"{module}.{path}" if module else path


def shown_target(target) -> str:
    """A Node's target, as ``print(graph)`` shows it.

    Args:
        target: the target.

    Returns:
        ``operator.add``, ``builtins.getattr``, ``torch.relu``, or the text itself.
    """
    if isinstance(target, str):
        return target
    if getattr(target, "__module__", None) == "_operator" and hasattr(operator, target.__name__):
        return f"operator.{target.__name__}"
    name = qualified_name(target)
    return f"builtins.{name}" if getattr(builtins, name, None) is target else name


def is_from_torch(obj) -> bool:
    """Whether generated code reaches a function or class by ``torch.``.

    Args:
        obj: the function or class.

    Returns:
        a bool.
    """
    module = getattr(obj, "__module__", None) or ""
    return module.split(".")[0] in ("torch", "torchlike")


def type_name(kind) -> str:
    """A type annotation as text: ``int``, ``torch.Tensor``.

    Args:
        kind: a type, or anything that stands in its place.

    Returns:
        A text.
    """
    if isinstance(kind, type) and not isinstance(kind, types.GenericAlias):
        return kind.__qualname__ if kind.__module__ == "builtins" else ".".join(path_of(kind))
    if kind is ...:
        return "..."
    if isinstance(kind, types.FunctionType):
        return kind.__name__
    return repr(kind)


def globals_of_code() -> dict:
    """What generated code finds without asking, as a dict."""
    package = torch_package()
    return {"inf": math.inf, "nan": math.nan, "NoneType": type(None), "torch": package, "device": package.device,
            "fx_pytree": package.fx._pytree, "pytree": package.utils._pytree}
