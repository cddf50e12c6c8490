"""Linear functions that JAX transposes to something else than their own transpose.

Of what is written twice to one place the last stays, and PyTorch's gradient still reaches both; the rows of an embedding
that are padding have no gradient. The tangent is then that of the function, the gradient the row's formula, and both hold
under JAX's transforms by a primitive of its own.
"""

import jax
from jax.extend.core import Primitive, jaxpr_as_fun

from torchlike._compile import jax_private

NAME = "linear_apart"
_primitive = Primitive(NAME)
_primitive.multiple_results = True


def apply(forward, backward, fixed, moved) -> list:
    """``forward(*fixed, *moved)``, a list of arrays that is linear in `moved`.

    `backward`: ``backward(*fixed, *cotangents)`` is what a transform takes for the cotangents of `moved`. In `fixed`
    nothing has a derivative.
    """
    made = jax.make_jaxpr(forward)(*fixed, *moved)
    return _primitive.bind(*fixed, *moved, jaxpr=made, backward=backward, count=len(fixed))


def _run(*arrays, jaxpr, **_):
    return jaxpr_as_fun(jaxpr)(*arrays)


def _jvp(primals, tangents, *, count, **params):
    moved = [jax_private.instantiate_zeros(t) for t in tangents[count:]]
    return tuple(_primitive.bind(*xs, count=count, **params) for xs in (primals, (*primals[:count], *moved)))


def _transpose(cotangents, *arrays, jaxpr, backward, count):
    found = backward(*arrays[:count], *map(jax_private.instantiate_zeros, cotangents))
    of_moved = [g if jax_private.is_undefined_primal(x) else None for g, x in zip(found, arrays[count:], strict=True)]
    return [*[None] * count, *of_moved]


def _batch(axis, arrays, dims, *, jaxpr, backward, count):
    moved = [jax_private.bdim_at_front(x, dim, axis.size) for x, dim in zip(arrays[count:], dims[count:], strict=True)]
    fixed, fixed_dims = arrays[:count], tuple(dims[:count])

    def slices(function, others):
        return jax.vmap(function, (*fixed_dims, *[0] * others), axis_size=axis.size)

    found = apply(slices(jaxpr_as_fun(jaxpr), len(moved)), slices(backward, len(jaxpr.out_avals)), fixed, moved)
    return found, [0] * len(found)


jax_private.register(_primitive, _run, _jvp, _transpose, _batch)
