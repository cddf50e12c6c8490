"""`torch.fx.Node`: one instruction of a Graph. https://pytorch.org/docs/stable/fx.html#torch.fx.Node"""

import operator
from collections.abc import Callable
from typing import Any, TypeAlias

from torchlike.fx._names import shown_target, torch_package, type_name
from torchlike.fx.immutable_collections import immutable_dict, immutable_list

Target: TypeAlias = Callable[..., Any] | str  # what a Node calls
Argument: TypeAlias = Any  # what it is called with: Nodes and constants, in tuples, lists, dicts and slices
OPS = ("placeholder", "call_method", "call_module", "call_function", "get_attr", "output", "root")
_effects: set = set()


def has_side_effect(fn: Callable) -> Callable:
    """Say that calls of a function are kept though nobody uses their results. A decorator.

    Args:
        fn: the function.

    Returns:
        The same.
    """
    _effects.add(fn)
    return fn


def map_aggregate(a, fn: Callable[[Any], Any]):
    """What a function makes of each value in nested tuples, lists, dicts and slices.

    Args:
        a: the arguments of a Node.
        fn: the function.

    Returns:
        The same structure; lists and dicts in it cannot be changed.
    """
    if isinstance(a, tuple):
        made = tuple(map_aggregate(each, fn) for each in a)
        return type(a)(*made) if hasattr(a, "_fields") else made
    if isinstance(a, list):
        return immutable_list(map_aggregate(each, fn) for each in a)
    if isinstance(a, dict):
        return immutable_dict((key, map_aggregate(each, fn)) for key, each in a.items())
    if isinstance(a, slice):
        return slice(*(map_aggregate(each, fn) for each in (a.start, a.stop, a.step)))
    return fn(a)


def map_arg(a, fn: Callable[["Node"], Any]):
    """`map_aggregate` of the Nodes alone.

    Args:
        a: the arguments of a Node.
        fn: what a Node becomes.

    Returns:
        The same structure; lists and dicts in it cannot be changed.

    Raises:
        AssertionError: `fn` cannot be called.
    """
    if not callable(fn):
        raise AssertionError("torch.fx.map_arg(a, fn): fn must be a callable")
    return map_aggregate(a, lambda x: fn(x) if isinstance(x, Node) else x)


def _shown(arg) -> str:
    """An argument as ``print(graph)`` shows it."""
    if isinstance(arg, list):
        return "[" + ", ".join(map(_shown, arg)) + "]"
    if isinstance(arg, tuple):
        return "(" + ", ".join(map(_shown, arg)) + ("," if len(arg) == 1 else "") + ")"
    if isinstance(arg, dict):
        return "{" + ", ".join(f"{key}: {_shown(each)}" for key, each in arg.items()) + "}"
    return f"%{arg}" if isinstance(arg, Node) else str(arg)


class Node:
    """One instruction: a parameter of the function (``placeholder``), an attribute (``get_attr``), a call
    (``call_function``, ``call_module``, ``call_method``) or the ``output``. Made by methods of Graph.

    Args:
        graph: the Graph that it is in.
        name: its name, which no other Node there has.
        op: one of the six above.
        target: what is called: a function, the path of a module or attribute, or the name of a method or parameter.
        args, kwargs: its arguments: Nodes, numbers, texts, and tuples, lists, dicts and slices of them.
        return_type: the annotation of its value, or None.

    Raises:
        AssertionError: `op` is none of these.
        ValueError: `target` is of another type than `op` needs.
    """

    def __init__(self, graph, name: str, op: str, target, args: tuple, kwargs: dict, return_type=None):
        if op not in OPS:
            raise AssertionError(f"op '{op}' is not in _legal_ops")
        wanted = "a Callable" if op == "call_function" else "a str"
        if callable(target) is not (op == "call_function") or (op != "call_function" and not isinstance(target, str)):
            raise ValueError(f"Node [graph = {graph}, name = '{name}'] target {target} has type "
                             f"{type(target).__name__} but {wanted} is expected")
        self.graph, self.name, self.op, self.target, self.type = graph, name, op, target, return_type
        self.users: dict = {}
        self.meta: dict = {}
        self._input_nodes: dict = {}
        self._erased = False
        self._prev: Node = self
        self._next: Node = self
        self._args: tuple = ()
        self._kwargs: dict = immutable_dict()
        self._update(args, kwargs)

    def __repr__(self):
        return self.name

    @property
    def next(self) -> "Node":
        """The Node after this one."""
        return self._next

    @property
    def prev(self) -> "Node":
        """The Node before this one."""
        return self._prev

    def prepend(self, x: "Node") -> None:
        """Puts another Node before this one.

        Args:
            x: the Node, of the same Graph.

        Raises:
            AssertionError: it is of another Graph.
        """
        if x.graph is not self.graph:
            raise AssertionError("Attempting to move a Node into a different Graph")
        if x is self:
            return
        x._unlink()
        before = self._prev
        before._next, x._prev = x, before
        x._next, self._prev = self, x

    def append(self, x: "Node") -> None:
        """Puts another Node after this one.

        Args:
            x: the Node, of the same Graph.
        """
        self._next.prepend(x)

    def _unlink(self) -> None:
        self._prev._next, self._next._prev = self._next, self._prev

    @property
    def args(self) -> tuple:
        """The arguments by position. They can be assigned."""
        return self._args

    @args.setter
    def args(self, a: tuple) -> None:
        self._update(a, self._kwargs)

    @property
    def kwargs(self) -> dict:
        """The arguments by keyword. They can be assigned."""
        return self._kwargs

    @kwargs.setter
    def kwargs(self, k: dict) -> None:
        self._update(self._args, k)

    @property
    def all_input_nodes(self) -> list:
        """The Nodes among the arguments, each once, in order, as a list."""
        return list(self._input_nodes)

    def _update(self, args, kwargs) -> None:
        for old in self._input_nodes:
            old.users.pop(self, None)
        self._input_nodes = {}

        def use(node):
            self._input_nodes.setdefault(node)
            node.users.setdefault(self)
            return node

        self._args, self._kwargs = map_arg(tuple(args), use), map_arg(dict(kwargs), use)

    def update_arg(self, idx: int, arg) -> None:
        """Gives an argument another value.

        Args:
            idx: its position.
            arg: the value.
        """
        args = list(self.args)
        args[idx] = arg
        self.args = tuple(args)

    def insert_arg(self, idx: int, arg) -> None:
        """Puts an argument in between.

        Args:
            idx: the position that it gets.
            arg: its value.

        Raises:
            AssertionError: there is no such position.
        """
        if not 0 <= idx <= len(self.args):
            raise AssertionError("insert_args index must be between 0 and len(self.args)")
        self.args = (*self.args[:idx], arg, *self.args[idx:])

    def update_kwarg(self, key: str, arg) -> None:
        """Gives an argument by keyword another value.

        Args:
            key: its name.
            arg: the value.
        """
        self.kwargs = {**self.kwargs, key: arg}

    @property
    def stack_trace(self) -> str | None:
        """The stack where the Node was recorded, if the Tracer records it."""
        return self.meta.get("stack_trace")

    @stack_trace.setter
    def stack_trace(self, trace: str | None) -> None:
        self.meta["stack_trace"] = trace

    def format_node(self, placeholder_names: list | None = None, maybe_return_typename: list | None = None, *,
                    include_tensor_metadata: bool = False) -> str | None:
        """The Node as a line of ``print(graph)``.

        Args:
            placeholder_names: a list that gets the names of placeholders instead; the result then is None.
            maybe_return_typename: a list whose first element gets the annotation of the output.
            include_tensor_metadata: without effect.

        Returns:
            The line, or None.
        """
        kind = "" if self.type is None else f"{type_name(self.type)} "
        users = f"[num_users={len(self.users)}]"
        if self.op == "placeholder":
            if placeholder_names is not None:
                placeholder_names.append(f"{self.target} : {kind}".rstrip(" :"))
                return None
            default = f"(default={self.args[0]})" if self.args else ""
            return f"%{self.name} : {kind}{users} = {self.op}[target={self.target}]{default}"
        if self.op == "get_attr":
            return f"%{self.name} : {kind}{users} = {self.op}[target={shown_target(self.target)}]"
        if self.op == "output":
            if self.type is not None and maybe_return_typename:
                maybe_return_typename[0] = f" -> {type_name(self.type)}"
            return f"return {self.args[0]}"
        return (f"%{self.name} : {kind}{users} = {self.op}[target={shown_target(self.target)}]"
                f"(args = {_shown(self.args)}, kwargs = {_shown(self.kwargs)})")

    def replace_all_uses_with(self, replace_with: "Node", delete_user_cb: Callable | None = None, *,
                              propagate_meta: bool = False) -> list:
        """Puts another Node into the place of this one in the arguments of all Nodes.

        Args:
            replace_with: the other Node.
            delete_user_cb: a function of a user that says whether to replace there; None does so everywhere.
            propagate_meta: whether the other Node gets the `meta` of this one.

        Returns:
            The Nodes that used this one.

        Raises:
            AssertionError: both have `meta`, and it should be passed on.
        """
        if propagate_meta:
            if replace_with.meta:
                raise AssertionError("Called node.replace_all_uses_with(replace_with, propagate_meta=True), but "
                                     "replace_with already has .meta keys")
            replace_with.meta.update(self.meta)
        done = [user for user in self.users if delete_user_cb is None or delete_user_cb(user)]
        for user in done:
            user.replace_input_with(self, replace_with)
        return done

    def replace_input_with(self, old_input: "Node", new_input: "Node") -> None:
        """Puts another Node into the place of one among the arguments.

        Args:
            old_input, new_input: the two.
        """
        def other(node):
            return new_input if node is old_input else node

        self._update(map_arg(self._args, other), map_arg(self._kwargs, other))

    def is_impure(self, impure_random: bool = True) -> bool:
        """Whether the Node has to stay though nobody uses its value.

        Args:
            impure_random: without effect.

        Returns:
            a bool.
        """
        if self.op in ("placeholder", "output"):
            return True
        if self.op == "call_function":
            return _has_effect(self.target)
        if self.op == "call_module":
            module = self.graph.owning_module and self.graph.owning_module.get_submodule(self.target)
            return getattr(module, "_is_impure", False)
        return self.op == "call_method" and self.target.endswith("_") and not self.target.endswith("__")

    def _rename(self, candidate: str) -> None:
        if candidate != self.name:
            self.name = self.graph._namespace.create_name(candidate, None)
            self.graph._namespace.rename(self, self.name)


def _has_effect(function) -> bool:
    name = getattr(function, "__name__", "")
    in_place = name == "setitem" or (name in vars(operator) and name.startswith("i") and f"__{name}__" in vars(operator))
    return function in _effects or function is torch_package()._assert or in_place
