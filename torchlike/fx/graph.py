"""`torch.fx.Graph`: a program as a list of Nodes. https://pytorch.org/docs/stable/fx.html#torch.fx.Graph"""

import contextlib
import copy
from collections.abc import Callable, Iterator
from typing import Any

from torchlike.fx._code_generators import CodeGen as CodeGen
from torchlike.fx._code_generators import _PyTreeCodeGen as _PyTreeCodeGen
from torchlike.fx._code_generators import _PyTreeInfo as _PyTreeInfo
from torchlike.fx._codegen import PythonCode as PythonCode
from torchlike.fx._codegen import inplace_methods as inplace_methods
from torchlike.fx._codegen import magic_methods as magic_methods
from torchlike.fx._codegen import reflectable_magic_methods as reflectable_magic_methods
from torchlike.fx._names import Namespace, hint_of, shown_target
from torchlike.fx.node import Node, map_aggregate, map_arg


class _Nodes:
    """The Nodes of a Graph in order: iterable both ways, also while it changes."""

    def __init__(self, graph: "Graph", direction: str = "_next"):
        self.graph, self.direction = graph, direction

    def __len__(self):
        return self.graph._len

    def __iter__(self) -> Iterator[Node]:
        root = self.graph._root
        node = getattr(root, self.direction)
        while node is not root:
            if not node._erased:
                yield node
            node = getattr(node, self.direction)

    def __reversed__(self):
        return iter(_Nodes(self.graph, "_prev" if self.direction == "_next" else "_next"))


class _InsertPoint:
    """Where new Nodes go: from now on, or in a ``with`` block."""

    def __init__(self, graph: "Graph", insert: Callable):
        self.graph, self.before = graph, graph._insert
        graph._insert = insert

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.graph._insert = self.before


class Graph:
    """A program as a list of Nodes: parameters, calls, and the output at its end.

    Args:
        owning_module: the GraphModule whose program it is, or None.
        tracer_cls: the class of the Tracer that recorded it, or None.
        tracer_extras: without effect.
    """

    def __init__(self, owning_module=None, tracer_cls: type | None = None, tracer_extras: dict | None = None):
        self._root = Node(self, "", "root", "", (), {})
        self._insert: Callable = self._root.prepend
        self._namespace = Namespace()
        self._len = 0
        self._owning_module = owning_module
        self._tracer_cls = tracer_cls
        self._tracer_extras = tracer_extras
        self._codegen = CodeGen()

    @property
    def owning_module(self):
        """The GraphModule whose program it is, or None."""
        return self._owning_module

    @owning_module.setter
    def owning_module(self, mod) -> None:
        self._owning_module = mod

    @property
    def nodes(self) -> _Nodes:
        """The Nodes in order; ``reversed`` works, and so do changes meanwhile."""
        return _Nodes(self)

    def __str__(self):
        return "graph():" + "".join(f"\n    {node.format_node()}" for node in self.nodes)

    def __deepcopy__(self, memo=None):
        made = Graph(tracer_cls=self._tracer_cls)
        made._codegen = copy.deepcopy(self._codegen)
        values: dict = {}
        result = made.graph_copy(self, values, return_output_node=True)
        if result is not None:
            old = self.output_node()
            output = made.output(result[0], type_expr=old.type)
            output.meta = copy.copy(old.meta)
        return made

    # -- making Nodes

    def create_node(self, op: str, target, args: tuple | None = None, kwargs: dict | None = None, name: str | None = None,
                    type_expr: Any = None) -> Node:
        """Adds a Node at the insertion point.

        Args:
            op, target, args, kwargs: what it is, see Node.
            name: what its name is like; None makes one of the target.
            type_expr: the annotation of its value, or None.

        Returns:
            The Node.
        """
        candidate = hint_of(target) if name is None else name
        node = Node(self, candidate, op, target, args or (), kwargs or {}, type_expr)
        node.name = self._namespace.create_name(candidate, node)
        self._insert(node)
        self._len += 1
        return node

    def placeholder(self, name: str, type_expr: Any = None, default_value: Any = ...) -> Node:
        """Adds a parameter of the program.

        Args:
            name: its name.
            type_expr: its annotation, or None.
            default_value: its default, if there is one.

        Returns:
            The Node.
        """
        return self.create_node("placeholder", name, () if default_value is ... else (default_value,), type_expr=type_expr)

    def get_attr(self, qualified_name: str, type_expr: Any = None) -> Node:
        """Adds the look-up of an attribute of the module.

        Args:
            qualified_name: its path, with dots.
            type_expr: its annotation, or None.

        Returns:
            The Node.
        """
        return self.create_node("get_attr", qualified_name, type_expr=type_expr)

    def call_module(self, module_name: str, args: tuple | None = None, kwargs: dict | None = None,
                    type_expr: Any = None) -> Node:
        """Adds the call of a submodule.

        Args:
            module_name: its path, with dots.
            args, kwargs: the arguments.
            type_expr: the annotation of the result, or None.

        Returns:
            The Node.
        """
        return self.create_node("call_module", module_name, args, kwargs, type_expr=type_expr)

    def call_method(self, method_name: str, args: tuple | None = None, kwargs: dict | None = None,
                    type_expr: Any = None) -> Node:
        """Adds the call of a method.

        Args:
            method_name: its name.
            args, kwargs: the arguments, the object first.
            type_expr: the annotation of the result, or None.

        Returns:
            The Node.
        """
        return self.create_node("call_method", method_name, args, kwargs, type_expr=type_expr)

    def call_function(self, the_function: Callable, args: tuple | None = None, kwargs: dict | None = None,
                      type_expr: Any = None, name: str | None = None) -> Node:
        """Adds the call of a function.

        Args:
            the_function: the function.
            args, kwargs: the arguments.
            type_expr: the annotation of the result, or None.
            name: what the Node's name is like, or None.

        Returns:
            The Node.
        """
        return self.create_node("call_function", the_function, args, kwargs, name, type_expr)

    def output(self, result, type_expr: Any = None) -> Node:
        """Adds the end of the program.

        Args:
            result: what it returns: a Node or a structure of Nodes.
            type_expr: its annotation, or None.

        Returns:
            The Node.
        """
        return self.create_node("output", "output", (result,), type_expr=type_expr)

    def node_copy(self, node: Node, arg_transform: Callable[[Node], Any] = lambda x: x) -> Node:
        """Adds a copy of a Node, of any Graph.

        Args:
            node: the Node.
            arg_transform: what a Node among its arguments becomes.

        Returns:
            The copy.
        """
        made = self.create_node(node.op, node.target, map_arg(node.args, arg_transform),
                                map_arg(node.kwargs, arg_transform), node.name, node.type)
        made.meta = copy.copy(node.meta)
        return made

    def graph_copy(self, g: "Graph", val_map: dict, return_output_node: bool = False):
        """Adds copies of all Nodes of another Graph but its output.

        Args:
            g: the Graph.
            val_map: dict from its Nodes to those that stand for them here; gets the copies.
            return_output_node: whether the output Node is wanted, too.

        Returns:
            What the Graph returns, in Nodes of this one; None if it has no output. With `return_output_node` a pair of
            that and the output Node.
        """
        for node in g.nodes:
            if node in val_map:
                continue
            if node.op == "output":
                result = map_arg(node.args[0], lambda n: val_map[n])
                return (result, node) if return_output_node else result
            val_map[node] = self.node_copy(node, lambda n: val_map[n])
        return None

    # -- changing

    def erase_node(self, to_erase: Node) -> None:
        """Removes a Node that nobody uses.

        Args:
            to_erase: the Node.

        Raises:
            RuntimeError: it is used, or of another Graph.
        """
        if to_erase.users:
            raise RuntimeError(f"Tried to erase Node {to_erase} but it still had {len(to_erase.users)} users in the graph: "
                               f"{to_erase.users}!")
        if to_erase.graph is not self:
            raise RuntimeError(f"Attempting to remove {to_erase} from wrong graph!")
        if to_erase._erased:
            return
        to_erase._unlink()
        to_erase._erased = True
        self._len -= 1
        to_erase.args, to_erase.kwargs = (), {}

    def inserting_before(self, n: Node | None = None) -> _InsertPoint:
        """Sets where new Nodes go, for good or in a ``with`` block.

        Args:
            n: they go before it; None is the beginning.

        Returns:
            A context manager.

        Raises:
            AssertionError: `n` is of another Graph.
        """
        if n is None:
            return self.inserting_after(self._root)
        if n.graph is not self:
            raise AssertionError("Node to insert before is not in graph.")
        return _InsertPoint(self, n.prepend)

    def inserting_after(self, n: Node | None = None) -> _InsertPoint:
        """Sets where new Nodes go, for good or in a ``with`` block.

        Args:
            n: they go after it; None is the end.

        Returns:
            A context manager.

        Raises:
            AssertionError: `n` is of another Graph.
        """
        if n is None:
            return self.inserting_before(self._root)
        if n.graph is not self:
            raise AssertionError("Node to insert after is not in graph.")
        return _InsertPoint(self, n.append)

    def eliminate_dead_code(self, is_impure_node: Callable[[Node], bool] | None = None) -> bool:
        """Removes Nodes whose values nobody uses.

        Args:
            is_impure_node: says which of them stay; None is `Node.is_impure`.

        Returns:
            Whether there were any.
        """
        self.lint()
        before = self._len
        for node in reversed(self.nodes):
            stays = node.op in ("placeholder", "output") or (is_impure_node or Node.is_impure)(node)
            if not node.users and not stays:
                self.erase_node(node)
        return self._len < before

    def __reduce__(self):
        places = {node: i for i, node in enumerate(self.nodes)}

        def placed(args):
            return map_arg(args, lambda node: _Place(places[node]))

        return _again, ([(n.op, n.target, placed(n.args), placed(n.kwargs), n.name, n.type) for n in self.nodes],
                        self._codegen)

    # -- looking

    def output_node(self) -> Node:
        """The output Node.

        Raises:
            StopIteration: there is none.
        """
        return next(node for node in reversed(self.nodes) if node.op == "output")

    def find_nodes(self, *, op: str, target: Any = None, sort: bool = True) -> list:
        """The Nodes of an operation, in order, as a list.

        Args:
            op: the operation.
            target: the target; None is any.
            sort: without effect: they are in order.

        Returns:
            The list.
        """
        return [node for node in self.nodes if node.op == op and (target is None or node.target == target)]

    def lint(self) -> None:
        """Checks that arguments are defined before they are used, and that modules and attributes exist.

        Raises:
            RuntimeError: something is wrong.
        """
        seen: set = set()
        names: set = set()

        for node in self.nodes:
            for argument in node.all_input_nodes:
                self._check_argument(argument, node, seen)
            seen.add(node)
            if node.name in names:
                raise RuntimeError(f"Node redefined name {node.name}!")
            names.add(node.name)
        if self.owning_module is not None:
            for node in self.nodes:
                if node.op in ("get_attr", "call_module"):
                    self._check_target(node)

    def _check_argument(self, argument, node, seen) -> None:
        if argument.graph is not self:
            raise RuntimeError(f"Argument '{argument}' of Node '{node}' does not belong to this Graph, but was used as an "
                               "argument! If you are copying nodes from another graph, make sure to use ``arg_transform`` "
                               f"on node_copy() to remap values\n{self}")
        if argument not in seen:
            raise RuntimeError(f"Argument '{argument}' of Node '{node}' was used before it has been defined! Please check "
                               f"that Nodes in the graph are topologically ordered\n{self}")

    def _check_target(self, node) -> None:
        found, path = self.owning_module, node.target.split(".")
        for i, part in enumerate(path):
            if not hasattr(found, part):
                raise RuntimeError(f"Node {node} target {node.target} references nonexistent attribute {part} of "
                                   f"{'.'.join(path[:i])}")
            found = getattr(found, part)

    def python_code(self, root_module: str, *, verbose: bool = False, include_stride: bool = False,
                    include_device: bool = False, colored: bool = False, expanded_def: bool = False,
                    record_func: bool = False, additional_meta: list | None = None) -> PythonCode:
        """The program as the text of a function.

        Args:
            root_module: the name of the parameter that has the modules and attributes, ``self``.
            verbose, include_stride, include_device, colored, expanded_def, record_func, additional_meta: without effect.

        Returns:
            A `PythonCode`.
        """
        return self._codegen._gen_python_code(self.nodes, root_module, Namespace())

    def set_codegen(self, codegen: CodeGen) -> None:
        """Sets what writes the program as text.

        Args:
            codegen: a `CodeGen`, of a class of its own.
        """
        self._codegen = codegen

    def on_generate_code(self, make_transformer: Callable) -> contextlib.AbstractContextManager[None]:
        """Sets a function that changes the lines of the program whenever they are written.
        https://pytorch.org/docs/stable/fx.html#torch.fx.Graph.on_generate_code

        Args:
            make_transformer: gets the function that is set, or None, and gives the new one: from the list of lines to
                another one.

        Returns:
            A context manager, at whose end the function from before is set again.
        """
        before = self._codegen._body_transformer
        self._codegen._body_transformer = make_transformer(before)

        @contextlib.contextmanager
        def restoring():
            try:
                yield
            finally:
                self._codegen._body_transformer = before

        return restoring()

    def process_inputs(self, *args):
        """What the Nodes get when the program is called: what the `CodeGen` makes of the arguments.

        Args:
            *args: the arguments.

        Returns:
            A sequence.
        """
        return self._codegen.process_inputs(*args)

    def process_outputs(self, out):
        """What a call of the program gives: what the `CodeGen` makes of the output.

        Args:
            out: what the output Node returns.

        Returns:
            The result.
        """
        return self._codegen.process_outputs(out)

    def print_tabular(self) -> None:
        """Prints the Nodes as a table: what, name, target, args, kwargs."""
        head = ("opcode", "name", "target", "args", "kwargs")
        rows = [(n.op, n.name, shown_target(n.target) if n.op != "call_function" else str(n.target), str(n.args),
                 str(n.kwargs)) for n in self.nodes]
        widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
        for row in (head, ["-" * width for width in widths], *rows):
            print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


class _Place:
    """Stands in a pickle for a Node."""

    def __init__(self, number: int):
        self.number = number


def _again(nodes: list, codegen: CodeGen) -> Graph:
    """A Graph out of its pickle."""
    graph, made = Graph(), []
    graph._codegen = codegen

    def found(arg):
        return made[arg.number] if isinstance(arg, _Place) else arg

    for op, target, args, kwargs, name, kind in nodes:
        made.append(graph.create_node(op, target, map_aggregate(args, found), map_aggregate(kwargs, found), name, kind))
    return graph
