"""Hooks on tensors and Nodes: registering them, and calling them with PyTorch's checks.

https://pytorch.org/docs/stable/notes/autograd.html#backward-hooks-execution says when each runs.
"""

from collections import OrderedDict

from torchlike._record.history import edge_of
from torchlike._record.tensor import LEAF, Tensor
from torchlike.autograd.handles import RemovableHandle, add_hook

_NEEDS_GRAD = "cannot register a hook on a tensor that doesn't require gradient"


# -- on tensors

def register_hook(self, hook) -> RemovableHandle:
    """Calls a function whenever the gradient of this tensor has been computed.
    https://pytorch.org/docs/stable/generated/torch.Tensor.register_hook.html

    Args:
        self: this tensor.
        hook: ``hook(grad) -> Tensor or None``; a Tensor of the same shape and dtype takes the place of the gradient.

    Returns:
        The handle that removes the hook.

    Raises:
        RuntimeError: the tensor does not require grad.
    """
    if self._edge is None:
        raise RuntimeError(_NEEDS_GRAD)
    edge = None if self._edge is LEAF else edge_of(self)
    if edge is None:
        if self._hooks is None:
            self._hooks = OrderedDict()
        return add_hook(self._hooks, hook)
    node, number = edge
    registered = node.own_hooks().tensor
    if number not in registered:
        registered[number] = OrderedDict()
    return add_hook(registered[number], hook)


def register_post_accumulate_grad_hook(self, hook) -> RemovableHandle:
    """Calls a function each time ``.grad`` of this leaf has been added to.
    https://pytorch.org/docs/stable/generated/torch.Tensor.register_post_accumulate_grad_hook.html

    Args:
        self: this tensor.
        hook: ``hook(tensor) -> None``.

    Returns:
        The handle that removes the hook.

    Raises:
        RuntimeError: the tensor does not require grad, or is no leaf.
    """
    if self._edge is None:
        raise RuntimeError(_NEEDS_GRAD)
    if self._edge is not LEAF and edge_of(self) is not None:
        raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
    if self._post_hooks is None:
        self._post_hooks = OrderedDict()
    return add_hook(self._post_hooks, hook)


def retain_grad(self) -> None:
    """Lets backward fill ``.grad`` of this non-leaf tensor. Nothing happens for a leaf.
    https://pytorch.org/docs/stable/generated/torch.Tensor.retain_grad.html

    Args:
        self: this tensor.

    Raises:
        RuntimeError: the tensor does not require grad.
    """
    if self._edge is None:
        raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
    if self._edge is LEAF or self._retains:
        return
    edge = edge_of(self)
    if edge is None:
        return
    node, number = edge
    node.retain_grad_of(self, number)
    self._retains = True


# -- on Nodes

class NodeHooks:
    """Hooks of one Node: ``pre`` (on its incoming gradients), ``post`` (on what it returns),
    ``tensor`` (those registered on a tensor, by output number), ``retain`` (tensors that retain
    their grad, weakly, by output number).
    """

    __slots__ = ("post", "pre", "retain", "tensor")

    def __init__(self):
        # A handle refers to its dictionary weakly, which a plain dict does not allow.
        self.pre, self.post, self.tensor, self.retain = OrderedDict(), OrderedDict(), {}, {}


# -- calling them

def run_tensor_hooks(hooks, g):
    """Calls the hooks on the gradient of a tensor.

    Args:
        hooks: a dictionary from numbers to hooks, or None.
        g: the gradient.

    Returns:
        The gradient after the hooks.

    Raises:
        RuntimeError: a hook changed its shape or dtype, or gave one for None.
        TypeError: a hook gave what is no Tensor.
    """
    if not hooks:
        return g
    for hook in list(hooks.values()):
        replaced = hook(g)
        if replaced is not None:
            _check_one(hook, g, replaced)
            g = replaced
    return g


def run_post_accumulate_hooks(hooks, variable) -> None:
    """Calls the hooks of a leaf whose ``.grad`` was added to.

    Args:
        hooks: a dictionary from numbers to hooks, or None.
        variable: the leaf.

    Raises:
        TypeError: one returns what is neither a Tensor nor None.
    """
    for hook in list((hooks or {}).values()):
        out = hook(variable)
        if out is not None and not isinstance(out, Tensor):
            raise TypeError(f"expected Variable, but hook returned '{type(out).__name__}'")


def run_pre_hooks(node, grads) -> list:
    """Calls a Node's pre-hooks.

    Args:
        node: the Node.
        grads: a list with the gradient of each of its results, or None.

    Returns:
        The list after the hooks.

    Raises:
        RuntimeError: as for `run_tensor_hooks`, or another number of gradients.
        TypeError: as there, or no tuple.
    """
    places = node.arriving(grads)
    seen = [grads[i] for i in places]
    for hook in list(node.hooks.pre.values()):
        seen = _replace(hook, seen, hook(tuple(seen)))
    grads = list(grads)
    for i, g in zip(places, seen, strict=True):
        grads[i] = g
    return grads


def run_post_hooks(node, results, grads) -> list:
    """Calls a Node's hooks, which see one gradient for each input that can have one.

    Args:
        node: the Node.
        results: a list with the gradient of each of its operands, or None.
        grads: the gradients that it was computed from.

    Returns:
        The list `results` after the hooks.

    Raises:
        As for `run_pre_hooks`.
    """
    places = node.result_places(results)
    seen = [None if i is None else results[i] for i in places]
    arriving = tuple(grads[i] for i in node.arriving(grads))
    for hook in list(node.hooks.post.values()):
        seen = _replace(hook, seen, hook(tuple(seen), arriving))
    results = list(results)
    for i, g in zip(places, seen, strict=True):
        if i is not None:
            results[i] = g
    return results


def _replace(hook, values, replaced) -> list:
    if replaced is None:
        return list(values)
    if not isinstance(replaced, tuple):
        raise TypeError(f"expected tuple, but hook returned '{type(replaced).__name__}'")
    if len(replaced) != len(values):
        raise RuntimeError(f"hook '{_name(hook)}' has returned an incorrect number of values (got "
                           f"{len(replaced)}, but expected {len(values)})")
    for old, new in zip(values, replaced, strict=True):
        if new is not None:
            _check_one(hook, old, new)
    return list(replaced)


def _name(hook) -> str:
    return getattr(hook, "__name__", "<unknown>")


def _check_one(hook, old, new) -> None:
    """A hook's gradient must look like the one it replaces."""
    if old is None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    if not isinstance(new, Tensor):
        raise TypeError(f"expected Variable, but hook returned '{type(new).__name__}'")
    a, b = old._cell.aval, new._cell.aval
    if a.dtype is not b.dtype:
        raise RuntimeError(f"hook '{_name(hook)}' has changed the type of value (was "
                           f"torch.{a.dtype.scalar_name}Tensor got torch.{b.dtype.scalar_name}Tensor)")
    if a.shape != b.shape:
        raise RuntimeError(f"hook '{_name(hook)}' has changed the size of value")


def _get_hooks(self):
    return self._hooks


def _set_hooks(self, hooks):
    self._hooks = hooks


METHODS: dict = {"register_hook": register_hook, "retain_grad": retain_grad,
           "register_post_accumulate_grad_hook": register_post_accumulate_grad_hook}
_backward_hooks = property(_get_hooks, _set_hooks)
_post_accumulate_grad_hooks = property(lambda self: self._post_hooks)
PROPERTIES: dict = {"_backward_hooks": _backward_hooks, "_post_accumulate_grad_hooks": _post_accumulate_grad_hooks}
