"""`torch.fx.experimental.proxy_tensor`: functions of tensors as Graphs of operators of PyTorch's dispatcher.

https://pytorch.org/docs/stable/fx.experimental.html

The function runs, on the tensors that are given, in a mode that writes down each operator. What depends on values is
refused.
"""

import contextlib
import functools
import gc
import inspect
import operator

from torchlike import ops
from torchlike._base.errors import UnsupportedError
from torchlike._modes.torch_dispatch import ModeHandler
from torchlike._record.dispatch import removed
from torchlike._record.parameter import Parameter
from torchlike._record.tensor import Tensor
from torchlike._record.trace import state
from torchlike.fx._symbolic_trace import PH, Tracer
from torchlike.fx.graph import Graph
from torchlike.fx.graph_module import GraphModule
from torchlike.fx.passes.shape_prop import metadata_of
from torchlike.fx.proxy import Proxy
from torchlike.nn import Module
from torchlike.utils import _pytree
from torchlike.utils._python_dispatch import TorchDispatchMode

_MODES = ("real", "fake", "symbolic")
_VALUES = ("It appears that you're trying to get value out of a tracing tensor with {} - erroring out! It's likely that "
           "this is caused by data-dependent control flow or similar.  It may be possible to trace this with dynamic "
           "shapes; try setting tracing_mode='symbolic' in your make_fx call.")
_UNSEEN = "torch.fx.experimental.proxy_tensor.make_fx of what is not composed of PyTorch's operators here: {}"


class PythonKeyTracer(Tracer):
    """Records operators; Parameters and other tensors that the function brings along become attributes."""

    def __init__(self):
        super().__init__(autowrap_modules=())
        self.root = Module()
        self.graph = Graph(tracer_cls=PythonKeyTracer)

    def create_arg(self, a):
        if isinstance(a, Parameter) and not any(a is parameter for parameter in self.root.parameters()):
            setattr(self.root, self.get_fresh_qualname("_param_constant"), a)
        made = super().create_arg(tuple(a) if _pytree.is_structseq(a) else a)
        if isinstance(a, Tensor):
            made.meta["val"] = _like(a)
        return made


class ProxyTorchDispatchMode(TorchDispatchMode):
    """Writes each operator of its block into a Graph.

    Args:
        tracer: has the Graph.
        decomposition_table: overload -> a function of others that is called instead.
    """

    def __init__(self, tracer: PythonKeyTracer, decomposition_table: dict):
        super().__init__()
        self.tracer, self.decomposition_table = tracer, decomposition_table
        self._known: dict = {}  # id of a tensor, or of its cell -> (that, its Proxy)
        self._before = {id(x): x for x in gc.get_objects() if issubclass(type(x), Tensor)}

    def track(self, value, proxy: Proxy) -> None:
        """Says which Node a value is of.

        Args:
            value: a tensor, a tuple or list of tensors, or something else.
            proxy: the Node's Proxy.
        """
        if isinstance(value, Tensor):
            for each in (value._cell, value):
                self._known[id(each)] = each, proxy
            proxy.node.meta.update(val=_like(value), tensor_meta=metadata_of(value))
        elif isinstance(value, tuple | list):
            for i, each in enumerate(value):
                self.track(each, self.tracer.create_proxy("call_function", operator.getitem, (proxy, i), {}))

    def known(self, x: Tensor):
        """The Proxy of a tensor, or the tensor itself if it comes from elsewhere.

        Args:
            x: the tensor.

        Returns:
            the one or the other.

        Raises:
            UnsupportedError: it is the result of what is not written down.
        """
        found = self._known.get(id(x)) or self._known.get(id(x._cell))
        if found is None and id(x) not in self._before:
            raise UnsupportedError(_UNSEEN.format("a tensor comes from torch.func, vmap, numpy or the like"))
        return x if found is None else found[1]

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        """Writes an operator down.

        Args:
            func, types, args, kwargs: as for `TorchDispatchMode`.

        Returns:
            What it returns.

        Raises:
            RuntimeError: it makes a number of a tensor's value.
            UnsupportedError: PyTorch has no such operator.
        """
        kwargs = kwargs or {}
        if func in self.decomposition_table:
            with self:
                return self.decomposition_table[func](*args, **kwargs)
        if not isinstance(func, ops.OpOverload):
            raise UnsupportedError(_UNSEEN.format(f"{func} is a gradient that is computed as a whole"))
        if str(func) == "aten.lift_fresh.default":
            func = ops.aten.lift_fresh_copy.default
            self._before.update((id(x), x) for x in args)
        given, named = _pytree.tree_map_only(Tensor, self.known, (args, kwargs))
        if str(func) == "aten._local_scalar_dense.default" and isinstance(given[0], Proxy):
            raise RuntimeError(_VALUES.format(func))
        proxy = self.tracer.create_proxy("call_function", func, given, named, name=func.overloadpacket.__name__)
        result = func(*args, **kwargs)
        self.track(result, proxy)
        return result


def make_fx(f, decomposition_table: dict | None = None, tracing_mode: str = "real", _allow_non_fake_inputs: bool = False, *,
            pre_dispatch: bool = False, record_module_stack: bool = False, _allow_fake_constant: bool = False,
            _error_on_data_dependent_ops: bool = True, record_stack_traces: bool = False, proxy_module_inputs: bool = False,
            _disable_torch_fn_metadata_mode: bool = False):
    """Makes a function that gives the Graph of what `f` computes, of operators such as ``torch.ops.aten.mm.default``, those
    of a backward pass among them.
    https://pytorch.org/docs/stable/fx.experimental.html

    Args:
        f: the function.
        decomposition_table: overload -> a function of others that is traced instead.
        tracing_mode: "real": `f` runs on the tensors that are given; "fake": on copies of them.
        pre_dispatch: True is refused.
        record_module_stack, record_stack_traces, proxy_module_inputs: without effect.

    Returns:
        a function of the arguments of `f`, by position, that gives a GraphModule.

    Raises:
        AssertionError: another `tracing_mode`.
        UnsupportedError: "symbolic": each size is a number here.
    """
    if tracing_mode not in _MODES:
        raise AssertionError(f"tracing_mode must be real/fake/symbolic, got {tracing_mode}")
    if tracing_mode == "symbolic" or pre_dispatch:
        what = "pre_dispatch=True" if pre_dispatch else "tracing_mode='symbolic'"
        raise UnsupportedError(f"torch.fx.experimental.proxy_tensor.make_fx with {what} is not supported: sizes are "
                               "numbers, and operators are seen below autograd")

    @functools.wraps(f)
    def traced(*args):
        given = _pytree.tree_map_only(Tensor, _copied, args) if tracing_mode == "fake" else args
        return _traced(f, decomposition_table or {}, given)

    return traced


def _traced(f, table, args) -> GraphModule:
    tracer = PythonKeyTracer()
    mode = ProxyTorchDispatchMode(tracer, table)
    named = f if _has_names(f) else _with_names(f, len(args))

    @functools.wraps(named)
    def run(*proxies):
        for value, proxy in zip(_pytree.tree_leaves(args), _pytree.tree_leaves(proxies), strict=True):
            if isinstance(value, Tensor):
                mode.track(value, proxy)
        with mode:
            result = named(*args)
        return _pytree.tree_map_only(Tensor, mode.known, result)

    stand_ins = _pytree.tree_map(lambda _: PH, args)
    function, proxies = tracer.create_args_for_root(run, False, stand_ins)
    tracer.create_node("output", "output", (tracer.create_arg(function(*proxies)),), {})
    return GraphModule(tracer.root, tracer.graph, named.__name__)


def _like(x: Tensor) -> Tensor:
    """What a Node's `meta` has of a tensor: one without values."""
    return x.detach().to("meta")


def _copied(x: Tensor) -> Tensor:
    return x.detach().clone().requires_grad_(x.requires_grad)


def _has_names(f) -> bool:
    code = getattr(inspect.unwrap(f), "__code__", None)
    return code is not None and not code.co_flags & inspect.CO_VARARGS


def _with_names(f, count: int):
    """A function of ``arg0``, ``arg1`` and so on that calls `f`."""
    names = ", ".join(f"arg{i}" for i in range(count))
    return eval(f"lambda {names}: f({names})", {"f": f})


# -- the mode of this thread

def get_proxy_mode() -> ProxyTorchDispatchMode | None:
    """The innermost mode of a trace that is being made in this thread, or None."""
    found = _innermost()
    return None if found is None else found.mode


def _innermost() -> ModeHandler | None:
    handlers = [each for each in state.thread.handlers if isinstance(each, ModeHandler)]
    return next((each for each in handlers if isinstance(each.mode, ProxyTorchDispatchMode)), None)


@contextlib.contextmanager
def disable_proxy_modes_tracing():
    """``with``: what is computed is not written down.

    Yields:
        the mode that is asked no more, or None.
    """
    found = _innermost()
    if found is None:
        yield None
        return
    with removed(found):
        yield found.mode
