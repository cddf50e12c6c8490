"""`torch.fx.Interpreter`, which runs a Graph Node by Node, and `Transformer`, which makes another Graph that way.

https://pytorch.org/docs/stable/fx.html#torch.fx.Interpreter
"""

from typing import Any

from torchlike.fx._symbolic_trace import Tracer
from torchlike.fx.graph import Graph
from torchlike.fx.graph_module import GraphModule
from torchlike.fx.node import Node, map_aggregate, map_arg
from torchlike.fx.proxy import Proxy
from torchlike.nn import Module

_WHERE = ("\n\nWhile executing {}\nOriginal traceback:\n{}\nUse tlparse to see full graph. "
          "(https://github.com/pytorch/tlparse?tab=readme-ov-file#tlparse-parse-structured-pt2-logs)")


class Interpreter:
    """Runs a Graph Node by Node. Its methods can be overridden, one for each kind of Node.

    Args:
        module: the GraphModule, or a Module that has what the Graph names.
        garbage_collect_values: whether values that nobody needs any more are dropped.
        graph: the Graph; None is that of the module.
    """

    def __init__(self, module: Module, garbage_collect_values: bool = True, graph: Graph | None = None):
        self.module = module
        self.submodules = dict(module.named_modules())
        self.graph: Graph = module.graph if graph is None else graph
        self.env: dict = {}
        self.garbage_collect_values = garbage_collect_values
        self.extra_traceback = True
        self.user_to_last_uses: dict = {}
        seen: set = set()
        for user in reversed(self.graph.nodes):
            for node in user.all_input_nodes:
                if node not in seen:
                    seen.add(node)
                    self.user_to_last_uses.setdefault(user, []).append(node)

    def run(self, *args, initial_env: dict | None = None, enable_io_processing: bool = True):
        """Runs the Graph.

        Args:
            *args: the arguments, by position.
            initial_env: values of Nodes that are known already.
            enable_io_processing: whether `Graph.process_inputs` and `process_outputs` are asked.

        Returns:
            What the Graph returns.
        """
        self.env = {} if initial_env is None else initial_env
        self.args_iter = iter(self.graph.process_inputs(*args) if enable_io_processing else args)
        for node in self.graph.nodes:
            if node in self.env:
                continue
            self.env[node] = self._run(node)
            if node.op == "output":
                output = self.env[node]
                return self.graph.process_outputs(output) if enable_io_processing else output
            if self.garbage_collect_values:
                for unused in self.user_to_last_uses.get(node, ()):
                    del self.env[unused]
        return None

    def _run(self, node):
        try:
            return self.run_node(node)
        except Exception as error:
            if self.extra_traceback:
                text = str(error.args[0]) if error.args else str(error)
                error.args = (text + _WHERE.format(node.format_node(), node.stack_trace), *error.args[1:])
            raise

    def boxed_run(self, args_list: list):
        """`run` with a list of arguments, which is emptied.

        Args:
            args_list: the arguments.

        Returns:
            What the Graph returns.
        """
        args = tuple(args_list)
        args_list.clear()
        return self.run(*args)

    def run_node(self, n: Node):
        """Runs one Node.

        Args:
            n: the Node.

        Returns:
            Its value.
        """
        args, kwargs = self.fetch_args_kwargs_from_env(n)
        return getattr(self, n.op)(n.target, args, kwargs)

    def placeholder(self, target: str, args: tuple, kwargs: dict):
        """The value of a parameter.

        Args:
            target: its name.
            args: its default, if there is one.
            kwargs: none.

        Returns:
            The value.

        Raises:
            RuntimeError: there is none.
        """
        if target.startswith("*"):
            return list(self.args_iter)
        for value in self.args_iter:
            return value
        if args:
            return args[0]
        raise RuntimeError(f"Expected positional argument for parameter {target}, but one was not passed in!")

    def get_attr(self, target: str, args: tuple, kwargs: dict):
        """The value of an attribute.

        Args:
            target: its path.
            args, kwargs: none.

        Returns:
            The value.
        """
        return self.fetch_attr(target)

    def call_function(self, target, args: tuple, kwargs: dict):
        """The result of a function.

        Args:
            target: the function.
            args, kwargs: its arguments.

        Returns:
            The result.
        """
        return target(*args, **kwargs)

    def call_method(self, target: str, args: tuple, kwargs: dict):
        """The result of a method.

        Args:
            target: its name.
            args, kwargs: its arguments, the object first.

        Returns:
            The result.
        """
        return getattr(args[0], target)(*args[1:], **kwargs)

    def call_module(self, target: str, args: tuple, kwargs: dict):
        """The result of a Module.

        Args:
            target: its path.
            args, kwargs: its arguments.

        Returns:
            The result.
        """
        return self.fetch_attr(target)(*args, **kwargs)

    def output(self, target: str, args: tuple, kwargs: dict):
        """What the Graph returns.

        Args:
            target: "output".
            args: the value.
            kwargs: none.

        Returns:
            The value.
        """
        return args[0]

    def fetch_attr(self, target: str):
        """An attribute of the module.

        Args:
            target: its path.

        Returns:
            The value.

        Raises:
            RuntimeError: there is none.
        """
        found: Any = self.module
        path = target.split(".")
        for i, name in enumerate(path):
            if not hasattr(found, name):
                raise RuntimeError(f"Node referenced nonexistent target {'.'.join(path[:i + 1])}")
            found = getattr(found, name)
        return found

    def fetch_args_kwargs_from_env(self, n: Node) -> tuple:
        """The arguments of a Node as values.

        Args:
            n: the Node.

        Returns:
            (args, kwargs).
        """
        return self.map_nodes_to_values(n.args, n), self.map_nodes_to_values(n.kwargs, n)

    def map_nodes_to_values(self, args, n: Node):
        """Values for Nodes.

        Args:
            args: a structure of Nodes.
            n: the Node whose arguments they are.

        Returns:
            The structure of the values.

        Raises:
            RuntimeError: a Node has none yet.
        """
        def value(node):
            if node not in self.env:
                raise RuntimeError(f"Node {n} referenced nonexistent value {node}! Run Graph.lint() to diagnose such issues")
            return self.env[node]

        return map_arg(args, value)


class _Leaves(Tracer):
    """Adds to a Graph; every Module is one Node."""

    def __init__(self, graph, root):
        super().__init__()
        self.graph, self.root = graph, root
        self.tensor_attrs = {}

    def is_leaf_module(self, m, module_qualified_name):
        return True


class Transformer(Interpreter):
    """Makes another Graph by running one on Proxies. Methods that are overridden change what becomes of a Node.

    Args:
        module: the GraphModule.
    """

    def __init__(self, module: GraphModule):
        super().__init__(module)
        self.new_graph = Graph(tracer_cls=module.graph._tracer_cls)
        self.new_graph.set_codegen(module.graph._codegen)
        self.tracer = _Leaves(self.new_graph, module)

    def placeholder(self, target: str, args: tuple, kwargs: dict):
        return Proxy(self.new_graph.placeholder(target, default_value=args[0] if args else ...), self.tracer)

    def get_attr(self, target: str, args: tuple, kwargs: dict):
        return self.tracer.create_proxy("get_attr", target, args, kwargs)

    def call_module(self, target: str, args: tuple, kwargs: dict):
        module = self.fetch_attr(target)
        return self.tracer.call_module(module, module.forward, args, kwargs)

    def call_function(self, target, args: tuple, kwargs: dict):
        return self.tracer.create_proxy("call_function", target, args, kwargs)

    def transform(self) -> GraphModule:
        """Runs.

        Returns:
            A GraphModule of the new Graph.
        """
        result = super().run(enable_io_processing=False)
        self.new_graph.output(map_aggregate(result, lambda a: a.node if isinstance(a, Proxy) else a))
        return GraphModule(self.module, self.new_graph)
