"""Numbers drawn by tensors of parameters: `poisson`, `binomial`, `_standard_gamma`, `_sample_dirichlet`.

https://pytorch.org/docs/stable/torch.html#random-sampling. They are the generator's, and equal PyTorch's of the seed.
"""

from __future__ import annotations

import numpy as np

from torchlike._api.generated import ops
from torchlike._api.random import _fresh
from torchlike._base import dtypes as dt
from torchlike._modes import intercept, vmap_levels
from torchlike._ops.geometry import broadcast
from torchlike._random.generator import Generator, draw, note
from torchlike._record.tensor import Tensor


def _values(x, shape) -> np.ndarray:
    """The parameters of all numbers that are drawn at once."""
    note()
    vmap_levels.check_given(x)
    return np.broadcast_to(vmap_levels.gathered(x), vmap_levels.shape() + tuple(shape))


def _check(x, kernel, *allowed) -> None:
    """NotImplementedError unless the dtype of `x` is among those of PyTorch's kernel."""
    if x.dtype not in (allowed or (dt.float32, dt.float64)):
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{x.dtype.scalar_name}'")


def _drawn(x, values):
    return _fresh(values, tuple(x.shape), x.dtype, x.device, False)


@intercept.named("poisson.default")
def poisson(input: Tensor, generator: Generator | None = None) -> Tensor:
    """Poisson numbers of the rates `input`, floating, in its dtype.
    https://pytorch.org/docs/stable/generated/torch.poisson.html
    NotImplementedError for another dtype, RuntimeError for a rate below 0."""
    _check(input, "poisson_cpu", dt.float16, dt.bfloat16, dt.float32, dt.float64)
    rates = _values(input, input.shape)
    found = draw("poisson", generator, rates.astype(np.float64).reshape(-1), device=input.device)
    return ops._drawn_poisson(input, _drawn(input, found))


@intercept.named("binomial.default")
def binomial(count: Tensor, prob: Tensor, generator: Generator | None = None) -> Tensor:
    """How many of `count` trials of probability `prob` succeed; float tensors of one dtype that broadcast.
    https://pytorch.org/docs/stable/generated/torch.binomial.html
    ValueError for integers, RuntimeError for two dtypes, NotImplementedError for half precision."""
    for name, x in (("count", count), ("prob", prob)):
        if not x.dtype.is_floating_point:
            raise ValueError(f"binomial only supports floating-point dtypes for {name}, got: {x.dtype.scalar_name}")
    if count.dtype != prob.dtype:
        raise RuntimeError(f"Found dtype {prob.dtype.scalar_name} but expected {count.dtype.scalar_name}")
    _check(count, "binomial_cpu")
    shape = broadcast(count.shape, prob.shape)
    count, prob = count.expand(shape), prob.expand(shape)
    flat = (_values(x, count.shape).reshape(-1) for x in (count, prob))
    return ops._drawn_binomial(count, prob, _drawn(count, draw("binomial", generator, *flat, device=count.device)))


@intercept.named("_standard_gamma.default")
def _standard_gamma(input: Tensor, generator: Generator | None = None) -> Tensor:
    """Standard gamma numbers of the shapes `input`, float32 or float64, with pathwise gradients."""
    _check(input, "gamma_cpu")
    values = draw("gamma", generator, _values(input, input.shape).reshape(-1), device=input.device)
    return ops._drawn_gamma(input, _drawn(input, _at_least_tiny(values, input.dtype)))


@intercept.named("_sample_dirichlet.default")
def _sample_dirichlet(input: Tensor, generator: Generator | None = None) -> Tensor:
    """Dirichlet numbers of the concentrations `input` (*, K), float32 or float64, with pathwise gradients."""
    _check(input, "dirichlet")
    shapes = _values(input, input.shape).astype(np.float64)
    drawn = draw("gamma", generator, shapes.reshape(-1), device=input.device)
    gammas = _at_least_tiny(drawn, dt.float64).reshape(shapes.shape)
    values = gammas / gammas.sum(-1, keepdims=True)
    below_one = np.nextafter(input.dtype.np.type(1), input.dtype.np.type(0))
    values = np.minimum(_at_least_tiny(values, input.dtype), below_one)
    return ops._drawn_dirichlet(input, _drawn(input, values))


def _at_least_tiny(values, dtype):
    """Rounded to `dtype`, and not below its smallest normal number."""
    with np.errstate(under="ignore", over="ignore"):
        return np.fmax(values.astype(dtype.np), np.finfo(dtype.np).tiny)


FUNCTIONS: dict = {
    "poisson": poisson, "binomial": binomial, "_standard_gamma": _standard_gamma, "_sample_dirichlet": _sample_dirichlet,
    "_standard_gamma_grad": ops._standard_gamma_grad, "_dirichlet_grad": ops._dirichlet_grad,
}
