"""The graph and its saved tensors in users' hands.
https://pytorch.org/docs/stable/autograd.html#autograd-graph"""

import contextlib
import functools
import threading

from torchlike import device as dev
from torchlike._lower.kernels import unwrap
from torchlike._storage import counter_of, storage_of
from torchlike._tensor import Tensor
from torchlike._trace.node import Node as Node
from torchlike._trace.node import hooks_of
from torchlike._trace.saved import unpack
from torchlike._trace.trace import state
from torchlike.autograd.edges import GradientEdge as GradientEdge
from torchlike.autograd.edges import get_gradient_edge as get_gradient_edge
from torchlike.autograd.edges import node_for
from torchlike.autograd.engine import running
from torchlike.autograd.function import BackwardCFunction
from torchlike.autograd.handles import MultiHandle, RemovableHandle


class _Disabled(threading.local):
    """Why saved-tensor hooks are refused on this thread, or None."""

    text = None


_disabled = _Disabled()


class saved_tensors_hooks:  # noqa: N801 - PyTorch's name
    """Inside, each saved tensor is replaced by ``pack_hook(tensor)``; ``unpack_hook`` brings it back.

    Only the innermost pair applies.
    https://pytorch.org/docs/stable/autograd.html#torch.autograd.graph.saved_tensors_hooks
    """

    def __init__(self, pack_hook, unpack_hook):
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook

    def __enter__(self):
        if _disabled.text is not None:
            raise RuntimeError(_disabled.text)
        t = state.trace
        t.hooks = (*t.hooks, (self.pack_hook, self.unpack_hook))

    def __exit__(self, *exc):
        t = state.trace
        t.hooks = t.hooks[:-1]


class save_on_cpu(saved_tensors_hooks):  # noqa: N801
    """Inside, saved tensors are kept in the CPU's memory and copied back for backward.
    https://pytorch.org/docs/stable/autograd.html#torch.autograd.graph.save_on_cpu

    ``pin_memory`` changes nothing here: JAX decides how it copies.
    """

    def __init__(self, pin_memory=False, device_type="cuda"):
        super().__init__(_to_cpu, _from_cpu)


def _to_cpu(tensor):
    return tensor.device, tensor.to(dev.CPU)


def _from_cpu(packed):
    device, tensor = packed
    return tensor.to(device)


@contextlib.contextmanager
def disable_saved_tensors_hooks(error_message):
    """Inside, `saved_tensors_hooks` raises a RuntimeError with this text.
    https://pytorch.org/docs/stable/autograd.html#torch.autograd.graph.disable_saved_tensors_hooks"""
    before = _disabled.text
    if state.trace.hooks:
        raise RuntimeError(error_message)
    _disabled.text = error_message
    try:
        yield
    finally:
        _disabled.text = before


def increment_version(tensor) -> None:
    """Count a write to a tensor, or to several, that torchlike could not see.
    https://pytorch.org/docs/stable/generated/torch.autograd.graph.increment_version.html"""
    for x in (tensor,) if isinstance(tensor, Tensor) else tensor:
        if not storage_of(x._cell).inference:
            counter_of(x._cell).version += 1


# -- what a Node keeps, as its attributes

def _saved_attribute(self, name):
    """``grad_fn._saved_self`` and the like: a saved tensor, or an argument of the operation."""
    if name.startswith("_saved_") and not isinstance(self, BackwardCFunction) and _plan_of(self) is not None:
        found = _saved_values(self, name[len("_saved_"):])
        if found:
            return found[0] if len(found) == 1 else tuple(found)
    raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")


def _plan_of(node):
    """The node's plan, without asking for a missing attribute again."""
    try:
        return object.__getattribute__(node, "plan")
    except AttributeError:
        return None


def _saved_values(node, name) -> list:
    plan = node.plan
    row = plan.kernel.row
    if row is None:
        return []
    results = [n or ("result" if len(row.schema.returns) == 1 else f"result{i}")
               for i, n in enumerate(row.schema.returns)]
    places = [*(plan.owner[i] for i in plan.save_ins), *(results[i] for i in plan.save_outs)]
    if name in places:
        tensors = unpack(node)
        return [x for x, place in zip(tensors, places, strict=True) if place == name]
    params = dict(zip(row.params, unwrap(row, plan.kernel.spec[1]), strict=True))
    if name not in params:
        return []
    kind = next(a.type for a in row.schema.args if a.name == name)
    return [(params[name],) if kind.startswith("int[") and isinstance(params[name], int) else params[name]]


Node.__getattr__ = _saved_attribute


# -- one hook on several tensors

def register_multi_grad_hook(tensors, fn, *, mode="all") -> RemovableHandle:
    """Call `fn` once a backward pass has the gradients of all `tensors` that it computes ("all": with a
    list, None for the others), or of the first of them ("any": with that gradient).
    https://pytorch.org/docs/stable/autograd.html#torch.autograd.graph.register_multi_grad_hook
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of {('all', 'any')} but got {mode}")
    if mode == "any":
        wanted = [x for x in tensors if x._edge is not None]
        hook = _Any(fn)
        return MultiHandle([_hook(x, hook) for x in wanted])
    shared = _All(tuple(node_for(x) for x in tensors), fn)
    return MultiHandle([_hook(x, functools.partial(shared, i)) for i, x in enumerate(tensors)])


def _hook(tensor, hook) -> RemovableHandle:
    # A Node with hooks is always walked, never replayed: the hook must know which call it is part of.
    hooks_of(node_for(tensor))
    return tensor.register_hook(hook)


class _All:
    """Collects the gradients of each backward call until the last one that will come."""

    def __init__(self, nodes, fn):
        self.nodes, self.fn = nodes, fn
        self.lock = threading.Lock()
        self.collected: dict = {}

    def __call__(self, i, grad):
        task = running.task
        if task is None:
            raise AssertionError("expected this hook to be called inside a backward call")
        with self.lock:
            found = self.collected.get(task.number)
            if found is None:
                expected = sum(task.will_run(node) for node in self.nodes)
                found = self.collected[task.number] = [expected, [None] * len(self.nodes)]
            found[0] -= 1
            found[1][i] = grad
            complete = found[0] == 0
            if complete:
                del self.collected[task.number]
        if complete:
            self.fn(found[1])


class _Any:
    """Runs at most once in a backward call."""

    def __init__(self, fn):
        self.fn = fn
        self.lock = threading.Lock()
        self.seen: set = set()

    def __call__(self, grad):
        task = running.task
        if task is None:
            raise AssertionError("expected this hook to be called inside a backward call")
        with self.lock:
            first = task.number not in self.seen
            self.seen.add(task.number)
        if first:
            self.fn(grad)
