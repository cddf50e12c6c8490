"""Linear functions that JAX transposes to something else than their own transpose.

Of what is written twice to one place the last stays, and PyTorch's gradient still reaches both; the rows of an embedding
that are padding have no gradient. The tangent is then that of the function, the gradient the row's formula, and both hold
under JAX's transforms by a primitive of its own.
"""

import jax
from jax.interpreters import ad, batching, mlir

from torchlike._compile.jaxprs import Primitive, jaxpr_as_fun

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
    moved = [ad.instantiate_zeros(t) for t in tangents[count:]]
    return tuple(_primitive.bind(*xs, count=count, **params) for xs in (primals, (*primals[:count], *moved)))


def _transpose(cotangents, *arrays, jaxpr, backward, count):
    found = backward(*arrays[:count], *map(ad.instantiate_zeros, cotangents))
    of_moved = [g if ad.is_undefined_primal(x) else None for g, x in zip(found, arrays[count:], strict=True)]
    return [*[None] * count, *of_moved]


def _batch(axis, arrays, dims, *, jaxpr, backward, count):
    moved = [batching.bdim_at_front(x, dim, axis.size) for x, dim in zip(arrays[count:], dims[count:], strict=True)]
    fixed, fixed_dims = arrays[:count], tuple(dims[:count])

    def slices(function, others):
        return jax.vmap(function, (*fixed_dims, *[0] * others), axis_size=axis.size)

    found = apply(slices(jaxpr_as_fun(jaxpr), len(moved)), slices(backward, len(jaxpr.out_avals)), fixed, moved)
    return found, [0] * len(found)


_primitive.def_impl(_run)
_primitive.def_abstract_eval(lambda *avals, jaxpr, **_: jaxpr.out_avals)
ad.primitive_jvps[_primitive] = _jvp
ad.primitive_transposes[_primitive] = _transpose
batching.fancy_primitive_batchers[_primitive] = _batch
mlir.register_lowering(_primitive, mlir.lower_fun(_run, multiple_results=True))
