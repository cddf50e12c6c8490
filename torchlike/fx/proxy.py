"""`torch.fx.Proxy`: stands for a value while a program is recorded. https://pytorch.org/docs/stable/fx.html#torch.fx.Proxy"""

import dis
import inspect
import operator
import sys
from typing import Any

from torchlike import overrides
from torchlike._base import device as dev
from torchlike._base import dtypes as dt
from torchlike._base import settings
from torchlike._ops.dispatcher_names import COMPILED_FUNCTIONAL
from torchlike._record import torch_function
from torchlike._record.tensor import Tensor
from torchlike.fx._codegen import magic_methods, reflectable_magic_methods
from torchlike.fx._names import qualified_name
from torchlike.fx.graph import Graph
from torchlike.fx.node import Node, map_aggregate

base_types = (str, int, float, bool, complex, dt.dtype, Tensor, dev.device, settings.memory_format, settings.layout)
_NO_LOOPS = ("Proxy object cannot be iterated. This can be attempted when the Proxy is used in a loop or as a *args or "
             "**kwargs function argument. See the torch.fx docs on pytorch.org for a more detailed explanation of what "
             "types of control flow can be traced, and check out the Proxy docstring for help troubleshooting Proxy "
             "iteration errors")
_NO_LEN = ("'len' is not supported in symbolic tracing by default. If you want this call to be recorded, please call "
           "torch.fx.wrap('len') at module scope")


class TraceError(ValueError):
    """A program depends on values that are not known while it is recorded."""


class TracerBase:
    """Records: what `Tracer` and the Proxies of a finished Graph have in common."""

    graph: Graph
    record_stack_traces = False
    check_mutable_operations = False
    trace_asserts = False
    proxy_buffer_attributes = False
    traced_func_name = "forward"

    def create_node(self, kind: str, target, args: tuple, kwargs: dict, name: str | None = None,
                    type_expr: Any = None) -> Node:
        """Adds a Node to the Graph.

        Args:
            kind, target, args, kwargs, name, type_expr: as for `Graph.create_node`.

        Returns:
            The Node.
        """
        return self.graph.create_node(kind, target, args, kwargs, name, type_expr)

    def proxy(self, node: Node) -> "Proxy":
        """What stands for a Node's value.

        Args:
            node: the Node.

        Returns:
            A `Proxy`.
        """
        return Proxy(node, self)

    def create_proxy(self, kind: str, target, args: tuple, kwargs: dict, name: str | None = None, type_expr: Any = None,
                     proxy_factory_fn=None) -> "Proxy":
        """Adds a Node whose arguments may have Proxies.

        Args:
            kind, target, args, kwargs, name, type_expr: as for `Graph.create_node`.
            proxy_factory_fn: makes the result of the Node; None is `proxy`.

        Returns:
            What stands for its value.
        """
        node = self.create_node(kind, target, self.create_arg(args), self.create_arg(kwargs), name, type_expr)
        return (proxy_factory_fn or self.proxy)(node)

    def create_arg(self, a):
        """A value as an argument of a Node.

        Args:
            a: Proxies, numbers, texts, Tensors, and tuples, lists, dicts and slices of them.

        Returns:
            The same with Nodes for Proxies.

        Raises:
            RuntimeError: a key of a dict is a Proxy.
            NotImplementedError: it is of another type.
        """
        if isinstance(a, Proxy):
            return a.node
        if hasattr(a, "__fx_create_arg__"):
            return a.__fx_create_arg__(self)
        if isinstance(a, tuple) and hasattr(a, "_fields"):
            return type(a)(*map(self.create_arg, a))
        if isinstance(a, tuple | list):
            return type(a)([self.create_arg(each) for each in a])
        if isinstance(a, dict):
            return {self._key(key): self.create_arg(each) for key, each in a.items()}
        if isinstance(a, slice):
            return slice(*map(self.create_arg, (a.start, a.stop, a.step)))
        if isinstance(a, range):
            return range(*map(self.create_arg, (a.start, a.stop, a.step)))
        if a is None or a is ... or isinstance(a, (Node, *base_types)):
            return a
        raise NotImplementedError(f"argument of type: {type(a)}")

    def _key(self, key):
        made = self.create_arg(key)
        if isinstance(made, Node):
            raise RuntimeError(f"Keys for dictionaries used as an argument cannot contain a Node. Got key: {made}")
        return made

    def to_bool(self, obj: "Proxy") -> bool:
        """What ``bool(proxy)`` is. To be overridden.

        Args:
            obj: the Proxy.

        Returns:
            a bool.

        Raises:
            TraceError: always.
        """
        raise TraceError("symbolically traced variables cannot be used as inputs to control flow")

    def iter(self, obj: "Proxy"):
        """What ``iter(proxy)`` is. To be overridden.

        Args:
            obj: the Proxy.

        Returns:
            an iterator.

        Raises:
            TraceError: always.
        """
        raise TraceError(_NO_LOOPS)

    def keys(self, obj: "Proxy"):
        """What ``proxy.keys()`` is. To be overridden.

        Args:
            obj: the Proxy.

        Returns:
            a Proxy.
        """
        return Attribute(obj, "keys")()


class Scope:
    """Of which Module's ``forward`` Nodes are recorded.

    Args:
        module_path: its path, with dots.
        module_type: its class; None outside of all.
    """

    def __init__(self, module_path: str, module_type: Any):
        self.module_path, self.module_type = module_path, module_type


class ScopeContextManager:
    """``with``: a `Scope` is that of another Module; it changes when this is made.

    Args:
        scope: the Scope.
        current_scope: what it becomes.
    """

    def __init__(self, scope: Scope, current_scope: Scope):
        self._scope, self._before = scope, (scope.module_path, scope.module_type)
        scope.module_path, scope.module_type = current_scope.module_path, current_scope.module_type

    def __enter__(self) -> Scope:
        return self._scope

    def __exit__(self, *exception) -> None:
        self._scope.module_path, self._scope.module_type = self._before


class GraphAppendingTracer(TracerBase):
    """Adds to a Graph that exists.

    Args:
        graph: the Graph.
    """

    def __init__(self, graph: Graph):
        self.graph = graph


class Proxy:
    """Stands for a value: operators, methods, attributes and PyTorch's functions of it are recorded as Nodes.

    Args:
        node: the Node whose value it is.
        tracer: what records; None adds to the Node's Graph.
    """

    def __init__(self, node: Node, tracer: TracerBase | None = None):
        torch_function.met(type(self))
        self.tracer = GraphAppendingTracer(node.graph) if tracer is None else tracer
        self.node = node

    def __repr__(self):
        return f"Proxy({self.node.name})"

    def __getattr__(self, name):
        return Attribute(self, name)

    def __deepcopy__(self, memo):
        return type(self)(self.node, self.tracer)

    def __getstate__(self):
        return self.__dict__

    def __setstate__(self, state):
        self.__dict__.update(state)

    def __call__(self, *args, **kwargs):
        return self.tracer.create_proxy("call_method", "__call__", (self, *args), kwargs)

    def __iter__(self):
        frame = sys._getframe(1)
        for instruction in dis.get_instructions(frame.f_code):
            if instruction.offset == frame.f_lasti and instruction.opname == "UNPACK_SEQUENCE":
                return (self[i] for i in range(instruction.argval))
        return self.tracer.iter(self)

    def __abs__(self):
        return self.tracer.create_proxy("call_function", operator.abs, (self,), {})

    def __bool__(self):
        return self.tracer.to_bool(self)

    def __len__(self):
        raise RuntimeError(_NO_LEN)

    __hash__ = object.__hash__

    def keys(self):
        """What the Tracer makes of ``keys()``."""
        return self.tracer.keys(self)

    @classmethod
    def __torch_function__(cls, orig_method, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        found: list = []
        map_aggregate((args, kwargs), lambda a: found.append(a) if isinstance(a, Proxy) else None)
        tracer = found[0].tracer
        if overrides.is_tensor_method_or_property(orig_method):
            return tracer.create_proxy("call_method", orig_method.__name__, args, kwargs)
        return tracer.create_proxy("call_function", orig_method, *_as_python_passes(orig_method, args, kwargs))


def _as_python_passes(function, args, kwargs) -> tuple:
    """The arguments as PyTorch's functions of nn.functional that are written in Python pass them on: those with defaults by
    keyword, all of them."""
    name = qualified_name(function)
    if not name.startswith("torch.nn.functional.") or name.rpartition(".")[2] in COMPILED_FUNCTIONAL:
        return args, kwargs
    parameters = inspect.signature(function).parameters
    given = inspect.signature(function).bind(*args, **kwargs)
    given.apply_defaults()
    values = given.arguments
    required = [key for key, each in parameters.items() if each.default is each.empty]
    return tuple(values.pop(key) for key in required), dict(values)


class Attribute(Proxy):
    """An attribute of a Proxy: a Node if its value is used, the name of a method if it is called.

    Args:
        root: the Proxy.
        attr: the name of the attribute.
    """

    def __init__(self, root: Proxy, attr: str):
        self.root, self.attr, self.tracer = root, attr, root.tracer
        self._node: Node | None = None

    @property
    def node(self) -> Node:
        """The Node that looks the attribute up, made when it is asked for."""
        if self._node is None:
            self._node = self.tracer.create_proxy("call_function", getattr, (self.root, self.attr), {}).node
        return self._node

    @node.setter
    def node(self, node) -> None:
        self._node = node

    def __call__(self, *args, **kwargs):
        return self.tracer.create_proxy("call_method", self.attr, (self.root, *args), kwargs)


class ParameterProxy(Proxy):
    """Stands for a Parameter whose shape is known.

    Args:
        tracer, node: as for `Proxy`.
        name: the path of the Parameter.
        param: the Parameter.
    """

    def __init__(self, tracer: TracerBase, node: Node, name: str, param):
        super().__init__(node, tracer)
        self.param, self.name = param, name

    def __repr__(self):
        return f"ParameterProxy({self.name})"

    @property
    def shape(self):
        """The Parameter's shape."""
        return self.param.shape

    def size(self, *args):
        """The Parameter's shape, or its size in one dimension.

        Args:
            *args: the dimension.

        Returns:
            A `Size` or an int.
        """
        return self.param.size(*args)

    def dim(self) -> int:
        """How many dimensions the Parameter has."""
        return self.param.ndim

    @property
    def ndim(self) -> int:
        """How many dimensions the Parameter has."""
        return self.param.ndim

    def numel(self) -> int:
        """How many elements the Parameter has."""
        return self.param.numel()


def _give_operators() -> None:
    """Python's operators, which record."""
    def forward(target):
        def method(self, *args):
            return self.tracer.create_proxy("call_function", target, (self, *args), {})
        return method

    def reflected(target):
        def method(self, other):
            return self.tracer.create_proxy("call_function", target, (other, self), {})
        return method

    for name in magic_methods:
        target = getattr(operator, name, None)
        if target is not None:
            setattr(Proxy, f"__{name.strip('_')}__", forward(target))
            if name in reflectable_magic_methods and name != "getitem":
                setattr(Proxy, f"__r{name.strip('_')}__", reflected(target))


_give_operators()
