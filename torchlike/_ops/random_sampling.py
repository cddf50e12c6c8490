"""Rows that connect drawn numbers with the probabilities, means and other parameters that they were drawn by.

PyTorch records them, with gradients that are zero, that it does not have, or that are those of the sample:
https://pytorch.org/docs/stable/random.html. The numbers themselves are drawn in torchlike/_random.
"""

import jax
import jax.numpy as jnp

from torchlike._base import dtypes as dt
from torchlike._ops.numerics.sample_slopes import beta_slope, dirichlet_slope, dirichlet_tangent, gamma_slope
from torchlike._ops.rules import not_implemented, promote_except, zeros
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


# -- samples with pathwise gradients

def _sampled(tangent):
    """The function of a row, (parameters, sample) -> sample; ``tangent(parameters, sample, moved)`` is its derivative."""
    @jax.custom_jvp
    def function(parameters, sample):
        return sample

    @function.defjvp
    def _rule(primals, tangents):
        parameters, sample = primals
        return sample, tangent(parameters, sample, tangents[0]) + tangents[1]

    return function


def _only(kernel, *allowed):
    return promote_except("default", kernel, lambda common: common not in allowed)


op("_drawn_gamma(Tensor self, Tensor sample) -> Tensor", _sampled(lambda alpha, x, moved: moved * gamma_slope(alpha, x)),
   node="StandardGammaBackward0",
   grads={"self": lambda g, self, result: g * gamma_slope(self, result)}, ours=True)
op("_drawn_dirichlet(Tensor self, Tensor sample) -> Tensor", _sampled(dirichlet_tangent), node="_DirichletBackward",
   grads={"self": dirichlet_slope}, ours=True)
op("_drawn_poisson(Tensor self, Tensor sample) -> Tensor", lambda rate, sample: sample, node="PoissonBackward0",
   grads={"self": zeros}, ours=True)
op("_drawn_binomial(Tensor self, Tensor prob, Tensor sample) -> Tensor", lambda n, p, sample: sample, node="NotImplemented",
   grads={"self": not_implemented("binomial"), "prob": not_implemented("binomial")}, ours=True)
op("_standard_gamma_grad(Tensor self, Tensor output) -> Tensor", gamma_slope,
   promote=_only("_standard_gamma_grad_cpu", dt.float32, dt.float64))
op("_dirichlet_grad(Tensor x, Tensor alpha, Tensor total) -> Tensor", beta_slope,
   promote=_only("_dirichlet_grad_cpu", dt.float32, dt.float64))
