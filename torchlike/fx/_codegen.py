"""The lines of the function that a Graph describes, as PyTorch writes them."""

import dataclasses
import enum
import types
from collections.abc import Callable
from typing import Any

from torchlike._base import device as dev
from torchlike.fx._names import Namespace, globals_of_code, is_from_torch, qualified_name, type_name
from torchlike.fx.node import Node, map_arg

# How Python writes its operators -> what the module operator calls them.
_WITH_REFLECTED = {"+": "add", "-": "sub", "*": "mul", "//": "floordiv", "/": "truediv", "%": "mod", "**": "pow",
                   "<<": "lshift", ">>": "rshift", "&": "and_", "|": "or_", "^": "xor", "@": "matmul"}
_COMPARING = {"==": "eq", "!=": "ne", "<": "lt", ">": "gt", "<=": "le", ">=": "ge"}
_UNARY = {"+": "pos", "-": "neg", "~": "invert"}
reflectable_magic_methods = {
    **{name: f"{{}} {symbol} {{}}" for symbol, name in _WITH_REFLECTED.items()}, "div": "{} / {}", "getitem": "{}[{}]"}
magic_methods = {
    **{name: f"{{}} {symbol} {{}}" for symbol, name in _COMPARING.items()},
    **{name: symbol + "{}" for symbol, name in _UNARY.items()}, **reflectable_magic_methods}
inplace_methods = {
    **{f"i{name.rstrip('_')}": f"{{}} {symbol}= {{}}" for symbol, name in _WITH_REFLECTED.items()},
    "setitem": "{}[{}] = {}"}


@dataclasses.dataclass
class PythonCode:
    """The text of a function.

    Args:
        src: the text.
        globals: what it refers to, by name.
    """

    src: str
    globals: dict[str, Any]


class CodeWriter:
    """Writes the lines of one function.

    Args:
        nodes: the Nodes of the Graph.
        root: the name of the parameter that has the modules and attributes, ``self``.
        space: gives the names.
    """

    def __init__(self, nodes, root: str, space: Namespace):
        self.nodes, self.root, self.space = tuple(nodes), root, space
        self.globals = globals_of_code()
        self.wrapped: dict = {}
        self.parameters: list = []
        self.returns = ""
        self.last_uses = _last_uses(self.nodes)

    def body(self, output: Callable) -> list:
        """The lines in pieces, those of a Node behind a comment with its number.

        Args:
            output: the text of the ``return`` of a value.

        Returns:
            A list of texts.
        """
        pieces: list = []
        for i, node in enumerate(self.nodes):
            pieces += [f"# COUNTER: {i}\n", *self.line(node, output)]
        return pieces or ["pass\n"]

    def name(self, node: Node) -> str:
        return self.space.create_name(node.name, node)

    def add_global(self, hint: str, obj) -> str:
        """What the function calls an object."""
        if is_from_torch(obj) and obj is not dev.device:
            return qualified_name(obj)
        name = self.space.create_name(hint, obj)
        self.globals.setdefault(name, obj)
        return name

    def kind(self, annotation) -> str:
        text = type_name(annotation)
        if annotation is None or isinstance(annotation, type(None)):
            return "NoneType"
        return self.add_global(text, annotation)

    # -- values

    def value(self, arg) -> str:
        """An argument."""
        if isinstance(arg, Node):
            return self.name(arg)
        if isinstance(arg, tuple) and hasattr(arg, "_fields"):
            return f"{self.add_global(qualified_name(type(arg)), type(arg))}{tuple(arg)!r}"
        if isinstance(arg, tuple):
            return "(" + ", ".join(map(self.value, arg)) + ("," if len(arg) == 1 else "") + ")"
        if isinstance(arg, list):
            return "[" + ", ".join(map(self.value, arg)) + "]"
        if isinstance(arg, dict):
            return "{" + ", ".join(f"{key!r}: {self.value(each)}" for key, each in arg.items()) + "}"
        if isinstance(arg, slice):
            return f"slice({self.value(arg.start)}, {self.value(arg.stop)}, {self.value(arg.step)})"
        if isinstance(arg, enum.Enum):
            return f"{self.add_global(qualified_name(type(arg)), type(arg))}.{arg.name}"
        if isinstance(arg, type | types.FunctionType | types.BuiltinFunctionType):
            return self.add_global(qualified_name(arg), arg)
        return repr(arg)

    def arguments(self, args, kwargs) -> str:
        return ", ".join([*map(self.value, args), *(f"{key} = {self.value(each)}" for key, each in kwargs.items())])

    def path(self, target: str) -> str:
        """An attribute of the root: ``self.a.b``, ``getattr(self.a, "0")``."""
        text = self.root
        for part in target.split("."):
            text = f"{text}.{part}" if part.isidentifier() else f'getattr({text}, "{part}")'
        return text

    # -- lines

    def line(self, node: Node, output: Callable) -> list:
        if node.op == "placeholder":
            return self.placeholder(node)
        if node.op == "output":
            if node.type is not None:
                self.returns = f" -> {self.kind(node.type)}"
            return [output(node.args[0]), "\n"]
        made = self.in_place(node)
        if made is None:
            annotation = "" if node.type is None else f" : {self.kind(node.type)}"
            made = f"{self.name(node)}{annotation} = {self.call(node)}"
        unused = [*self.last_uses.get(node, ()), *([] if node.users else [node])]
        return [made, ";  " + " = ".join([*map(self.name, unused), "None\n"]) if unused else "\n"]

    def placeholder(self, node: Node) -> list:
        annotation = "" if node.type is None else f" : {self.kind(node.type)}"
        default = f" = {self.value(node.args[0])}" if node.args else ""
        self.parameters.append(f"{node.target}{annotation}{default}")
        plain, name = node.target.replace("*", ""), self.name(node)
        return [] if plain == name else [f"{name} = {plain}\n"]

    def in_place(self, node: Node) -> str | None:
        """``x += 1;  iadd = x`` for an operator that writes, else None."""
        target = node.target
        if node.op != "call_function" or target.__module__ != "_operator" or target.__name__ not in inplace_methods:
            return None
        text = inplace_methods[target.__name__].format(*map(self.value, node.args))
        return f"{text};  {self.name(node)} = {self.value(node.args[0])}"

    def call(self, node: Node) -> str:
        """The right hand side."""
        if node.op == "get_attr":
            return self.path(node.target)
        if node.op == "call_module":
            return f"{self.path(node.target)}({self.arguments(node.args, node.kwargs)})"
        if node.op == "call_method":
            return f"{self.value(node.args[0])}.{node.target}({self.arguments(node.args[1:], node.kwargs)})"
        return self.function(node)

    def function(self, node: Node) -> str:
        target = node.target
        if target.__module__ == "_operator" and target.__name__ in magic_methods:
            return magic_methods[target.__name__].format(*map(self.value, node.args))
        name = self.add_global(qualified_name(target), target)
        if name == "getattr" and len(node.args) == 2 and isinstance(node.args[1], str) and node.args[1].isidentifier():
            return f"{self.value(node.args[0])}.{node.args[1]}"
        if node.meta.get("is_wrapped"):
            self.wrapped.setdefault(name)
        return f"{name}({self.arguments(node.args, node.kwargs)})"


def _last_uses(nodes) -> dict:
    """For each Node those whose values nobody needs after it."""
    found: dict = {}
    seen: set = set()
    for user in reversed(nodes):
        def note(node, user=user):
            if node not in seen:
                seen.add(node)
                found.setdefault(user, []).append(node)
            return node

        map_arg(user.args, note)
        map_arg(user.kwargs, note)
    return found
