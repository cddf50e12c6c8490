"""Branches and loops on values: Python's. https://pytorch.org/docs/stable/cond.html"""

from collections.abc import Callable

from torchlike._api import stack
from torchlike._base.errors import wrap_dim
from torchlike.utils import _pytree as pytree

__all__ = ["cond", "map", "scan", "while_loop"]


def cond(pred, true_fn: Callable, false_fn: Callable, operands=()):
    """One of two functions of the operands.
    https://pytorch.org/docs/stable/generated/torch.cond.html

    Args:
        pred: which one: a bool, or a Tensor of one element.
        true_fn, false_fn: the functions.
        operands: a tuple or list of their arguments.

    Returns:
        What the function returns.
    """
    return (true_fn if pred else false_fn)(*operands)


def while_loop(cond_fn: Callable, body_fn: Callable, carried_inputs):
    """Calls a function on what it returned as long as another one says so.

    Args:
        cond_fn: of the carried values; it returns a bool or a Tensor of one element.
        body_fn: of the carried values; it returns a tuple of the next ones.
        carried_inputs: a tuple of the first ones.

    Returns:
        A tuple of the last ones.
    """
    carried = tuple(carried_inputs)
    while cond_fn(*carried):
        carried = tuple(body_fn(*carried))
    return carried


def map(f: Callable, xs, *args):  # PyTorch's name
    """Calls a function for each slice along the first dimension.

    Args:
        f: of a slice and `args`.
        xs: a Tensor, or nested tuples, lists and dicts of them.
        args: more arguments.

    Returns:
        What the calls return, stacked along a new first dimension.
    """
    return _stacked([f(each, *args) for each in _slices(xs, 0)], 0)


def scan(combine_fn: Callable, init, xs, *, dim: int = 0, reverse: bool = False):
    """Calls a function for each slice along a dimension, with what the call before carried on.

    Args:
        combine_fn: of what is carried and a slice; it returns what is carried on and a result.
        init: what the first call gets.
        xs: a Tensor, or nested tuples, lists and dicts of them.
        dim: the dimension.
        reverse: whether to begin at its end.

    Returns:
        What the last call carried on; and the results, stacked along a new first dimension.
    """
    results, carried = [], init
    parts = _slices(xs, dim)
    for each in reversed(parts) if reverse else parts:
        carried, result = combine_fn(carried, each)
        results.append(result)
    return carried, _stacked(results[::-1] if reverse else results, 0)


def _slices(xs, dim: int) -> list:
    leaves, spec = pytree.tree_flatten(xs)
    parts = [leaf.unbind(wrap_dim(dim, leaf.ndim)) for leaf in leaves]
    return [pytree.tree_unflatten(list(each), spec) for each in zip(*parts, strict=True)]


def _stacked(results: list, dim: int):
    flat = [pytree.tree_leaves(result) for result in results]
    return pytree.tree_unflatten([stack(each, dim) for each in zip(*flat, strict=True)], pytree.tree_structure(results[0]))
