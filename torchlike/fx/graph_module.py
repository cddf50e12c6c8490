"""`torch.fx.GraphModule`: a Module whose ``forward`` is a Graph. https://pytorch.org/docs/stable/fx.html#torch.fx.GraphModule"""

import copy
from typing import Any

from torchlike._base.errors import UnsupportedError
from torchlike._record.parameter import Parameter
from torchlike._record.tensor import Tensor
from torchlike.fx._code_generators import _PyTreeCodeGen
from torchlike.fx._codegen import PythonCode
from torchlike.fx.graph import Graph
from torchlike.nn import Module

_USER_PRESERVED_ATTRIBUTES_KEY = "_user_preserved_attributes"  # of `meta`: attributes that a copy keeps


class _CodeOnlyModule(Module):
    """What a copy of a GraphModule is made from: the attributes alone."""

    def __init__(self, body: dict):
        super().__init__()
        self.__dict__ = body


class GraphModule(Module):
    """A Module whose ``forward`` is made from a Graph. It has those submodules and attributes that the Graph names.

    Args:
        root: where they are from: a Module, or a dict from paths to values.
        graph: the Graph.
        class_name: the name of the class, as it is printed.

    Raises:
        RuntimeError: `root` is neither, or lacks something.

    Shape: that of the Graph.
    """

    def __new__(cls, *args, **kwargs):
        base: Any = next(each for each in cls.__mro__ if "<locals>" not in each.__qualname__)

        class GraphModuleImpl(base):  # each instance has its own ``forward``
            __doc__ = cls.__doc__

        return super().__new__(GraphModuleImpl)

    def __init__(self, root: Module | dict, graph: Graph, class_name: str = "GraphModule"):
        type(self).__name__ = class_name
        super().__init__()
        targets = [node for node in graph.nodes if node.op in ("get_attr", "call_module")]
        if isinstance(root, Module):
            self.training = root.training
            for node in targets:
                _copy_attr(root, self, node.target)
        elif isinstance(root, dict):
            self._take(root, targets)
        else:
            raise RuntimeError(f"Unsupported type {root} passed for root!")
        self._tracer_cls = graph._tracer_cls
        meta = getattr(root, "meta", None)
        self.meta: dict = dict(meta) if isinstance(meta, dict) else {}
        self.graph = graph

    def _take(self, root, targets) -> None:
        for node in targets:
            if node.target not in root:
                raise RuntimeError(f"Node {node} referenced target {node.target} but that target was not provided in "
                                   "``root``!")
        for target in sorted({node.target for node in targets}, key=lambda path: path.count(".")):
            _assign_attr(root[target], self, target)

    @property
    def graph(self) -> Graph:
        """The Graph. Another one can be assigned; after a change of this one call `recompile`."""
        return self._graph

    @graph.setter
    def graph(self, g: Graph) -> None:
        if not isinstance(g, Graph):
            raise AssertionError(f"Expected a Graph instance, but got {type(g)}")
        self._graph = g
        g.owning_module = self
        self.recompile()

    @property
    def code(self) -> str:
        """The text of ``forward``."""
        return self._code

    def recompile(self) -> PythonCode:
        """Makes ``forward`` anew from the Graph.

        Returns:
            What it was made from.
        """
        generator = self._graph._codegen
        if isinstance(generator, _PyTreeCodeGen):
            self._in_spec, self._out_spec = generator.pytree_info.in_spec, generator.pytree_info.out_spec
        made = self._graph.python_code("self")
        self._code = made.src
        names = dict(made.globals)
        exec(compile(made.src, "<torch.fx>", "exec", dont_inherit=True), names)  # noqa: S102 - text of our own
        type(self).forward = names[generator._func_name]
        return made

    def to_folder(self, folder, module_name: str = "FxModule") -> None:
        """Refused: use `torch.save`.

        Args:
            folder, module_name: without effect.

        Raises:
            UnsupportedError: always.
        """
        raise UnsupportedError("GraphModule.to_folder: use torch.save")

    def print_readable(self, print_output: bool = True, include_stride: bool = False, include_device: bool = False,
                       colored: bool = False, **options: Any) -> str:
        """The GraphModule as the text of a class.

        Args:
            print_output: whether it is printed as well.
            include_stride, include_device, colored, options: without effect.

        Returns:
            The text.
        """
        lines = self._code.strip("\n").rstrip(" ").split("\n")
        start = next(i for i, line in enumerate(lines) if line.startswith("def forward"))
        lines.insert(start + 1, "    # No stacktrace found for following nodes")
        text = f"class {type(self).__name__}(torch.nn.Module):\n" + "\n".join(f"    {line}".rstrip() for line in lines)
        for child in self.children():
            if isinstance(child, GraphModule):
                text += "\n" + "\n".join(f"    {line}" for line in child.print_readable(False).split("\n"))
        if print_output:
            print(text)
        return text

    def __str__(self):
        return f"{super().__str__()}\n{self._code}\n# To see more debug info, please use `graph_module.print_readable()`"

    # -- submodules

    def add_submodule(self, target: str, m: Module) -> bool:
        """Adds a submodule.

        Args:
            target: its path; Modules in between are made.
            m: the Module.

        Returns:
            False if something else is in the way.
        """
        *between, last = target.split(".")
        found: Module = self
        for name in between:
            child = getattr(found, name, None)
            if child is None:
                child = Module()
                setattr(found, name, child)
            elif not isinstance(child, Module):
                return False
            found = child
        found.add_module(last, m)
        return True

    def delete_submodule(self, target: str) -> bool:
        """Removes a submodule.

        Args:
            target: its path.

        Returns:
            Whether there was one.
        """
        *between, last = target.split(".")
        found: Any = self
        for name in between:
            found = getattr(found, name, None)
        if not isinstance(found, Module) or not isinstance(getattr(found, last, None), Module):
            return False
        delattr(found, last)
        return True

    def delete_all_unused_submodules(self) -> None:
        """Removes the submodules that the Graph does not name."""
        used: set = set()
        for node in self._graph.nodes:
            if node.op in ("call_module", "get_attr"):
                parts = node.target.split(".")
                used.update(".".join(parts[:i]) for i in range(1, len(parts) + 1))
                if node.op == "call_module":
                    inside = self.get_submodule(node.target).named_modules()
                    used.update(f"{node.target}.{name}" for name, _ in inside if name)
        for name in [name for name, _ in self.named_modules() if name and name not in used]:
            self.delete_submodule(name)

    # -- copies

    def __copy__(self):
        made = GraphModule(self, self.graph)
        made.meta = self.meta
        return made

    def __deepcopy__(self, memo):
        root = _CodeOnlyModule(copy.deepcopy({**self.__dict__, "_graph": None}, memo))
        made = GraphModule(root, copy.deepcopy(self._graph))
        for name, value in root.__dict__.items():
            if name not in made.__dict__:
                made.__dict__[name] = value
        memo[id(self)] = made
        return made

    def __reduce_ex__(self, protocol):
        state = {name: value for name, value in self.__dict__.items() if name not in ("_graph", "_code")}
        return _again, (state, self._graph, type(self).__name__)


def _again(state: dict, graph: Graph, name: str) -> GraphModule:
    """A GraphModule out of its pickle."""
    root = _CodeOnlyModule(state)
    made = GraphModule(root, graph, name)
    made.__dict__.update({key: value for key, value in state.items() if key not in made.__dict__})
    return made


def _parent(module, path: list) -> Module:
    """The Module at a path, made where there is none."""
    for name in path:
        found = getattr(module, name, None)
        if found is None:
            found = Module()
            setattr(module, name, found)
        module = found
    return module


def _copy_attr(source, destination, target: str) -> None:
    """An attribute of one Module for another one."""
    *between, last = target.split(".")
    found = source
    for name in between:
        found = getattr(found, name)
    value = getattr(found, last)
    place = _parent(destination, between)
    if place is not found:
        _assign_attr(value, place, last)


def _assign_attr(value, module, target: str) -> None:
    *between, last = target.split(".")
    place = _parent(module, between)
    if isinstance(value, Tensor) and not isinstance(value, Parameter):
        place.register_buffer(last, value)
    else:
        setattr(place, last, value)
