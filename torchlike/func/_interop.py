"""Functions of Tensors as functions of jax arrays, and the other way round."""

import functools

import jax
from jax import tree_util as tree

from torchlike._base.device import CPU
from torchlike._modes.transform import array_of, call, frame, tensor_of
from torchlike._record.facade import device_of
from torchlike._record.tensor import Tensor


def to_jax(func):
    """`func`, a function of Tensors, as a pure function of jax arrays: for `jax.jit`, `jax.grad`, `jax.vmap`, ...

    Arrays anywhere in its arguments become Tensors, Tensors anywhere in its result arrays. Derivatives are
    PyTorch's at ties, zeros and bounds. Writes to tensors that it captures are RuntimeErrors.
    """
    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        args, kwargs = tree.tree_map(_tensor, (args, kwargs))
        with frame():  # in which the results' Tensors die, too: they are not what the function captured
            return tree.tree_map(lambda x: array_of(x) if isinstance(x, Tensor) else x, func(*args, **kwargs))

    return wrapper


def _tensor(x):
    return tensor_of(x, CPU if isinstance(x, jax.core.Tracer) else device_of(x)) \
        if isinstance(x, jax.Array) else x


def from_jax(func):
    """`func`, a function of jax arrays, as a function of Tensors: one Node on the tape, of any order.

    Tensors anywhere in its arguments become jax arrays; of its result, arrays become Tensors. Everything
    else goes through as it is. It must be pure: it runs again where its gradient is asked for.
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
            outs, found["structure"] = tree.tree_flatten(func(*positional, **named))
            found["others"] = [None if isinstance(x, jax.Array) else x for x in outs]
            return [x for x in outs if isinstance(x, jax.Array)]

        results = iter(call(fn, [leaves[i] for i in places]))
        return tree.tree_unflatten(found["structure"], [next(results) if x is None else x for x in found["others"]])

    return wrapper
