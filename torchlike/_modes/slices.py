"""Operators without a batching rule under `torchlike.func.vmap`: one slice after the other, as PyTorch does."""

import functools
import inspect
import warnings
from collections.abc import Callable
from typing import TypeVar, cast

import jax.numpy as jnp

from torchlike._compile.jax_private import like, own_work
from torchlike._modes.vmap_levels import differs
from torchlike._record.tensor import Tensor
from torchlike._record.trace import force, state
from torchlike._record.tracers import is_differentiated, tensor_of, undifferentiated
from torchlike._record.wrong_calls import instead_of

F = TypeVar("F", bound=Callable)

_SLOW = (
    "There is a performance drop because we have not yet implemented the batching rule for aten::{}. Please file us an "
    "issue on GitHub so that we can prioritize its implementation.")
_UNEQUAL = "stack expects each tensor to be equal size, but got {} at entry 0 and {} at entry {}"


def slice_by_slice(name: str | None) -> Callable[[F], F]:
    """Decorates a function without derivative that reads the values of its arguments, or whose shapes depend on them: in a
    vmap it is called for each slice.

    Args:
        name: PyTorch's operator, for its warning and its error where derivatives are taken; None where it has neither.
    """
    def decorate(function):
        @functools.wraps(function)
        def face(*args, **kwargs):
            lane = _lane_of((*args, *kwargs.values())) if state.thread.frames else None
            if lane is None:
                try:
                    return function(*args, **kwargs)
                except Exception as error:  # noqa: BLE001 - any may come of wrong arguments
                    raise instead_of(error) from None
            if name is not None:
                warnings.warn(_SLOW.format(name), stacklevel=3)
            found = _stacked(_each(face, lane, args, kwargs), lane)
            if name is not None and _moves((*args, *kwargs.values()), found):
                raise RuntimeError(f"derivative for aten::{name.partition('.')[0]} is not implemented")
            return found

        face.__signature__ = inspect.signature(function)
        return cast("F", face)

    return decorate


def _lane_of(values) -> tuple | None:
    """The lane of the innermost vmap that one of these differs in."""
    arrays = [force(x._cell) for x in values if isinstance(x, Tensor)]
    lanes = (f.lane for f in reversed(state.thread.frames) if f.lane is not None)
    return next((lane for lane in lanes if any(differs(a, lane) for a in arrays)), None)


def _moves(operands, results) -> bool:
    """Whether a transform asks for the derivative of the results."""
    results = [results] if isinstance(results, Tensor) else results
    return any(x.is_floating_point() for x in results) and any(
        is_differentiated(x) for x in operands if isinstance(x, Tensor))


def _each(function, lane, args, kwargs):
    """What the function returns for each slice, in turn."""
    for i in range(lane[0]):
        yield function(*(_slice(x, lane, i) for x in args), **{k: _slice(x, lane, i) for k, x in kwargs.items()})


def _slice(x, lane, i):
    if not isinstance(x, Tensor) or not differs(force(x._cell), lane):
        return x
    array = force(undifferentiated(x)._cell)
    return tensor_of(jnp.take(array.val, i, axis=array.batch_dim), x._cell.aval.device)


def _stacked(results, lane):
    """The Tensors, or tuples of Tensors, of all slices as one that differs in the lane."""
    found = list(results)
    if not isinstance(found[0], Tensor):
        return type(found[0])(*(_stacked(parts, lane) for parts in zip(*found, strict=True)))
    shapes = [tuple(x.shape) for x in found]
    for i, shape in enumerate(shapes):
        if shape != shapes[0]:
            raise RuntimeError(_UNEQUAL.format(list(shapes[0]), list(shape), i))
    with own_work():
        array = jnp.stack([force(x._cell) for x in found])
    number = lane[1]
    return tensor_of(like(number, array, 0), found[0]._cell.aval.device)
