"""Many tensors as one: what a bucket of gradients sends. Each way is one instruction, whatever the number of tensors."""

import math
from collections.abc import Sequence

import jax.numpy as jnp

from torchlike._record.facade import function_kernel, plain_forms, record
from torchlike._record.tensor import Tensor


def flattened(tensors: Sequence[Tensor], factor: float = 1.0) -> Tensor:
    """The elements of tensors of one dtype one after the other, times a factor. No history."""
    forms = plain_forms(tensors)

    def make():
        def function(*arrays):
            flat = jnp.concatenate([x.reshape(-1) for x in arrays])
            return (flat if factor == 1.0 else flat * jnp.asarray(factor, flat.dtype),)
        return function

    return record(function_kernel(("flattened", forms, factor), "flattened", make, forms), tensors)[0]


def unflattened(flat: Tensor, tensors: Sequence[Tensor]) -> Sequence[Tensor]:
    """The way back: new tensors of the shapes and dtypes of `tensors`, contiguous."""
    shapes = tuple(tuple(x.shape) for x in tensors)
    forms = plain_forms([flat])

    def make():
        def function(x):
            parts, start = [], 0
            for shape in shapes:
                stop = start + math.prod(shape)
                parts.append(x[start:stop].reshape(shape))
                start = stop
            return tuple(parts)
        return function

    return record(function_kernel(("unflattened", forms, shapes), "unflattened", make, forms), [flat])
