"""The history of what is drawn by given probabilities, means and deviations.

PyTorch records it, with gradients that are zero (or that it does not have): https://pytorch.org/docs/stable/random.html
"""

import jax.numpy as jnp

from torchlike._ops.rules import not_implemented
from torchlike._ops.table import op


def _zeros(sources_aval):
    return [jnp.zeros(s.shape, s.dtype) for s in sources_aval]


@op("_drawn(Tensor value, Tensor[] sources, str node) -> Tensor", node=lambda params: params["node"], method=False,
    function=False, grads={"sources": _zeros}, ours=True)
def _drawn(value, sources, *, node):
    """`value`, which was drawn by the parameters `sources`."""
    return value


@op("_drawn_apart(Tensor value, Tensor source) -> Tensor", node="NotImplemented", method=False, function=False,
    grads={"source": not_implemented("bernoulli")}, ours=True)
def _drawn_apart(value, source):
    """`value`, drawn by a number in the shape of `source`: PyTorch has no formula for its gradient."""
    return value
