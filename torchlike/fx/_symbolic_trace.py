"""`symbolic_trace` and `Tracer`: a function or Module as a Graph, recorded by calling it with Proxies.

https://pytorch.org/docs/stable/fx.html#torch.fx.Tracer
"""

import collections
import functools
import inspect
import itertools
import logging
import math
import threading
import types
import warnings
from collections.abc import Callable
from typing import Any

from torchlike._record.parameter import Parameter
from torchlike._record.tensor import Tensor
from torchlike.fx._code_generators import _PyTreeCodeGen, _PyTreeInfo
from torchlike.fx._names import torch_package
from torchlike.fx._patches import Patches, by_position, functions_of, tracing
from torchlike.fx._patches import wrap as wrap
from torchlike.fx.graph import Graph
from torchlike.fx.graph_module import GraphModule
from torchlike.fx.proxy import ParameterProxy, TracerBase
from torchlike.nn import Module, Sequential
from torchlike.utils import _pytree

_log = logging.getLogger(__name__)
_OWN_MODULES = ("torch.nn", "torchlike.nn", "torch.ao.nn")


class _Recording(threading.local):
    """``with``: a program is recorded in this thread."""

    depth = 0

    def __enter__(self):
        self.depth += 1

    def __exit__(self, *exception):
        self.depth -= 1


_recording = _Recording()


def is_fx_symbolic_tracing() -> bool:
    """Whether a program is being recorded in this thread."""
    return _recording.depth > 0


@functools.cache
def _warn_of_is_fx_tracing() -> None:
    _log.warning("is_fx_tracing will return true for both fx.symbolic_trace and torch.export. Please use "
                 "is_fx_tracing_symbolic_tracing() for specifically fx.symbolic_trace or torch.compiler.is_compiling() for "
                 "specifically torch.export/compile.")


def is_fx_tracing() -> bool:
    """Whether a program is being recorded in this thread. It logs that there is `is_fx_symbolic_tracing`, once a process."""
    _warn_of_is_fx_tracing()
    return is_fx_symbolic_tracing()


class PHBase:
    """Stands in `concrete_args` for a value that is not given."""

    def __repr__(self):
        return "PH"


PH = PHBase()


def _assert_is_none(value, msg) -> None:
    assert value is None, msg


class Tracer(TracerBase):
    """Records a function or Module by calling it with Proxies. To be subclassed.

    Args:
        autowrap_modules: modules whose functions are recorded whole, as by `wrap`.
        autowrap_functions: functions that are.
        param_shapes_constant: whether shapes of Parameters are numbers instead of Nodes.
    """

    def __init__(self, autowrap_modules: tuple = (math,), autowrap_functions: tuple = (),
                 param_shapes_constant: bool = False):
        self._whole = functions_of(autowrap_modules, autowrap_functions)
        self._modules_with_whole = tuple(autowrap_modules)
        self.param_shapes_constant = param_shapes_constant
        self.module_stack: dict = collections.OrderedDict()
        self.submodule_paths: dict | None = None
        self.tensor_attrs: dict = {}

    # -- to be overridden

    def is_leaf_module(self, m: Module, module_qualified_name: str) -> bool:
        """Whether a Module is one Node, and what is inside is not recorded: PyTorch's own Modules but Sequential are.

        Args:
            m: the Module.
            module_qualified_name: its path.

        Returns:
            a bool.
        """
        module = type(m).__module__
        own = any(module == name or module.startswith(name + ".") for name in _OWN_MODULES)
        return own and not isinstance(m, Sequential)

    def call_module(self, m: Module, forward: Callable, args: tuple, kwargs: dict):
        """What the call of a Module gives: a Proxy of one Node, or what its ``forward`` gives.

        Args:
            m: the Module.
            forward: calls it.
            args, kwargs: the arguments.

        Returns:
            a Proxy, or what `forward` returns.
        """
        path = self.path_of_module(m)
        key = path if path not in self.module_stack else f"{path}@{len(self.module_stack)}"
        self.module_stack[key] = (path, type(m))
        try:
            if not self.is_leaf_module(m, path):
                return forward(*args, **kwargs)
            return self.create_proxy("call_module", path, args, kwargs)
        finally:
            del self.module_stack[key]

    def getattr(self, attr: str, attr_val: Any, parameter_proxy_cache: dict):
        """What an attribute of a Module gives: a Proxy for a Parameter.

        Args:
            attr: its name.
            attr_val: its value.
            parameter_proxy_cache: the Proxies so far, by paths.

        Returns:
            a Proxy, or the value.
        """
        if isinstance(attr_val, Parameter):
            return self._attribute_proxy(attr_val, self.root.named_parameters(), parameter_proxy_cache)
        if self.proxy_buffer_attributes and isinstance(attr_val, Tensor):
            return self._attribute_proxy(attr_val, self.root.named_buffers(), parameter_proxy_cache)
        return attr_val

    def _attribute_proxy(self, value, named, known):
        name = next((name for name, tensor in named if tensor is value), None)
        if name is None:
            return value
        if name not in known:
            shaped = self.param_shapes_constant and isinstance(value, Parameter)
            known[name] = self.create_proxy("get_attr", name, (), {}, proxy_factory_fn=(
                lambda node: ParameterProxy(self, node, name, value)) if shaped else None)
        return known[name]

    # -- recording

    def create_node(self, kind, target, args, kwargs, name=None, type_expr=None):
        node = super().create_node(kind, target, args, kwargs, name, type_expr)
        if self.module_stack:
            node.meta["nn_module_stack"] = self.module_stack.copy()
        return node

    def create_arg(self, a):
        if isinstance(a, Parameter):
            for name, parameter in self.root.named_parameters():
                if a is parameter:
                    return self.create_node("get_attr", name, (), {})
            raise NameError("parameter is not a member of this module")
        if isinstance(a, Tensor):
            for name, buffer in self.root.named_buffers():
                if a is buffer:
                    return self.create_node("get_attr", name, (), {})
            path = self.tensor_attrs.get(id(a), (None,))[0]
            if path is None:
                path = self.get_fresh_qualname("_tensor_constant")
                self.tensor_attrs[id(a)] = (path, a)
                setattr(self.root, path, a)
            return self.create_node("get_attr", path, (), {})
        if isinstance(a, types.FunctionType | types.BuiltinFunctionType | type):
            return a
        return super().create_arg(a)

    def get_fresh_qualname(self, prefix: str) -> str:
        """A name of an attribute that the root does not have yet.

        Args:
            prefix: how it begins.

        Returns:
            The prefix and a number.
        """
        number = 0
        while hasattr(self.root, f"{prefix}{number}"):
            number += 1
        return f"{prefix}{number}"

    def path_of_module(self, mod: Module) -> str:
        """The path of a Module in the root.

        Args:
            mod: the Module.

        Returns:
            The path, with dots.

        Raises:
            NameError: it is not in the root.
        """
        paths = self.submodule_paths
        found = paths.get(mod) if paths is not None else \
            next((name for name, module in self.root.named_modules() if module is mod), None)
        if found is None:
            raise NameError("module is not installed as a submodule")
        return found

    def trace(self, root: Module | Callable, concrete_args: dict | None = None) -> Graph:
        """Records a function or Module.

        Args:
            root: the function or Module.
            concrete_args: values of some parameters, which then are constants of the program. `PH` in them stands for
                what is none.

        Returns:
            The Graph.

        Raises:
            AssertionError: `root` is another kind of callable.
        """
        is_module = isinstance(root, Module)
        self.root = root if is_module else Module()
        function = getattr(type(root), self.traced_func_name) if is_module else root
        self.submodule_paths = {mod: name for name, mod in self.root.named_modules()} if is_module else None
        if not isinstance(function, types.FunctionType):
            raise AssertionError(f"Expected FunctionType, got {type(function)}")
        self.graph = Graph(tracer_cls=type(self))
        self.tensor_attrs = dict(_tensors_of(self.root)) if is_module else {}
        names = function.__globals__
        function, args = self.create_args_for_root(function, is_module, concrete_args)
        with tracing, _recording, Patches(self._whole) as patches:
            self._patch(patches, names)
            result = function(*args)
            self.create_node("output", "output", (self.create_arg(result),), {},
                             type_expr=function.__annotations__.get("return"))
        self.submodule_paths = None
        return self.graph

    def _patch(self, patches, names) -> None:
        known: dict = {}

        def getting(old):
            return lambda module, attr: self.getattr(attr, old(module, attr), known)

        def calling(old):
            def call(module, *args, **kwargs):
                patches.add_functions(type(module).forward.__globals__)
                return self.call_module(module, lambda *args, **kwargs: old(module, *args, **kwargs), args, kwargs)
            return call

        patches.method(Module, "__getattr__", getting)
        patches.method(Module, "__call__", calling)
        for each in (names, *map(vars, self._modules_with_whole)):
            patches.add_functions(each)

    # -- parameters

    def create_args_for_root(self, root_fn: Callable, is_module: bool, concrete_args: dict | tuple | None = None) -> tuple:
        """The arguments with which a program is recorded.

        Args:
            root_fn: the function.
            is_module: whether its first parameter is the root.
            concrete_args: as for `trace`, or a value for each parameter.

        Returns:
            (a function that takes them all by position, the arguments).

        Raises:
            RuntimeError: a Module's function has no ``self``, or `concrete_args` another number of values.
        """
        analysed: Any = inspect.unwrap(root_fn)
        code = analysed.__code__
        count = code.co_argcount + code.co_kwonlyargcount
        names = iter(code.co_varnames)
        args: list = []
        if is_module:
            if not count:
                raise RuntimeError("``self`` argument cannot be part of *args expansion!")
            next(names)
            args.append(self.root)
        signature = inspect.signature(analysed)
        concrete = self._by_name(code, {} if concrete_args is None else concrete_args, is_module)
        args += [self._proxy_placeholder(next(names), concrete, signature, analysed) for _ in range(count - len(args))]
        marks = (("*", inspect.CO_VARARGS), ("**", inspect.CO_VARKEYWORDS))
        several = [mark for mark, flag in marks if code.co_flags & flag]
        args += [self._proxy_placeholder(mark + next(names), concrete, signature, analysed) for mark in several]
        if several or code.co_kwonlyargcount:
            root_fn = by_position(analysed, len(args))
        leaves, spec = _pytree.tree_flatten(tuple(args))
        if all(child.is_leaf() for child in spec.children()):
            return root_fn, args
        self.graph.set_codegen(_PyTreeCodeGen(_PyTreeInfo(list(code.co_varnames[:count]), spec, None)))
        return self._with_structures(root_fn, spec), leaves

    @staticmethod
    def _by_name(code, concrete_args, is_module) -> dict:
        if isinstance(concrete_args, dict):
            return concrete_args
        names = code.co_varnames[int(is_module):code.co_argcount + code.co_kwonlyargcount]
        if len(names) != len(concrete_args):
            raise RuntimeError(f"Tracing expected {len(names)} arguments but got {len(concrete_args)} concrete arguments")
        return dict(zip(names, concrete_args, strict=True))

    def _with_structures(self, function, spec):
        """A function of leaves that gives leaves."""
        def flat(*leaves):
            made, out_spec = _pytree.tree_flatten(function(*_pytree.tree_unflatten(list(leaves), spec)))
            self.graph._codegen.pytree_info = self.graph._codegen.pytree_info._replace(out_spec=out_spec)
            return made

        return flat

    def _proxy_placeholder(self, name, concrete_args, sig, fn_for_analysis):
        default: Any = ()
        if name in sig.parameters and sig.parameters[name].default is not inspect.Parameter.empty:
            default = (sig.parameters[name].default,)
        if name in concrete_args:
            number = itertools.count(1)
            return _pytree.tree_map(lambda value: self._concrete(name, next(number), value, default), concrete_args[name])
        return self.create_proxy("placeholder", name, default, {}, type_expr=fn_for_analysis.__annotations__.get(name))

    def _concrete(self, name, number, value, default):
        """The value itself; the program checks that it gets the same."""
        made = self.create_proxy("placeholder", f"{name}_{number}", default, {})
        if isinstance(value, PHBase):
            return made
        text = f"{name} has been specialized to have value {value} but got another value"
        if isinstance(value, bool | int | float):
            torch_package()._assert(made == value, text)
        elif value is None:
            self.create_proxy("call_function", _assert_is_none, (made, text), {})
        else:
            warnings.warn(f"Was not able to add assertion to guarantee correct input {name} to specialized function. It is "
                          "up to the user to make sure that your inputs match the inputs you specialized the function with.",
                          stacklevel=5)
        return value


def _tensors_of(module, prefix=""):
    """(id, (path, Tensor)) of the Tensors that are plain attributes of a Module and of those in it."""
    for name, value in vars(module).items():
        if isinstance(value, Tensor):
            yield id(value), (prefix + name, value)
    for name, child in module.named_children():
        yield from _tensors_of(child, f"{prefix}{name}.")


def symbolic_trace(root: Module | Callable, concrete_args: dict | None = None) -> GraphModule:
    """A function or Module as a GraphModule, recorded by calling it with Proxies.
    https://pytorch.org/docs/stable/fx.html#torch.fx.symbolic_trace

    Args:
        root: the function or Module.
        concrete_args: values of some parameters, which then are constants of the program.

    Returns:
        A GraphModule.
    """
    tracer = Tracer()
    graph = tracer.trace(root, concrete_args)
    return GraphModule(tracer.root, graph, type(root).__name__ if isinstance(root, Module) else root.__name__)
