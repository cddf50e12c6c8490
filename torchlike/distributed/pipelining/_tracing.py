"""Recording a module for inputs of one size: whatever its code asks of a tensor but its values is answered.

Each Node is computed for example inputs when it is recorded, so a Proxy knows shape, dtype and how many results there are,
and what is no tensor is a constant of the Graph. Nothing of it is run, since nobody reads the values.
"""

import threading
from collections.abc import Callable
from enum import Enum
from operator import attrgetter, getitem
from typing import Any

from torchlike._record.tensor import Tensor
from torchlike.autograd.grad_mode import no_grad
from torchlike.fx import Graph, Node, Proxy, Tracer
from torchlike.fx.node import map_arg
from torchlike.nn.modules.module import Module
from torchlike.random import fork_rng
from torchlike.utils._pytree import tree_leaves, tree_map_only


class SplitPoint(Enum):
    """Where a module is divided: before one of its parts, or behind it.
    https://pytorch.org/docs/stable/distributed.pipelining.html#torch.distributed.pipelining.SplitPoint
    """

    BEGINNING = 1
    END = 2


class _Tracing(threading.local):
    """The tracer that records in this thread, if there is one."""

    tracer: Any = None


_tracing = _Tracing()


def pipe_split() -> None:
    """A place, in the code of a module, where `pipeline` divides it. Otherwise it does nothing.
    https://pytorch.org/docs/stable/distributed.pipelining.html#torch.distributed.pipelining.pipe_split
    """
    if _tracing.tracer is not None:
        _tracing.tracer.create_node("call_function", pipe_split, (), {})


def _has_tensors(value) -> bool:
    return any(isinstance(x, Tensor) for x in tree_leaves(value))


class _Known(Proxy):
    """A Proxy whose value for the example inputs is known."""

    @property
    def _value(self):
        return self.tracer.values.get(self.node)

    def __getattr__(self, name):
        found = getattr(self._value, name, None)
        if found is None or callable(found) or _has_tensors(found):
            return super().__getattr__(name)
        return found  # a shape, a dtype: no value of an element

    def __iter__(self):
        return iter([self[i] for i in range(len(self))])

    def __len__(self):
        return len(self._value)

    __hash__ = object.__hash__


class SplitTracer(Tracer):
    """Records a module with marks.

    Args:
        spec: path of a part -> `SplitPoint`.
        examples: the inputs by name.
        constants: the parameters that are not given, with their defaults.
    """

    proxy_buffer_attributes = True

    def __init__(self, spec: dict[str, SplitPoint], examples: dict[str, Any], constants: dict[str, Any]):
        super().__init__(autowrap_modules=())  # what `math` is given are numbers
        self._spec, self._examples, self._constants, self._is_computing = spec, examples, constants, False
        self.values: dict[Node, Any] = {}

    def record(self, module: Module) -> Graph:
        """The Graph of a module; its buffers and the random numbers stay as they are.

        Args:
            module: the module.

        Returns:
            the Graph.
        """
        before, _tracing.tracer = _tracing.tracer, self
        kept = [(x, x.clone()) for x in module.buffers()]
        try:
            with fork_rng():
                return self.trace(module)
        finally:
            _tracing.tracer = before
            self.values = {}
            with no_grad():
                for x, old in kept:
                    x.copy_(old)

    def is_leaf_module(self, m: Module, module_qualified_name: str) -> bool:
        """PyTorch's own modules are recorded as one call, unless they are to be divided themselves.

        Args:
            m: the module.
            module_qualified_name: its path.

        Returns:
            whether it is.
        """
        is_divided = any(path.startswith(module_qualified_name + ".") for path in self._spec)
        return not is_divided and super().is_leaf_module(m, module_qualified_name)

    def call_module(self, m: Module, forward: Callable, args: tuple, kwargs: dict):
        """Record the call of a part, with its marks.

        Args:
            m, forward, args, kwargs: as for `Tracer.call_module`.

        Returns:
            what stands for its result.
        """
        if self._is_computing:
            return forward(*args, **kwargs)
        where = self._spec.get(self.path_of_module(m))
        if where is SplitPoint.BEGINNING:
            pipe_split()
        found = super().call_module(m, forward, args, kwargs)
        if where is SplitPoint.END:
            pipe_split()
        return found

    def getattr(self, attr: str, attr_val: Any, parameter_proxy_cache: dict):
        """What an attribute of a module gives.

        Args:
            attr, attr_val, parameter_proxy_cache: as for `Tracer.getattr`.

        Returns:
            a Proxy, or the value.
        """
        return attr_val if self._is_computing else super().getattr(attr, attr_val, parameter_proxy_cache)

    def proxy(self, node: Node) -> Proxy:
        """What stands for a Node's value.

        Args:
            node: the Node.

        Returns:
            a Proxy that knows the value for the example inputs.
        """
        return _Known(node, self)

    def create_proxy(self, kind: str, target, args: tuple, kwargs: dict, name: str | None = None, type_expr: Any = None,
                     proxy_factory_fn=None) -> Any:
        """Adds a Node, and computes it for the example inputs.

        Args:
            kind, target, args, kwargs, name, type_expr, proxy_factory_fn: as for `Tracer.create_proxy`.

        Returns:
            what stands for its value; the value itself if it is no tensor.
        """
        if kind == "placeholder" and target in self._constants:
            return self._constants[target]
        made = super().create_proxy(kind, target, args, kwargs, name, type_expr, proxy_factory_fn)
        value = self.values[made.node] = self._computed(made.node)
        is_fact = value is not None or target in (getitem, getattr)
        if kind in ("call_function", "call_method") and is_fact and not _has_tensors(value):
            self.graph.erase_node(made.node)
            return value
        return made

    def _computed(self, node: Node):
        if node.op == "placeholder":
            name = str(node.target)
            nothing: Any = {0: None, 1: (), 2: {}}[name.count("*")]
            example = self._examples.get(name.lstrip("*"), nothing)
            return tree_map_only(Tensor, lambda x: x.detach().clone().requires_grad_(x.requires_grad), example)
        before, self._is_computing = self._is_computing, True
        try:
            if node.op == "get_attr":
                return attrgetter(node.target)(self.root)
            args, kwargs = map_arg((node.args, node.kwargs), self._value_of)
            if node.op == "call_method":
                return getattr(args[0], node.target)(*args[1:], **kwargs)
            function: Any = self.root.get_submodule(node.target) if node.op == "call_module" else node.target
            return function(*args, **kwargs)
        finally:
            self._is_computing = before

    def _value_of(self, node: Node):
        if node not in self.values:  # a tensor that the code uses as it is
            self.values[node] = self._computed(node)
        return self.values[node]
