"""Functions of Tensors as functions of jax arrays, and the other way round."""

import functools

import jax
from jax import tree_util as tree

from torchlike._base.device import CPU
from torchlike._modes.transform import array_of, call, frame
from torchlike._record.facade import device_of, users_work
from torchlike._record.tensor import Tensor
from torchlike._record.tracers import tensor_of


def to_jax(func):
    """A function of Tensors as a pure function of jax arrays: for `jax.jit`, `jax.grad`, `jax.vmap` and the like.
    Derivatives are PyTorch's at ties, zeros and bounds. Writing to tensors that it captures raises RuntimeError. Not
    in PyTorch.

    Args:
        func: the function.

    Returns:
        a function in whose arguments arrays stand for Tensors, and in whose result, too, inside any containers.
    """
    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        args, kwargs = tree.tree_map(_tensor, (args, kwargs))
        with frame():  # the results' Tensors die inside it, so they are not taken for captured ones
            return tree.tree_map(lambda x: array_of(x) if isinstance(x, Tensor) else x, func(*args, **kwargs))

    return wrapper


def _tensor(x):
    return tensor_of(x, CPU if isinstance(x, jax.core.Tracer) else device_of(x)) \
        if isinstance(x, jax.Array) else x


def from_jax(func):
    """A function of jax arrays as a function of Tensors: one Node in the graph, which can be differentiated any number of
    times. Not in PyTorch.

    Args:
        func: the function, which must be pure: it runs again where its gradient is computed.

    Returns:
        a function in whose arguments Tensors stand for arrays, and in whose result, too, inside any containers.
    """
    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        leaves, structure = tree.tree_flatten((args, kwargs))
        places = [i for i, x in enumerate(leaves) if isinstance(x, Tensor)]
        found: dict = {}

        def fn(*arrays):
            given = list(leaves)
            for i, a in zip(places, arrays, strict=True):
                given[i] = a
            positional, named = tree.tree_unflatten(structure, given)
            with users_work():
                outs, found["structure"] = tree.tree_flatten(func(*positional, **named))
            found["others"] = [None if isinstance(x, jax.Array) else x for x in outs]
            return [x for x in outs if isinstance(x, jax.Array)]

        results = iter(call(fn, [leaves[i] for i in places]))
        return tree.tree_unflatten(found["structure"], [next(results) if x is None else x for x in found["others"]])

    return wrapper
