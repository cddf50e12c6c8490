"""The graph and its saved tensors in users' hands.
https://pytorch.org/docs/stable/autograd.html#autograd-graph"""

import contextlib
import functools
import threading
import weakref

from torchlike._base import device as dev
from torchlike._base.forkable import forkable
from torchlike._ops.table import ROWS
from torchlike._record.bind import bind
from torchlike._record.site import count_write
from torchlike._record.tensor import Tensor
from torchlike._record.trace import state
from torchlike.autograd.engine import GradientEdge as GradientEdge
from torchlike.autograd.engine import get_gradient_edge as get_gradient_edge
from torchlike.autograd.engine import node_for
from torchlike.autograd.graph_task import running
from torchlike.autograd.handles import MultiHandle, RemovableHandle
from torchlike.autograd.node import Node as Node

_OUTSIDE = (
    "Trying to backward outside of the 'allow_mutation_on_saved_tensors' contextin which the graph was originally "
    "recorded.")


class _Disabled(threading.local):
    """Why saved-tensor hooks are refused on this thread, or None."""

    text = None


_disabled = _Disabled()


class saved_tensors_hooks:  # noqa: N801 - PyTorch's name
    """Inside, each saved tensor is replaced by what a function makes of it. Only the innermost pair applies.
    https://pytorch.org/docs/stable/autograd.html#torch.autograd.graph.saved_tensors_hooks

    Args:
        pack_hook: ``pack_hook(tensor) -> anything``; it may not write to the tensor.
        unpack_hook: ``unpack_hook(packed) -> Tensor``, called when backward needs it.

    Raises:
        RuntimeError: on entering, inside of `disable_saved_tensors_hooks`.
    """

    def __init__(self, pack_hook, unpack_hook):
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook

    def __enter__(self):
        if _disabled.text is not None:
            raise RuntimeError(_disabled.text)
        thread = state.thread
        thread.hooks, thread.plain_graph = (*thread.hooks, (self.pack_hook, self.unpack_hook)), False

    def __exit__(self, *exc):
        thread = state.thread  # nothing is called here, so that an interruption does not find half of it
        thread.hooks = thread.hooks[:-1]
        thread.plain_graph = not (thread.hooks or thread.told)


class save_on_cpu(saved_tensors_hooks):  # noqa: N801
    """Inside, saved tensors are kept in the CPU's memory and copied back for backward.
    https://pytorch.org/docs/stable/autograd.html#torch.autograd.graph.save_on_cpu

    Args:
        pin_memory: without effect here: JAX decides how it copies.
        device_type: likewise.
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
    """Inside, `saved_tensors_hooks` is refused.
    https://pytorch.org/docs/stable/autograd.html#torch.autograd.graph.disable_saved_tensors_hooks

    Args:
        error_message: the text of the RuntimeError.

    Yields:
        None.

    Raises:
        RuntimeError: with this text, where hooks are active already.
    """
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
    """Inside, tensors that were saved for backward may be written to: backward reads the old values, and must run inside
    too.
    https://pytorch.org/docs/stable/autograd.html#torch.autograd.graph.allow_mutation_on_saved_tensors

    PyTorch copies a tensor when it is written to. Here the copy is recorded with the save: XLA copies only what really lives
    on beside its copy.

    Raises:
        RuntimeError: inside another such block. Backward outside of the block is an AssertionError.
    """
    kept = _SavedCopies()
    with saved_tensors_hooks(kept.pack, kept.unpack):
        if _SavedCopies.active:
            raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
        _SavedCopies.active = True
        try:
            yield kept
        finally:
            _SavedCopies.active = False
            kept.clear()


def increment_version(tensor) -> None:
    """Count a write that torchlike could not see.
    https://pytorch.org/docs/stable/generated/torch.autograd.graph.increment_version.html

    Args:
        tensor: the Tensor that was written to, or several. Inference tensors count none.
    """
    for x in (tensor,) if isinstance(tensor, Tensor) else tensor:
        if not x._cell.inference:
            count_write(x._cell)


# -- hooks on new Nodes

_INSIDE = ("Creating a new autograd node from inside a node creation hook is not supported. Node creation hooks should only "
           "observe the node (e.g. record it, stash metadata, or register backward hooks on it); got a new node of type {} "
           "while a hook was running.")


class _Called(threading.local):
    """Whether a hook on new Nodes is running on this thread."""

    now = False


_called = _Called()


class node_creation_hook:  # noqa: N801 - PyTorch's name
    """Inside, a function is called with each new Node of this thread, in backward passes, too. Of several, nested ones, the
    outermost is called first. PyTorch has it since 2.14.
    https://pytorch.org/docs/2.14/autograd.html#torch.autograd.graph.node_creation_hook

    The `AccumulateGrad` of a leaf comes once, as long as somebody holds it. A view that was written to has its new Node when
    somebody asks for it.

    Args:
        hook: ``hook(node) -> None``. It may look at the Node, register hooks on it and write to its ``metadata``.

    Raises:
        RuntimeError: where the operation is recorded: `hook` returns something, or an operation in it makes a Node.
    """

    detects_anomaly, sees_all = False, True

    def __init__(self, hook):
        self.hook = hook

    def __enter__(self):
        state.thread.observers = (*state.thread.observers, self)

    def __exit__(self, *exc):
        observers = state.thread.observers
        last = max((i for i, observer in enumerate(observers) if observer is self), default=len(observers))
        state.thread.observers = observers[:last] + observers[last + 1:]

    def node_made(self, node, tensors, outs, numbers) -> None:
        """An Observer's: calls the hook.

        Args:
            node, tensors, outs, numbers: as for `torchlike._record.thread.Observer`.

        Raises:
            RuntimeError: see the class.
        """
        if _called.now:
            raise RuntimeError(_INSIDE.format(node.name().rpartition("::")[2]))
        _called.now = True
        try:
            answer = self.hook(node)
        finally:
            _called.now = False
        if answer is not None:
            raise RuntimeError(f"node creation hook must return None, got {type(answer).__name__}")


# -- one hook on several tensors

def register_multi_grad_hook(tensors, fn, *, mode="all") -> RemovableHandle:
    """One hook on the gradients of several tensors.
    https://pytorch.org/docs/stable/autograd.html#torch.autograd.graph.register_multi_grad_hook

    Args:
        tensors: Tensors that require grad.
        fn: called once a backward pass: with a list of the gradients of all that it computes, None for the others
            ("all"), or with the first that arrives ("any").
        mode: "all" or "any".

    Returns:
        The handle that removes the hook.

    Raises:
        ValueError: another mode.
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
    node_for(tensor).own_hooks()
    return tensor.register_hook(hook)


class _All:
    """Collects the gradients of each backward call until the last one that will come."""

    def __init__(self, nodes, fn):
        self.nodes, self.fn = nodes, fn
        self.lock = forkable(threading.Lock())
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
        self.lock = forkable(threading.Lock())
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


# -- switches of PyTorch's compiler and of its streams

def region_activation_memory_budget(budget: float) -> contextlib.AbstractContextManager[None]:
    """Raises, as in PyTorch outside of what its compiler captures: nothing is captured here.

    Args:
        budget: a number between 0 and 1.

    Raises:
        TypeError: `budget` is no number.
        ValueError: it is not between 0 and 1.
        RuntimeError: it is.
    """
    name = "torch.autograd.graph.region_activation_memory_budget"
    if isinstance(budget, bool) or not isinstance(budget, int | float):
        raise TypeError(f"{name}: expects a float, got {type(budget).__name__}")
    if not 0.0 <= budget <= 1.0:
        raise ValueError(f"{name}: must be in [0, 1], got {budget}")
    raise RuntimeError(f"{name} can only be used inside a torch.compile region; it has no effect in eager mode.")


def _check_switch(enabled) -> None:
    if not isinstance(enabled, bool):
        raise RuntimeError(f"enabled must be a bool, but got {type(enabled).__name__}")


def set_warn_on_accumulate_grad_stream_mismatch(enabled: bool) -> None:
    """Whether PyTorch warns where a gradient comes on another stream than that of its leaf. JAX orders the work, so there is
    nothing to warn of.

    Args:
        enabled: whether it does.

    Raises:
        RuntimeError: `enabled` is no bool.
    """
    _check_switch(enabled)


def set_override_stale_capture_stream(enabled: bool) -> None:
    """Whether PyTorch takes the current stream where a captured one has gone. There are no captured graphs.

    Args:
        enabled: whether it does.

    Raises:
        RuntimeError: `enabled` is no bool.
    """
    _check_switch(enabled)
