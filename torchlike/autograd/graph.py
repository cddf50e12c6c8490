"""The graph and its saved tensors in users' hands.
https://pytorch.org/docs/stable/autograd.html#autograd-graph"""

import contextlib
import functools
import threading
import weakref

from torchlike._base import device as dev
from torchlike._compile.row_function import unwrap
from torchlike._ops.table import ROWS
from torchlike._record.bind import bind
from torchlike._record.cell import storage_of
from torchlike._record.node import Node as Node
from torchlike._record.node import hooks_of
from torchlike._record.saved import Packed, unpack
from torchlike._record.site import count_write
from torchlike._record.tensor import Tensor
from torchlike._record.trace import state
from torchlike.autograd.edges import GradientEdge as GradientEdge
from torchlike.autograd.edges import get_gradient_edge as get_gradient_edge
from torchlike.autograd.edges import node_for
from torchlike.autograd.engine import running
from torchlike.autograd.function import BackwardCFunction
from torchlike.autograd.handles import MultiHandle, RemovableHandle
from torchlike.autograd.hooks import result_places
from torchlike.autograd.saved_variable import HOOKED, NOTHING

_REGISTERED_LATE = (
    "Calling register_hooks on a saved tensor after it has been freed. Saved intermediate values of the graph are freed "
    "when you call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward through the graph a "
    "second time or if you need to access saved variables after calling backward.")
_OUTSIDE = (
    "Trying to backward outside of the 'allow_mutation_on_saved_tensors' contextin which the graph was originally "
    "recorded.")


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
        t.thread.hooks = (*t.thread.hooks, (self.pack_hook, self.unpack_hook))

    def __exit__(self, *exc):
        t = state.trace
        t.thread.hooks = t.thread.hooks[:-1]


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
    if state.thread.hooks:
        raise RuntimeError(error_message)
    _disabled.text = error_message
    try:
        yield
    finally:
        _disabled.text = before


class _SavedCopies:
    """What `allow_mutation_on_saved_tensors` gives: a copy of each value that was saved inside.

    ``copies``: handle -> Tensor; ``handles``: Cell -> (version, weak reference to its handle), so that
    a value which is saved several times is copied once.
    """

    active = False

    def __init__(self):
        self.copies: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()
        self.handles: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()

    def pack(self, tensor):
        """The handle of the tensor's present value."""
        cell = tensor._cell
        version, reference = self.handles.get(cell, (None, None))
        handle = reference() if version == cell.version else None
        if handle is None:
            handle = _Handle()
            self.handles[cell] = cell.version, weakref.ref(handle)
            self.copies[handle] = bind(ROWS["clone"], (tensor,), (), (None,))
        return handle

    def unpack(self, handle) -> Tensor:
        """The value again. AssertionError outside of the context that packed it."""
        if not _SavedCopies.active or handle not in self.copies:
            raise AssertionError(_OUTSIDE)
        return self.copies[handle]

    def clear(self) -> None:
        """Forget everything."""
        self.copies.clear()
        self.handles.clear()


class _Handle:
    """Stands for one value of a saved tensor."""


@contextlib.contextmanager
def allow_mutation_on_saved_tensors():
    """Inside, tensors that were saved for backward may be written to: backward reads the old values.

    Backward must run inside too (AssertionError otherwise). The contexts cannot be nested (RuntimeError).
    PyTorch copies a tensor when it is written to. Here the copy is recorded with the save: XLA copies only
    what really lives on beside its copy.
    https://pytorch.org/docs/stable/autograd.html#torch.autograd.graph.allow_mutation_on_saved_tensors
    """
    kept = _SavedCopies()
    with saved_tensors_hooks(kept.pack, kept.unpack):
        if _SavedCopies.active:
            raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
        _SavedCopies.active = True
        try:
            yield kept
        finally:
            kept.clear()
            _SavedCopies.active = False


def increment_version(tensor) -> None:
    """Count a write to a tensor, or to several, that torchlike could not see.
    https://pytorch.org/docs/stable/generated/torch.autograd.graph.increment_version.html"""
    for x in (tensor,) if isinstance(tensor, Tensor) else tensor:
        if not storage_of(x._cell).inference:
            count_write(x._cell)


# -- what a Node keeps, as its attributes

def _saved_attribute(self, name):
    """``grad_fn._saved_self`` and the like: a saved tensor, or an argument of the operation."""
    start, _, kept = name.partition("saved_")
    if kept and start in ("_", "_raw_") and not isinstance(self, BackwardCFunction) and _plan_of(self) is not None:
        found = _saved_values(self, kept) if start == "_" else _raw_saved(self, kept)
        if found:
            return found[0] if len(found) == 1 else tuple(found)
    raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")


def _plan_of(node):
    """The node's plan, without asking for a missing attribute again."""
    try:
        return object.__getattribute__(node, "plan")
    except AttributeError:
        return None


def _words(row) -> set:
    """What the gradients of a row may save."""
    return {word for needs in row.needs.values() for word in needs}


def _result_names(row) -> list:
    return [n or ("result" if len(row.schema.returns) == 1 else f"result{i}") for i, n in enumerate(row.schema.returns)]


def _saved_places(plan) -> list:
    """Whose value each saved tensor is, by name, in the order of ``node.saved``."""
    results = _result_names(plan.kernel.row)
    return [*(plan.owner[i] for i in plan.save_ins), *(results[i] for i in plan.save_outs)]


def _given_numbers(plan) -> list:
    """The names of the Python numbers in ``node.numbers``."""
    row = plan.kernel.row
    return [name for name, kind in zip((*row.operands, *row.numbers), plan.kernel.spec[0], strict=True)
            if kind.__class__ is type]


def _saved_number(node, name):
    """A Python number that the operation was given, or its default."""
    given = _given_numbers(node.plan)
    if name in given:
        return node.numbers[given.index(name)]
    default = next(a.default for a in node.plan.kernel.row.schema.args if a.name == name)
    return None if default is ... else default


def _saved_values(node, name) -> list:
    plan = node.plan
    row = plan.kernel.row
    if row is None:
        return []
    places = _saved_places(plan)
    if name in places:
        tensors = unpack(node)
        return [x for x, place in zip(tensors, places, strict=True) if place == name]
    if name in row.numbers or name in _given_numbers(plan):
        return [_saved_number(node, name)]
    if name in _words(row) and name in (*row.operands, *_result_names(row)):
        return [None]
    params = dict(zip(row.params, unwrap(row, plan.kernel.spec[1]), strict=True))
    if name not in params:
        return []
    kind = next(a.type for a in row.schema.args if a.name == name)
    return [(params[name],) if kind.startswith("int[") and isinstance(params[name], int) else params[name]]


def _raw_saved(node, name) -> list:
    plan = node.plan
    row = plan.kernel.row
    if row is None or name not in _words(row) or name not in (*row.operands, *_result_names(row)):
        return []
    places = [i for i, place in enumerate(_saved_places(plan)) if place == name]
    return [SavedTensor(node, place) for place in places or [None]]


class SavedTensor:
    """``grad_fn._raw_saved_self`` and the like: one saved tensor, which may get saved-tensor hooks of its own.
    https://pytorch.org/docs/stable/notes/autograd.html#hooks-for-saved-tensors"""

    def __init__(self, node, place):
        self._node, self._place = node, place

    def register_hooks(self, pack_hook, unpack_hook) -> None:
        """Keep ``pack_hook(tensor)`` in its place; ``unpack_hook`` brings it back."""
        node, place = self._node, self._place
        if node.saved is None:
            raise RuntimeError(_REGISTERED_LATE)
        if place is None:
            raise RuntimeError(NOTHING)
        kept = list(node.saved)
        if isinstance(kept[2 * place], Packed):
            raise RuntimeError(HOOKED)
        tensor = unpack(node)[place]
        edge = tensor._edge if place < len(node.plan.save_ins) else None  # a result's edge holds the Node
        kept[2 * place:2 * place + 2] = Packed(tensor, (pack_hook, unpack_hook), edge), 0
        node.saved = kept


def _call(self, *grads):
    """The Node's own function of the gradients of its results, without hooks."""
    if isinstance(self, BackwardCFunction):
        raise TypeError(f"'{type(self).__name__}' object is not callable")
    count = len(self.plan.kernel.outs) if self.plan is not None and self.n_outputs == 1 else self.n_outputs
    if len(grads) != count:
        raise TypeError(f"expected {count} arguments, got {len(grads)} instead")
    for i, g in enumerate(grads):
        if g is not None and not isinstance(g, Tensor):
            raise TypeError(f"argument {i} is not a Variable")
    results = self.backward(list(grads))
    found = tuple(None if i is None else results[i] for i in result_places(self, results))
    return found[0] if len(found) == 1 else found


Node.__getattr__ = _saved_attribute
Node.__call__ = _call


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
